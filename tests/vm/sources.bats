#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Data sources of samples on emulated CPUs of several generations, compared with the machine's exact counts for every level. If these
# tests fail, the sampling records of one generation are decoded wrongly: reports name the wrong memory or cache.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/sources
	local cpu status

	rm -rf "$work"
	mkdir -p "$work"
	gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/sources" \
		tests/vm/device/sources.c tests/vm/device/session.c
	machine/kbuild 6.12 kmod build/kmod/6.12 > "$work/kbuild.txt" 2>&1
	for cpu in milan genoa turin icelake graniterapids; do
		status=0
		boot "$cpu" > "$work/$cpu.txt" 2> "$work/$cpu.err" || status=$?
		echo "$status" > "$work/$cpu.status"
	done
	for cpu in skylake sapphirerapids; do
		status=0
		boot "$cpu" by-source > "$work/$cpu.txt" 2> "$work/$cpu.err" || status=$?
		echo "$status" > "$work/$cpu.status"
	done
}

# boot CPU [by-source]: the program runs as the user of a site; only root may read the exact counts.
boot()
{
	machine/run --kernel 6.12 --cpu "$1" --timeout 900 --log "$work/$1.log" --module build/kmod/6.12/memphis.ko \
		--put "$work/sources:/root/sources" --truth "$work/$1.tsv" --get "/tmp/samples:$work/$1.samples" -- \
		sh -c "truth start && site-user /root/sources ${2:-} > /tmp/samples && truth stop && truth dump"
}

# sources CPU LEVEL=SOURCE,FLAGS...: checks that the boot succeeded and its samples agree with the exact counts.
sources()
{
	local cpu=$1

	shift
	[ "$(cat "$work/$cpu.status")" -eq 0 ] || { tail "$work/$cpu.err" "$work/$cpu.txt"; return 1; }
	"$top/tests/vm/sources/truth.py" "$work/$cpu.tsv" "$work/$cpu.samples" "$@"
}

# Numbers of data sources are those of include/memphis/sample.h.
@test "Zen 4 and Zen 5 samples name L2, L3, DRAM of both nodes, and lines modified in a cache of the other node" {
	local cpu
	for cpu in genoa turin; do
		sources "$cpu" l2=2,local l3=3,local ldram=5,local rdram=5,remote rpeer=4,remote-hitm
	done
}

@test "Ice Lake and Granite Rapids samples name L2, L3, DRAM of both nodes, and lines modified in a cache of the other node" {
	local cpu
	for cpu in icelake graniterapids; do
		sources "$cpu" l2=2,local l3=3,local ldram=5,local rdram=5,remote rpeer=4,remote-hitm
	done
}

@test "events of loads by source count exactly the loads from DRAM of each node and of modified lines, with one sample for each period" {
	local cpu
	for cpu in skylake sapphirerapids; do
		sources "$cpu" --exact ldram=5,local rdram=5,remote rpeer=4,remote-hitm
	done
}

@test "Zen 3 samples name L2, L3, DRAM of both nodes, and lines modified in a cache of the other node" {
	sources milan l2=2,local l3=3,local ldram=5,local rdram=5,remote rpeer=4,remote
}
