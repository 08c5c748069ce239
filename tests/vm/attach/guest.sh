#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: programs that run already, attached in all ways. usage: guest.sh TOP DIR OUT MODULE BACKEND...
set -u

PATH=$PATH:$1/build/bin
target=$2/target
out=$3
insmod "$4" period_min_cpu=1024
shift 4
backends=$*
mkdir -p "$out"
chmod 777 "$out"
chmod 666 /dev/memphis
cd "$out" || exit
export MEMPHIS_PERIOD=32768
[ -d /sys/bus/event_source/devices/ibs_op ] || export MEMPHIS_PERIOD=1999

delivered()
{
	truth delivered | awk '$1 == "all" { print $2 }'
}

# until_says FILE TEXT
until_says()
{
	until grep -q "$2" "$1" 2> /dev/null; do sleep 0.05; done
}

# until_ready NAME: its program waits; $pid
until_ready()
{
	until_says "$1.out" ready
	pid=$(sed -n 's/^ready //p' "$1.out")
}

# start NAME READS: the program; $pid
start()
{
	"$target" "$2" > "$1.out" 2> "$1.target" &
	until_ready "$1"
}

# attach NAME OPTION...: to $pid; $tool
attach()
{
	local name=$1
	shift
	memphis record -p "$pid" -o "$out/$name" "$@" 2> "$name.err" &
	tool=$!
	until_says "$name.err" 'is sampled'
}

# ended NAME: the program goes its way to its end, and so does the tool
ended()
{
	wait "$pid"
	echo $? > "$1.status"
	wait "$tool"
	echo $? > "$1.tool"
}

# refused NAME COMMAND...
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
	attach "$backend" --backend "$backend"
	echo "$pid" > "$backend.pid"
	kill -USR1 "$pid"
	ended "$backend"
	echo $(($(delivered) - before)) > "$backend.delivered"

	# Killed, the tool takes its events with it.
	start "$backend-killed" 300000
	attach "$backend-killed" --backend "$backend"
	kill -KILL "$tool"
	wait "$tool" 2> /dev/null
	before=$(delivered)
	kill -USR1 "$pid"
	ended "$backend-killed"
	echo $(($(delivered) - before)) > "$backend-killed.delivered"

	# What it executes is not sampled.
	start "$backend-exec" 300000
	attach "$backend-exec" --backend "$backend"
	kill -USR2 "$pid"
	wait "$tool"
	echo $? > "$backend-exec.tool"
	before=$(delivered)
	wait "$pid"
	echo $? > "$backend-exec.status"
	echo $(($(delivered) - before)) > "$backend-exec.delivered"
done
backend=${backends%% *}

# Ended by time, and by Ctrl-C; the program knows nothing of it.
start time 300000
refused time memphis record -p "$pid" -o time --backend "$backend" --duration 0.5
attach interrupt --backend "$backend"
kill -INT "$tool"
wait "$tool"
echo $? > interrupt.tool
kill -USR1 "$pid"
wait "$pid"
echo $? > time.status

# Another user's, one that is not there, one that does nothing and ends.
start other 1000
refused other su user -c "PATH=$PATH; memphis record -p $pid -o $out/other --backend $backend"
kill "$pid"
wait "$pid" 2> /dev/null
refused nobody memphis record -p 4000000 -o nobody --backend "$backend"
sleep 1000 &
pid=$!
attach short --backend "$backend"
kill "$pid"
ended short

# An ordinary user's own.
su user -c "$target 300000 > $out/own.out; echo \$? > $out/own.status" &
until_ready own
su user -c "PATH=$PATH; export MEMPHIS_PERIOD=$MEMPHIS_PERIOD; memphis record -p $pid -o $out/own --backend device" 2> own.err &
tool=$!
until_says own.err 'is sampled'
kill -USR1 "$pid"
wait

# Sampled already: by the library inside, and by another of us.
memphis record -q -o inside -- "$target" 1000 > inside.out 2>&1 &
until_ready inside
refused inside memphis record -p "$pid" -o inside-2 --backend "$backend"
kill -USR1 "$pid"
wait
start twice 1000
attach twice --backend device
refused twice-2 memphis record -p "$pid" -o twice-2 --backend device
kill -USR1 "$pid"
wait
exit 0
