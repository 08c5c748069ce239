#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program once under sampling as the user of a site.
# usage: guest.sh DIR OUT PERIOD PROGRAM...
set -u

programs=$1
out=$2
export MEMPHIS_PERIOD="$3" MEMPHIS_RING_RECORDS=65536 LD_LIBRARY_PATH="$programs"
shift 3
mkdir -p "$out" && chown user "$out"
for name in "$@"; do
	export MEMPHIS_OUTPUT="$out/$name"
	site-user taskset 1 "$programs/$name" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
done
