#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Planted defects: a program of tests/native/findings for each pattern that the report names, and programs without a defect. Each states in a comment
# what the report must find and advise; another program needs no more than its file there, and its line here. If these tests fail, the report gives
# wrong advice, or none where it is needed.

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

setup_file()
{
	begin
}

setup()
{
	again
}

# holds PROGRAM...: builds and runs the programs, and compares the findings of their reports; on a failure, goes on with the others.
holds()
{
	local name failed=''

	for name; do
		build "$name" "$root/tests/native/findings/$name.c" -O1
		sampled "$name" "$name"
		# Without accesses, nothing would be found in any program.
		[ -s "$work/out/$name.made" ] || return
		"$root/tests/native/findings.py" "$memphis" "$work/out/$name" "$root/tests/native/findings/$name.c" || failed+=" $name"
	done
	[ "$failed" = '' ]
}

@test "a variable first touched by one thread and used by two nodes is found" {
	holds first-touch first-touch-all
}

@test "a variable first touched by memset has the line of the program that called it" {
	holds first-touch-library
}

@test "a variable that all threads read is found" {
	holds read-shared
}

@test "a variable is found whose node-local parts are each used by the other node" {
	holds partition
}

@test "a buffer that one node only writes is used by the node that reads it" {
	holds producer
}

@test "a variable is found whose pages are interleaved, although each node uses a part" {
	holds interleaved-parts
}

@test "a variable is found whose parts are initialised by one thread each, and used by all of them" {
	holds dynamic
}

@test "a variable is found that is distributed over the nodes but used by one thread, also if it has a block on each node" {
	holds serial serial-blocks
}

@test "a parallel loop is no serial phase, although one thread makes all of its remote accesses" {
	holds seams
}

@test "a variable is found whose threads moved away from its pages, and one whose pages moved away from its threads, or to them" {
	holds moved-thread moved-pages moved-to-users
}

@test "a variable on a memory-only node is found" {
	holds memory-only
}

@test "cache lines that several threads write are found, for false and for true sharing" {
	holds false-sharing true-sharing
}

@test "nothing is found in programs without a defect: local data, exchange at borders, even distribution, separate cache lines" {
	holds local borders interleaved padded
}

# Remote loads take 310 cycles, local ones 190. The kernel's part of each period is not the program's.
@test "where all memory is local, nothing can be gained; else the difference of the latencies for each remote load" {
	local name

	for name in local first-touch; do
		build "$name" "$root/tests/native/findings/$name.c" -O1
		sampled "gain-$name" "$name"
		[ -s "$work/out/gain-$name.made" ]
		"$memphis" report --select remote-dram --format json -o "$work/out/gain-$name.json" "$work/out/gain-$name"
	done
	expect 'null 0' "$(jq -r '"\(.waiting.gain) \(.accounting.selected)"' "$work/out/gain-local.json")"
	expect '64 true' "$(jq -r '.accounting.selected as $loads | "\($loads) \(.waiting.gain.cycles / ($loads * (310 - 190) * 65536) | . > 0.99 and . <= 1)"' \
		"$work/out/gain-first-touch.json")"
}

@test "of a matrix that is read along its rows and along its columns, of the two walks only that along the columns is found" {
	holds walks
}

@test "the gain of a stride is that of all its loads from DRAM, and unknown if the report selects a part of them" {
	local name=stride-gain select

	build "$name" "$root/tests/native/findings/walks.c" -O1
	sampled "$name" "$name"
	for select in remote-dram dram all; do
		"$memphis" report --select "$select" --format json -o "$work/out/$name-$select.json" "$work/out/$name"
	done
	gain() { jq -c '.findings[0].strided.gain' "$work/out/$name-$1.json"; }
	expect null "$(gain remote-dram)"
	[[ "$(gain dram)" == '{"cycles":'* ]]
	expect "$(gain dram)" "$(gain all)"
}

@test "a gather through an index is not advised to have its loops interchanged" {
	holds gather
}

@test "each program has a test here, and an advice that differs is noticed" {
	local name

	for name in "$root"/tests/native/findings/*.c; do
		grep -qE "^	holds .*\b$(basename "$name" .c)( |\$)" "$BATS_TEST_FILENAME"
	done
	build local "$root/tests/native/findings/local.c" -O1
	sampled local local
	run -1 "$root/tests/native/findings.py" "$memphis" "$work/out/local" "$root/tests/native/findings/first-touch.c"
	[[ "$output" == *'-finding: [heap]:field lies on node 0, '* ]]
}
