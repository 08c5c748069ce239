#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: attaches to running programs in all ways; tool and program run as the user of a site. With perf, an ordinary
# user may sample only if perf_event_paranoid is at most 1.
# usage: guest.sh TOP DIR OUT MODULE BACKEND...
set -u

PATH=$PATH:$1/build/bin
target=$2/target
out=$3
insmod "$4" period_min_cpu=1024 audit=1
shift 4
backends=$*
mkdir -p "$out" && chown user "$out"
cd "$out" || exit
# A thread makes a million loads of its array: 61 samples are expected. Chance alone leaves ten or fewer in less than one of 10^14 runs.
export MEMPHIS_PERIOD=16384
[ -d /sys/bus/event_source/devices/ibs_op ] || export MEMPHIS_PERIOD=1999

delivered()
{
	truth delivered | awk '$1 == "all" { print $2 }'
}

# until_says FILE TEXT: waits until the file contains the text.
until_says()
{
	until grep -q "$2" "$1" 2> /dev/null; do sleep 0.05; done
}

# until_ready NAME: waits until the program waits for its signal; sets $pid.
until_ready()
{
	until_says "$1.out" ready
	pid=$(sed -n 's/^ready //p' "$1.out")
}

# by BACKEND COMMAND...: runs a command as the user of a site, with a value of perf_event_paranoid that allows the backend.
by()
{
	local paranoid=3

	[ "$1" = device ] || paranoid=1
	shift
	exec site-user --perf-event-paranoid "$paranoid" "$@"
}

# start NAME READS: starts the program and sets $pid.
start()
{
	site-user "$target" "$2" > "$1.out" 2> "$1.target" &
	until_ready "$1"
}

# attach NAME BACKEND: attaches to $pid and sets $tool.
attach()
{
	local name=$1 backend=$2
	by "$backend" memphis record -p "$pid" -o "$out/$name" --backend "$backend" 2> "$name.err" &
	tool=$!
	until_says "$name.err" 'is sampled'
}

# ended NAME: waits for the program and for the tool, and stores their exit statuses.
ended()
{
	wait "$pid"
	echo $? > "$1.status"
	wait "$tool"
	echo $? > "$1.tool"
}

# refused NAME COMMAND...: runs a command in the foreground, and stores its messages and exit status.
refused()
{
	local name=$1
	shift
	"$@" > "$name.err" 2>&1
	echo $? > "$name.tool"
}

for backend in $backends; do
	start "$backend" 1000000
	before=$(delivered)
	attach "$backend" "$backend"
	echo "$pid" > "$backend.pid"
	kill -USR1 "$pid"
	ended "$backend"
	echo $(($(delivered) - before)) > "$backend.delivered"

	# When the tool is killed, its events must end with it.
	start "$backend-killed" 300000
	attach "$backend-killed" "$backend"
	kill -KILL "$tool"
	wait "$tool" 2> /dev/null
	before=$(delivered)
	kill -USR1 "$pid"
	ended "$backend-killed"
	echo $(($(delivered) - before)) > "$backend-killed.delivered"

	# Another program that the process executes is not sampled.
	start "$backend-exec" 300000
	attach "$backend-exec" "$backend"
	kill -USR2 "$pid"
	wait "$tool"
	echo $? > "$backend-exec.tool"
	before=$(delivered)
	wait "$pid"
	echo $? > "$backend-exec.status"
	echo $(($(delivered) - before)) > "$backend-exec.delivered"
done
backend=${backends%% *}

# The tool ends by time and by Ctrl-C; the program continues unchanged.
start time 300000
refused time site-user memphis record -p "$pid" -o time --backend "$backend" --duration 0.5
attach interrupt "$backend"
kill -INT "$tool"
wait "$tool"
echo $? > interrupt.tool
kill -USR1 "$pid"
wait "$pid"
echo $? > time.status

# Another user's process, a missing process, and one that does nothing and ends.
"$target" 1000 > other.out 2> other.target &
until_ready other
refused other site-user memphis record -p "$pid" -o other --backend "$backend"
kill "$pid"
wait "$pid" 2> /dev/null
refused nobody site-user memphis record -p 4000000 -o nobody --backend "$backend"
site-user sleep 1000 &
pid=$!
until [ "$(< "/proc/$pid/comm")" = sleep ]; do sleep 0.05; done
attach short "$backend"
kill "$pid"
ended short

# A process that is not the tool's descendant, under Yama's restriction, which refuses the same user as a debugger.
start yama 300000
cat /proc/sys/kernel/yama/ptrace_scope > yama.scope
refused yama-memory site-user dd if="/proc/$pid/mem" count=1
attach yama device
kill -USR1 "$pid"
ended yama

# Root samples an ordinary user's process.
start own 300000
memphis record -p "$pid" -o "$out/own" --backend device 2> own.err &
tool=$!
until_says own.err 'is sampled'
kill -USR1 "$pid"
ended own

# Processes that are sampled already: by the library inside, and by another memphis record -p.
site-user memphis record -q -o inside -- "$target" 1000 > inside.out 2>&1 &
until_ready inside
refused inside site-user memphis record -p "$pid" -o inside-2 --backend "$backend"
kill -USR1 "$pid"
wait
start twice 1000
attach twice device
refused twice-2 site-user memphis record -p "$pid" -o twice-2 --backend device
kill -USR1 "$pid"
wait

# The module's log of all this; once auditing is off, an open leaves no entry.
echo 0 > /sys/module/memphis/parameters/audit
: < /dev/memphis
dmesg | sed -n 's/^.*memphis: audit: //p' > audit

# A user opens the device 700 times, then another one opens it once; unloading the module logs at once what was left out.
echo 1 > /sys/module/memphis/parameters/audit
chmod 666 /dev/memphis
as() { setpriv --reuid "$1" --regid "$1" --clear-groups bash -c "$2"; }
# In a user namespace, with an ID that is subordinate to the user. Root maps the IDs, as newuidmap does.
as 3003 'unshare -U bash -c "echo \$\$ > /tmp/inside; until [ -e /tmp/mapped ]; do sleep 0.1; done; setpriv --reuid 7 bash -c \": < /dev/memphis\""' &
until [ -s /tmp/inside ]; do sleep 0.1; done
# The kernel takes the map in a single write.
printf '0 3003 1\n7 100007 1\n' > /tmp/map
cat /tmp/map > "/proc/$(cat /tmp/inside)/uid_map"
: > /tmp/mapped
wait
as 3001 'for ((i = 0; i < 700; i++)); do : < /dev/memphis; done'
as 3002 ': < /dev/memphis'
rmmod memphis
dmesg | sed -n 's/^.*memphis: audit: //p' | grep -v 'uid \(0\|1000\)[ ,]' > flood
exit 0
