#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Storms of requests on a machine with 8 nodes. If these tests fail, a member of the group can stop the device, or a CPU, for others.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load storm

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	work=$(results_dir)
	export work

	rm -rf "$work"
	build_storm
	mv "$work/bin/storm.sh" "$work/bin/guest.sh"
	# Since 6.9, the kernel divides what a work queue may do at once among the nodes: with 8 of them, each has 32 places.
	# shellcheck disable=SC2034 # of checks.bash
	boot_options=(--default-watchdogs --nodes 8 --cpus 1 --memory 256)
	if at_length; then boot_all 12 64; else boot_all 3 64; fi
}

@test "the kernels log no WARNING, BUG or lockup" {
	all_ended_well
}

@test "none of the checks failed" {
	none_failed
}

@test "whatever a member's processes do at once, requests and processes end, CPUs can be switched, and another user's samples are complete" {
	weathered
}
