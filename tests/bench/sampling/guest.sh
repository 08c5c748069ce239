#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs in the guest: every side of the comparison at every length. Prints a line per run:
#   SIDE MILLIONS-OF-LOADS [thread N] instructions N interrupts N recorded N [callers N] bytes N
# usage: guest.sh DIR-OF-PROGRAMS PERIOD LENGTH...
set -eu

programs=$1
period=$2
shift 2
cd /root
tar -xf perf.tar
perf="perf/ld.so --library-path perf/lib perf/perf"
insmod "$programs/driver_alone.ko" type="$(cat /sys/bus/event_source/devices/ibs_op/type)"
export MEMPHIS_PERIOD="$period"
# Reduce noise: memory addresses decide how many large pages are used.
echo 0 > /proc/sys/kernel/randomize_va_space
# perf reads all of kallsyms at its start, which takes ten times the instructions of all samples here.
mount --bind /dev/null /proc/kallsyms

# Large pages: mapping the chain then takes a few instructions, not a varying number of millions.
for node in 0 1; do
	mkdir -p "chain/$node"
	mount -t tmpfs -o "mpol=bind:$node,huge=always" chain "chain/$node"
done
own=/root/chain/0/lines
other=/root/chain/1/lines

# run SIDE LENGTH COMMAND...: runs the command and prints its line.
run()
{
	side=$1
	length=$2
	shift 2
	echo "$side $length $("$programs/measure" "$@" 2> error | grep -E '^(thread|instructions) ' | tr '\n' ' ')$(result "$side")"
}

# book PATTERN: prints the number that the pattern captures in the report's line of accounting.
book()
{
	memphis report --format paper out 2> error | sed -n "s/^books: .*$1.*/\\1/p"
}

# known: prints the number of samples whose callers are known.
known()
{
	memphis report --full --select all out 2> error | sed -n 's/^callers: \([0-9]*\) of .*/\1/p'
}

# result SIDE: prints the number of samples and bytes that the side recorded, and removes them.
result()
{
	case $1 in
	ours) echo "recorded $(book ' \([0-9]*\) kept') bytes $(cat out/* | wc -c)" ;;
	calls) echo "recorded $(book ' \([0-9]*\) kept') bytes $(cat out/* | wc -c)" ;;
	callers) echo "recorded $(book ' \([0-9]*\) kept') callers $(known) bytes $(cat out/* | wc -c)" ;;
	filtered) echo "recorded $(book 'local \([0-9]*\)') bytes $(cat out/* | wc -c)" ;;
	perf*) echo "recorded $($perf report --stats -i out 2> error | sed -n 's/^ *SAMPLE events: *\([0-9]*\).*/\1/p' | head -n 1) bytes $(wc -c < out)" ;;
	*) echo "recorded 0 bytes 0" ;;
	esac
	rm -rf out
}

sides()
{
	run none "$1" "$programs/workload" $other "$1"
	run driver "$1" "$programs/workload" $other "$1" "$period"
	run ours "$1" memphis record -o out -- "$programs/workload" $other "$1"
	MEMPHIS_FILTER=remote run filtered "$1" memphis record -o out -- "$programs/workload" $own "$1"
	run bare "$1" "$programs/calls" $other "$1"
	# The drain thread shares its CPU with the program: larger rings hold the stacks until it runs again.
	MEMPHIS_RING_RECORDS=131072 run calls "$1" memphis record -o out --program "$programs/calls" --callers off -- "$programs/calls" $other "$1"
	MEMPHIS_RING_RECORDS=131072 run callers "$1" memphis record -o out --program "$programs/calls" -- "$programs/calls" $other "$1"
	# -N: no copying to the cache of build-ids, which is many times the work of all samples here.
	# shellcheck disable=SC2086 # words
	run perf "$1" $perf record -N -o out -e ibs_op/cnt_ctl=1/ -c "$period" -d -W --phys-data -- "$programs/workload" $other "$1"
	# -B: the samples are not read again to find the binaries' build-ids, either.
	# shellcheck disable=SC2086 # words
	run perf-lean "$1" $perf record -N -B -o out -e ibs_op/cnt_ctl=1/ -c "$period" -d -W --phys-data -- "$programs/workload" $other "$1"
}

# Warm-up: work that is done only once, such as reading pages and growing tables.
sides 1 > warm-up
for length in "$@"; do
	sides "$length"
done
echo "calipers $(MEMPHIS_OUTPUT=out "$programs/between" $other)"
