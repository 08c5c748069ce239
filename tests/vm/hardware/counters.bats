#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Events that calipers count, by RDPMC and by the device, beside the machine's exact counts. If these tests fail, counts of regions are
# wrong, or a list that the CPU can't count is accepted.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local machine module status period

	rm -rf "$work"
	mkdir -p "$work/bin"
	cp build/lib/libmemphis.so.0 tests/vm/hardware/counters/guest.sh "$work/bin"
	ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
	gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror -pthread -no-pie -Wl,-Ttext-segment=0x10000000 -Iinclude -o "$work/bin/counted" \
		tests/vm/hardware/counters/counted.c -L"$work/bin" -lmemphis -Wl,-rpath,'$ORIGIN'
	for machine in $machines; do
		module=build/kmod/$(machine_kernel "$machine")
		machine/kbuild "$(machine_kernel "$machine")" kmod "$module" > "$work/$machine.kbuild" 2>&1
		period=$(case $(machine_cpu "$machine") in milan | genoa | turin) echo 65536 ;; *) echo 4093 ;; esac)
		status=0
		boot_machine "$machine" --module "$(module_of "$machine")" --put "$work/bin:/root/bin" --put build/bin/memphis \
			--put build/lib/libmemphis.so.0 --put build/lib/memphis/memphis-papi --truth "$work/$machine.tsv" \
			--get "/root/out:$work/$machine" --log "$work/$machine.log" -- \
			sh /root/bin/guest.sh /root/bin /root/out "$period" "$top/build/bin/memphis" > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
		echo "$status" > "$work/$machine.status"
	done
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, and the programs print nothing but their results" {
	all_ended_well
	for machine in $machines; do
		[ "$(cat "$work/$machine/"*.err)" = "" ]
		[ "$(cat "$work/$machine/"*.status | sort -u)" = 0 ]
	done
}

# counts NAME RUN: compares the counts on each machine.
counts()
{
	for machine in $machines; do
		tests/vm/hardware/counters/truth.py "$work/$machine" "$1" "$work/$machine.tsv.$2" "$work/bin/counted"
	done
}

@test "by RDPMC, instructions and loads of each thread and region are the exact ones, and those of the calipers" {
	counts rdpmc 1
}

@test "by the device, instructions and loads of each thread and region are the exact ones, and those of the calipers" {
	counts device 2
}

@test "events by the names of PAPI are the exact ones, too, where perf is forbidden" {
	counts papi 4
	for machine in $machines; do
		build/bin/memphis report --by region --format json "$work/$machine/papi" 2> "$work/stderr" | tee "$work/json" |
			jq -e '.region_times[] | select(.path[-1] == "Load") | (.events | map(.name) | .[1] == "PAPI_TOT_INS" and
				(.[0] | . == "PAPI_LD_INS" or . == "loads")) and .instructions == .events[1].count'
	done
}

@test "what has no code of a single event is refused with PAPI's reason" {
	for machine in $machines; do
		cat "$work/$machine/papi-refused"
		grep -q "^memphis record: --region-events: papi:PAPI_L1_XYZ: .*; papi_avail and papi_native_avail list" "$work/$machine/papi-refused"
		grep -q "^memphis record: --region-events: papi:perf::PAGE-FAULTS: it is no event of the core" "$work/$machine/papi-refused"
		case $(machine_cpu "$machine") in milan | genoa | turin) continue ;; esac
		grep -q "papi:PAPI_VEC_DP: it is calculated from 4 events; name those: FP_ARITH:SCALAR_DOUBLE FP_ARITH:128B_PACKED_DOUBLE " "$work/$machine/papi-refused"
	done
}

@test "the report names the events, and has their sums and their spread over the threads" {
	for machine in $machines; do
		for name in rdpmc device; do
			build/bin/memphis report --by region --format json "$work/$machine/$name" 2> "$work/stderr" | tee "$work/json" |
				jq -e '.region_times[] | select(.path[-1] == "Load") | .events | map(.name) as $names | .[0] |
					($names[1] == "cache-misses" and ($names[0] | startswith("cpu/event=0x")) and .threads == 2 and
					.count == .least.count + .most.count and .count >= 6000000 and .most.count - .least.count >= 1900000)'
			build/bin/memphis report --by region "$work/$machine/$name" | grep '^COUNTS IN REGIONS: cpu/event=0x'
		done
		run -0 build/bin/memphis report --by region "$work/$machine/plain"
		[[ "$output" != *"COUNTS IN REGIONS"* ]]
	done
}

# Beside cycles and instructions, Zen 3 has 4 of 6 counters; Skylake has 4 without those of its fixed ones, one of which samples.
@test "what does not fit beside the sampler is refused by name, one event later in each list than in the last that fits" {
	for machine in $machines; do
		local fits=branches beyond=cache-references remedy='leave it out'
		case $(machine_cpu "$machine") in milan | genoa | turin) fits=cache-references beyond=L1-dcache-loads ;; esac
		cat "$work/$machine/refused"
		for way in rdpmc device; do
			grep -q "^$way: memphis: not sampling: MEMPHIS_REGION_COUNTERS: $beyond; the CPU does not count it at the same time" "$work/$machine/refused"
			run ! grep -q "^$way: .*COUNTERS: $fits[;:]" "$work/$machine/refused"
			grep -q "^$way: memphis: not sampling: MEMPHIS_REGION_COUNTERS: r1[0-9c]*d*[0-9]*: Invalid argument; $remedy" "$work/$machine/refused"
		done
	done
}
