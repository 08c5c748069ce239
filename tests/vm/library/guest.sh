#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs every program once as the user of a site, between two readings of the machine's count of delivered samples,
# which only root may make. usage: guest.sh DIR OUT
set -u

programs=$1
out=$2
# shellcheck source=tests/vm/library/dense.sh
. "$programs/dense.sh"
mkdir -p "$out" && chown user "$out"
files=$out
sample_densely 16384

delivered()
{
	truth delivered | awk '$1 == "all" { print $2 }'
}

# sampled NAME COMMAND...: runs a command; sample files go to $files/NAME, the rest to OUT/NAME.*
sampled()
{
	name=$1
	shift
	before=$(delivered)
	MEMPHIS_OUTPUT=$files/$name site-user "$@" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
	echo $(($(delivered) - before)) > "$out/$name.delivered"
}

sampled threads "$programs/threads"
OMP_NUM_THREADS=4 sampled openmp "$programs/openmp"
for how in return fork raw-fork exec kill _exit close-all; do
	sampled "$how" "$programs/ending" "$how"
done
sampled together "$programs/races" together
for turn in 1 2 3 4 5; do
	sampled "busy$turn" "$programs/races" busy
done
sampled cancel "$programs/races" cancel
sampled nested "$programs/times" nested
# Where perf is forbidden, as by default, the device counts.
MEMPHIS_REGION_COUNTERS=1 sampled turns "$programs/times" turns
MEMPHIS_REGION_COUNTERS=1 sampled counted --perf-event-paranoid 2 "$programs/times" counted
# The guest's sh is a static program, into which nothing can be preloaded.
MEMPHIS_RECORD=at-once LD_PRELOAD=$programs/libmemphis.so.0 sampled record bash -c "$programs/ending; exit 6"
# A user who is not a member of the device's group.
su user -c "$programs/ending" 2> "$out/user.err"
echo $? > "$out/user.status"
MEMPHIS_PERIOD=100 sampled period "$programs/ending"
MEMPHIS_RING_RECORDS=67108864 sampled ring "$programs/ending"
mkdir -p /small
mount -t tmpfs -o size=24k,mode=1777 none /small
files=/small
MEMPHIS_PERIOD=2048 sampled full "$programs/ending"
cp -r /small/full "$out/full"
exit 0
