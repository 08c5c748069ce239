#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program once under sampling as the user of a site, with the library's defaults for callers.
# usage: guest.sh DIR OUT PERIOD PROGRAM...
set -u

programs=$1
out=$2
export MEMPHIS_PERIOD="$3" LD_LIBRARY_PATH="$programs"
shift 3
mkdir -p "$out" && chown user "$out"
for name in "$@"; do
	case $name in
	# Rings of the default size
	small) export MEMPHIS_PERIOD=8192 MEMPHIS_RING_RECORDS=8192 ;;
	# The emulated CPUs share the host's: the drain may be late.
	*) export MEMPHIS_RING_RECORDS=65536 ;;
	esac
	MEMPHIS_OUTPUT=$out/$name site-user taskset 1 "$programs/$name" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
done
