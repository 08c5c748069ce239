#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs in the guest: what tests/bench/guard/figures.py reads, a line per run: NAME RESULT...
# Runs as root, because the count of delivered samples is read from an MSR.
# usage: guest.sh BUILD-DIRECTORY
set -eu

# The files get paths of their own: the length of the checkout's path changes what a start takes by 1 %, and by chance when the drain wakes.
mkdir -p /guard/bin
cp -rL "$1/lib" /guard
cp -L "$1/bin/memphis" "$1/bench/guard/bin/"* "$1/examples/cice_halo/cice_halo" /guard/bin
PATH=$PATH:/guard/bin
programs=/guard/bin
study=/guard/bin/cice_halo
library=/guard/lib/libmemphis.so
short=1 long=33 # millions of loads: a pass of the drain more or less, by chance, is 7 instructions of a sample
period=1024
cd /root
insmod "$programs/driver_alone.ko" type="$(cat /sys/bus/event_source/devices/ibs_op/type)"
# Reduce noise: memory addresses decide how many large pages are used.
echo 0 > /proc/sys/kernel/randomize_va_space
# Large pages: mapping the chain then takes a few instructions, not a varying number of millions.
for node in 0 1; do
	mkdir -p "chain/$node"
	mount -t tmpfs -o "mpol=bind:$node,huge=always" chain "chain/$node"
done
own=/root/chain/0/lines
other=/root/chain/1/lines

# steady NAME CHAIN WHERE [COMMAND...]: loads, started by the command.
steady()
{
	name=$1
	where=$3
	chain=$2
	shift 3
	echo "$name $("$@" "$programs/steady" "$chain" $short $long "$where" 2> error | grep '^instructions ') bytes $(cat out/* 2> error | wc -c)"
	rm -rf out
}

# The chains are made here; and whatever is read or allocated at the first use.
for chain in $own $other; do
	"$programs/steady" "$chain" 0 0 program > warm-up
done
memphis record -o out -- "$programs/steady" $other 0 0 program > warm-up 2>&1
rm -rf out
export MEMPHIS_PERIOD=$period
steady none $other program
echo "driver $("$programs/steady" $other $short $long program $period)"
steady ours $other program memphis record -o out --
MEMPHIS_FILTER=remote steady filtered $own program memphis record -o out --
steady callers $other library memphis record -o out --program "$programs/steady" --
unset MEMPHIS_PERIOD

echo never > /sys/kernel/mm/transparent_hugepage/enabled
# Without arguments, the program ends at once. Of the runs with one name, the one with the fewest instructions counts: a pass of the drain more is chance.
for run in warm-up start start start start start; do
	echo "$run-plain $("$programs/measure" "$programs/steady")"
	echo "$run $("$programs/measure" memphis record -o out -- "$programs/steady" 2> error)"
	rm -rf out
done

# The timer and samples interrupt the thread, too: samples are as rare as the hardware allows. Which small blocks are recorded is random: none are.
export MEMPHIS_PERIOD=1048544 MEMPHIS_OUTPUT=out
echo "inner-untimed $(MEMPHIS_REGION_TIMES=0 "$programs/pair_instructions")"
echo "inner $("$programs/pair_instructions")"
echo "inner-registered-untimed $(MEMPHIS_REGION_TIMES=0 "$programs/pair_instructions" registered)"
echo "inner-registered $("$programs/pair_instructions" registered)"
echo "inner-buffer $("$programs/pair_instructions" buffer)"
echo "inner-counters $(MEMPHIS_REGION_COUNTERS=1 "$programs/pair_instructions")"
echo "outer $("$programs/pair_instructions" outer)"
export MEMPHIS_RECORD=at-once MEMPHIS_SMALL_BYTES=0
for size in 64 16384; do
	echo "bare-$size $("$programs/pairs" $size 2 1 15)"
	echo "ours-$size $(LD_PRELOAD=$library "$programs/pairs" $size 2 1 15)"
done
echo "part $(LD_PRELOAD=$library "$programs/pairs" 64 2 1 15 parts)"
unset MEMPHIS_PERIOD MEMPHIS_RECORD MEMPHIS_SMALL_BYTES
rm -rf out

# Fields of two blocks instead of eight: the start then takes a quarter of the instructions.
halo()
{
	echo "$1 $(LD_PRELOAD=$programs/steps.so "$programs/interleave" "$study" --variant base --blocks 2 --steps 12 | grep '^instructions ')"
	rm -rf out
}
export OMP_NUM_THREADS=1
MEMPHIS_DISABLE=1 halo halo-off
halo halo
MEMPHIS_PERIOD=16384 halo halo-dense
