#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The machines on which nothing else here runs by default, each for a minute or two: loads, maps, samples, unloads. If
# these fail, the module does not work on a kernel or CPU that the README promises.

bats_require_minimum_version 1.5.0
load ../environment
load checks

# The others run all else.
# shellcheck disable=SC2034 # checks.bash reads it
machines='5.10 7.2 6.1@skylake 6.12@skylake'

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/smoke

	rm -rf "$work"
	build_programs requests maps sampling homes
	boot_all requests maps sampling homes
}

@test "the kernels say nothing of the kind WARNING, BUG or lockup, and no check fails" {
	all_ended_well
	none_failed
	all_passed '(requests|maps|sampling|homes) ends well' 4
}

@test "a query tells all there is, areas are mapped whole and shared" {
	all_passed 'query' 15
	all_passed 'map: ' 21
}

@test "books balance, and equal the machine's own count of delivered samples; each sample tells its data's node" {
	passed 'the books balance'
	passed "the books equal the machine's count"
	passed 'nothing is lost'
	passed "each page's home node is right"
	passed 'each DRAM load tells right whether it was remote'
	all_passed 'filter: ' 15
}

@test "who samples per CPU may not do so as often as who samples threads" {
	all_passed 'by default: ' 3
}

@test "an ordinary user in a cgroup is told the home node of small, huge and shared pages of both nodes" {
	all_passed 'home: ' 12
}

@test "the module can be removed, and loaded again" {
	passed 'the module can be removed when all is closed'
	passed 'the device has gone'
	passed 'the module can be loaded again'
}
