#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Estimated waiting, against the machine's exact counts and configured latencies. If these tests fail, the cycles in reports and their
# intervals are wrong, and so is what developers do first.
# Each interval shall contain the exact value with 95 %. The number that does not is compared with a binomial quantile that a run of
# correct intervals exceeds with a probability of 5e-7; with 12 comparisons, and some 130 intervals of which none may be three times as far off,
# 1 of 100,000 runs fails without a defect.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load attribution

setup_file()
{
	prepare_programs -O1
	gcc "${cflags[@]}" -o "$bin/static" "$from/static/static.c" "${link[@]}"
	local programs=(static)
	if at_level_more; then
		gcc "${cflags[@]}" -O2 -fopenmp -o "$bin/cg" "$from/programs/cg.c" "${link[@]}" -lm
		cp build/examples/cice_halo/cice_halo "$bin"
		programs+=(cice_halo cg)
	fi
	more=(--truth "$work/MACHINE.tsv")
	run_programs waiting 4096 "${programs[@]}"
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, and the programs print nothing but their results" {
	all_ended_well
	for machine in $machines; do
		[ "$(cat "$work/$machine"/out/*.err)" = "" ]
		[ "$(cat "$work/$machine"/out/*.status | sort -u)" = 0 ]
	done
}

# check PROGRAM: compares the waiting of the program's variables and lines with the exact one, on each machine.
check()
{
	local machine

	for machine in $machines; do
		build/bin/memphis report --select loads --binaries "$work/bin" --format json -o "$work/$machine/$1.json" "$work/$machine/out/$1"
		run -0 "$top/tests/vm/attribution/waiting/check.py" "$work/$machine.tsv" "$work/$machine/out/$1" "$work/$machine/$1.json"
		echo "$machine: $output"
		[ "$(grep -c '^ok' <<< "$output")" -eq 3 ]
	done
}

# bats test_tags=more
@test "the intervals of the case study contain the exact waiting" {
	check cice_halo
}

@test "the intervals of sweeps over static arrays contain the exact waiting" {
	check static
}

# bats test_tags=more
@test "the intervals of conjugate gradients contain the exact waiting" {
	check cg
}

@test "remote memory is worth the effort in the case study, and PEBS does not tell" {
	local machine

	for machine in $machines; do
		case $(machine_cpu "$machine") in
		milan | genoa | turin) [ "$(jq -r .waiting.verdict.worth "$work/$machine/static.json")" = yes ] ;;
		*) [ "$(jq -r .waiting.verdict.why_not "$work/$machine/static.json")" = 'these samples do not count instructions' ] ;;
		esac
	done
}
