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
	export work=$top/build/test/sources${MEMPHIS_TEST_LEVEL:+-$MEMPHIS_TEST_LEVEL}
	local cpu status

	local include=(-std=gnu11 -O1 -g -pthread -Wall -Wextra -Werror -Iinclude -Itests/vm/device)

	rm -rf "$work"
	mkdir -p "$work/bin"
	gcc "${include[@]}" -static -o "$work/bin/sources" tests/vm/device/{sources,pattern,session}.c
	cp build/lib/libmemphis.so.0 "$work/bin"
	# See LIBRARY_PC in truth.py.
	gcc "${include[@]}" -Ibuild/include -no-pie -Wl,-Ttext-segment=0x10000000 -o "$work/bin/recorded" tests/vm/sources/recorded.c \
		tests/vm/device/{pattern,session}.c -Lbuild/lib -lmemphis -Wl,-rpath,'$ORIGIN'
	machine/kbuild 6.12 kmod build/kmod/6.12 > "$work/kbuild.txt" 2>&1
	for cpu in $cpus; do
		status=0
		boot "$cpu" > "$work/$cpu.txt" 2> "$work/$cpu.err" || status=$?
		echo "$status" > "$work/$cpu.status"
	done
}

# With `make test`, only samples of IBS; those of PEBS are compared by vm/perf. Cascade Lake is Skylake to Linux.
cpus=milan
[ "${MEMPHIS_TEST_LEVEL:-}" != more ] || cpus='genoa turin skylake icelake sapphirerapids graniterapids'

# boot CPU: one program is sampled by the device, another one with the library by perf, as the user of a site; only root may read the
# exact counts.
boot()
{
	local how='' period=4093

	case $1 in
	milan | genoa | turin) period=16384 ;;
	skylake | sapphirerapids) how=by-source ;;
	esac
	machine/run --kernel 6.12 --cpu "$1" --timeout 1800 --log "$work/$1.log" --module build/kmod/6.12/memphis.ko \
		--put "$work/bin:/root/bin" --truth "$work/$1.tsv" --get "/tmp/samples:$work/$1.samples" --get "/tmp/perf:$work/$1.perf" \
		--env "MEMPHIS_PERIOD=$period" -- sh -c "
			mkdir /tmp/perf && chown user /tmp/perf
			truth start && site-user /root/bin/sources $how > /tmp/samples || exit
			MEMPHIS_BACKEND=perf MEMPHIS_OUTPUT=/tmp/perf/files site-user --perf-event-paranoid 1 /root/bin/recorded > /tmp/perf/out || exit
			truth stop && truth dump"
}

# ended CPU: succeeds if its boot did.
ended()
{
	[ "$(cat "$work/$1.status")" -eq 0 ] || { tail "$work/$1.err" "$work/$1.txt"; return 1; }
}

# sources CPU LEVEL=SOURCE,FLAGS...: checks that the boot succeeded and its samples agree with the exact counts.
sources()
{
	local cpu=$1

	shift
	ended "$cpu"
	"$top/tests/vm/sources/truth.py" "$work/$cpu.tsv" "$work/$cpu.samples" "$@"
}

# Numbers of data sources are those of include/memphis/sample.h. Events of loads by source count exactly, with one sample for each period.
@test "samples of each CPU name L2, L3, DRAM of both nodes, and lines in a cache of the other node" {
	local cpu
	for cpu in $cpus; do
		case $cpu in
		milan) sources "$cpu" l2=2,local l3=3,local ldram=5,local rdram=5,remote rpeer=4,remote ;;
		skylake | sapphirerapids) sources "$cpu" --exact ldram=5,local rdram=5,remote rpeer=4,remote-hitm ;;
		*) sources "$cpu" l2=2,local l3=3,local ldram=5,local rdram=5,remote rpeer=4,remote-hitm ;;
		esac
	done
}

@test "on each CPU, the library's samples by perf have the source, line and home node of the machine's exact counts" {
	local cpu hitm
	for cpu in $cpus; do
		hitm=remote-hitm
		# Zen 3 does not report whether the line was modified.
		[ "$cpu" != milan ] || hitm=remote
		ended "$cpu"
		echo "$cpu: $(cat "$work/$cpu.txt")"
		"$top/tests/vm/sources/recorded.py" "$work/$cpu.tsv" "$work/$cpu.perf/files" "$work/$cpu.perf/out" "$work/bin/recorded" perf \
			l2=2,local l3=3,local ldram=5,local rdram=5,remote rpeer=4,$hitm
	done
}
