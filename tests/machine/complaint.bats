#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A guest kernel that reports an error must fail the run with a reason. If these tests fail, a broken module could pass its own tests.

load common

setup_file()
{
	export complain=$BATS_FILE_TMPDIR/complain
	local version
	for version in $("$machine/kernel" --list); do
		"$machine/kbuild" "$version" "$BATS_TEST_DIRNAME/fixtures/complain" "$complain/$version"
	done
}

# bats test_tags=more
@test "a module is built for each kernel and loaded before the command, and a kernel without errors passes, whatever a program prints or is killed by" {
	local version
	for version in 6.1 6.12; do
		guest --kernel "$version" --append print-fatal-signals=1 --module "$complain/$version/complain.ko" -- \
			sh -c 'lsmod | cut -d" " -f1 | grep -x complain; (kill -SEGV $(sh -c "echo \$PPID")); echo "WARNING: BUG: Oops"'
		[ "$status" -eq 0 ]
		[ "$output" = "complain
WARNING: BUG: Oops" ]
		grep -q 'complain: loaded' "$log"
	done
}

# bats test_tags=more
@test "a module built for another kernel is refused before the command runs" {
	guest --kernel 6.1 --module "$complain/6.12/complain.ko" -- echo not reached
	[ "$status" -eq 97 ]
	[ "$output" = "" ]
	[[ "$stderr" == *"the guest could not be prepared: insmod /lib/modules/complain.ko"* ]]
}

# bats test_tags=more
@test "a kernel warning fails a run whose command succeeded, and the line is named, on every kernel" {
	local version
	# In the message of some kernels the location precedes the CPU; in others it follows.
	for version in 5.10 6.1 6.12 7.2; do
		guest --kernel "$version" --put "$complain/$version/complain.ko:/complain.ko" -- \
			sh -c 'insmod /complain.ko what=warn && echo succeeded'
		[ "$status" -eq 99 ]
		[ "$output" = succeeded ]
		[[ "$stderr" == *"the guest's kernel reported an error: "*"WARNING: "*"complain.c:17 "*"complain_init"* ]]
		grep -q 'WARNING: .*CPU' "$log"
	done
}

@test "an oops fails the run, and the line is named" {
	guest --kernel 6.12 --put "$complain/6.12/complain.ko:/complain.ko" -- insmod /complain.ko what=oops
	[ "$status" -eq 99 ]
	[[ "$stderr" == *"the guest's kernel reported an error: "*"BUG: kernel NULL pointer dereference, address: 0000000000000010"* ]]
}

# bats test_tags=more
@test "with --default-watchdogs, the command runs with the kernel's thresholds of lockups and RCU stalls, and without it with longer ones" {
	local thresholds='cat /proc/sys/kernel/watchdog_thresh /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout'
	guest --kernel 6.12 --default-watchdogs -- sh -c "$thresholds"
	[ "$status" -eq 0 ]
	[ "$output" = "10
21" ]
	guest -- sh -c "$thresholds"
	[ "$status" -eq 0 ]
	[ "$output" = "15
60" ]
}

# bats test_tags=more
@test "a CPU that never returns is reported as a lockup or stall, not as a time limit" {
	# The thresholds are lowered only after booting, as a boot may stall for seconds on a busy host.
	guest --put "$complain/6.1/complain.ko:/complain.ko" -- sh -c 'echo 5 > /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
		echo 1 > /proc/sys/kernel/panic_on_rcu_stall; insmod /complain.ko what=stall'
	[ "$status" -eq 99 ]
	[[ "$stderr" == *"soft lockup"* || "$stderr" == *"rcu: INFO: "* ]]
	# The kernel must not report an error before the module is loaded.
	sed '/complain: loaded/,$d' "$log" > "$BATS_TEST_TMPDIR/before"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/before")" -lt "$(wc -l < "$log")" ]
	run grep -E 'soft lockup|rcu: INFO: ' "$BATS_TEST_TMPDIR/before"
	[ "$status" -eq 1 ]
}

# bats test_tags=more
@test "a panic is reported as a panic" {
	guest -- sh -c 'echo before; echo c > /proc/sysrq-trigger; echo after'
	[ "$status" -eq 99 ]
	[ "$output" = before ]
	[[ "$stderr" == *"the guest ended by itself while the command was running"* ]]
	[[ "$stderr" == *"Kernel panic - not syncing: sysrq triggered crash"* ]]
}

# bats test_tags=more
@test "a guest that powers off while the command runs is a failure" {
	guest -- sh -c 'poweroff -f; sleep 1000'
	[ "$status" -eq 98 ]
	[[ "$stderr" == *"the guest ended by itself while the command was running"* ]]
}

# bats test_tags=more
@test "a module that does not compile fails with file name and line on the host" {
	mkdir "$BATS_TEST_TMPDIR/broken"
	echo 'obj-m += broken.o' > "$BATS_TEST_TMPDIR/broken/Kbuild"
	echo 'int broken = nowhere;' > "$BATS_TEST_TMPDIR/broken/broken.c"
	run "$machine/kbuild" 6.1 "$BATS_TEST_TMPDIR/broken" "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 1 ]
	[[ "$output" == *"$BATS_TEST_TMPDIR/broken/broken.c:1:14: error: "* ]]
	[ ! -e "$BATS_TEST_TMPDIR/out/broken.ko" ]
	[ "$(LC_ALL=C ls -A "$BATS_TEST_TMPDIR/broken" | tr '\n' ' ')" = "Kbuild broken.c " ]
}

# verdict LINE: prints `complaint` if this line of a kernel log reports an error, else `harmless`.
verdict()
{
	PYTHONPATH=$machine python3 -B -c 'import sys
from runner import guestlog
print("complaint" if guestlog.complaints(sys.argv[1]) else "harmless")' "$1"
}

@test "each line that a debug kernel's checkers report is a complaint" {
	local line
	while read -r line; do
		run verdict "[   12.345678] $line"
		[ "$output" = complaint ] || { echo "$output: $line"; return 1; }
	done <<- 'TEXT'
		BUG: KASAN: slab-use-after-free in memphis_handle+0x12/0x40 [memphis]
		UBSAN: array-index-out-of-bounds in kmod/handler.c:98:19
		WARNING: possible circular locking dependency detected
		WARNING: possible recursive locking detected
		WARNING: inconsistent lock state
		WARNING: suspicious RCU usage
		INFO: suspicious RCU usage
		INFO: trying to register non-static key.
		BUG: sleeping function called from invalid context at kernel/locking/mutex.c:585
		BUG: using smp_processor_id() in preemptible [00000000] code: fuzz/123
		BUG: scheduling while atomic: fuzz/123/0x00000002
		BUG: MAX_LOCKDEP_CHAINS too low!
		turning off the locking correctness validator.
		BUG kmalloc-64 (Tainted: G           O      ): Right Redzone overwritten
		ODEBUG: free active (active state 0) object: 0000000012345678 object type: timer_list hint: 0x0
		list_del corruption, ffff888100000000->next is LIST_POISON1 (dead000000000100)
		kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
		kmemleak: Memory pool empty, consider increasing CONFIG_DEBUG_KMEMLEAK_MEM_POOL_SIZE
		unreferenced object 0xffff888102345678 (size 96):
		INFO: task fuzz:123 blocked for more than 120 seconds.
		rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
	TEXT
}

@test "messages that these checkers print at boot are not complaints" {
	local line
	while read -r line; do
		run verdict "[    0.123456] $line"
		[ "$output" = harmless ] || { echo "$output: $line"; return 1; }
	done <<- 'TEXT'
		kasan: KernelAddressSanitizer initialized (generic)
		Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
		kmemleak: Kernel memory leak detector initialized (mem pool available: 39000)
		page_owner is enabled
		DEBUG_PAGEALLOC: off
		FAULT_INJECTION: nothing to be forced
	TEXT
}
