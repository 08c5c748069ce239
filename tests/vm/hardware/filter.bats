#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Filters in the hardware of AMD IBS. If these tests fail, they are offered where they do not work, or samples with them are not in
# proportion to the loads that missed the L3.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	export top=$PWD work=$PWD/build/test/filter

	rm -rf "$work"
	mkdir -p "$work/bin"
	cp build/examples/cice_halo/cice_halo examples/cice_halo/demo-guest tests/vm/hardware/filter/guest.sh "$work/bin"
	gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/bin/filters" \
		tests/vm/device/filters.c tests/vm/device/session.c
	boot 6.12 genoa 3 l3-miss 5 4096 0
	boot 6.1 genoa 3 l3-miss
	boot 7.2 turin 7 latency 4 4096 300
	boot 6.12 turin 3 -
	for run in 6.12@genoa/none 6.12@genoa/device 6.12@genoa/perf 7.2@turin/device 7.2@turin/perf; do
		build/bin/memphis report --format json -o "$work/$run.json" "$work/$run" || true
	done
}

# boot KERNEL CPU ARGUMENT...: boots the machine KERNEL@CPU, on which guest.sh gets the arguments.
boot()
{
	local machine=$1@$2 kernel=$1 cpu=$2 status=0 files=()

	shift 2
	machine/kbuild "$kernel" kmod "build/kmod/$kernel" > "$work/kbuild.txt" 2>&1
	machine/run --kernel "$kernel" --cpu "$cpu" --timeout 1800 --log "$work/$machine.log" --put "$work/bin" \
		--put "$PWD/build/kmod/$kernel/memphis.ko:$work/bin/memphis.ko" --truth "$work/$machine.tsv" \
		--get "/root/out:$work/$machine" -- \
		sh "$work/bin/guest.sh" "$work/bin" /root/out "$@" > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
	echo "$status" > "$work/$machine.status"
}

# ended_well MACHINE CHECKS: the boot succeeded, and each of this number of checks of the program `filters` held.
ended_well()
{
	[ "$(< "$work/$1.status")" -eq 0 ] || { tail -n 20 "$work/$1.err" "$work/$1.txt"; return 1; }
	! grep '^not ok' "$work/$1.txt" || return
	[ "$(grep -c '^ok' "$work/$1.txt")" -eq "$2" ] || { grep -c '^ok' "$work/$1.txt"; return 1; }
}

# sources MACHINE LEVEL=SOURCE,FLAGS...: samples agree with the exact counts of loads, and there are no others.
sources()
{
	local machine=$1

	shift
	"$top/tests/vm/sources/truth.py" "$work/$machine.tsv" "$work/$machine/samples" "$@"
}

# ask RUN JQ-EXPRESSION: prints the answer from the report of the run.
ask()
{
	jq -c "$2" "$work/$1.json"
}

@test "a filter is offered where CPU and kernel have it, sessions with different filters exclude each other, and none outlives its owner" {
	ended_well 6.12@genoa 33
	ended_well 6.1@genoa 33
	ended_well 7.2@turin 35
}

@test "unless the module was loaded with hardware_filters=1, sessions with a filter are refused with EACCES" {
	local machine

	for machine in 6.12@genoa 6.1@genoa 7.2@turin 6.12@turin; do
		[ "$(grep -c '^ok forbidden: ' "$work/$machine.txt")" -eq 5 ] || { echo "$machine"; return 1; }
	done
}

@test "a session that is configured again, for the other sampler too, counts its times from zero" {
	local machine

	for machine in 6.12@genoa 6.1@genoa 7.2@turin 6.12@turin; do
		[ "$(grep -cE '^ok .*( starts from zero| has times| has no times| has times again)$' "$work/$machine.txt")" -eq 6 ] ||
			{ echo "$machine"; return 1; }
	done
}

@test "Linux 6.12 ignores the threshold of Zen 5, so neither module nor library offers the filter of latency there" {
	ended_well 6.12@turin 30
}

@test "samples of L3 misses are as many as one period predicts, although sampling is stopped and threads change all the time" {
	sources 6.12@genoa ldram=5,local rdram=5,remote
}

@test "the same on a kernel that samples per CPU without a filter, too" {
	sources 6.1@genoa ldram=5,local rdram=5,remote
}

@test "samples of slow loads are those of remote DRAM alone, as many as one period predicts" {
	sources 7.2@turin rdram=5,remote
}

@test "in the case study, shares of variables and lines are those without the filter, up to chance, for few interrupts" {
	run "$top/tests/vm/hardware/events/compare.py" "$work/6.12@genoa/none.json" "$work/6.12@genoa/device.json"
	echo "$output"
	[ "$status" -eq 0 ]
	echo "interrupts: $(ask 6.12@genoa/none .accounting.interrupts), $(ask 6.12@genoa/device .accounting.interrupts)"
	[ "$(ask 6.12@genoa/device .accounting.interrupts)" -lt "$(($(ask 6.12@genoa/none .accounting.interrupts) / 10))" ]
}

@test "files and reports say which filter and sampler were used, and that perf's events of threads make counts too high" {
	local settings='.processes[0].settings | [.backend, .hardware_filter, .sampler]'

	[ "$(ask 6.12@genoa/none "$settings")" = '["device","none","task"]' ]
	[ "$(ask 6.12@genoa/device "$settings")" = '["device","l3-miss","cpu"]' ]
	[ "$(ask 6.12@genoa/perf "$settings")" = '["perf","l3-miss","task"]' ]
	[ "$(ask 7.2@turin/device "$settings")" = '["device","latency","cpu"]' ]
	[ "$(ask 7.2@turin/perf "$settings")" = '["perf","latency","task"]' ]
	[ "$(ask 6.12@genoa/device '[.notes[] | select(contains("without the module"))] | length')" -eq 0 ]
	[ "$(ask 6.12@genoa/perf '[.notes[] | select(contains("without the module"))] | length')" -eq 1 ]
}

@test "by both backends, all samples are loads from beyond the L3, of at least the latency" {
	local name bad='(.flags | test("load") | not) or (.source | IN("l1", "l2", "l3"))'

	for name in 6.12@genoa/device 6.12@genoa/perf 7.2@turin/device 7.2@turin/perf; do
		[ "$(ask "$name" .accounting.balanced)" = true ]
		[ "$(ask "$name" '.accounting.filtered."not-memory"')" = 0 ]
		[ "$(ask "$name" .accounting.written)" -gt 100 ]
		[[ $name != *turin* ]] || bad+=' or .latency_cycles < 300'
		run -0 bash -o pipefail -c '"$0" dump --format json "$1"/*.memphis | jq -c "select(.what == \"sample\" and ($2))"' \
			"$top/build/bin/memphis" "$work/$name" "$bad"
		[ -z "$output" ] || { echo "$name: $output" | head; return 1; }
	done
}
