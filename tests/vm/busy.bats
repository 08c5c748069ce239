#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A busy node: effects of other users, the scheduler, memory management and the administrator while a program is
# sampled. If these tests fail, sampling is right only on an otherwise idle node.
# shellcheck disable=SC2154,SC2034 # checks.bash sets the machines and boots them

bats_require_minimum_version 1.5.0
load ../environment
load checks

# Short-lived threads of a program that attaches each by itself, and of a program under `memphis record`. At length, the latter
# takes about 9 minutes of host CPU time per machine.
if at_length; then
	export visitors=10000 threads=10000
else
	export visitors=1000 threads=240
fi

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local program

	rm -rf "$work"
	mkdir -p "$work/bin"
	for program in cpus crowd pages pause throttle life churn memory; do
		gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/bin/$program" \
			"tests/vm/busy/$program.c" tests/vm/busy/node.c tests/vm/device/session.c
	done
	# Dynamically linked, because the library is preloaded into this program.
	gcc -std=gnu11 -O1 -g -pthread -Wall -Wextra -Werror -o "$work/bin/crew" tests/vm/busy/crew.c
	cp tests/vm/busy/guest.sh "$work/bin"
	boot_options=(--put build/bin/memphis --put build/lib/libmemphis.so --get "/root/out:$work/MACHINE")
	boot_all "$top/build/bin/memphis" /root/out "$visitors" "$threads"
}

# report MACHINE NAME EXPRESSION: evaluates a Python expression on the report `r` of the recording NAME. `accounted` is the number of
# interrupts that it accounts for: those of threads and, with per-CPU events, those that hit no thread of the program.
report()
{
	(cd "$work/$1" && "$top/build/bin/memphis" report --format json "$2" > "$2.json") || return
	python3 -c '
import json, sys
name = sys.argv[1]
r = json.load(open(name + ".json"))
books = r["accounting"]
process, = r["processes"]
accounted = books["interrupts"] + int(process["settings"].get("unattached", 0))
delivered = int(open(name + ".delivered").read())
print(eval("(%s)" % sys.argv[2]))' "$work/$1/$2" "$3"
}

@test "the kernels log no WARNING, BUG or lockup, and all programs end with success" {
	all_ended_well
	all_passed '(cpus|crowd|pages|pause|throttle|life|churn|memory) ends well' 8
	all_passed 'record of (crews|room) ends well' 2
	passed "the kernel logs nothing but the OOM killer's report"
	passed 'the module can be removed at the end'
}

@test "none of the checks failed, including those that no test names" {
	none_failed
}

@test "while all CPUs but one go offline and online, bound and unbound threads are sampled and every interrupt is accounted for" {
	all_passed 'cpus: ' 5
}

@test "64 threads on 4 CPUs are all sampled equally often, and every interrupt is accounted for" {
	all_passed 'crowd: ' 7
}

@test "for pages moved by move_pages, mbind or NUMA balancing, samples have the home node at their time" {
	all_passed 'moves: ' 4
	all_passed 'race: ' 4
	all_passed 'balancing: ' 4
}

@test "a stopped or frozen process is not interrupted, and is sampled again when it continues" {
	all_passed '(stopped|frozen): ' 4
	all_passed '(before|continued|thawed): both threads are sampled on' 3
	all_passed 'stopped and frozen: ' 3
}

@test "perf's throttling is counted, and the accounting balances and equals the machine's count" {
	all_passed 'throttled: ' 5
}

@test "processes that fork, exec, start threads and end in any order leave nothing behind" {
	all_passed 'life: ' 6
}

@test "each of a thousand short-lived threads is detached after its end, its accounting is final and its memory is freed" {
	all_passed 'churn: ' 9
}

@test "memphis record on a program of many short threads has each complete, or counts it as one without data, and every interrupt" {
	local machine

	for machine in $machines; do
		[ "$(< "$work/$machine/crews.out")" = "$threads threads" ]
		[ "$(grep -cv '^memphis record: ' "$work/$machine/crews.err")" -eq 0 ]
		run -0 report "$machine" crews 'len(books["threads"]) + int(process["settings"].get("threads_without_data", 0)), process["settings"]["threads"], process["losses"]'
		[ "$output" = "($((threads + 1)), '$((threads + 1))', {})" ]
		# The main thread lives long: between two passes of the drain, a loaded host may fill its ring of 64 samples, which is counted.
		run -0 report "$machine" crews 'books["balanced"], all(t["closed"] and t["balanced"] for t in books["threads"]), sum(t["lost"] for t in books["threads"] if "main" not in t["facts"])'
		[ "$output" = '(True, True, 0)' ]
		run -0 report "$machine" crews 'accounted - delivered, sum(t["interrupts"] > 0 for t in books["threads"]) * 10 > len(books["threads"]), books["kept"] > 0'
		[ "$output" = '(0, True, True)' ]
	done
}

@test "memphis record on 64 threads with room for 16 counts the others, and reports them once on standard error" {
	local machine

	for machine in $machines; do
		run -0 grep -v '^memphis record: ' "$work/$machine/room.err"
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *'is not sampled: No space left on device; more threads than one session may have'* ]]
		run -0 report "$machine" room 'process["settings"]["threads"], process["losses"], accounted - delivered, books["balanced"]'
		[ "$output" = "('16', {'threads_unsampled': '49'}, 0, True)" ]
		run -0 report "$machine" room 'r["notes"][0].split(": ")[1], sum("could not be sampled" in n for n in r["notes"])'
		[ "$output" = "('49 threads could not be sampled', 1)" ]
	done
}

@test "when memory runs out, a ring is refused with ENOMEM and a sampled process that is killed leaves nothing behind" {
	all_passed 'memory: ' 10
}
