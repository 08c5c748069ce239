#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=more
# Programs as the report finds them, and changed as it advises: what that saves by the machine's clock, and what memphis compare says of it. If
# these tests fail, developers follow advice that does not help, or are promised what they do not get.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load attribution

# NAME:PATTERN
programs=(first-touch:first-touch read-shared:read-shared partition:partition-mismatch serial:serial-phase moved-threads:moved-threads)

setup_file()
{
	prepare_programs -O1
	gcc "${cflags[@]}" -pthread -o "$bin/advised" "$from/programs/advised.c" "${link[@]}"
	run_programs advised 4096 "${programs[@]%:*}"
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, and each program prints the same before and after its change" {
	local machine name

	all_ended_well
	for machine in $machines; do
		[ "$(cat "$work/$machine"/out/*.err)" = "" ]
		[ "$(cat "$work/$machine"/out/*.status | sort -u)" = 0 ]
		for name in "${programs[@]%:*}"; do
			cmp "$work/$machine/out/$name.found.out" "$work/$machine/out/$name.changed.out"
		done
	done
}

# of MACHINE RUN EXPRESSION: prints a value of the report on the caliper Work.
of()
{
	build/bin/memphis report --region Work --binaries "$work/bin" --format json "$work/$1/out/$2" 2> "$work/stderr" | jq -r "$3"
}

# cycles MACHINE RUN: prints the cycles of the caliper in all threads.
cycles()
{
	of "$1" "$2" '[.region_times[] | select(.path[-1] == "Work") | .cycles] | add'
}

@test "the first finding is the defect, and the changed program has no such finding" {
	local machine program patterns

	for machine in $machines; do
		for program in "${programs[@]}"; do
			patterns=$(of "$machine" "${program%:*}.found" '[.findings[].pattern] | tostring')
			echo "$machine $program: $patterns, then $(of "$machine" "${program%:*}.changed" '[.findings[].pattern] | tostring')"
			[ "$(jq -r '.[0]' <<< "$patterns")" = "${program#*:}" ]
			[ "$(of "$machine" "${program%:*}.changed" "[.findings[] | select(.pattern == \"${program#*:}\")] | length")" = 0 ]
		done
	done
}

# The machine executes one instruction after the other, so that loads do not overlap, and all of the bound can be saved. The ends of the
# interval have 95 %; at 2.6 times the distance, five standard errors, chance fails 1 of 1,000,000 comparisons.
@test "what the change saves is at most the bound of the report, and more than half of it" {
	local machine name saved

	for machine in $machines; do
		for name in "${programs[@]%:*}"; do
			saved=$(($(cycles "$machine" "$name.found") - $(cycles "$machine" "$name.changed")))
			echo "$machine $name: saved $saved of $(cycles "$machine" "$name.found"), estimated $(of "$machine" "$name.found" '.waiting.gain | tostring')"
			[ "$(of "$machine" "$name.found" ".waiting.gain | .cycles + 2.6 * (.high - .cycles) >= $saved")" = true ]
			[ "$(of "$machine" "$name.found" ".waiting.gain | .cycles - 2.6 * (.cycles - .low) <= 2 * $saved")" = true ]
		done
	done
}

@test "memphis compare says that remote waiting has become less than a tenth" {
	local machine name

	for machine in $machines; do
		for name in "${programs[@]%:*}"; do
			run -0 build/bin/memphis compare --region Work --fail-if 'remote-waiting > 0 %' \
				"$work/$machine/out/$name.found" "$work/$machine/out/$name.changed"
			run -3 build/bin/memphis compare --region Work --fail-if 'remote-waiting > 900 %' \
				"$work/$machine/out/$name.changed" "$work/$machine/out/$name.found"
		done
	done
}
