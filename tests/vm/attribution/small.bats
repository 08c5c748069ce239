#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Samples in small blocks, of which only a random sample is recorded, against the list that the program itself made of its blocks. If
# these tests fail, containers and trees have no names in reports, or wrong ones, or the stated certainty is too large.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load attribution

setup_file()
{
	prepare_programs -O1
	g++ -std=c++17 "${cflags[@]}" -o "$bin/containers" "$from/heap/containers.cpp" "${link[@]}"
	run_programs small 1024
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, and the programs print nothing but their results" {
	all_ended_well
	for machine in $machines; do
		[ "$(cat "$work/$machine"/out/*.err)" = "" ]
		[ "$(< "$work/$machine/out/containers.status")" = 0 ]
	done
}

@test "map, list, unordered_map, set and a tree of nodes: 95 of 100 remote samples have the right allocation site" {
	local machine

	for machine in $machines; do
		build/bin/memphis report --binaries "$work/bin" --source "$top/tests/workloads/heap" --by region --format json \
			-o "$work/$machine/report.json" "$work/$machine/out/containers"
		run -0 "$top/tests/vm/attribution/small/check.py" "$work/$machine" "$top/tests/workloads/heap/containers.cpp"
		echo "$machine: $output"
		[[ "$output" != *BAD* ]]
		[ "$(grep -c '^ok' <<< "$output")" -eq 4 ]
	done
}
