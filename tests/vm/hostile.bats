#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Attacks of users on /dev/memphis: arguments, maps, descriptors, memory, ends at the worst moment, and
# information that the device could leak. If these tests fail, a user can harm the node or other users, or read secret
# data.

bats_require_minimum_version 1.5.0
load ../environment
load checks
load hostile/storm

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	work=$(results_dir)
	export work
	local program

	rm -rf "$work"
	mkdir -p "$work/bin"
	# Position-independent, so that the code lies outside the guest's physical address range.
	for program in arguments mapping tamper users foreign secrets chaos switched; do
		gcc -std=gnu11 -O1 -g -static-pie -pthread -Wall -Wextra -Werror -Iinclude -Itests/vm/device \
			-o "$work/bin/$program" "tests/vm/hostile/$program.c" tests/vm/hostile/common.c \
			tests/vm/device/session.c
	done
	python3 tests/house/manual.py --example man/memphis.4 > "$work/example.c"
	gcc -std=gnu11 -O1 -static -Iinclude -o "$work/bin/example" "$work/example.c"
	build_storm
	cp tests/vm/hostile/guest.sh "$work/bin"
	# Debian's kernels have no vsyscall page by default; with one, there is a kernel page that user code can read.
	# shellcheck disable=SC2034 # of checks.bash
	boot_options=(--append vsyscall=emulate --default-watchdogs)
	if at_length; then boot_all 3 12 288; else boot_all 1 2 64; fi
}

@test "the kernels log no WARNING, BUG or lockup, and all programs end with success" {
	all_ended_well
	all_passed '(arguments|mapping|tamper|users|foreign|secrets|chaos|switched|example) ends well' 9
	passed 'the module can be removed, as nothing is left open or mapped'
}

@test "none of the checks failed, including those that no test names" {
	none_failed
}

@test "no bad pointer of any kind is followed, and nothing is written outside a structure" {
	all_passed 'EFAULT: .*, in all bad places' 5
	all_passed 'EFAULT: .*, to read-only memory' 2
	all_passed 'unaligned: ' 3
}

@test "every unknown flag, reserved bit and oversized count fails with EINVAL" {
	all_passed 'EINVAL: each ' 7
	passed 'each large period is refused beyond the largest, and taken below it'
}

@test "read, write, splice and similar calls are refused" {
	all_passed '(read|write|sendfile|splice|copy_file_range|lseek|ftruncate) is refused' 7
}

@test "no thread of another process is ever attached" {
	all_passed 'ESRCH: attach of ' 4
	all_passed 'ESRCH: in a process namespace, ' 2
	passed 'a process namespace: a process has its own number there'
	passed 'no refused attach left a trace'
}

@test "tasks that share the owner's memory may do what its threads may" {
	all_passed 'the same memory: ' 5
}

@test "neither a part of a ring nor anything beside it can be mapped" {
	passed 'ring: only its exact length can be mapped'
	passed 'ring: only its first page can be the start of a map'
	passed 'control pages: nothing behind them can be mapped'
	passed 'offsets: no other offset can be mapped'
	all_passed "mremap can't " 3
	passed "remap_file_pages can't get a part of the ring"
	passed "an unmapped page of the ring can't be mapped again alone"
}

@test "a ring can't be written by system calls, debuggers, children or partial maps" {
	passed "a system call can't write the ring"
	passed "process_vm_writev can't write the ring"
	passed "/proc/PID/mem of the owner can't write the ring"
	passed "a debugger can't write the ring"
	passed "a child can't make the inherited ring writable"
	passed "a moved part of the map can't become writable"
	passed 'the ring is unchanged'
}

@test "a map of a detached thread shows the old ring, never the next one" {
	all_passed 'detached: ' 2
	passed "another ring takes the offset of a detached one"
	passed "the next thread's control page is different memory"
	# Before 5.11, a ring is mapped as bare page frames, which can't go into a pipe.
	local all=$machines machine
	for machine in $all; do
		machines=$machine
		case $machine in
		5.10*) passed "a page of the ring can't go into a pipe" ;;
		*) passed 'a page in a pipe outlives the ring unchanged' ;;
		esac
	done
}

@test "for any values written to the control pages during sampling, the accounting balances and samples are complete" {
	all_passed 'tampering: ' 9
}

@test "another user can do nothing with the descriptor" {
	passed 'EPERM: all requests and maps by another user with the descriptor'
	passed 'POLLERR: poll by another user with the descriptor'
	passed 'EPOLLERR: epoll by another user with the descriptor'
	passed "the owner's session is unchanged"
	passed 'a session whose descriptor was never received holds no thread'
}

@test "a user who has no memory left keeps nobody from other devices" {
	passed 'to open the device keeps nobody from other devices'
}

@test "pinned memory is limited per user over processes, namespaces and sessions, and other users have their own limit" {
	passed 'many processes of one user hold six large rings in all'
	passed 'EDQUOT: further large rings of these processes'
	passed 'another user has a full budget of their own'
	passed 'the budget is free after the processes have ended, whatever RLIMIT_MEMLOCK is'
	passed 'subordinate ids share the budget of their user'
	passed 'subordinate ids leave the budget of a user with the same number alone'
	passed 'sessions without a ring count against the budget'
	passed 'EDQUOT: one more session without a ring'
}

@test "nothing is revealed of a program that the owner executes, not even counts" {
	passed 'not even a count is revealed of a program that was executed'
}

@test "attaching a thread of another process requires access to its memory and a procfs descriptor, or fails with EACCES" {
	all_passed 'foreign: E(ACCES|BADF|INVAL|EXIST|SRCH) ' 15
	all_passed 'foreign: (another user|the memory of)' 3
	passed "foreign: one's own thread can be attached in the same way"
}

@test "a thread of another process is sampled like one's own until the process executes a program, and the sampling process may be killed" {
	passed "foreign: the accounting equals the machine's count"
	passed "foreign: most samples are of the other process's walk, none of a third one's data"
	passed 'foreign: the end of the thread is reported'
	passed 'foreign: not even a count is revealed of a program that the process executes'
	passed 'foreign: no interrupts after the attaching process was killed'
	passed 'foreign: a late attach of a former program leaves the present one attached'
	all_passed 'foreign: ' 27
}

@test "in a time namespace, samples have its clock and not the machine's" {
	passed "a time namespace: its clock is an hour ahead"
	passed "a time namespace: samples have its clock, not the machine's"
}

@test "no kernel address, physical address or data of another process reaches an ordinary user" {
	passed "secrets: samples are kept and none is lost"
	passed "secrets: each sample is of the process's own code and memory"
	passed "secrets: none is of another user's memory"
	passed "secrets: the stacks of most samples are copied"
	passed "secrets: each stack is of the process's own code and memory"
	passed "secrets: nothing of another user's stack is there"
	passed 'secrets: all bytes behind the stacks are zero'
	passed 'secrets: no word looks like a kernel address'
	passed "secrets: no word looks like a physical address of the process's memory"
	passed 'secrets: nothing of the kernel came through'
	machines=$(with_latency) passed 'secrets: user instructions with kernel data were dropped'
	all_passed 'secrets: [^u]' 19
}

@test "processes that end, exec, fork and pass on descriptors at any moment leave nothing behind" {
	all_passed 'chaos: ' 2
}

@test "while CPUs are taken offline and online, sessions begin, start and end, and none is told that others have the hardware" {
	all_passed 'switched: ' 3
}

@test "whatever a member's processes do at once, requests and processes end, CPUs can be switched, and another user's samples are complete" {
	weathered
}
