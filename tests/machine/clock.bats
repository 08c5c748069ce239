#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The model clock: cycles and instructions by the kernel's own driver and perf, compared with the machine's exact counts and with the
# latencies that are set. If these tests fail, remote memory costs nothing, or the counters of a program are wrong.

bats_require_minimum_version 1.5.0
load common

# A prime of the size of the cycles of a hundred accesses.
period=20011
dram=200
rdram=500

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	gcc -std=gnu11 -O2 -static -no-pie -Wl,-Ttext-segment=0x10000000 -Wall -Wextra -Werror -pthread -o "$work/clock" "$BATS_TEST_DIRNAME/fixtures/clock.c"
	boot milan 6.1 --no-jitter
	boot genoa 6.12
	boot skylake 6.1
	boot graniterapids 6.12 --no-jitter
}

cpus='milan genoa skylake graniterapids'
exact_cpus='milan graniterapids'

# boot CPU KERNEL OPTIONS...: runs all programs in one boot; the tests read what perf and the exact counts contain.
boot()
{
	local cpu=$1 kernel=$2 status=0 perf

	shift 2
	perf=$("$BATS_TEST_DIRNAME/../perf-tool" "$kernel")
	"$machine/run" --kernel "$kernel" --cpu "$cpu" --timeout "$limit" --log "$logs/clock-$cpu.log" --latency "dram=$dram,l3=50" \
		--latency "rdram=$rdram" "$@" --truth "$work/$cpu.tsv" --put "$work/clock:/root/clock" --put "$perf:/root/perf.tar" \
		--put "$BATS_TEST_DIRNAME/fixtures/clock.sh:/root/clock.sh" --get "/root/out:$work/$cpu" \
		-- sh /root/clock.sh /root/out "$period" > "$work/$cpu.txt" || status=$?
	echo "$status" > "$work/$cpu.status"
}

# holds NAME CPU...: compares with clock_truth.py on each of the machines.
holds()
{
	local name=$1 cpu
	shift
	for cpu in "$@"; do
		echo "machine $cpu"
		"$BATS_TEST_DIRNAME/clock_truth.py" "$name" "$work/$cpu" "$work/$cpu.tsv"
	done
}

@test "Debian's kernels detect the counters of both vendors, and run perf stat and perf record without a complaint" {
	local cpu
	for cpu in $cpus; do
		cat "$work/$cpu.txt"
		[ "$(cat "$work/$cpu.status")" -eq 0 ]
		run ! grep -q failed "$work/$cpu.txt"
	done
	grep -q "AMD PMU driver" "$work/milan.txt"
	grep -q "AMD PMU driver" "$work/genoa.txt"
	grep -q "Intel PMU driver" "$work/skylake.txt"
	grep -q "Intel PMU driver" "$work/graniterapids.txt"
}

@test "perf stat counts the instructions and cycles of programs as the machine does exactly" {
	holds stat $cpus
}

@test "a loop's instructions are those that it has" {
	holds loop $cpus
}

@test "cycles are instructions plus the latencies of all loads beyond the L1" {
	holds sum $cpus
}

@test "a load from local and from remote memory takes the latency that is set, without jitter exactly" {
	holds latency $cpus
	holds exact-latency $exact_cpus
}

@test "a load of a chain takes longer in remote memory by the difference of the latencies" {
	holds difference $cpus
}

@test "perf record has a sample for each period of cycles, most of them at the load that waits" {
	holds record $cpus
}

@test "RDPMC and read(2) give the same counts, and a loop in the L1 takes one cycle for each instruction" {
	holds itself $cpus
}

@test "loads are counted as the program makes them, and a counter of loads overflows after its period" {
    holds loads $cpus
}

@test "a thread's count is the same whether it shares its CPU or not" {
	holds switches $cpus
}

@test "latencies of levels that don't exist, and numbers that are none, are refused by name" {
	guest --latency rdam=3 -- true
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--latency: 'rdam' is no level; the levels are l1, l2, l3, peer, dram, rcache, rdram"* ]]
	guest --latency dram=100,rdram=-5 -- true
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--latency: '-5' is no number of cycles from 1 to 65535"* ]]
	guest --latency dram -- true
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--latency: '' is no number of cycles from 1 to 65535"* ]]
}
