#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program of `advised` as the user of a site, as it is and changed. usage: guest.sh DIR OUT PERIOD NAME...
set -u

programs=$1
out=$2
export MEMPHIS_PERIOD="$3" MEMPHIS_RING_RECORDS=65536 MEMPHIS_CALLERS=off MEMPHIS_REGION_COUNTERS=1 LD_LIBRARY_PATH="$programs"
shift 3
mkdir -p "$out" && chown user "$out"
echo never > /sys/kernel/mm/transparent_hugepage/enabled
for name in "$@"; do
	for how in found changed; do
		MEMPHIS_OUTPUT="$out/$name.$how" site-user "$programs/advised" "$name" "$how" > "$out/$name.$how.out" 2> "$out/$name.$how.err"
		echo $? > "$out/$name.$how.status"
	done
done
