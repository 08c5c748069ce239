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
	for program in domain nested; do
		g++ -std=c++17 "${cflags[@]}" -o "$bin/$program" "$from/types/$program.cc" "${link[@]}"
		clang++ -std=c++17 "${cflags[@]}" -o "$bin/$program-clang" "$from/types/$program.cc" "${link[@]}"
	done
	run_programs types 2048 graph domain nested domain-clang nested-clang
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, and the programs print nothing but their results" {
	all_ended_well
	for machine in $machines; do
		[ "$(cat "$work/$machine"/out/*.err)" = "" ]
	done
}

# check PROGRAM PERCENT: compares the types of the program's samples with its objects; at most PERCENT % may have no member.
check()
{
	local machine

	for machine in $machines; do
		[ "$(< "$work/$machine/out/$1.status")" = 0 ]
		build/bin/memphis report --select all --binaries "$work/bin" --format json -o "$work/$machine/$1.json" "$work/$machine/out/$1"
		run -0 "$top/tests/vm/attribution/types/check.py" "$work/$machine" "$1" "$2"
		echo "$machine: $output"
		[[ "$output" != *BAD* ]]
		[ "$(grep -c '^ok' <<< "$output")" -eq 5 ]
	done
}

@test "members of arrays and of nodes are those at the samples' addresses" {
	check graph 5
}

@test "elements of a structure of arrays are those at the samples' addresses" {
	check domain 5
	check domain-clang 5
}

@test "members of structures in arrays in structures are those at the samples' addresses" {
	# Of the sum of two indices, only the common divisor is known: the type, but not the member.
	check nested 45
	check nested-clang 45
}
