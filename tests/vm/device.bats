#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The ABI of /dev/memphis on each machine: every request and every error of device.h, the maps, the accounting compared with the
# machine's own count, and conflicts between sessions. If these tests fail, the library gets wrong samples, or a user can harm
# the node.

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local programs=(requests counting maps sampling stacks processes brief hotplug storm homes)

	rm -rf "$work"
	build_programs "${programs[@]}"
	boot_all "${programs[@]}"
}

@test "the kernels log no WARNING, BUG or lockup, and all programs end with success" {
	all_ended_well
	all_passed '(requests|counting|maps|sampling|stacks|processes|brief|hotplug|storm|homes) ends well' 10
}

@test "none of the checks failed, including those that no test names" {
	none_failed
}

@test "loading the module creates the device for root alone" {
	passed 'the module can be loaded'
	passed "the device is root's alone"
	passed 'a user is refused'
}

@test "IBS is sampled per CPU up to 6.1 and per task later, and a query returns all properties" {
	all_passed 'query' 19
	passed 'EACCES: controllers, which are off'
}

@test "caller and module agree on the newest version that both know; a caller that does not ask gets the oldest" {
	all_passed 'agree: ' 10
}

@test "a 32-bit program gets the same answers" {
	all_passed 'a 32-bit program ' 3
}

@test "unknown requests fail with ENOTTY and bad pointers with EFAULT" {
	all_passed 'ENOTTY: ' 3
	all_passed 'EFAULT: ' 8
	passed "an attach that can't write its result leaves nothing attached"
}

@test "values out of range, unknown flags and non-zero reserved fields fail with EINVAL" {
	all_passed 'EINVAL: ' 27
	all_passed 'configure: ' 5
}

@test "requests out of order fail with the errors that device.h names" {
	all_passed '(ENODATA|EALREADY): ' 6
	all_passed 'EEXIST: ' 2
	passed 'EBUSY: configure with a thread attached'
	all_passed 'stats: ' 4
	passed 'an attach that failed leaves no slot'
}

@test "a thread reads its own cycles and instructions in user mode, exactly, whether it is sampled or not" {
	all_passed 'counting: the instructions of a loop' 3
	all_passed 'counting: at least a cycle per instruction' 3
	passed 'counting: another thread begins with its own count'
	passed 'counting: what another thread executes is not counted'
	passed 'counting: what the kernel executes is not counted'
	passed 'counting: a counter that is not selected is 0'
	passed 'counting: the loads of a loop'
	passed "counting: an event by the kernel's name"
	all_passed '(ESRCH|ENODATA|EPERM|EFAULT): read' 5
}

@test "only threads of the caller's process can be attached" {
	all_passed 'ESRCH: attach' 4
}

@test "pinned memory is limited per user, and the number of threads per session" {
	passed 'six large rings fit the budget'
	all_passed 'EDQUOT: ' 4
	passed 'a thread with all events fits its charge'
	passed 'three ended tasks fit a budget for three'
	passed 'the budget of ended tasks is free after closing'
	passed "a detached ring's budget is free for another session"
	passed 'maps of detached threads count against the budget'
	passed 'an unmapped ring does not count against the budget'
	passed 'the budget is free after everything was unmapped'
	passed 'ENOSPC: threads_max reached'
}

@test "sessions share the PMU of a CPU when their periods agree, and get EBUSY otherwise" {
	all_passed 'attach by a session of ' 3
	passed 'attach after the conflicting session has ended'
	passed 'start while perf has the PMU of a CPU'
	passed 'start after perf has left'
}

@test "areas are mapped as a whole and shared, and the ring stays read-only" {
	all_passed 'map: ' 21
	all_passed "mprotect can't make " 3
	passed "mremap can't grow the ring"
	passed "/proc/self/mem can't write the ring"
	passed 'the ring is unchanged'
}

@test "core dumps contain none of the maps" {
	all_passed 'core dumps leave out ' 3
}

@test "maps survive detaching and closing" {
	passed 'maps survive detaching'
	passed 'maps survive closing the descriptor'
	passed 'a new ring is all zero'
}

@test "the accounting balances and equals the machine's own count of delivered samples" {
	passed 'the accounting balances'
	passed "the accounting equals the machine's count"
	passed 'nothing is lost'
	passed 'nothing is throttled'
	passed 'the head equals the number of kept samples'
}

# guest.sh has changed the speed of CLOCK_MONOTONIC.
@test "samples contain the true address, CPU, node, home node, remote flag and time" {
	passed 'every address is a user address'
	passed 'every sample has CPU 0 and node 0'
	passed 'most samples are of the walk'
	passed "each page's home node is right"
	passed 'each DRAM load is marked remote exactly if it was'
	passed 'the times increase and lie within the run'
}

@test "the top of the user's stack is copied with samples outside the program's own code, and of data on the stack, up to the end of the stack, and nothing else" {
    all_passed 'stacks: ' 9
    all_passed 'areas: ' 4
    all_passed 'own code: ' 3
    all_passed 'own data: ' 4
    all_passed 'bytes: ' 6
    all_passed 'end of stack: ' 2
    all_passed 'pointer ' 14
}

@test "copies of stacks take no more than their budget, and say so" {
	all_passed 'budget: ' 4
}

@test "who opened the device for reading only has samples, and can write nothing" {
	all_passed 'read-only: ' 7
}

@test "a full ring of stacks loses no sample, is reported by poll, and has room again after it was read" {
    all_passed 'full: ' 12
}

@test "the minimum period is larger for per-CPU sampling than for sampling of threads" {
	all_passed 'by default: ' 3
	all_passed 'rounded: ' 2
}

@test "an ordinary user in a cgroup gets the home node of small, huge and shared pages of both nodes" {
	all_passed 'home: ' 12
}

@test "nothing is interrupted before start, after stop and after close" {
	passed 'attached and not started: no interrupts'
	passed 'stopped: no interrupts'
	passed 'stopped: the accounting does not change'
	passed 'closed, with maps left: no interrupts'
	passed 'started again: the accounting continues and balances'
}

@test "each filter drops exactly its kind of sample, and counts each one" {
	all_passed 'filter: (loads|stores|not DRAM|local): ' 12
	machines=$(with_latency) all_passed 'filter: latency: ' 3
}

@test "a session can count ops or cycles" {
	passed 'more interrupts come when cycles are counted than when ops are'
}

@test "a sample contains the region of its thread, or else of its session" {
	passed "a thread without a region of its own has the session's"
	passed "a thread's own region takes precedence over the session's"
}

@test "poll wakes the reader when a ring is due" {
	all_passed 'poll: ' 5
	passed 'the reader of a small ring is woken after a drain'
}

@test "a full ring loses new samples and counts them" {
	passed 'a full ring keeps its samples'
	passed 'samples that find no room are counted as lost'
	passed "full: the accounting equals the machine's count"
	passed 'a drained ring takes as many samples again'
}

@test "invalid values in the control page harm only the process that wrote them" {
	all_passed 'garbage in ' 3
	passed 'the ring works again with a valid tail'
}

@test "the end of a thread is reported, and its accounting no longer changes" {
	passed 'a running thread is not reported as ended'
	passed 'an ended thread is reported as ended'
	passed 'a thread attached to a running session is sampled at once'
	passed "an ended thread's accounting equals the machine's count"
	passed 'an ended thread can be detached'
	passed 'poll reports the end of a thread that was attached after one whose ring is due'
}

@test "the samples of threads that end while they are attached are accounted for, too" {
	passed 'brief threads: some are attached'
	passed "brief threads: the accounting equals the machine's count"
}

@test "the interrupts of a process that ends are counted to the last one, and its end is reported after that" {
	passed 'the end of a process is reported'
	passed 'no interrupt of a process comes after its end was reported'
	passed "the accounting of a process that has ended equals the machine's count"
}

@test "if a thread ID was used again, a detach takes the ended thread first" {
	passed 'the thread with the ID of an ended one has a ring of its own'
	passed 'a detach by a thread ID that was used again takes the ended thread first'
	passed 'the next detach takes the thread that runs'
	passed 'no thread is left attached'
}

@test "two processes sampled at the same time each get their own samples and a balanced accounting" {
	all_passed 'two sessions at once: ' 7
}

@test "a child with its parent's descriptor gets EPERM" {
	all_passed 'EPERM: .* by a child with the descriptor' 9
	passed 'POLLERR: poll by a child with the descriptor'
	passed "the owner's session is unchanged"
}

@test "an owner that is killed leaves no interrupts behind" {
	passed 'no interrupts after the owner was killed'
	passed 'no interrupts after the owner was killed while a child holds its descriptor'
}

@test "a session ends with its owner's last map, although the owner has descriptors and a child has all" {
	all_passed 'given up: ' 5
	passed 'ENOTCONN: attach to a session that its owner does not map'
}

@test "an owner that executes another program loses its session, and the new program is not sampled" {
	passed 'EPERM: the same process after exec'
	passed 'EPERM: map by the same process after exec'
	passed 'no sample of the program that the owner executed is kept'
	passed 'the accounting balances after an exec'
	passed 'a program that the owner executed is not interrupted, where the kernel can end the event'
}

@test "a CPU may go offline and online while it is sampled" {
	all_passed 'hotplug: ' 8
}

@test "concurrent requests, maps, forks and ends of six threads leave the kernel intact" {
	passed 'storm: all requests returned'
}

@test "the module stays loaded while in use, and unloads without a trace" {
	passed "the module can't be removed while its device is open"
	passed 'the device still works after the attempt to remove the module'
	passed 'the module can be removed when all is closed'
	passed 'the device is gone after the module was removed'
	passed 'the module can be loaded again'
}
