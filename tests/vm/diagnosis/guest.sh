#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: each of these programs once, as the user of a site; reports are made elsewhere. Huge pages are root's to switch off.
# usage: guest.sh PROGRAM OUT NAME...
set -u

program=$1
out=$2
shift 2
# First touch decides about pages. Huge ones would span parts of several owners.
echo never > /sys/kernel/mm/transparent_hugepage/enabled
mkdir -p "$out" && chown user "$out"
for name in "$@"; do
	# Lines that are shared go to and fro some ten thousand times only: the rest of the time threads wait for their turns.
	case $name in
	*-sharing | padded) period=1024 ;;
	*) period=16384 ;;
	esac
	MEMPHIS_PERIOD=$period MEMPHIS_OUTPUT=$out/$name site-user "$program" "$name" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
done
exit 0
