#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Samples in small blocks, of which only a random sample is recorded, against the list that the program itself made of its blocks. If
# these tests fail, containers and trees have no names in reports, or wrong ones, or the stated certainty is too large.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local from=tests/workloads machine period status

	rm -rf "$work"
	mkdir -p "$work/bin"
	local bin=$work/bin
	cp build/lib/libmemphis.so.0 "$bin"
	ln -s libmemphis.so.0 "$bin/libmemphis.so"
	local flags=(-O1 -g -Wall -Wextra -Werror -I"$top/include" -I"$from/common")
	gcc "${flags[@]}" -fPIC -shared -o "$bin/libworkload.so" $from/common/workload.c
	g++ -std=c++17 "${flags[@]}" -o "$bin/containers" $from/heap/containers.cpp -L"$bin" -lworkload -Wl,--no-as-needed -lmemphis \
		-Wl,--as-needed -Wl,-rpath,'$ORIGIN'
	cp tests/vm/attribution/small/guest.sh "$bin"
	for machine in $machines; do
		machine/kbuild "$(machine_kernel "$machine")" kmod "build/kmod/$(machine_kernel "$machine")" > "$work/$machine.kbuild" 2>&1
		# Loads with PEBS, ops with IBS
		period=$(case $(machine_cpu "$machine") in milan | genoa | turin) echo 1024 ;; *) echo 101 ;; esac)
		mkdir -p "$work/$machine"
		status=0
		boot_machine "$machine" --module "$(module_of "$machine")" --log "$work/$machine.log" --put "$bin:/root/bin" --get "/root/out:$work/$machine/out" -- \
			sh /root/bin/guest.sh /root/bin /root/out "$period" > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
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
