#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The examples with known memory traffic on this machine, without sampling hardware: their results, their closed forms, and the comparison with
# planted counts. If these tests fail, what tests on the emulated machine compare with is wrong.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	export top=$PWD
	make -s lib
	make -s -C examples/traffic BUILD="$PWD/build"
	make -s -C examples/fft3d BUILD="$PWD/build"
	export OMP_WAIT_POLICY=passive
}

traffic()
{
	"$top/build/examples/traffic/traffic" "$@"
}

fft3d()
{
	"$top/build/examples/fft3d/fft3d" "$@"
}

# forms PROGRAM CASE...: prints zone, bytes used between two uses, and traffic of each case, relative to the bytes of the arrays, for a cache of 256 KiB.
forms()
{
	local program=$1
	shift

	OMP_NUM_THREADS=1 "$program" -c 256 -r 1 "$@" 2> /dev/null |
		awk -F '\t' 'NR > 1 { printf "%s %s %d %.4g %.4g %.4g\n", $1, $5, $4, $7 / $6, $8 / $6, $9 / $6 }'
}

@test "the transform is right for all variants, grids of ranks and numbers of threads" {
	local threads grid variant
	for threads in 1 2 5; do
		for grid in 1x1 2x3 3x2 1x6; do
			for variant in '' +separate +nt +prefetch +separate+nt+prefetch; do
				echo "$threads threads, $grid$variant"
				OMP_NUM_THREADS=$threads fft3d -c 32 "transform:24x$grid$variant" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err"
				grep "^transform:24x$grid$variant: largest difference from FFTW's transform of three dimensions: [0-9.]*e[-+][0-9]* of the result$" "$BATS_TEST_TMPDIR/err"
			done
		done
	done
	# Prefetches begin 16 elements ahead.
	fft3d -c 32 transform:80x2x4+separate+prefetch > "$BATS_TEST_TMPDIR/out"
}

# The columns: zone, bytes used, then the parts of the bytes of both arrays that loads read, that are read at all, and that are written.
@test "closed forms of the re-sorting routines: a line is read before a store, unless the store bypasses, and lines of which one element is used count four times" {
	run -0 forms fft3d s1cf_copy:4x20x12 s1cf_copy:4x20x12+nt s1cf_sort:20x20x12 s1cf_sort:410x20x12 s1cf_sort:410x20x12+nt \
		s1cf:3x4x204 s1cf:3x4x8192 s1cf:3x4x204+nt s1cf:51x4x8+nt s1pf:2x204x12 s1pf:2x8192x12 s2cf:3x4x3x20 s2pf:3x4x3x20+nt
	[ "$output" = 's1cf_copy:4x20x12 any 30720 0.5 1 0.5
s1cf_copy:4x20x12+nt any 30720 0.5 0.5 0.5
s1cf_sort:20x20x12 fits 32000 0.5 1 0.5
s1cf_sort:410x20x12 beyond 656000 2 2.5 0.5
s1cf_sort:410x20x12+nt beyond 656000 2 2 0.5
s1cf:3x4x204 fits 16320 0.5 1 0.5
s1cf:3x4x8192 beyond 655360 0.5 2.5 2
s1cf:3x4x204+nt any 78336 0.5 0.5 2
s1cf:51x4x8+nt any 52224 0.5 0.5 0.5
s1pf:2x204x12 fits 16320 0.5 1 0.5
s1pf:2x8192x12 beyond 655360 2 2.5 0.5
s2cf:3x4x3x20 any 23040 0.5 1 0.5
s2pf:3x4x3x20+nt any 23040 0.5 0.5 0.5' ]
}

@test "strides of a power of two of lines use a part of the cache's sets, which counts as more bytes" {
	run -0 forms fft3d s1cf_sort:20x20x16 s1cf_sort:20x20x32 s1cf_sort:20x20x1024 s1cf:2x32x204
	[ "$output" = 's1cf_sort:20x20x16 band 108800 0.5 1 0.5
s1cf_sort:20x20x32 band 211200 0.5 1 0.5
s1cf_sort:20x20x1024 beyond 1644800 2 2.5 0.5
s1cf:2x32x204 band 212160 0.5 1 0.5' ]
}

@test "prefetches take reads from loads, except for the first 16 elements of a loop, and add none" {
	run -0 forms fft3d s1cf_copy:4x20x64+prefetch s1cf_copy:4x20x64+nt+prefetch s1pf:2x8192x12+prefetch s2cf:3x4x3x12+prefetch
	[ "$output" = 's1cf_copy:4x20x64+prefetch any 163840 0.125 1 0.5
s1cf_copy:4x20x64+nt+prefetch any 163840 0.125 0.5 0.5
s1pf:2x8192x12+prefetch beyond 655360 0.003906 2.5 0.5
s2cf:3x4x3x12+prefetch any 13824 0.5 1 0.5' ]
}

# gemm:32, 3 N N words: 1 of 3 is written. capped:1024x56, of 56 x 56 + 56 + 1024 words, reads all once, and capped:1024x256 each row of A again:
# (1024 x 256 + 256 + 1024) / (256 x 256 + 256 + 1024) = 3.943. Where a row of gemv exceeds the cache, each row writes the whole line of its word of y.
@test "closed forms of the matrix products; the capped one writes as much as wanted" {
	run -0 forms traffic gemv:32x512 gemv:32x40960 gemm:32 gemm:264 capped:1024x56 capped:1024x256 capped:32x512
	[ "$output" = 'gemv:32x512 fits 8192 1 1 0.00189
gemv:32x40960 beyond 655360 1.94 1.94 0.0001894
gemm:32 fits 8704 1 1 0.3333
gemm:264 beyond 561792 88.67 88.67 0.3333
capped:1024x56 fits 25984 0.7571 1 0.2429
capped:1024x256 beyond 528384 3.927 3.943 0.01533
capped:32x512 fits 8192 0.9981 1 0.00189' ]
}

@test "steps of the transform have the forms of their routines, where the data of a thread exceeds the cache" {
	OMP_NUM_THREADS=1 run -0 --separate-stderr fft3d -c 32 transform:24x2x2+separate
	[ "$(cut -f 1,5,10 --output-delimiter=' ' <<< "$output")" = 'case zone arrays
transform:24x2x2+separate/s1cf_copy any first,second,tmp
transform:24x2x2+separate/s1cf_sort band first,second,tmp
transform:24x2x2+separate/s2cf any first,second,tmp
transform:24x2x2+separate/s1pf fits first,second,tmp
transform:24x2x2+separate/s2pf any first,second,tmp' ]
	OMP_NUM_THREADS=1 run -0 --separate-stderr fft3d -c 2048 transform:24x2x2
	[ "$(cut -f 5 <<< "$output" | sort -u | tr '\n' ' ')" = 'band zone ' ]
}

@test "wrong cases are refused with the reason" {
	local wrong reason
	while IFS='|' read -r wrong reason; do
		run -2 fft3d -c 256 "$wrong"
		[ "${lines[0]}" = "fft3d: $reason" ]
	done <<'END'
s3cf:4|s3cf:4: no such kernel
s1cf|s1cf: no such kernel
s1cf:4x6x4|s1cf:4x6x4: sizes must be such that rows are whole cache lines
s1cf:4x4x4x4|s1cf:4x4x4x4: invalid size
s1cf:4x4x4+separate|separate: the kernel has no such variant
s1cf:0x4x4|0x4x4: a number from 1 to 2^30 is needed
transform:8+nt,|nt,: the kernel has no such variant
END
	run -2 traffic -c 256 gemm:33
	[ "${lines[0]}" = 'traffic: gemm:33: sizes must be multiples of 8 (whole cache lines)' ]
	run -2 traffic -c 256 gemm:32+nt
	[ "${lines[0]}" = 'traffic: nt: the kernel has no such variant' ]
	run -2 --separate-stderr fft3d -c 256 transform:24x5x1
	[ "$stderr" = 'fft3d: transform:24x5x1: N / R and N / C must be multiples of 4' ]
}

# planted NAME READ WRITTEN SAMPLES: makes a run of two nodes, whose instructions have read and written these lines of node 0, and
# 10,000 and 5,000 of node 1.
planted()
{
	local out=$BATS_TEST_TMPDIR/$1

	mkdir -p "$out"
	printf 'case\tthreads\tcache_bytes\tused_bytes\tzone\tarray_bytes\texpected_loads\texpected_reads\texpected_writes\tarrays\tcode\thomes
s1cf:4x4x4\t2\t262144\t5120\tfits\t2560000\t1280000\t2560000\t1280000\tin,out\t0x1000-0x2000\t0:1920000,1:640000\n' > "$out/cases.tsv"
	printf '{"regions": [{"path": ["s1cf:4x4x4"], "nodes": [{"variables": [{"name": "in", "count": %d, "bytes": %d}, {"name": "other", "count": 9, "bytes": 9}]}]}]}' \
		"$4" $(($4 * 12800)) > "$out/report.json"
	# Half of the lines that are read are read by stores; instructions outside of the kernel do not count.
	printf '#memory\tcpu\tnode\tspace\tpc\thome\tload\tstore\tprefetch\tdirtied\twritten\tdirty\tnt_lines\tnt_parts\tnt_bytes
memory\t0\t0\t0x5000\t0x1000\t0\t%d\t0\t0\t0\t0\t0\t0\t0\t0
memory\t0\t0\t0x5000\t0x1004\t0\t0\t%d\t7500\t15000\t%d\t100\t0\t0\t0
memory\t1\t1\t0x5000\t0x1004\t1\t5000\t5000\t0\t0\t4000\t0\t999\t1\t64000
memory\t1\t1\t0x5000\t0x2000\t1\t5000\t5000\t0\t0\t4000\t0\t999\t1\t64000
memory\t1\t1\t0x5000\t0xffffffff81000000\t1\t5000\t5000\t0\t0\t4000\t0\t999\t1\t64000
end\n' $(($2 / 2)) $(($2 / 2 - 7500)) $(($3 - 100)) > "$out/truth.tsv"
}

@test "the comparison adds what each instruction reads and writes, by node, and finds what differs at one node only" {
	planted good 30000 15000 100
	run -0 "$top/examples/traffic/compare" "$BATS_TEST_TMPDIR/good" --figures x
	[ "$output" = 'case        zone  read by loads, MB: closed form  exact  estimated       95 % CI  samples  error, %
s1cf:4x4x4  fits                            1.28   1.28       1.28  1.04 to 1.56      100     +0.00

case        zone  read, MB: closed form  exact  error at a node, %  written, MB: closed form  exact  error at a node, %  reads per write  moved per useful byte
s1cf:4x4x4  fits                   2.56   2.56               +0.00                      1.28   1.28               +0.00            2.000                  1.500

figure x.s1cf_error_percent 0.00 %
figure x.s1cf_form_error_percent 0.00 %
figure x.s1cf_reads_error_percent 0.00 %
figure x.s1cf_writes_error_percent 0.00 %
figure x.s1cf_reads_per_write 2.000 lines; closed form 2
figure x.intervals_missed 0 of 1 runs' ]
	planted wrong 33000 12000 200
	run -0 "$top/examples/traffic/compare" "$BATS_TEST_TMPDIR/wrong" --figures x
	grep -x 'figure x.s1cf_error_percent 86.05 %' <<< "$output"
	grep -x 'figure x.s1cf_form_error_percent 7.50 %' <<< "$output"
	grep -x 'figure x.s1cf_reads_error_percent 10.00 %' <<< "$output"
	grep -x 'figure x.s1cf_writes_error_percent 20.00 %' <<< "$output"
	grep -x 'figure x.s1cf_reads_per_write 2.529 lines; closed form 2' <<< "$output"
	grep -x 'figure x.intervals_missed 1 of 1 runs' <<< "$output"
	# Repetitions: means, and intervals from the lowest to the highest.
	run -0 "$top/examples/traffic/compare" "$BATS_TEST_TMPDIR/good" "$BATS_TEST_TMPDIR/wrong"
	[[ "${lines[1]}" == *'  1.28   1.33       1.92  1.04 to 2.94      150    +44.58' ]]
	sed -i '$d' "$BATS_TEST_TMPDIR/good/truth.tsv"
	run -1 "$top/examples/traffic/compare" "$BATS_TEST_TMPDIR/good"
	[[ "$output" == *'truth.tsv: the line '*' is missing: repeat the run' ]]
}

@test "the chart is well-formed, and has the band, closed forms, and a mark for each measurement" {
	planted good 30000 15000 100
	"$top/examples/traffic/compare" "$BATS_TEST_TMPDIR/good" --svg "$BATS_TEST_TMPDIR/good.svg" --data "$BATS_TEST_TMPDIR/good.tsv"
	run -0 python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(*(len(root.findall(".//{*}" + name)) for name in ("rect", "polyline", "circle")))' "$BATS_TEST_TMPDIR/good.svg"
	# The background, the band, and two squares, also two of the legend; a line of each form; a circle, and one of the legend.
	[ "$output" = '6 3 2' ]
	run -0 cut -f 1,4,9 "$BATS_TEST_TMPDIR/good.tsv"
	[ "${lines[1]}" = $'s1cf:4x4x4\t1.28' ]
	[ "${lines[3]}" = $'s1cf:4x4x4\t2.56\t2.000' ]
}

@test "the chart names the band above it, where the name hides no mark" {
	planted small 30000 15000 100
	planted large 30000 15000 100
	sed -i 's/4x4x4/8x8x8/; s/\t5120\tfits/\t2000000\tbeyond/' "$BATS_TEST_TMPDIR"/large/{cases.tsv,report.json}
	"$top/examples/traffic/compare" "$BATS_TEST_TMPDIR"/{small,large} --svg "$BATS_TEST_TMPDIR/band.svg"
	run -0 python3 -c '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
band = [rect for rect in root.findall(".//{*}rect") if rect.get("fill") == "#f3e3c3"][0]
words = [text for text in root.findall(".//{*}text") if text.text == "no closed form"][0]
print(float(band.get("y")) - float(words.get("y")))' "$BATS_TEST_TMPDIR/band.svg"
	[ "$output" = 4.0 ]
}
