#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the policy of a site and the kernel forbid: security modules (a BPF program, Yama), lockdown, limits of the machine that perf
# lowers by itself, and guests, whose memory is not the member's. If these tests fail, membership of the group grants more than
# docs/security.md says.
# shellcheck disable=SC2154 # checks.bash sets the machines

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local program

	rm -rf "$work"
	mkdir -p "$work/bin"
	for program in rate vcpu rights; do
		gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -Itests/vm/device -o "$work/bin/$program" \
			"tests/vm/site/policy/$program.c" tests/vm/device/session.c
	done
	gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -o "$work/bin/veto" tests/vm/site/policy/veto.c -lbpf
	cp tests/vm/site/policy/guest.sh "$work/bin"
	# The model's clock tells how long the interrupts would take on the modelled machine.
	# shellcheck disable=SC2034 # of checks.bash
	boot_options=(--deterministic --modprobe kvm-amd --put build/bin/memphis --put build/lib/libmemphis.so
		--put "$work/bin/veto" --get "/root/out:$work/MACHINE")
	boot_all "$top/build/bin/memphis"
}

# answer NAME WHAT ERROR: the device's answer, on each machine.
answer()
{
	local machine

	for machine in $machines; do
		grep -Fx "# $1: $2: $3" "$work/$machine.txt" || { grep -F "# $1: $2" "$work/$machine.txt"; return 1; }
	done
}

@test "the kernels log no WARNING, BUG or lockup, all programs end with success, and no check failed" {
	all_ended_well
	none_failed
}

@test "the longest interrupts that a user can make do not lower kernel.perf_event_max_sample_rate" {
	all_passed 'rate: ' 3
}

@test "samples of a thread that runs a guest never have the guest's addresses, and are counted" {
	all_passed 'guest: ' 4
}

@test "a security module that refuses perf to a user keeps the user from the device's samples, and nobody else" {
	answer usual samples 0
	answer usual stacks 0
	answer refused samples EACCES
	answer refused stacks EACCES
	answer another samples 0
	for machine in $machines; do
		grep -x "memphis: not sampling: /dev/memphis: configure: Permission denied; a security module of this node's kernel .*" \
			"$work/$machine/refused.err"
	done
}

@test "the capability that the device lends leaves no trace in the process, and a request in a full cgroup gets no process killed" {
	answer usual "superuser's rights" 0
	answer full configure 0
	passed 'memory: requests in a full cgroup invoke no OOM killer'
}

@test "a user in a user namespace samples as outside" {
	answer namespace samples 0
	answer namespace stacks 0
}

@test "contents of another process's stack need the right to read its memory, which Yama restricts" {
	answer 'yama 0' 'samples, by environ' 0
	answer 'yama 0' 'samples, by mem' 0
	answer 'yama 0' 'stacks, by environ' EACCES
	answer 'yama 0' 'stacks, by auxv' EACCES
	answer 'yama 0' 'stacks, by mem' 0
	answer 'yama 1' 'samples, by environ' 0
	answer 'yama 1' 'samples, by mem' EACCES
	answer 'yama 1' 'stacks, by environ' EACCES
	answer 'yama 1' 'stacks, by mem' EACCES
}

@test "a kernel that is locked down for confidentiality gives no copies of stacks; the library samples without" {
	answer integrity samples 0
	answer integrity stacks 0
	answer confidentiality samples 0
	answer confidentiality stacks EPERM
	for machine in $machines; do
		# The status of the program's usage.
		grep -x '# locked: record: 125' "$work/$machine.txt"
		grep -q '^memphis record: files in /root/out/locked' "$work/$machine/locked.err"
		grep -rqa '^ring_records ' "$work/$machine/locked"
		! grep -rqa '^stack_bytes ' "$work/$machine/locked" || return
	done
}
