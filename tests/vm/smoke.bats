#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Kernels and CPUs on which no other suite of the device runs each time, for a minute or two, as the user of a site: load, maps,
# samples, sessions of several processes, a program with the library, unload. If these tests fail, the product does not work on a kernel or CPU that the README promises.

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local name

	rm -rf "$work"
	build_programs requests maps sampling stacks processes hotplug homes
	cp build/lib/libmemphis.so.0 "$work/bin"
	ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
	for name in halves rights; do
		gcc -O2 -g -Wall -Wextra -Werror -pthread -Iinclude -Ibuild/include -o "$work/bin/$name" "tests/vm/smoke/$name.c" \
			-L"$work/bin" -lmemphis -Wl,-rpath,'$ORIGIN'
	done
	# shellcheck disable=SC2034 # of checks.bash
	boot_options=(--get /root/out:"$work/MACHINE")
	boot_all requests maps sampling stacks processes hotplug homes library
}

@test "the kernels log no WARNING, BUG or lockup, and no check fails" {
	all_ended_well
	none_failed
	all_passed '(requests|maps|sampling|stacks|processes|hotplug|homes) ends well' 7
}

@test "a query returns all properties, and areas are mapped as a whole and shared" {
	all_passed 'query' 19
	all_passed 'map: ' 21
}

@test "the accounting balances and equals the machine's own count of delivered samples, and each sample has the node of its data" {
	passed 'the accounting balances'
	passed "the accounting equals the machine's count"
	passed 'nothing is lost'
	passed "each page's home node is right"
	passed 'each DRAM load is marked remote exactly if it was'
	all_passed 'filter: (loads|stores|not DRAM|local): ' 12
	machines=$(with_latency) all_passed 'filter: latency: ' 3
}

@test "sessions of several processes get their own samples, and an owner that ends leaves no interrupts behind" {
	all_passed 'two sessions at once: ' 7
	all_passed 'no interrupts after the owner was killed' 2
	passed 'no sample of the program that the owner executed is kept'
}

@test "a CPU may go offline and online while it is sampled, and is not sampled once sampling has ended" {
	all_passed 'hotplug: ' 8
}

@test "the minimum period is larger for per-CPU sampling than for sampling of threads" {
	all_passed 'by default: ' 3
}

@test "an ordinary user in a cgroup gets the home node of small, huge and shared pages of both nodes" {
	all_passed 'home: ' 12
}

@test "with the library, the accounting balances, an array half on each node is sampled half on each, and the report names variable and line" {
	local machine line

	line=$(grep -n 'LINE: read' "$top/tests/vm/smoke/halves.c" | cut -d: -f1)
	for machine in $machines; do
		echo "machine $machine: $(cat "$work/$machine/halves.err")"
		[ "$(cat "$work/$machine/halves.status")" = 7 ]
		[ "$(cat "$work/$machine/halves.err")" = '' ]
		"$top/build/bin/memphis" report --binaries "$work/bin" --format json -o "$work/$machine.json" "$work/$machine/halves"
		python3 "$top/tests/vm/smoke/check.py" "$work/$machine" "$work/$machine.json" "$line"
	done
}

# excluding: prints the machines on which perf can drop IBS samples of the kernel; each run has one.
excluding()
{
	local found

	found=$(printf '%s\n' $machines | grep -E '^7\.2(@(genoa|turin))?$') || at_length || return 1
	printf '%s\n' "$found"
}

@test "perf on 7.2: each interrupt is counted if the user may sample the kernel; otherwise the report states that the kernel is left out" {
	local paranoid accounting machine chosen

	chosen=$(excluding)
	for machine in $chosen; do
		for paranoid in 1 2; do
			cat "$work/$machine/perf-$paranoid.err"
			[ "$(cat "$work/$machine/perf-$paranoid.status")" = 7 ]
			accounting=$("$top/build/bin/memphis" report --format json "$work/$machine/perf-$paranoid" | python3 -c '
import json, sys
report = json.load(sys.stdin)
books = report["accounting"]
missing = int(sys.argv[1]) - books["interrupts"]
print(books["balanced"], books["kept"] > 400, "all" if not missing else "fewer" if missing > 0 else "more",
      report["processes"][0]["settings"].get("uncounted"), sum("perf dropped the samples of the kernel" in n for n in report["notes"]))' \
				"$(cat "$work/$machine/perf-$paranoid.delivered")")
			echo "paranoid $paranoid: $accounting"
			case $paranoid in
			1) [ "$accounting" = 'True True all None 0' ] ;;
			2) [ "$accounting" = 'True True fewer kernel 1' ] ;;
			esac
		done
	done
}

@test "perf on 7.2: a thread of a program that has given up root's rights is sampled, without the kernel" {
	local machine chosen

	chosen=$(excluding)
	for machine in $chosen; do
		cat "$work/$machine/rights.err"
		[ "$(cat "$work/$machine/rights.status")" = 7 ]
		[ "$(cat "$work/$machine/rights.err")" = '' ]
		run -0 python3 -c '
import json, sys
report = json.load(sys.stdin)
books = report["accounting"]
print(books["balanced"], sorted(t["interrupts"] > 100 for t in books["threads"]), report["processes"][0]["settings"].get("uncounted"))' \
			< <("$top/build/bin/memphis" report --format json "$work/$machine/rights")
		[ "$output" = 'True [True, True] kernel' ]
	done
}

@test "the module can be removed and loaded again" {
	passed 'the module can be removed when all is closed'
	passed 'the device is gone after the module was removed'
	passed 'the module can be loaded again'
}
