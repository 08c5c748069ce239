#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis top beside a program that the device samples. If these tests fail, users see wrong shares or names of a running program.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local machine period status

	rm -rf "$work"
	mkdir -p "$work/bin"
	cp tests/vm/attribution/top/guest.sh "$work/bin"
	gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -o "$work/bin/walk" tests/vm/attribution/top/walk.c
	for machine in $machines; do
		machine/kbuild "$(machine_kernel "$machine")" kmod "build/kmod/$(machine_kernel "$machine")" > "$work/$machine.kbuild" 2>&1
		period=$(case $(machine_cpu "$machine") in milan | genoa | turin) echo 32768 ;; *) echo 4093 ;; esac)
		status=0
		boot_machine "$machine" --module "$(module_of "$machine")" --put "$work/bin:/root/bin" --put "$work/bin/walk:/root/bin/walk" \
			--put build/bin/memphis --put build/lib/libmemphis.so.0 --put "$(command -v script)" --get "/root/out:$work/$machine" --log "$work/$machine.log" -- \
			sh /root/bin/guest.sh /root/bin /root/out "$period" "$top/build/bin/memphis" > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
		echo "$status" > "$work/$machine.status"
	done
}

setup()
{
	cd "$top" || exit
}

# running NAME: checks a table of each machine.
running()
{
	for machine in $machines; do
		echo "$machine:"
		tests/vm/attribution/top/check.py running "$work/$machine/$1"
	done
}

@test "the kernels log no complaint, and recorded programs print nothing" {
	all_ended_well
	for machine in $machines; do
		[ "$(< "$work/$machine/record.txt")" = '' ]
	done
}

@test "while a program runs, its share of remote loads and its leading variables are shown, found by memphis record, pid or machine" {
	running by-record
	running by-pid
	running by-machine
}

@test "in a terminal, the tables are shown until q" {
	for machine in $machines; do
		[ "$(< "$work/$machine/screen.status")" -eq 0 ]
		grep -aqF '[heap]:often' "$work/$machine/screen"
		grep -aqE ' running +[0-9.]+ % ' "$work/$machine/screen"
	done
}

@test "after kill -9, what was sampled is still shown, to the end" {
	local loads

	for machine in $machines; do
		loads=$(build/bin/memphis report --select dram --format json "$work/$machine/run" 2> "$work/stderr" | jq .accounting.selected)
		[ "$loads" -ge 1000 ]
		echo "$machine:"
		tests/vm/attribution/top/check.py ended "$work/$machine/killed" "$loads"
	done
}
