#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Types of accesses that programs really make, against the objects at the addresses of the samples. If these tests fail, reports show types and
# members that instructions do not access, or lose them.

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

setup_file()
{
	begin
	local program from=$root/tests/workloads/types

	cflags+=(-O2)
	build graph "$from/graph.cc"
	for program in domain nested; do
		build "$program" "$from/$program.cc"
		clang++ -std=c++17 "${cflags[@]}" -o "$bin/$program-clang" "$from/$program.cc" "${link[@]}"
	done
}

setup()
{
	again
}

# holds PROGRAM PERCENT: at most PERCENT % of the samples may have no member.
holds()
{
	sampled "$1" "$1"
	report "$1"
	mv "$work/out/$1.json" "$work"
	run -0 "$root/tests/vm/attribution/types/check.py" "$work" "$1" "$2"
	echo "$output"
	[[ "$output" != *BAD* ]]
	[ "$(grep -c '^ok' <<< "$output")" -eq 5 ]
}

@test "members of arrays and of nodes are those at the samples' addresses" {
	holds graph 5
}

@test "elements of a structure of arrays are those at the samples' addresses" {
	holds domain 1
	holds domain-clang 1
}

@test "members of structures in arrays in structures are those at the samples' addresses" {
	# Of the sum of two indices, only the common divisor is known: the type, but not the member.
	holds nested 7
	holds nested-clang 28
}
