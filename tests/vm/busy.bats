#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Life on a busy node, on each machine: what other users, the scheduler, the memory management and the administrator do
# while a program is sampled. If these fail, sampling is right only where nothing else happens.

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/busy
	local program

	rm -rf "$work"
	mkdir -p "$work/bin"
	for program in rival; do
		gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/bin/$program" \
			"tests/vm/busy/$program.c" tests/vm/busy/node.c tests/vm/device/session.c
	done
	cp tests/vm/busy/guest.sh "$work/bin"
	boot_all
}

@test "the kernels say nothing of the kind WARNING, BUG or lockup, and all programs end well" {
	all_ended_well
	all_passed '(rival) ends well' 1
	passed 'nothing keeps the module'
}

@test "no check at all failed" {
	none_failed
}

@test "perf on the same hardware: each side is told what it had, and together they have every sample" {
	local task
	task=$(of_sampler task)
	passed 'alone: nothing is starved'
	passed 'stopped: the times rest'
	passed 'detached: the times stay'
	all_passed 'perf pinned to the CPU: ' 10
	machines=$(of_sampler cpu)
	all_passed 'perf on the CPU: ' 10
	passed 'perf on the task: EINVAL, as without us'
	machines=$task
	all_passed 'perf on the CPU: ' 10
	all_passed 'perf pinned to the task: ' 11
	all_passed 'perf on the task: ' 10
	all_passed 'perf pinned to the CPU first: ' 5
}
