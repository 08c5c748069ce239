#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each row of the table once as the user of a site, between two readings of the machine's count of delivered
# samples, which only root may make. usage: guest.sh DIR OUT
# The table: lines "NAME PROGRAM ARGUMENT..." in DIR/table.
set -u

programs=$1
out=$2
mkdir -p "$out" && chown user "$out"
# IBS counts ops. PEBS counts loads of at least a given latency: here all loads, which are fewer than the ops.
if grep -q GenuineIntel /proc/cpuinfo; then
	export MEMPHIS_PERIOD=4093 MEMPHIS_MIN_LATENCY=3
else
	export MEMPHIS_PERIOD=16384
fi
# For the program that loads the library with dlopen().
export LD_LIBRARY_PATH="$programs"

delivered()
{
	truth delivered | awk '$1 == "all" { print $2 }'
}

while read -r name program arguments; do
	echo "$name"
	before=$(delivered)
	# shellcheck disable=SC2086  # words
	MEMPHIS_OUTPUT=$out/$name site-user "$programs/$program" $arguments > "$out/$name.out" 2> "$out/$name.err" < /dev/null
	echo $? > "$out/$name.status"
	echo $(($(delivered) - before)) > "$out/$name.delivered"
done < "$programs/table"
exit 0
