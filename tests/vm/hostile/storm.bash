# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154 # $work is of the suites
# Of the suites in which storms of requests run.

# build_storm: builds the program of the storm into $work/bin, and copies its script there.
build_storm()
{
	mkdir -p "$work/bin"
	gcc -std=gnu11 -O1 -g -static-pie -pthread -Wall -Wextra -Werror -Iinclude -Itests/vm/device -o "$work/bin/storm" \
		tests/vm/hostile/{storm,burst,watch,common}.c tests/vm/device/session.c
	cp tests/vm/hostile/storm.sh "$work/bin"
}

# weathered: the checks of the storm that every guest makes.
weathered()
{
	passed 'storm ends well'
	passed 'storm: all processes of the member are prepared'
	passed 'storm: all requests of the member end'
	passed 'storm: each process of the member ends when it is killed'
	passed 'storm: a new process of the member can attach itself'
	passed 'storm: none of these processes failed'
	passed "storm: the second user's requests end"
	passed "storm: the second user's new sessions end"
	passed "storm: root's daemon is never held up"
	passed 'storm: CPUs go offline and online'
	passed 'storm: afterwards, each CPU can be taken offline and online'
	passed "storm: the second user's accounting balances in each turn"
	passed 'storm: the second user is sampled in each turn'
	passed "storm: the second user's accounting equals the machine's count"
	passed 'storm: the module can be removed afterwards'
	passed 'storm: the module can be loaded again'
	all_passed 'storm: ' 16
}
