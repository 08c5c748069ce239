#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest, which has no module: runs programs sampled with perf_event_open(2) as the user of a site. Ordinary users may do
# so only if perf_event_paranoid is at most 1, so the site's 3 is changed. Reading the machine's counts and changing limits
# needs root.
# usage: guest.sh DIR OUT TRUTH-PERIOD     TRUTH-PERIOD: of the run with exact counts, or empty
set -u

programs=$1
out=$2
truth_period=$3
mkdir -p "$out" && chown user "$out"
allowed='site-user --perf-event-paranoid 1'
ibs=/sys/bus/event_source/devices/ibs_op
# shellcheck source=tests/vm/library/dense.sh
. "$programs/dense.sh"
sample_densely 16384

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
	# Split the words of the command at blanks, on purpose.
	# shellcheck disable=SC2086
	MEMPHIS_OUTPUT=$out/$name $allowed "$@" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
	echo $(($(delivered) - before)) > "$out/$name.delivered"
}

# as_user NAME PARANOID COMMAND: runs a command while perf_event_paranoid has the given value.
as_user()
{
	mkdir -p "$out/$1" && chown user "$out/$1"
	MEMPHIS_OUTPUT=$out/$1/files site-user --perf-event-paranoid "$2" sh -c "$3" > "$out/$1.out" 2> "$out/$1.err"
	echo $? > "$out/$1.status"
}

# auto finds no device
sampled threads "$programs/threads"
MEMPHIS_BACKEND=device sampled device "$programs/ending"
export MEMPHIS_BACKEND=perf
if [ -d "$ibs" ]; then
	sampled together "$programs/races" together
	for turn in 1 2 3 4 5; do
		sampled "busy$turn" "$programs/races" busy
	done
	sampled cancel "$programs/races" cancel
	# IBS also samples stores, of which the hardware does not tell whether they are remote.
	# Threads that are bound have remote loads and stores: the main thread, on node 0, initializes all arrays.
	MEMPHIS_FILTER=remote OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close sampled filtered "$programs/openmp"
	# A buffer of one page is full before the drain comes.
	MEMPHIS_PERIOD=4096 MEMPHIS_RING_RECORDS=2 sampled lossy "$programs/ending"
else
	export OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close
	export MEMPHIS_MIN_LATENCY=auto
	MEMPHIS_EVENT=remote-dram MEMPHIS_PERIOD=101 sampled by-source "$programs/openmp"
	events=remote-dram,local-dram,remote-hitm,remote-forward
	MEMPHIS_EVENT=$events MEMPHIS_PERIOD=1009 sampled events "$programs/openmp"
	unset OMP_NUM_THREADS OMP_PLACES OMP_PROC_BIND
	# The program closes all descriptors of the library, which leaves the events as they are.
	MEMPHIS_EVENT=$events MEMPHIS_PERIOD=1009 sampled closed "$programs/ending" close-all
	MEMPHIS_PERIOD=1009 sampled closed-latency "$programs/ending" close-all
	# Buffers of one page are full before the drain comes.
	MEMPHIS_EVENT=$events MEMPHIS_PERIOD=307 MEMPHIS_RING_RECORDS=2 sampled lossy "$programs/ending"
	# The library may use 32 numbers.
	MEMPHIS_EVENT=$events MEMPHIS_PERIOD=1009 as_user short 1 "ulimit -n 64; $programs/ending short-threads"
	export MEMPHIS_MIN_LATENCY=3
fi

as_user paranoid 3 "$programs/ending"
as_user auto 3 "unset MEMPHIS_BACKEND; $programs/ending"
as_user allowed 1 "$programs/ending"
if [ ! -d "$ibs" ]; then
	# 25 pages for four CPUs: five for each of the four events, if no buffer is larger than the others.
	sysctl -q kernel.perf_event_mlock_kb=25
	MEMPHIS_MIN_LATENCY=auto MEMPHIS_EVENT=$events MEMPHIS_PERIOD=1009 as_user scarce 1 "ulimit -l 0; $programs/ending"
fi
# Four pages for four CPUs: one of perf's own and two of records suffice, although a buffer has 128 if it can.
sysctl -q kernel.perf_event_mlock_kb=4
as_user little 1 "ulimit -l 0; $programs/ending"
sysctl -q kernel.perf_event_mlock_kb=0
as_user nothing 1 "ulimit -l 0; $programs/ending"

[ -n "$truth_period" ] || exit 0
sysctl -q kernel.perf_event_mlock_kb=516
unset MEMPHIS_MIN_LATENCY
SITE_USER=$allowed "$programs/demo-guest" "$out" "$programs/cice_halo" "truth:base:10:$truth_period"
