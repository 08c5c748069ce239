#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The memory traffic that samples estimate, of kernels whose traffic is known in closed form, on the emulated machine, which counts it
# exactly. If these fail, estimated accesses and bytes in reports are wrong.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/traffic
	rm -rf "$work"
	mkdir -p "$work"
	# Sizes at which between two uses of a word 1/32 of the cache of 256 KiB is used, and 2.5 and 2.1 times as much as it has; see examples/traffic/README.md.
	MACHINE=skylake examples/traffic/sweep -o "$work" -r 4 gemv:32x512 gemv:32x40960 gemm:32 gemm:264 > "$work/table.txt" 2> "$work/err.txt"
}

# figure NAME: as the comparison printed it.
figure()
{
	awk -v name="traffic.$1" '$1 == "figure" && $2 == name { print $3 }' "$work/table.txt"
}

# at_most LIMIT NAME: there is this figure, and it is no more than that.
at_most()
{
	[ -n "$(figure "$2")" ] || { cat "$work/table.txt" "$work/err.txt"; return 1; }
	awk -v value="$(figure "$2")" -v limit="$1" 'BEGIN { exit !(value >= 0 && value <= limit) }' || { cat "$work/table.txt"; return 1; }
}

@test "sizes are where they are meant to be: within the cache, and beyond it" {
	run -0 cut -f 1,5 --output-delimiter=' ' "$work/cases.tsv"
	[ "$output" = "case zone
gemv:32x512 fits
gemv:32x40960 beyond
gemm:32 fits
gemm:264 beyond" ]
}

# What memory serves advances the counter, and nothing else does: there are as many samples as periods went by, whatever chance does.
@test "estimated reads are within 5 % of the exact ones: gemv and gemm, in the cache and beyond" {
	at_most 5 gemv_error_percent
	at_most 5 gemm_error_percent
}

@test "exact reads are within 10 % of the closed form" {
	at_most 10 gemv_form_error_percent
	at_most 10 gemm_form_error_percent
}

@test "the picture is a well-formed one, with a point for each size" {
	run -0 python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(len(root.findall("{*}circle")))' "$work/traffic.svg"
	[ "$output" = 4 ]
}

@test "an estimate that is twice what it should be is seen" {
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
