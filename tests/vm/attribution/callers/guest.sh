#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program once under sampling as the user of a site, with the library's defaults for callers.
# usage: guest.sh DIR OUT PERIOD PROGRAM[-perf]...     -perf: sampled by perf
set -u

programs=$1
out=$2
period=$3
export LD_LIBRARY_PATH="$programs"
shift 3
mkdir -p "$out" && chown user "$out"
for name in "$@"; do
	case $name in
	# Rings of the default size
	small) export MEMPHIS_PERIOD=8192 MEMPHIS_RING_RECORDS=8192 ;;
	# The emulated CPUs share the host's: the drain may be late.
	*) export MEMPHIS_PERIOD="$period" MEMPHIS_RING_RECORDS=65536 ;;
	esac
	# Perf copies stacks only on request.
	case $name in
	*-perf)
		export MEMPHIS_BACKEND=perf MEMPHIS_CALLERS=512
		paranoid=1
		;;
	*)
		unset MEMPHIS_BACKEND MEMPHIS_CALLERS
		paranoid=3
		;;
	esac
	MEMPHIS_OUTPUT=$out/$name site-user --perf-event-paranoid $paranoid taskset 1 "$programs/${name%-perf}" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
done
