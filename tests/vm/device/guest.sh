#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: checks of the device, all in one boot. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu PROGRAM...
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

# A program as the user of a site. What only root may open is opened here: the machine's count of samples, a limit that a
# check changes, the switch of a CPU.
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

# A program with the library in it, which tests/vm/smoke.bats looks at.
library()
{
	mkdir -p /root/out && chown user /root/out
	# IBS counts ops. PEBS counts loads of a latency or more: all of them here, which are a part of the ops.
	if grep -q GenuineIntel /proc/cpuinfo; then
		export MEMPHIS_PERIOD=4093 MEMPHIS_MIN_LATENCY=3
	else
		export MEMPHIS_PERIOD=4096
	fi
	MEMPHIS_OUTPUT=/root/out/halves site-user "$programs/halves" > /root/out/halves.out 2> /root/out/halves.err
	echo $? > /root/out/halves.status
}

# As it is loaded on a node; then, for all that follows, with a period that an emulated CPU counts out in time.
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
		# As root, who opens an event of perf's for a whole CPU; its checks are the user's again.
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
ok "and still works" sh -c "site-user '$programs/maps' > /dev/null"
exec 9<&-
ok "the module can be removed when all is closed" rmmod memphis
ok "the device has gone" [ ! -e /dev/memphis ]
insmod "$module" period_min_cpu=1024
ok "the module can be loaded again" [ -c /dev/memphis ]
program maps
rmmod memphis
