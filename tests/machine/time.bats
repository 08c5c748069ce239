#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The guest's time on a deterministic machine, by its own CLOCK_MONOTONIC: cycles of the model clock. If these tests fail, latencies and bandwidths that programs
# measure by the time are not those of the model, or depend on the host.

bats_require_minimum_version 1.5.0
load common

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	gcc -std=gnu11 -O2 -static -Wall -Wextra -Werror -pthread -o "$work/time" "$BATS_TEST_DIRNAME/fixtures/time.c"
	boot first --deterministic
	boot second --deterministic
	boot instructions --deterministic=instructions
}

# boot NAME OPTION: runs the program on a machine whose caches serve no load of a chain.
boot()
{
	local name=$1
	shift

	"$machine/run" --timeout "$limit" --log "$logs/time-$name.log" --latency dram=200,rdram=500 --no-jitter --kernel 6.12 --cpu genoa "$@" \
		--put "$work/time:/root/time" -- /root/time > "$work/$name.txt"
}

# within PERCENT RUN NAME EXPECTED: compares a time with what is expected.
within()
{
	awk -v percent="$1" -v name="$3" -v expected="$4" '
		$1 == name { found = 1; wrong = $2 < expected * (1 - percent / 100) || $2 > expected * (1 + percent / 100); print name, $2, "expected", expected }
		END { exit !found || wrong }' "$work/$2.txt"
}

# value RUN NAME: prints a time.
value()
{
	awk -v name="$2" '$1 == name { print $2 }' "$work/$1.txt"
}

@test "an instruction takes a nanosecond, and a load that memory serves takes its latency, too" {
	# Three instructions and the latency
	within 1 first instruction 1
	within 1 first local 203
	within 1 first remote 503
}

@test "CPUs that work at the same time do not take time from each other" {
	local cpu
	for cpu in 0 1 2 3; do
		within 2 first "together-$cpu" 203
	done
	within 1 first instruction-beside-another 1
}

@test "a sleep takes as long as asked, while the other CPUs are idle and while one of them works" {
	# 20 ms, and what timers may be late by (50 us)
	within 0.2 first sleep 20050000
	within 0.2 first sleep-beside-another 20050000
}

@test "two runs have the same times" {
	local name
	for name in instruction local remote sleep together-0 together-1 together-2 together-3 instruction-beside-another sleep-beside-another; do
		within 1 second "$name" "$(value first "$name")"
	done
}

@test "time by instructions: each of them takes 2 ns, and loads take no more" {
	within 1 instructions instruction 2
	within 2 instructions local 6
	within 2 instructions remote 6
	within 0.2 instructions sleep 20050000
}

@test "units that don't exist are refused, and so is time by the model clock without a count" {
	guest --deterministic=seconds -- true
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"invalid choice: 'seconds'"* ]]
	run -1 "$("$machine/qemu/build" --check)" -nodefaults -display none -machine q35 -cpu EPYC-Milan,model-time=on
	[[ "$output" == *"model-time=on needs -icount shift=N"* ]]
}

@test "a deterministic machine boots twice with the same log, to the microsecond" {
	local number
	for number in 1 2; do
		guest --deterministic -- sh -c 'date +%Y; grep -c rdrand /proc/cpuinfo'
		[ "$output" = "2026
0" ]
		# After this line the kernel uses the ports, whose timing depends on the host.
		sed '/Run \/init as init process/q' "$log" > "$BATS_TEST_TMPDIR/boot-$number"
	done
	grep -q 'Run /init as init process' "$BATS_TEST_TMPDIR/boot-1"
	diff "$BATS_TEST_TMPDIR/boot-1" "$BATS_TEST_TMPDIR/boot-2"
}
