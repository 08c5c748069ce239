#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# 100 runs of eleven workloads on a machine with IBS, and on one with PEBS. If these tests fail, the intervals of estimated waiting
# contain the exact value less often than the 95 % that reports state. Intervals of exactly 95 % fail once in 10,000 comparisons of a row.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export seeds=$PWD/tests/vm/attribution/waiting/seeds
	rm -rf build/test/seeds
}

@test "runs 1 to 50 with IBS" {
	run -0 "$seeds" 6.12 1 50
}

@test "runs 51 to 100 with IBS" {
	run -0 "$seeds" 6.12 51 100
}

@test "with IBS, the intervals contain the exact waiting as often as they state" {
	run -0 "$seeds" 6.12
	sed "s,^,# ," <<< "$output" >&3
	[ "$(grep -c ' of 100 ' <<< "$output")" -ge 22 ]
}

@test "runs 1 to 50 with PEBS" {
	run -0 "$seeds" 6.12@skylake 1 50
}

@test "runs 51 to 100 with PEBS" {
	run -0 "$seeds" 6.12@skylake 51 100
}

@test "with PEBS, the intervals contain the exact waiting as often as they state" {
	run -0 "$seeds" 6.12@skylake
	sed "s,^,# ," <<< "$output" >&3
	[ "$(grep -c ' of 100 ' <<< "$output")" -ge 22 ]
}
