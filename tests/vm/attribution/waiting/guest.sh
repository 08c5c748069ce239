#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program once under sampling as the user of a site, while the machine counts every access. Counting and the
# setting of huge pages need root.
# usage: guest.sh DIR OUT PERIOD PROGRAM...
set -u

programs=$1
out=$2
# Samples have the instruction itself, and no callers. Idle threads sleep, because the machine's CPUs share the host's.
export MEMPHIS_PERIOD="$3" MEMPHIS_RING_RECORDS=65536 MEMPHIS_CALLERS=off LD_LIBRARY_PATH="$programs"
export OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close OMP_WAIT_POLICY=passive
shift 3
mkdir -p "$out" && chown user "$out"
echo never > /sys/kernel/mm/transparent_hugepage/enabled
truth start || exit
for name in "$@"; do
	export MEMPHIS_OUTPUT="$out/$name"
	case $name in
	cice_halo) site-user "$programs/$name" --variant base --steps 3 ;;
	*) site-user "$programs/$name" ;;
	esac > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
done
truth stop && truth dump
