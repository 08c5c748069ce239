#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Life on a busy node, on each machine: what other users, the scheduler, the memory management and the administrator do
# while a program is sampled. If these fail, sampling is right only where nothing else happens.
# shellcheck disable=SC2154,SC2034 # checks.bash tells the machines, and boots them

bats_require_minimum_version 1.5.0
load ../environment
load checks

# How many threads of one program `memphis record` is shown with. 10,000 take some 9 minutes of a host's CPU on each machine.
export threads=${MEMPHIS_TEST_THREADS:-1000}

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../.." || exit
	export top=$PWD
	export work=$top/build/test/busy
	local program

	rm -rf "$work"
	mkdir -p "$work/bin"
	for program in rival cpus crowd pages pause throttle life churn memory; do
		gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/bin/$program" \
			"tests/vm/busy/$program.c" tests/vm/busy/node.c tests/vm/device/session.c
	done
	# What the library is loaded into is not static.
	gcc -std=gnu11 -O1 -g -pthread -Wall -Wextra -Werror -o "$work/bin/crew" tests/vm/busy/crew.c
	cp tests/vm/busy/guest.sh "$work/bin"
	# Long where other work has the host's CPUs, too: what never ends is known only later.
	boot_options=(--timeout 3600 --put build/bin/memphis --put build/lib/libmemphis.so --get "/root/out:$work/MACHINE")
	boot_all "$top/build/bin/memphis" /root/out "$threads"
}

# report MACHINE NAME EXPRESSION: a Python expression on the report `r` of what was recorded as NAME. `told` are the interrupts
# that it tells of: those in the books of threads and, with events per CPU, those that hit no thread of the program.
report()
{
	(cd "$work/$1" && "$top/build/bin/memphis" report --format json "$2" > "$2.json") || return
	python3 -c '
import json, sys
name = sys.argv[1]
r = json.load(open(name + ".json"))
books = r["accounting"]
process, = r["processes"]
told = books["interrupts"] + int(process["settings"].get("unattached", 0))
delivered = int(open(name + ".delivered").read())
print(eval("(%s)" % sys.argv[2]))' "$work/$1/$2" "$3"
}

@test "the kernels say nothing of the kind WARNING, BUG or lockup, and all programs end well" {
	all_ended_well
	all_passed '(rival|cpus|crowd|pages|pause|throttle|life|churn|memory) ends well' 9
	all_passed 'record of (crews|room) ends well' 2
	passed "the kernel says nothing beside the OOM killer's report"
	passed 'nothing keeps the module'
}

@test "no check at all failed" {
	none_failed
}

@test "perf on the same hardware: each side is told what it had, and together they have every sample" {
	local cpu task
	cpu=$(of_sampler cpu)
	task=$(of_sampler task)

	passed 'alone: nothing is starved'
	passed 'stopped: the times rest'
	passed 'detached: the times stay'
	all_passed 'perf pinned to the CPU: ' 10
	all_passed 'perf on the CPU: ' 10
	machines=$cpu passed 'perf on the task: EINVAL, as without us'
	machines=$task all_passed 'perf pinned to the task: ' 11
	machines=$task all_passed 'perf on the task: ' 10
	machines=$task all_passed 'perf pinned to the CPU first: ' 5
}

@test "all CPUs but one go and come under bound and unbound threads: all are sampled, and every interrupt is in the books" {
	all_passed 'cpus: ' 5
}

@test "64 threads on 4 CPUs: all are sampled, alike, and every interrupt is in the books" {
	all_passed 'crowd: ' 7
}

@test "pages that move_pages, mbind or NUMA balancing moves: the samples tell the home of their time" {
	all_passed 'moves: ' 4
	all_passed 'race: ' 4
	all_passed 'balancing: ' 4
}

@test "a stopped or frozen process is not interrupted, and sampled on when it goes on" {
	all_passed '(stopped|frozen): ' 5
	all_passed '(before|continued|thawed): both threads are sampled on' 3
	all_passed 'stopped and frozen: ' 3
}

@test "perf's pauses are counted, and the books balance and equal the machine's count" {
	all_passed 'throttled: ' 5
}

@test "processes that fork, execute themselves, start threads and end in any order leave nothing behind" {
	all_passed 'life: ' 6
}

@test "10,000 threads come and go: each is detached when it has ended, its books are final, and none of its memory stays" {
	all_passed 'churn: ' 9
}

@test "memphis record of a program of many short threads: a whole file for each, and every interrupt in the report" {
	local machine

	for machine in $machines; do
		[ "$(< "$work/$machine/crews.out")" = "$threads threads" ]
		[ "$(grep -cv '^memphis record: ' "$work/$machine/crews.err")" -eq 0 ]
		run -0 report "$machine" crews 'len(books["threads"]), process["settings"]["threads"], process["losses"]'
		[ "$output" = "($((threads + 1)), '$((threads + 1))', {})" ]
		run -0 report "$machine" crews 'books["balanced"], all(t["closed"] and t["balanced"] for t in books["threads"]), books["lost"]'
		[ "$output" = '(True, True, 0)' ]
		run -0 report "$machine" crews 'told - delivered, sum(t["interrupts"] > 0 for t in books["threads"]) * 10 > len(books["threads"]), books["kept"] > 0'
		[ "$output" = '(0, True, True)' ]
	done
}

@test "memphis record of 64 threads where 16 have room: the others are told of, once on stderr, and counted" {
	local machine

	for machine in $machines; do
		run -0 grep -v '^memphis record: ' "$work/$machine/room.err"
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *'is not sampled: No space left on device; more threads than one session may have'* ]]
		run -0 report "$machine" room 'process["settings"]["threads"], process["losses"], told - delivered, books["balanced"]'
		[ "$output" = "('16', {'threads_unsampled': '49'}, 0, True)" ]
		run -0 report "$machine" room 'r["notes"][0].split(": ")[1], len(r["notes"])'
		[ "$output" = "('49 threads could not be sampled', 1)" ]
	done
}

@test "want of memory: a ring is refused with ENOMEM, a sampled process that is killed leaves nothing behind" {
	all_passed 'memory: ' 10
}
