#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Detection of IBS by Debian's own kernels. If these tests fail, the module has no sampling hardware.

load common

# Prints the kernel's messages about IBS without time stamps, the attributes of the PMU, and the vector entry of the interrupt.
look='dmesg | sed -n "s/^\[[^]]*\] \(.*IBS.*\)/\1/p; s/^\[[^]]*\] \(LVT offset.*\)/\1/p"; cat /sys/bus/event_source/devices/ibs_op/format/cnt_ctl'

@test "6.1 detects IBS of Zen 3 and its local vector, and the exact counts reach the guest's tool and a host file" {
	guest --kernel 6.1 --cpu milan --truth "$BATS_TEST_TMPDIR/truth.tsv" -- sh -c "$look
		truth status && truth start && { ls -R /sys/bus > /dev/null 2>&1; truth stop; } && truth dump"
	[ "$status" -eq 0 ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/truth.tsv")" = end ]
	grep -q "^page" "$BATS_TEST_TMPDIR/truth.tsv"
	[[ "$output" == *"perf: AMD IBS detected (0x000003ff)"* ]]
	[[ "$output" == *"LVT offset 0 assigned"* ]]
	[[ "$output" == *"config:19"* ]]
}

@test "6.12 detects IBS of Zen 3 and its local vector" {
	guest --kernel 6.12 --cpu milan -- sh -c "$look"
	[ "$status" -eq 0 ]
	[[ "$output" == *"perf: AMD IBS detected (0x000003ff)"* ]]
	[[ "$output" == *"LVT offset 0 assigned"* ]]
	[[ "$output" == *"config:19"* ]]
}

@test "both kernels detect IBS of Zen 4 with its L3-miss filter" {
	local version
	for version in 6.1 6.12; do
		guest --kernel "$version" --cpu genoa -- sh -c "$look; cat /sys/bus/event_source/devices/ibs_op/format/l3missonly"
		[ "$status" -eq 0 ]
		[[ "$output" == *"perf: AMD IBS detected (0x00000bff)"* ]]
		[[ "$output" == *"config:16"* ]]
	done
}

@test "samples and exact counts show each repetition of a string instruction, and each push of memory, as a load and a store at their own addresses" {
	ops_hold 6.12 milan ibs 1024
}
