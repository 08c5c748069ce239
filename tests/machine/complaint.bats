#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A guest kernel in trouble must fail the run, and say why. If one fails, a broken module could pass its tests.

load common

setup_file()
{
	export complain=$BATS_FILE_TMPDIR/complain
	local version
	for version in 6.1 6.12; do
		"$BATS_TEST_DIRNAME/kbuild" "$version" "$BATS_TEST_DIRNAME/fixtures/complain" "$complain/$version"
	done
}

@test "a module is built for each kernel, is loaded before the command, and a quiet kernel passes, whatever a program says or dies of" {
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

@test "a module of the other kernel is refused before the command runs" {
	guest --kernel 6.1 --module "$complain/6.12/complain.ko" -- echo not reached
	[ "$status" -eq 97 ]
	[ "$output" = "" ]
	[[ "$stderr" == *"the guest could not be prepared: insmod /lib/modules/complain.ko"* ]]
}

@test "a kernel warning fails a run whose command succeeded, and names the line" {
	guest --put "$complain/6.1/complain.ko:/complain.ko" -- sh -c 'insmod /complain.ko what=warn && echo succeeded'
	[ "$status" -eq 99 ]
	[ "$output" = succeeded ]
	[[ "$stderr" == *"the guest's kernel complained: "*"WARNING: CPU: "*"complain/complain.c:17 complain_init"* ]]
	grep -q 'WARNING: CPU' "$log"
}

@test "an oops fails the run and names the line" {
	guest --kernel 6.12 --put "$complain/6.12/complain.ko:/complain.ko" -- insmod /complain.ko what=oops
	[ "$status" -eq 99 ]
	[[ "$stderr" == *"the guest's kernel complained: "*"BUG: kernel NULL pointer dereference, address: 0000000000000010"* ]]
}

@test "a CPU that never comes back is reported as a lockup or stall, not as a time limit" {
	# Quick to complain only when booting, which a busy host may stop for seconds, is over.
	guest --put "$complain/6.1/complain.ko:/complain.ko" -- sh -c 'echo 5 > /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
		echo 1 > /proc/sys/kernel/panic_on_rcu_stall; insmod /complain.ko what=stall'
	[ "$status" -eq 99 ]
	[[ "$stderr" == *"soft lockup"* || "$stderr" == *"rcu: INFO: "* ]]
	# All was well until the module came.
	sed '/complain: loaded/,$d' "$log" > "$BATS_TEST_TMPDIR/before"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/before")" -lt "$(wc -l < "$log")" ]
	run grep -E 'soft lockup|rcu: INFO: ' "$BATS_TEST_TMPDIR/before"
	[ "$status" -eq 1 ]
}

@test "a panic is reported as one" {
	guest -- sh -c 'echo before; echo c > /proc/sysrq-trigger; echo after'
	[ "$status" -eq 99 ]
	[ "$output" = before ]
	[[ "$stderr" == *"the guest ended by itself while the command was running"* ]]
	[[ "$stderr" == *"Kernel panic - not syncing: sysrq triggered crash"* ]]
}

@test "a guest that powers off under the command is no success" {
	guest -- sh -c 'poweroff -f; sleep 1000'
	[ "$status" -eq 98 ]
	[[ "$stderr" == *"the guest ended by itself while the command was running"* ]]
}

@test "a module that does not compile fails with the host's file name and line" {
	mkdir "$BATS_TEST_TMPDIR/broken"
	echo 'obj-m += broken.o' > "$BATS_TEST_TMPDIR/broken/Kbuild"
	echo 'int broken = nowhere;' > "$BATS_TEST_TMPDIR/broken/broken.c"
	run "$machine/kbuild" 6.1 "$BATS_TEST_TMPDIR/broken" "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 1 ]
	[[ "$output" == *"$BATS_TEST_TMPDIR/broken/broken.c:1:14: error: "* ]]
	[ ! -e "$BATS_TEST_TMPDIR/out/broken.ko" ]
	[ "$(LC_ALL=C ls -A "$BATS_TEST_TMPDIR/broken" | tr '\n' ' ')" = "Kbuild broken.c " ]
}
