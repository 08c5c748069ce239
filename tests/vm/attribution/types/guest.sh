#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs the program once under sampling as the user of a site.
# usage: guest.sh DIR OUT PERIOD PROGRAM
set -u

programs=$1
out=$2
name=$4
export MEMPHIS_PERIOD="$3" MEMPHIS_RING_RECORDS=65536 LD_LIBRARY_PATH="$programs" MEMPHIS_OUTPUT="$out/$name"
mkdir -p "$out" && chown user "$out"
site-user taskset 1 "$programs/$name" > "$out/$name.out" 2> "$out/$name.err"
echo $? > "$out/$name.status"
