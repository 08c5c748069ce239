#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# perf and Memphis use the sampling hardware at the same time, with events per CPU and with events per thread. If these tests
# fail, a report is silent about time in which another user had the hardware, or Memphis takes perf's samples.
# shellcheck disable=SC2154 # checks.bash sets the machines and boots them

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	work=$(results_dir)
	export work

	rm -rf "$work"
	mkdir -p "$work/bin"
	gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -Itests/vm/busy -o "$work/bin/rival" \
		tests/vm/rival/rival.c tests/vm/busy/node.c tests/vm/device/session.c
	cp tests/vm/rival/guest.sh "$work/bin"
	boot_all
}

@test "the kernels log no WARNING, BUG or lockup, and no check fails" {
	all_ended_well
	none_failed
	passed 'rival ends well'
	passed 'the module can be removed at the end'
}

@test "the times of a session stay after it was stopped, and after its thread was detached" {
	passed 'alone: nothing is starved'
	passed 'stopped: the times do not change'
	passed 'detached: the times are kept'
}

@test "perf and Memphis on the same hardware each report their share of its time, and together they have every sample" {
	local all=$machines machine

	all_passed 'perf pinned to the CPU: ' 10
	all_passed 'perf on the CPU: ' 10
	for machine in $all; do
		machines=$machine
		case $(machine_sampler "$machine") in
		cpu)
			passed 'perf on the task: EINVAL, as without Memphis'
			;;
		task)
			all_passed 'perf pinned to the task: ' 11
			all_passed 'perf on the task: ' 10
			all_passed 'perf pinned to the CPU first: ' 5
			;;
		esac
	done
}
