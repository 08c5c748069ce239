#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Types of accesses, against the objects at the samples' addresses. If these tests fail, reports show types and members that
# instructions do not access, or lose them.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local from=tests/workloads machine module period status

	rm -rf "$work"
	mkdir -p "$work/bin"
	local bin=$work/bin
	cp build/lib/libmemphis.so.0 "$bin"
	ln -s libmemphis.so.0 "$bin/libmemphis.so"
	local flags=(-O2 -g -Wall -Wextra -Werror -I"$top/include" -I"$top/build/include" -I"$from/common")
	gcc "${flags[@]}" -fPIC -shared -o "$bin/libworkload.so" $from/common/workload.c
	g++ -std=c++17 "${flags[@]}" -o "$bin/graph" $from/types/graph.cc -L"$bin" -lworkload -Wl,--no-as-needed -lmemphis \
		-Wl,--as-needed -Wl,-rpath,'$ORIGIN'
	cp tests/vm/attribution/types/guest.sh "$bin"
	for machine in $machines; do
		module=build/kmod/$(machine_kernel "$machine")
		machine/kbuild "$(machine_kernel "$machine")" kmod "$module" > "$work/$machine.kbuild" 2>&1
		# Loads with PEBS, ops with IBS
		period=$(case $(machine_cpu "$machine") in milan | genoa | turin) echo 2048 ;; *) echo 101 ;; esac)
		mkdir -p "$work/$machine"
		status=0
		boot_machine "$machine" --module "$(module_of "$machine")" --log "$work/$machine.log" --put "$bin:/root/bin" --get "/root/out:$work/$machine/out" -- \
			sh /root/bin/guest.sh /root/bin /root/out "$period" graph > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
		echo "$status" > "$work/$machine.status"
	done
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
