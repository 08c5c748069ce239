#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs `pairs` as the user of a site, once with each pair on two nodes and once as memphis place proposes; and once with each
# thread on its own. Counts of the first two are 1 and 2. usage: guest.sh DIR OUT PERIOD
set -u

programs=$1
out=$2
export MEMPHIS_PERIOD="$3" MEMPHIS_RING_RECORDS=65536 MEMPHIS_CALLERS=off LD_LIBRARY_PATH="$programs" OMP_NUM_THREADS=8 OMP_PROC_BIND=true
mkdir -p "$out" && chown user "$out"
echo never > /sys/kernel/mm/transparent_hugepage/enabled

# pairs NAME DISTANCE [TRUTH]: with OMP_PLACES as it is.
pairs()
{
	MEMPHIS_OUTPUT=$out/$1 ${3:+truth run "$3"} site-user "$programs/pairs" "$2" > "$out/$1.out" 2> "$out/$1.err"
	echo $? > "$out/$1.status"
	memphis place "$out/$1" > "$out/$1.txt" 2>&1
	memphis place --format json "$out/$1" > "$out/$1.json"
}

export OMP_PLACES='{0},{1},{2},{3},{4},{5},{6},{7}'
pairs scattered 4 1
OMP_PLACES=$(sed -n "s/.*OMP_PLACES='\(.*\)'/\1/p" "$out/scattered.txt")
pairs proposed 4 2
OMP_PLACES='{0},{1},{2},{3},{4},{5},{6},{7}'
pairs alone 0
