#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Types of accesses, against the objects at the samples' addresses. If these tests fail, reports show types and members that
# instructions do not access, or lose them.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load attribution

setup_file()
{
	prepare_programs -O2
	g++ -std=c++17 "${cflags[@]}" -o "$bin/graph" "$from/types/graph.cc" "${link[@]}"
	run_programs types 2048 graph
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, and the program prints nothing but its results" {
	all_ended_well
	for machine in $machines; do
		[ "$(cat "$work/$machine"/out/*.err)" = "" ]
	done
}

@test "members of arrays and of nodes are those at the samples' addresses" {
	local machine

	for machine in $machines; do
		[ "$(< "$work/$machine/out/graph.status")" = 0 ]
		build/bin/memphis report --select all --binaries "$work/bin" --format json -o "$work/$machine/graph.json" "$work/$machine/out/graph"
		run -0 "$top/tests/vm/attribution/types/check.py" "$work/$machine" graph
		echo "$machine: $output"
		[[ "$output" != *BAD* ]]
		[ "$(grep -c '^ok' <<< "$output")" -eq 5 ]
	done
}
