#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Life on a busy node, on both kernels: what other users, the scheduler, the memory management and the administrator do
# while a program is sampled. If these fail, sampling is right only where nothing else happens.

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/busy
	local program kernel

	rm -rf "$work"
	mkdir -p "$work/bin"
	for program in rival; do
		gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/bin/$program" \
			"tests/vm/busy/$program.c" tests/vm/busy/node.c tests/vm/device/session.c
	done
	cp tests/vm/busy/guest.sh "$work/bin"
	for kernel in $kernels; do
		boot "$kernel" > "$work/$kernel.txt" 2> "$work/$kernel.err"
		echo "$?" > "$work/$kernel.status"
	done
}

# One boot with all checks; its output is what the tests below look at.
boot()
{
	local sampler=task

	[ "$1" != 6.1 ] || sampler=cpu
	tests/machine/kbuild "$1" kmod "build/kmod/$1" >&2 || return
	tests/machine/run --kernel "$1" --timeout 1800 --log "$work/$1.log" --put "$work/bin:/root/bin" \
		--put "build/kmod/$1/memphis.ko:/root/memphis.ko" -- \
		sh /root/bin/guest.sh /root/bin /root/memphis.ko "$sampler"
}

@test "the kernels say nothing of the kind WARNING, BUG or lockup, and all programs end well" {
	[ "$(cat "$work/6.1.status")" -eq 0 ]
	[ "$(cat "$work/6.12.status")" -eq 0 ]
	all_passed '(rival) ends well' 1
	passed 'nothing keeps the module'
}

@test "no check at all failed" {
	run grep -H '^not ok' "$work/6.1.txt" "$work/6.12.txt"
	echo "$output"
	[ "$status" -eq 1 ]
}

@test "perf on the same hardware: each side is told what it had, and together they have every sample" {
	passed 'alone: nothing is starved'
	passed 'stopped: the times rest'
	passed 'detached: the times stay'
	all_passed 'perf pinned to the CPU: ' 10
	kernels=6.1
	all_passed 'perf on the CPU: ' 10
	passed 'perf on the task: EINVAL, as without us'
	kernels=6.12
	all_passed 'perf on the CPU: ' 10
	all_passed 'perf pinned to the task: ' 11
	all_passed 'perf on the task: ' 10
	all_passed 'perf pinned to the CPU first: ' 5
}
