#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest, which has no module: programs sampled through perf_event_open(2). usage: guest.sh DIR OUT TRUTH-PERIOD
set -u

programs=$1
out=$2
truth_period=$3
mkdir -p "$out"
ibs=/sys/bus/event_source/devices/ibs_op
if [ -d "$ibs" ]; then
	export MEMPHIS_PERIOD=16384
else
	export MEMPHIS_PERIOD=4093 MEMPHIS_MIN_LATENCY=3
fi

delivered()
{
	truth delivered | awk '$1 == "all" { print $2 }'
}

# sampled NAME COMMAND...: as in tests/vm/library/guest.sh
sampled()
{
	name=$1
	shift
	before=$(delivered)
	MEMPHIS_OUTPUT=$out/$name "$@" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
	echo $(($(delivered) - before)) > "$out/$name.delivered"
}

# as_user NAME COMMAND: likewise, by one who has no rights
as_user()
{
	mkdir -p "$out/$1"
	chmod 777 "$out/$1"
	su user -c "export MEMPHIS_OUTPUT=$out/$1/files; $2" > "$out/$1.out" 2> "$out/$1.err"
	echo $? > "$out/$1.status"
}

# auto finds no device
sampled threads "$programs/threads"
MEMPHIS_BACKEND=device sampled device "$programs/ending"
export MEMPHIS_BACKEND=perf
if [ -d "$ibs" ]; then
	OMP_NUM_THREADS=4 sampled openmp "$programs/openmp"
	for how in return fork raw-fork exec kill _exit close-all; do
		sampled "$how" "$programs/ending" "$how"
	done
	sampled together "$programs/races" together
	for turn in 1 2 3 4 5; do
		sampled "busy$turn" "$programs/races" busy
	done
	sampled cancel "$programs/races" cancel
fi

sysctl -q kernel.perf_event_paranoid=3
as_user paranoid "$programs/ending"
as_user auto "unset MEMPHIS_BACKEND; $programs/ending"
sysctl -q kernel.perf_event_paranoid=1
as_user allowed "$programs/ending"
# Four pages, on four CPUs: for perf's own, and two for the records, where a buffer has 128 if it can.
sysctl -q kernel.perf_event_mlock_kb=4
as_user little "ulimit -l 0; $programs/ending"
sysctl -q kernel.perf_event_mlock_kb=0
as_user nothing "ulimit -l 0; $programs/ending"

unset MEMPHIS_MIN_LATENCY
"$programs/demo-guest" "$out" "$programs/cice_halo" "truth:base:10:$truth_period"
