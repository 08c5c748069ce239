#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: the storm, on a module that is loaded for it. usage: storm.sh DIR-OF-PROGRAMS MODULE task|cpu ROUNDS SESSIONS
# SESSIONS: of the largest process; more than the kernel's work queues take for a node at once fill these.
set -u

programs=$1
module=$2
rounds=$4
sessions=$5

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# When something hangs, the machine may not power off.
storm()
{
	if "$programs/storm" "$@"; then
		echo "# $(cut -d' ' -f1 /proc/uptime)"
		return
	fi
	echo "not ok storm ends well"
	sleep 2
	echo b > /proc/sysrq-trigger
}

# Linux 6.12 and later may warn by themselves when a CPU goes offline while its server for fair tasks runs (kernel/sched/deadline.c:
# "dl_rq->running_bw > old"). A server without a budget does not run.
for server in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
	[ ! -e "$server" ] || echo 0 > "$server"
done

insmod "$module" period_min_cpu=1024
ok "storm: the module can be loaded" [ -c /dev/memphis ]
# Everything that is done here needs root, or becomes several users in turn.
storm "$rounds" "$sessions"
storm "$rounds" "$sessions" sampled
ok "storm ends well" true
ok "storm: the module can be removed afterwards" rmmod memphis
ok "storm: the module can be loaded again" insmod "$module" period_min_cpu=1024
rmmod memphis
