#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: all checks of a busy node in one boot. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu
set -u

programs=$1
module=$2
sampler=$3

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

program()
{
	name=$1
	shift
	"$programs/$name" "$@"
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

# What the runner takes for the kernel's complaint, and the OOM killer's report on its own doing is, too.
quietly()
{
	dmesg -n 1
	dmesg -c > /dev/null
	"$@"
	ok "the kernel says nothing beside the OOM killer's report" \
		sh -c '! dmesg | grep -E "WARNING: |BUG: |Oops|lockup|stall|Bad page|refcount_t"'
	dmesg -n 7
}

mkdir /cgroup
mount -t cgroup2 none /cgroup
echo +memory > /cgroup/cgroup.subtree_control
insmod "$module"
program rival "$sampler"
program cpus "$sampler"
program crowd "$sampler"
program pages "$sampler"
program pause "$sampler"
program throttle "$sampler"
program life 1 600 1
program life 2 600 1
quietly program memory "$sampler"
ok "nothing keeps the module" rmmod memphis
