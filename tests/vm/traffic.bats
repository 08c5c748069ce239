#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Memory traffic of kernels that has a closed form, on the emulated machine, which counts traffic exactly, and as estimated from samples. If these
# tests fail, either the machine counts lines wrongly, or estimated accesses and bytes in reports are wrong.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/traffic
	rm -rf "$work"
	mkdir -p "$work"
	# Sizes within an eighth of the cache of 256 KiB, and beyond twice the cache: examples/traffic/README.md, examples/fft3d/README.md.
	sweep skylake products -r 4 gemv:32x512 gemv:32x40960 gemm:32 gemm:264 capped:1024x56 capped:1152x288
	sweep skylake fft3d -e fft3d -r 4 s1cf_copy:17x20x12 s1cf_copy:17x20x12+nt s1cf_sort:10x20x12 s1cf_sort:410x20x12 s1cf_sort:410x20x12+nt \
		s1cf:3x4x204 s1cf:3x4x8192 s1cf:3x4x204+nt s1cf:51x4x8+nt s1pf:2x204x12+prefetch s1pf:2x8192x12 s2cf:17x4x3x20 s2pf:17x4x3x20+nt s1cf_copy:17x20x64+nt+prefetch \
		transform:60x3x3 transform:60x3x3+separate+nt
	# IBS samples all loads, so that reports know how much of a line is used. Each thread works in the memory of the other node.
	PERIOD=4096 sweep milan strided -e fft3d -x -r 8 s1pf:2x8192x12 s1cf_copy:68x20x12
}

# sweep MACHINE NAME ARGUMENT...: runs sweep in $work/NAME.
sweep()
{
	local machine=$1 name=$2
	shift 2

	MACHINE=$machine examples/traffic/sweep -o "$work/$name" "$@" > "$work/$name.txt" 2> "$work/$name.err"
}

# figure TABLE NAME: prints a figure of the comparison.
figure()
{
	awk -v name="traffic.$2" '$1 == "figure" && $2 == name { print $3 }' "$work/$1.txt"
}

# at_most LIMIT TABLE NAME...: checks that the figures exist, and are at most the limit.
at_most()
{
	local limit=$1 table=$2 name
	shift 2

	for name; do
		[ -n "$(figure "$table" "$name")" ] || { echo "no $name"; cat "$work/$table.txt" "$work/$table.err"; return 1; }
		awk -v value="$(figure "$table" "$name")" -v limit="$limit" 'BEGIN { exit !(value >= 0 && value <= limit) }' || { echo "$name"; cat "$work/$table.txt"; return 1; }
	done
}

# zones TABLE: prints cases and zones.
zones()
{
	awk 'FNR > 1 { print FILENAME, $1, $5 }' "$work/$1"/runs/*/cases.tsv | sort -s -V -k 1,1 | cut -d ' ' -f 2,3
}

@test "the chosen sizes lie within the cache and beyond it, as intended" {
	run -0 zones products
	[ "$output" = "gemv:32x512 fits
gemv:32x40960 beyond
gemm:32 fits
gemm:264 beyond
capped:1024x56 fits
capped:1152x288 beyond" ]
	run -0 zones fft3d
	[ "$output" = "s1cf_copy:17x20x12 any
s1cf_copy:17x20x12+nt any
s1cf_sort:10x20x12 fits
s1cf_sort:410x20x12 beyond
s1cf_sort:410x20x12+nt beyond
s1cf:3x4x204 fits
s1cf:3x4x8192 beyond
s1cf:3x4x204+nt any
s1cf:51x4x8+nt any
s1pf:2x204x12+prefetch fits
s1pf:2x8192x12 beyond
s2cf:17x4x3x20 any
s2pf:17x4x3x20+nt any
s1cf_copy:17x20x64+nt+prefetch any
transform:60x3x3/s1cf fits
transform:60x3x3/s2cf any
transform:60x3x3/s1pf fits
transform:60x3x3/s2pf any
transform:60x3x3+separate+nt/s1cf_copy any
transform:60x3x3+separate+nt/s1cf_sort fits
transform:60x3x3+separate+nt/s2cf any
transform:60x3x3+separate+nt/s1pf fits
transform:60x3x3+separate+nt/s2pf any" ]
}

# Exactly the loads served by memory advance the counter, so the number of samples is the number of elapsed periods and not
# random.
@test "estimated reads are within 5 % of the exact ones, in the cache and beyond" {
	at_most 5 products gemv_error_percent gemm_error_percent capped_error_percent
	at_most 5 fft3d fft.{s1cf_copy,s1cf_sort,s1cf,s1pf,s2cf,s2pf}_error_percent
	# About 50 samples of each step, on two threads that begin and end a step within a period.
	at_most 10 fft3d fft.transform_error_percent
}

# The intervals have 3.89 standard deviations; with IBS, whose samples are random, they miss 1 of 10,000 values, and both of two in 1 of 100,000,000 runs.
@test "exact reads are in the intervals of the estimates" {
	at_most 0 products intervals_missed
	at_most 0 fft3d fft.intervals_missed
	at_most 1 strided fft.intervals_missed
}

@test "of each node's memory, reads and writes of the matrix products are as many as the closed forms say: reads within 3 %, writes within 5 %" {
	at_most 3 products {gemv,gemm,capped}_form_error_percent {gemv,gemm,capped}_reads_error_percent
	at_most 5 products {gemv,gemm,capped}_writes_error_percent
}

@test "of each node's memory, reads and writes of the re-sorting routines are within 3 % of the closed forms, alone and in a transform" {
	local kernel
	for kernel in s1cf_copy s1cf_sort s1cf s1pf s2cf s2pf transform; do
		at_most 3 fft3d "fft.${kernel}_form_error_percent" "fft.${kernel}_reads_error_percent" "fft.${kernel}_writes_error_percent"
	done
	at_most 3 strided fft.{s1pf,s1cf_copy}_{reads,writes}_error_percent
	# Nine ranks on two threads: the nodes have four and five.
	run -0 cut -f 12 "$work/fft3d/runs/15/cases.tsv"
	[ "${lines[1]}" = '0:3072000,1:3840000' ]
	# FFTW's plans and their results differ in nothing but roundings.
	run -0 grep -c "largest difference from FFTW's transform of three dimensions: [0-9.]*e-1[4-9] of the result" "$work/fft3d.err"
	[ "$output" = 2 ]
}

# ratio KERNEL EXPECTED: checks reads per write, within 1 %.
ratio()
{
	awk -v value="$(figure fft3d "fft.$1_reads_per_write")" -v expected="$2" 'BEGIN { exit !(value >= 0.99 * expected && value <= 1.01 * expected) }' ||
		{ echo "$1"; cat "$work/fft3d.txt"; return 1; }
}

@test "reads per write: two with ordinary stores, one with stores that bypass, five with strided reads, and 1.25 with strided writes, of which there are four times as many" {
	ratio s1cf_copy 2
	ratio s1cf_copy_nt 1
	ratio s1cf_sort 2
	ratio s1cf_sort_beyond 5
	ratio s1cf_sort_nt_beyond 4
	ratio s1cf 2
	ratio s1cf_beyond 1.25
	ratio s1pf_beyond 5
	ratio s1pf_prefetch 2
	ratio s2cf 2
	ratio s2pf_nt 1
	ratio s1cf_copy_nt_prefetch 1
	ratio transform 2
	[ "$(useful fft3d s1cf:3x4x8192)" = 4.500 ]
}

# useful TABLE CASE: prints the bytes moved per useful byte, from the table of all traffic, not the one of estimates.
useful()
{
	awk -v name="$2" '/moved per useful byte/ { found = 1 } found && $1 == name { print $NF }' "$work/$1.txt"
}

@test "strided reads are a finding, with the bytes that are used of each line, and moved per useful byte; reads of whole lines are none" {
	local findings='.findings[] | .strided // (select(.pattern == "strided") | .evidence + {variables}) | [.variables[0].variable, .function] | join(" ")'

	run -0 jq -r "$findings" <("$top/build/bin/memphis" report --format json --select dram "$work/strided/runs/1/samples")
	[ "$output" = 'in s1pf_loops' ]
	run -0 "$top/build/bin/memphis" report --full --select dram "$work/strided/runs/1/samples"
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *'16 of the 64 bytes of each cache line that it fetches (95 % CI 16 to 17)'* ]]
	run -0 jq -r "$findings" <("$top/build/bin/memphis" report --format json --select dram "$work/strided/runs/2/samples")
	[ "$output" = '' ]
	# Of the 32 bytes of an element in both arrays, 64 + 16 are read and 16 written, or 32 and 16.
	[[ "$(useful strided s1pf:2x8192x12)" == 3.00? ]]
	[[ "$(useful strided s1cf_copy:68x20x12)" == 1.50? ]]
	# All of the kernel's data is remote.
	run -0 jq -c '[.regions[] | select(.path == ["s1pf:2x8192x12"]) | .nodes[] | .node as $node | .variables[] | select(.name == "in") | .homes[] | [$node, .home]] | sort' \
		"$work/strided/runs/1/report.json"
	[ "$output" = '[[0,1],[1,0]]' ]
}

@test "the charts are well-formed, and have a mark of each size and kind" {
	run -0 python3 -c '
import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    print(len(root.findall(".//{*}circle")), len(root.findall(".//{*}rect")))' "$work/products/traffic.svg" "$work/fft3d/fft3d.svg"
	# A circle for each estimate; two squares for each case, a band for each of the panels of kernels that use words again; the legend and the background.
	[ "${lines[0]}" = "$((6 + 1)) $((2 * 6 + 3 + 2 + 1))" ]
	[ "${lines[1]}" = "$((14 + 1)) $((2 * 14 + 5 + 2 + 1))" ]
	grep -qx $'s1cf_sort:410x20x12\tbeyond\t15.74\t[0-9.]*\t.*' "$work/fft3d/fft3d.tsv"
}

@test "the comparison detects an estimate that is twice too large" {
	cp -r "$work/products/runs" "$BATS_TEST_TMPDIR/twice"
	python3 -c '
import json, sys
for path in sys.argv[1:]:
    report = json.load(open(path))
    for region in report["regions"]:
        for node in region["nodes"]:
            for variable in node["variables"]:
                variable["bytes"] *= 2
    json.dump(report, open(path, "w"))' "$BATS_TEST_TMPDIR"/twice/*/report.json
	"$top/examples/traffic/compare" "$BATS_TEST_TMPDIR"/twice/* > "$work/twice.txt"
	# shellcheck disable=SC2016 # awk's
	run -0 awk '$2 ~ /(gem[vm]|capped)_error_percent/ { printf "%d ", ($3 >= 90 && $3 <= 110) } $2 ~ /missed/ { print $3 }' "$work/twice.txt"
	[ "$output" = '1 1 1 6' ]
}
