#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each row of the table once as the user of a site, between two readings of the machine's count of delivered
# samples, which only root may make. usage: guest.sh DIR OUT
# The table: lines "NAME PROGRAM ARGUMENT..." in DIR/table.
set -u

programs=$1
out=$2
# shellcheck source=tests/vm/library/dense.sh
. "$programs/dense.sh"
mkdir -p "$out" && chown user "$out"
sample_densely 16384
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
