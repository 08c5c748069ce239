#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis place on a program whose threads share memory in pairs, on a machine of four nodes: the program runs again as proposed, and the
# machine counts its remote loads. If these tests fail, users bind threads as the tool says and gain nothing.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load attribution

setup_file()
{
	prepare_programs -O1
	gcc "${cflags[@]}" -fopenmp -o "$bin/pairs" "$from/threads/pairs.c" "${link[@]}"
	more=(--nodes 4 --cpus 2 --memory 256 --l1 4 --l2 16 --l3 64 --put "$top/build/bin/memphis:/usr/bin/memphis" --truth "$work/MACHINE.tsv")
	run_programs place 4096
}

setup()
{
	cd "$top" || exit
}

# expect EXPECTED ACTUAL: fails with a diff unless both are equal.
expect()
{
	diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# truth MACHINE NUMBER: the exact share of remote loads, in percent.
truth()
{
	"$top/tests/vm/attribution/place/check.py" "$work/$1.tsv.$2"
}

# holds EXPRESSION: whether the comparison of numbers is true.
holds()
{
	awk "BEGIN { exit !($1) }"
}

@test "the kernels log no complaint, and the programs print nothing but their results" {
	all_ended_well
	for machine in $machines; do
		[ "$(cat "$work/$machine"/out/*.err)" = "" ]
		[ "$(cat "$work/$machine"/out/*.status | sort -u)" = 0 ]
		[ "$(cat "$work/$machine"/out/*.out | sort -u)" = $((8 * 80 * 32768 / 8)) ]
	done
}

@test "the proposal joins the threads of each pair, each on a CPU of its own" {
	local machine

	for machine in $machines; do
		cat "$work/$machine/out/scattered.txt"
		expect true "$(jq '.[0].better' "$work/$machine/out/scattered.json")"
		expect '0 4,1 5,2 6,3 7' "$(jq -r '[.[0].threads | group_by(.node)[] | map(.openmp_thread) | sort | join(" ")] | sort | join(",")' "$work/$machine/out/scattered.json")"
		expect 8 "$(jq '.[0].threads | map(.cpu) | unique | length' "$work/$machine/out/scattered.json")"
		expect true "$(jq '[.[0].threads[] | .node == (.cpu / 2 | floor)] | all' "$work/$machine/out/scattered.json")"
	done
}

# The prediction is about the memory of the program. Loads of the OpenMP runtime, the library and the kernel's copies inside the calipers, up to
# 0.1 %, come on top.
@test "as proposed, the exact share of remote loads falls from nearly all to nearly none, within the predicted interval" {
	local machine now after

	for machine in $machines; do
		now=$(truth "$machine" 1) after=$(truth "$machine" 2)
		echo "$machine: $now %, then $after %; $(jq -c '.[0] | [.remote, .proposed]' "$work/$machine/out/scattered.json")"
		holds "$now > 99 && $after < 1"
		holds "$after <= 0.1 + 100 * $(jq '.[0].proposed.high' "$work/$machine/out/scattered.json") && $after >= 100 * $(jq '.[0].proposed.low' "$work/$machine/out/scattered.json")"
	done
}

@test "a good placement is left alone, and the tool says so" {
	local machine name

	for machine in $machines; do
		for name in proposed alone; do
			cat "$work/$machine/out/$name.txt"
			expect false "$(jq '.[0].better' "$work/$machine/out/$name.json")"
			grep -q '^No other placement of the threads is clearly better: leave them where they are.$' "$work/$machine/out/$name.txt"
			run ! grep -q OMP_PLACES "$work/$machine/out/$name.txt"
		done
	done
}
