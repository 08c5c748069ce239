#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The sampling hardware as Debian's own kernels find it. If one fails, the module has nothing to sample with.

load common

# What the kernel says of IBS, without time stamps; what its PMU shows; the interrupt's vector entry.
look='dmesg | sed -n "s/^\[[^]]*\] \(.*IBS.*\)/\1/p; s/^\[[^]]*\] \(LVT offset.*\)/\1/p"; cat /sys/bus/event_source/devices/ibs_op/format/cnt_ctl'

@test "6.1 finds IBS of Zen 3 and its local vector; the guest's tool finds the machine's exact counts, and they reach a host file" {
	guest --kernel 6.1 --cpu milan --truth "$BATS_TEST_TMPDIR/truth.tsv" -- sh -c "$look
		truth status && truth start && { ls -R /sys/bus > /dev/null 2>&1; truth stop; } && truth dump"
	[ "$status" -eq 0 ]
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/truth.tsv")" = end ]
	grep -q "^page" "$BATS_TEST_TMPDIR/truth.tsv"
	[[ "$output" == *"perf: AMD IBS detected (0x000003ff)"* ]]
	[[ "$output" == *"LVT offset 0 assigned"* ]]
	[[ "$output" == *"config:19"* ]]
}

@test "6.12 finds IBS of Zen 3 and its local vector" {
	guest --kernel 6.12 --cpu milan -- sh -c "$look"
	[ "$status" -eq 0 ]
	[[ "$output" == *"perf: AMD IBS detected (0x000003ff)"* ]]
	[[ "$output" == *"LVT offset 0 assigned"* ]]
	[[ "$output" == *"config:19"* ]]
}

@test "both kernels find IBS of Zen 4, with its L3-miss filter" {
	local version
	for version in 6.1 6.12; do
		guest --kernel "$version" --cpu genoa -- sh -c "$look; cat /sys/bus/event_source/devices/ibs_op/format/l3missonly"
		[ "$status" -eq 0 ]
		[[ "$output" == *"perf: AMD IBS detected (0x00000bff)"* ]]
		[[ "$output" == *"config:16"* ]]
	done
}

@test "each repetition of a string instruction is a load and a store at their own addresses, and so is a push of memory, in samples and exact counts" {
	ops_hold 6.12 milan ibs 1024
}
