#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: what the machine can do, then loops that use all of it, and half of it. usage: guest.sh DIR OUT MODULE MEMPHIS
set -u

programs=$1
out=$2
module=$3
memphis=$4
mkdir -p "$out" && chown user "$out"

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# run NAME PERIOD ARGUMENT...: records the loops as the site's user.
run()
{
	name=$1
	period=$2
	shift 2
	site-user "$memphis" record -q --counters uncore --period "$period" -o "$out/$name" -- "$programs/loops" "$@" > "$out/$name.txt" 2>&1
	ok "$name ends well" [ $? -eq 0 ]
}

insmod "$module"
"$memphis" node --controllers on > /dev/null
site-user "$memphis" node --measure --save "$out/machine.node" > "$out/node.txt" 2>&1
ok "the machine was measured" grep -q '^bandwidth_gb 1 1' "$out/machine.node"
# Each interrupt takes some thousand cycles of the loop.
run triad 100003 triad 0,1 0 1.2
run rests 100003 triad 0,1 0 1.2 rest
run link 10007 read 0,1 1 5
rmmod memphis
