#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: all checks of the device in one boot. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu PROGRAM...
set -u

programs=$1
module=$2
sampler=$3
shift 3

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# Runs a program as the user of a site. Files that only root may open are opened here: the machine's count of samples, a limit
# that a check changes, and the switch of a CPU.
program()
{
	name=$1
	shift
	FILE_RING_BUDGET=6 FILE_THREADS_MAX=7 FILE_MSR=8 FILE_ONLINE=9 site-user "$programs/$name" "$@" \
		6<> /sys/module/memphis/parameters/ring_budget_bytes 7<> /sys/module/memphis/parameters/threads_max \
		8< /dev/cpu/0/msr 9<> /sys/devices/system/cpu/cpu3/online
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

# Runs a program with the library in it, for tests/vm/smoke.bats.
library()
{
	mkdir -p /root/out && chown user /root/out
	# IBS counts ops. PEBS counts loads of at least a given latency: here all loads, which are fewer than the ops.
	if grep -q GenuineIntel /proc/cpuinfo; then
		export MEMPHIS_PERIOD=4093 MEMPHIS_MIN_LATENCY=3
	else
		export MEMPHIS_PERIOD=4096
	fi
	MEMPHIS_OUTPUT=/root/out/halves site-user "$programs/halves" > /root/out/halves.out 2> /root/out/halves.err
	echo $? > /root/out/halves.status
}

# Loaded first with the defaults of a node, then, for all that follows, with a minimum period that suits an emulated CPU.
insmod "$module"
"$programs/requests" "$sampler" by-default
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
