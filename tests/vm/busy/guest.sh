#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: all checks of a busy node in one boot. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu MEMPHIS OUT VISITORS THREADS
# VISITORS is the number of threads that a program attaches by itself; MEMPHIS is the tool, which records a program with THREADS
# threads; sample files and other results go to OUT.
set -u

programs=$1
module=$2
sampler=$3
memphis=$4
out=$5
visitors=$6
threads=$7
mkdir -p "$out" && chown user "$out"

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# program NAME ARGUMENT...: runs a program as the user of a site. Only root may open the machine's count of samples and the
# kernel's list of its allocations.
program()
{
	name=$1
	shift
	FILE_MSR=8 FILE_VMALLOCINFO=9 site-user "$programs/$name" "$@" 8< /dev/cpu/0/msr 9< /proc/vmallocinfo
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

# administrator NAME ARGUMENT...: runs a program as root, because it reconfigures the node while it is sampled.
administrator()
{
	name=$1
	shift
	"$programs/$name" "$@"
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

# quietly COMMAND...: suppresses the kernel's messages, because the runner would take the OOM killer's expected report for a
# complaint.
quietly()
{
	dmesg -n 1
	dmesg -c > /dev/null
	"$@"
	ok "the kernel logs nothing but the OOM killer's report" \
		sh -c '! dmesg | grep -E "WARNING: |BUG: |Oops|lockup|stall|Bad page|refcount_t"'
	dmesg -n 7
}

delivered()
{
	truth delivered | awk '$1 == "all" { print $2 }'
}

# recorded NAME ARGUMENT...: records a crew on two CPUs, as in churn; sample files go to OUT/NAME, the rest to OUT/NAME.*
recorded()
{
	files=$out/$1
	shift
	before=$(delivered)
	site-user taskset 3 "$memphis" record -o "$files" -- "$programs/crew" "$@" > "$files.out" 2> "$files.err"
	ok "record of ${files##*/} ends well" [ $? -eq 0 ]
	echo $(($(delivered) - before)) > "$files.delivered"
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

mkdir /cgroup
mount -t cgroup2 none /cgroup
echo +memory > /cgroup/cgroup.subtree_control
insmod "$module" period_min_cpu=1024
# Takes CPUs offline and online.
administrator cpus "$sampler"
program crowd "$sampler"
# Switches on automatic page migration.
administrator pages "$sampler"
# Freezes a cgroup.
administrator pause "$sampler"
# Changes perf's limits.
administrator throttle "$sampler"
program life 1 600
program life 2 600
program churn "$visitors"
# IBS counts the kernel's ops, too. PEBS counts few loads in each short thread: all of them, or those that missed the L3.
if [ -d /sys/bus/event_source/devices/ibs_op ]; then
	export MEMPHIS_PERIOD=65536
else
	export MEMPHIS_PERIOD=101
	[ -e /sys/bus/event_source/devices/cpu/events/mem-loads-aux ] || export MEMPHIS_MIN_LATENCY=3
fi
# Creating the ring is most of the cost of a short thread.
export MEMPHIS_RING_RECORDS=64
recorded crews "$threads" 4 2000
echo 16 > /sys/module/memphis/parameters/threads_max
# Threads linger, so that the drain looks for new threads while they end.
recorded room 64 64 20000 5000
echo 4096 > /sys/module/memphis/parameters/threads_max
# Exhausts the memory of a cgroup.
quietly administrator memory "$sampler"
ok "the module can be removed at the end" rmmod memphis
