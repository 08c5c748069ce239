#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each workload once under sampling as the user of a site, while the machine counts every access of all of
# them. Counting and the setting of huge pages need root.
# usage: guest.sh DIR OUT
set -u

programs=$1
out=$2
mkdir -p "$out" && chown user "$out"
# A huge page would hold several variables.
echo never > /sys/kernel/mm/transparent_hugepage/enabled
# Idle threads sleep, because the machine's CPUs share the host's.
export MEMPHIS_PERIOD=32768 OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive

# sampled NAME COMMAND...: runs a program, started on node 0, where the C library then touches the main thread's own data.
sampled()
{
	name=$1
	shift
	MEMPHIS_OUTPUT=$out/$name site-user taskset 1 "$@" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
	echo "$name $(cut -d' ' -f1 /proc/uptime)"
}

truth start || exit
for name in static heap cookies module common copies component automatic member arena tls stack sharing shared cg \
	module-flang-2 component-flang-2 automatic-flang-0 automatic-flang-2 automatic-flang-3; do
	sampled "$name" "$programs/$name"
done
sampled plugin "$programs/host" "$programs/libplugin.so"
sampled reload "$programs/reload" "$programs/libplugin.so"
sampled mapping "$programs/mapping" /tmp/climate.dat
truth stop && truth dump
