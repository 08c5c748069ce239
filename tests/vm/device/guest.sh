#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: all checks of the device in one boot. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu PROGRAM...
set -u

programs=$1
module=$2
sampler=$3
# shellcheck source=tests/vm/library/dense.sh
. "$programs/dense.sh"
shift 3

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

registers=/sys/bus/pci/devices/0000:00:1f.2/resource5
# Runs a program as the user of a site. Files that only root may open are opened here: the machine's count of samples, a limit
# that a check changes, the switch of a CPU, and the registers of the machine's SATA controller.
program()
{
	name=$1
	shift
	FILE_REGISTERS=5 FILE_RING_BUDGET=6 FILE_THREADS_MAX=7 FILE_MSR=8 FILE_ONLINE=9 site-user "$programs/$name" "$@" \
		5<> "$registers" 6<> /sys/module/memphis/parameters/ring_budget_bytes 7<> /sys/module/memphis/parameters/threads_max \
		8< /dev/cpu/0/msr 9<> /sys/devices/system/cpu/cpu3/online
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

# Runs a program with the library in it, for tests/vm/smoke.bats.
library()
{
	mkdir -p /root/out && chown user /root/out
	sample_densely 4096
	MEMPHIS_OUTPUT=/root/out/halves site-user "$programs/halves" > /root/out/halves.out 2> /root/out/halves.err
	echo $? > /root/out/halves.status
	if [ -e /sys/bus/event_source/devices/ibs_op/format/swfilt ]; then
		by_perf 1
		by_perf 2
		sysctl -q kernel.perf_event_paranoid=2
		# The files of its threads are the user's.
		mkdir /root/out/rights && chown user /root/out/rights
		MEMPHIS_BACKEND=perf MEMPHIS_OUTPUT=/root/out/rights "$programs/rights" "$(id -u user)" > /root/out/rights.err 2>&1
		echo $? > /root/out/rights.status
	fi
}

# by_perf PARANOID: the same by perf, which drops samples of the kernel if the user may not see them.
by_perf()
{
	before=$(truth delivered | awk '$1 == "all" { print $2 }')
	MEMPHIS_BACKEND=perf MEMPHIS_OUTPUT=/root/out/perf-$1 site-user --perf-event-paranoid "$1" "$programs/halves" \
		> /dev/null 2> "/root/out/perf-$1.err"
	echo $? > "/root/out/perf-$1.status"
	echo $(($(truth delivered | awk '$1 == "all" { print $2 }') - before)) > "/root/out/perf-$1.delivered"
}

# Makes CLOCK_MONOTONIC 10 % faster than the hardware's counter, as far as NTP can adjust it, so that samples with the time of
# another clock show.
adjtimex -q -t 11000
# Loaded first with the defaults of a node, then with minimum periods that IBS can't count, and for all that follows with a
# minimum period that suits an emulated CPU.
insmod "$module"
"$programs/requests" "$sampler" by-default
rmmod memphis
insmod "$module" period_min=1000 period_min_cpu=5000
"$programs/requests" "$sampler" rounded
rmmod memphis
insmod "$module" period_min_cpu=1024
ok "the module can be loaded" [ -c /dev/memphis ]
ok "the device is root's alone" [ "$(stat -c '%a %U' /dev/memphis)" = "600 root" ]
ok "a user is refused" sh -c 'su user -c "cat /dev/memphis" 2>&1 | grep -q "Permission denied"'
for name in "$@"; do
	case $name in
	requests)
		program requests "$sampler"
		# Started as root, who may open a perf event for a whole CPU; its checks then run as the user.
		"$programs/requests" "$sampler" perf
		ok "requests while perf samples ends well" [ $? -eq 0 ]
		;;
	processes)
		# Thread IDs are used again soon.
		before=$(cat /proc/sys/kernel/pid_max)
		echo 600 > /proc/sys/kernel/pid_max
		program processes
		echo "$before" > /proc/sys/kernel/pid_max
		;;
	storm) program storm 10 1 ;;
	library) library ;;
	*) program "$name" ;;
	esac
done

exec 9< /dev/memphis
ok "the module can't be removed while its device is open" sh -c '! rmmod memphis 2> /dev/null'
ok "the device still works after the attempt to remove the module" sh -c "site-user '$programs/maps' small > /dev/null"
exec 9<&-
ok "the module can be removed when all is closed" rmmod memphis
ok "the device is gone after the module was removed" [ ! -e /dev/memphis ]
insmod "$module" period_min_cpu=1024
ok "the module can be loaded again" [ -c /dev/memphis ]
program maps small
rmmod memphis
