#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Memory traffic estimated from samples, for kernels whose traffic has a closed form, on the emulated machine, which counts
# traffic exactly. If these tests fail, estimated accesses and bytes in reports are wrong.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/traffic
	rm -rf "$work"
	mkdir -p "$work"
	# Working sets between two uses of a word: 1/32 of the cache of 256 KiB, and 2.5 and 2.1 times the cache; see
	# examples/traffic/README.md.
	MACHINE=skylake examples/traffic/sweep -o "$work" -r 4 gemv:32x512 gemv:32x40960 gemm:32 gemm:264 > "$work/table.txt" 2> "$work/err.txt"
}

# figure NAME: prints a figure of the comparison.
figure()
{
	awk -v name="traffic.$1" '$1 == "figure" && $2 == name { print $3 }' "$work/table.txt"
}

# at_most LIMIT NAME: checks that the figure exists and is at most the limit.
at_most()
{
	[ -n "$(figure "$2")" ] || { cat "$work/table.txt" "$work/err.txt"; return 1; }
	awk -v value="$(figure "$2")" -v limit="$1" 'BEGIN { exit !(value >= 0 && value <= limit) }' || { cat "$work/table.txt"; return 1; }
}

@test "the chosen sizes lie within the cache and beyond it, as intended" {
	run -0 cut -f 1,5 --output-delimiter=' ' "$work/cases.tsv"
	[ "$output" = "case zone
gemv:32x512 fits
gemv:32x40960 beyond
gemm:32 fits
gemm:264 beyond" ]
}

# Exactly the loads served by memory advance the counter, so the number of samples is the number of elapsed periods and not
# random.
@test "estimated reads are within 5 % of the exact ones, for gemv and gemm, in the cache and beyond" {
	at_most 5 gemv_error_percent
	at_most 5 gemm_error_percent
}

@test "exact reads are within 10 % of the closed form" {
	at_most 10 gemv_form_error_percent
	at_most 10 gemm_form_error_percent
}

@test "the picture is well-formed and has a point for each size" {
	run -0 python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(len(root.findall("{*}circle")))' "$work/traffic.svg"
	[ "$output" = 4 ]
}

@test "the comparison detects an estimate that is twice too large" {
	python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
for region in report["regions"]:
    for node in region["nodes"]:
        for variable in node["variables"]:
            variable["bytes"] *= 2
json.dump(report, open(sys.argv[2], "w"))' "$work/report.json" "$work/twice.json"
	"$top/examples/traffic/compare" "$work/cases.tsv" "$work/twice.json" --truth "$work/truth.tsv" > "$work/twice.txt"
	# shellcheck disable=SC2016 # awk's
	run -0 awk '$2 ~ /m[vm]_error_percent/ { printf "%d ", ($3 >= 90 && $3 <= 110) }' "$work/twice.txt"
	[ "$output" = '1 1 ' ]
}
