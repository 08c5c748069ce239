#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: memphis top beside a program that the device samples, and after its end by SIGKILL. Tool and program run as the user of a site.
# usage: guest.sh DIR OUT PERIOD MEMPHIS
set -u

program=$1/walk
out=$2
period=$3
memphis=$4
mkdir -p "$out" && chown user "$out"
cd "$out" || exit

# shows FILE COMMAND...: runs memphis top until its table has both names and the program that it watches; the limit only ends a boot that would hang.
shows()
{
	file=$1
	shift
	tries=0
	until grep -q ' running ' "$file" && grep -qF '[heap]:often' "$file" && grep -qF '[heap]:seldom' "$file"; do
		[ "$tries" -lt 60 ] || break
		tries=$((tries + 1))
		"$@" > "$file" 2>&1
	done
}

site-user "$memphis" record -q --backend device --period "$period" -o run -- "$program" > record.txt 2>&1 &
record=$!
until pid=$(pidof walk); do sleep 0.1; done
# The process by which the library writes files has the program's name, too, and a larger number, which pidof(8) prints first.
pid=${pid##* }
: > first
shows first site-user "$memphis" top --once --interval 0.5 -p "$record"
# While it runs: by the process that started it, by its own number, of all processes, and by the directory.
site-user "$memphis" top -n 1 --interval 4 -p "$record" > by-record 2>&1
site-user "$memphis" top -n 1 --interval 4 -p "$pid" > by-pid 2>&1
site-user "$memphis" top -n 1 --interval 4 > by-machine 2>&1
# In a terminal, until q.
(
	tries=0
	until grep -qF '[heap]:often' screen && grep -qE ' running +[0-9.]+ % ' screen || [ "$tries" -eq 300 ]; do
		sleep 0.2
		tries=$((tries + 1))
	done 2> grep.err
	printf q
) | TERM=xterm site-user script -q -f -c "$memphis top run" screen > screen.out 2>&1
echo $? > screen.status
kill -KILL "$pid"
wait
site-user "$memphis" top --once --interval 0.5 run > killed 2>&1
