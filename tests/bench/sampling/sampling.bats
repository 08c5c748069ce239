#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The cost of a sample compared with perf, in instructions that the emulated machine counts: the figures hardly differ from run to run.
# If these tests fail, sampling costs more than docs/performance.md states.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	mkdir -p build/test
	export figures=$PWD/build/test/sampling.figures
	tests/bench/sampling/sampling > "$figures"
}

# at_most NAME LIMIT: checks that the figure is at most the limit.
at_most()
{
	cat "$figures"
	awk -v name="sampling.$1" -v limit="$2" '$1 == "figure" && $2 == name { found = 1; held = $3 <= limit }
		END { exit !(found && held) }' "$figures"
}

@test "above the driver, a sample from interrupt to file takes at most a third of perf's instructions" {
	at_most instructions_vs_perf 0.333
}

@test "including the driver, a sample takes at most 0.6 of perf's instructions" {
	at_most total_vs_perf 0.6
}

@test "a sample takes at most a third of perf's bytes" {
	at_most bytes_vs_perf 0.333
}

@test "a filtered sample takes at most a quarter of the instructions of a kept one" {
	at_most filtered_vs_kept 0.25
}

@test "the callers of a sample take at most 24 bytes, and those of nearly all samples are found" {
	at_most caller_bytes 24
	grep -Eq '^figure sampling.callers_known (1|0\.9[5-9][0-9]*) ' "$figures"
}

@test "there are no interrupts between pairs of calipers, but many inside" {
	at_most interrupts_between_pairs 0
	grep -Eq '^figure sampling.interrupts_inside_pairs [0-9]{3,} ' "$figures"
}
