#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: what the site's policy forbids. usage: guest.sh DIR-OF-PROGRAMS MODULE SAMPLER MEMPHIS [record-refused]
set -u

programs=$1
module=$2
memphis=$4

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# record NAME: records a program, which only prints its usage; its files, or the message, are in /root/out.
record()
{
	mkdir "/root/out/$1" && chown user "/root/out/$1"
	site-user "$memphis" record -o "/root/out/$1" -- "$programs/veto" > "/root/out/$1.out" 2> "/root/out/$1.err"
	echo "# $1: record: $?"
}

# The part that runs while the kernel refuses perf to the user.
if [ "${5:-}" = record-refused ]; then
	record refused
	exit
fi
mkdir /root/out
insmod "$module"
mount -t securityfs none /sys/kernel/security

# perf takes at most a quarter of the time, in 25000 interrupts per second: 10 microseconds each, on average over 128 of them.
echo 25 > /proc/sys/kernel/perf_cpu_time_max_percent
echo 25000 > /proc/sys/kernel/perf_event_max_sample_rate
site-user "$programs/rate"
ok "rate: the program ends well" [ $? -eq 0 ]
ok "rate: one user's interrupts do not lower the limit of the machine" \
	[ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" = 25000 ]
dmesg | grep 'took too long'
echo 10000000 > /proc/sys/kernel/perf_event_max_sample_rate

FILE_KVM=9 site-user "$programs/vcpu" 9<> /dev/kvm
ok "guest: the program ends well" [ $? -eq 0 ]

site-user "$programs/rights" ask usual
echo $((24 << 20)) > /sys/fs/cgroup/site.slice/job.scope/memory.max
site-user "$programs/rights" memory full
ok "memory: requests in a full cgroup invoke no OOM killer" grep -qx 'oom_kill 0' /sys/fs/cgroup/site.slice/job.scope/memory.events
echo max > /sys/fs/cgroup/site.slice/job.scope/memory.max
"$programs/veto" 1000 site-user "$programs/rights" ask refused
"$programs/veto" 1001 site-user "$programs/rights" ask another
"$programs/veto" 1000 sh "$0" "$programs" "$module" "$3" "$memphis" record-refused

# The capability that perf asks for is one of the initial user namespace, in which this user has none.
site-user unshare --user --map-root-user "$programs/rights" ask namespace

site-user --ptrace-scope 0 "$programs/rights" other 'yama 0'
site-user --ptrace-scope 1 "$programs/rights" other 'yama 1'

echo integrity > /sys/kernel/security/lockdown
site-user "$programs/rights" ask integrity
echo confidentiality > /sys/kernel/security/lockdown
site-user "$programs/rights" ask confidentiality
record locked
