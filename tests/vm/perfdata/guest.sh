#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: one program recorded by perf alone, by perf beside the library, and by the library. As root, which may have physical addresses.
# usage: guest.sh DIR PROGRAM MEMPHIS OUT
set -u

dir=$1 program=$2 memphis=$3 out=$4
mkdir -p "$out"
tar -xf "$dir/perf.tar"
perf='perf/ld.so --library-path perf/lib perf/perf'
if [ -d /sys/bus/event_source/devices/ibs_op ]; then
	# perf would ask for a filter of guests that IBS lacks, and then not have the clock.
	period=8192
	least=
	event='ibs_op/cnt_ctl=1/GH --raw-samples'
else
	period=499
	least='--min-latency 3'
	event=cpu/mem-loads,ldlat=3/P
fi
options="-k mono -d --phys-data --sample-cpu -W -c $period -e $event"
# The words of $perf, $options and $least are divided at blanks, on purpose.
# shellcheck disable=SC2086
{
	$perf record $options -g -o "$out/alone.data" "$program"
	$perf record $options -g -z -o "$out/small.data" "$program"
	$perf record $options -g -o "$out/beside.data" "$memphis" record --backend none -o "$out/run" -- "$program"
	$perf record $options -o - "$program" > "$out/stream.data" 2> /dev/null
	"$memphis" record --backend perf --period "$period" $least -o "$out/own" -- "$program"
}
