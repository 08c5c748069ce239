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
	for program in rival cpus crowd pages pause throttle life memory; do
		gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/bin/$program" \
			"tests/vm/busy/$program.c" tests/vm/busy/node.c tests/vm/device/session.c
	done
	cp tests/vm/busy/guest.sh "$work/bin"
	boot_all
}

@test "the kernels say nothing of the kind WARNING, BUG or lockup, and all programs end well" {
	all_ended_well
	all_passed '(rival|cpus|crowd|pages|pause|throttle|life|memory) ends well' 8
	passed "the kernel says nothing beside the OOM killer's report"
	passed 'nothing keeps the module'
}

@test "no check at all failed" {
	none_failed
}

@test "perf on the same hardware: each side is told what it had, and together they have every sample" {
	local cpu task
	cpu=$(of_sampler cpu)
	task=$(of_sampler task)

	passed 'alone: nothing is starved'
	passed 'stopped: the times rest'
	passed 'detached: the times stay'
	all_passed 'perf pinned to the CPU: ' 10
	all_passed 'perf on the CPU: ' 10
	machines=$cpu passed 'perf on the task: EINVAL, as without us'
	machines=$task all_passed 'perf pinned to the task: ' 11
	machines=$task all_passed 'perf on the task: ' 10
	machines=$task all_passed 'perf pinned to the CPU first: ' 5
}

@test "all CPUs but one go and come under bound and unbound threads: all are sampled, and every interrupt is in the books" {
	all_passed 'cpus: ' 5
}

@test "64 threads on 4 CPUs: all are sampled, alike, and every interrupt is in the books" {
	all_passed 'crowd: ' 7
}

@test "pages that move_pages, mbind or NUMA balancing moves: the samples tell the home of their time" {
	all_passed 'moves: ' 4
	all_passed 'race: ' 4
	all_passed 'balancing: ' 4
}

@test "a stopped or frozen process is not interrupted, and sampled on when it goes on" {
	all_passed '(stopped|frozen): ' 5
	all_passed '(before|continued|thawed): both threads are sampled on' 3
	all_passed 'stopped and frozen: ' 3
}

@test "perf's pauses are counted, and the books balance and equal the machine's count" {
	all_passed 'throttled: ' 5
}

@test "processes that fork, execute themselves, start threads and end in any order leave nothing behind" {
	all_passed 'life: ' 6
}

@test "want of memory: a ring is refused with ENOMEM, a sampled process that is killed leaves nothing behind" {
	all_passed 'memory: ' 8
}
