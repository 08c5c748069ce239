#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The costs of sampling against tests/bench/guard/limits, in instructions that the emulated machine counts, and in bytes.
# If one of these tests fails, a cost has changed by more than 3 %, and the file does not say so.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	mkdir -p build/test
	export figures=$PWD/build/test/guard.figures
	tests/bench/guard/guard > "$figures"
}

# as_stated FIGURE: checks that the figure is as in the file.
as_stated()
{
	"$BATS_TEST_DIRNAME/compare" "$figures" "$1"
}

@test "a recorded sample takes the instructions that the file states" {
	as_stated sample.recorded
}

@test "a filtered sample takes the instructions that the file states, with the driver's" {
	as_stated sample.filtered
}

@test "a sample takes the bytes that the file states" {
	as_stated sample.bytes
}

@test "a sample with callers takes the bytes that the file states" {
	as_stated sample.caller_bytes
}

@test "the threads and processes that write samples take the instructions that the file states while nothing is sampled" {
	as_stated drain.idle
}

@test "recording a program that does nothing takes the instructions that the file states" {
	as_stated start.record
}

@test "a pair of calipers inside another one takes the instructions that the file states, without times" {
	as_stated caliper.inner_untimed
}

@test "a pair of calipers inside another one takes the instructions that the file states, with times" {
	as_stated caliper.inner
}

@test "a pair by a registered name takes the instructions that the file states, without times and with them" {
	as_stated caliper.inner_registered_untimed
	as_stated caliper.inner_registered
}

@test "a pair whose name is in a buffer takes the instructions that the file states" {
	as_stated caliper.inner_buffer
}

@test "a pair of calipers inside another one takes the instructions that the file states, with cycles and instructions" {
	as_stated caliper.inner_counters
}

@test "an outermost pair of calipers takes the instructions that the file states" {
	as_stated caliper.outer
}

@test "an allocation below the threshold takes the instructions that the file states" {
	as_stated allocation.untracked
}

@test "a tracked allocation takes the instructions that the file states" {
	as_stated allocation.tracked
}

@test "a part of a pool takes the instructions that the file states" {
	as_stated allocation.part
}

@test "time steps of the case study take the part more that the file states" {
	as_stated halo.overhead
}

@test "time steps of the case study take the part more that the file states, with many samples" {
	as_stated halo_dense.overhead
}

@test "each figure that is measured is in the file, and each figure of the file is measured and has a test" {
	diff <(awk '$1 == "figure" { print $2 }' "$figures" | sort) <(awk '!/^#/ && NF { print $1 }' "$BATS_TEST_DIRNAME/limits" | sort)
	diff <(awk '/^\tas_stated / { print $2 }' "$BATS_TEST_FILENAME" | sort) <(awk '!/^#/ && NF { print $1 }' "$BATS_TEST_DIRNAME/limits" | sort)
}

@test "figures that are 4 % worse or better, missing or unknown are told; 2 % are accepted" {
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'worse 100 instructions what' 'better 100 instructions what' 'more 100 instructions what' 'less 100 instructions what' \
		'missing 100 instructions what' > limits
	printf 'figure %s\n' 'worse 104 instructions' 'better 96 instructions' 'more 102 instructions' 'less 98 instructions' 'unknown 1 instructions' > figures
	GUARD_LIMITS=limits run -1 "$BATS_TEST_DIRNAME/compare" figures
	[ "$output" = 'better: 96 instructions, in the file 100: -4.0 % BETTER: the file is out of date, change the value in it
less: 98 instructions, in the file 100: -2.0 % ok
missing: was not measured
more: 102 instructions, in the file 100: +2.0 % ok
unknown: is not in the file of limits
worse: 104 instructions, in the file 100: +4.0 % WORSE: find the cause, or change the file with the reason in the commit' ]
	GUARD_LIMITS=limits run -0 "$BATS_TEST_DIRNAME/compare" figures more
	GUARD_LIMITS=limits run -1 "$BATS_TEST_DIRNAME/compare" figures worse
}
