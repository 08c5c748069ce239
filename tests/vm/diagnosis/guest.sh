#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program once as the user of a site; the reports are made on the host. Only root may switch off huge
# pages.
# usage: guest.sh PROGRAM OUT NAME...
set -u

program=$1
out=$2
shift 2
# First touch places pages. A huge page would contain parts of several owners.
echo never > /sys/kernel/mm/transparent_hugepage/enabled
mkdir -p "$out" && chown user "$out"
for name in "$@"; do
	# Shared lines move between the caches only some ten thousand times, because threads mostly wait for their turns.
	case $name in
	*-sharing | padded) period=1024 ;;
	*-library) period=2048 ;;
	*) period=16384 ;;
	esac
	MEMPHIS_PERIOD=$period MEMPHIS_OUTPUT=$out/$name site-user "$program" "$name" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
done
# Root counts all accesses exactly, to compare the bytes that are read of each cache line.
MEMPHIS_PERIOD=32768 MEMPHIS_OUTPUT=$out/walks truth run 0 site-user "$(dirname "$program")/walks" > "$out/walks.out" 2> "$out/walks.err"
echo $? > "$out/walks.status"
exit 0
