#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Traffic to memory in the machine's exact counts: loops whose reads and writes follow from their code. If these tests fail, what the
# tool says about writes is compared with wrong numbers.

load common

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	gcc -std=gnu11 -O2 -mavx -static -no-pie -pthread -Wl,-Ttext-segment=0x10000000 -Wall -Wextra -Werror -o "$work/writes" "$BATS_TEST_DIRNAME/fixtures/writes.c"
	boot genoa 6.12
	boot skylake 6.1
}

# boot CPU KERNEL: runs all loops in one boot.
boot()
{
	local status=0

	"$machine/run" --kernel "$2" --cpu "$1" --timeout "$limit" --log "$logs/writes-$1.log" --truth "$work/$1.tsv" --put "$work/writes:/root/writes" \
		-- /root/writes > "$work/$1.txt" || status=$?
	echo "$status" > "$work/$1.status"
}

# holds GROUP: compares with writes_truth.py on both machines.
holds()
{
	local cpu
	for cpu in genoa skylake; do
		echo "machine $cpu"
		[ "$(cat "$work/$cpu.status")" -eq 0 ]
		"$BATS_TEST_DIRNAME/writes_truth.py" "$1" "$work/writes" "$work/$cpu.txt" "$work/$cpu.tsv" > "$work/$1-$cpu.said" || {
			grep BAD "$work/$1-$cpu.said"
			return 1
		}
	done
}

@test "a store fetches its line, and the line is written back to its home node once, for the instruction that stored last" {
	holds stores
}

@test "non-temporal stores of all forms write lines, and parts of lines, without a read" {
	holds bypassing
}

@test "prefetch hints read lines, are no loads, and never fault" {
	holds hints
}

@test "another node's load writes a modified line back; its store and the own node's load do not" {
	holds caches
}

@test "after a pause of all counting, a load finds no copy of the line that another CPU had before" {
	holds pauses
}

@test "for all instructions together, dirtied is written back and still dirty, also when CPUs store into the same lines" {
	holds sums
}
