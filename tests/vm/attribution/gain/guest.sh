#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs `chase` as the user of a site, with its memory on another node and on its own node. usage: guest.sh DIR OUT PERIOD
set -u

programs=$1
out=$2
export MEMPHIS_PERIOD="$3" MEMPHIS_RING_RECORDS=65536 MEMPHIS_CALLERS=off MEMPHIS_REGION_COUNTERS=1 LD_LIBRARY_PATH="$programs"
mkdir -p "$out" && chown user "$out"
echo never > /sys/kernel/mm/transparent_hugepage/enabled
for node in 0 1; do
	MEMPHIS_OUTPUT="$out/$node" site-user "$programs/chase" "$node" > "$out/$node.out" 2> "$out/$node.err"
	echo $? > "$out/$node.status"
done
