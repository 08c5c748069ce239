#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The user of a computing site, whom tests use for sampling. If these tests fail, other tests show the behaviour for root, or for a
# user that exists on no site.
# shellcheck disable=SC2154 # bats sets $stderr

load common

@test "site-user runs a command as an ordinary user in a cgroup with controllers, under the site's limits" {
	# shellcheck disable=SC2016 # the guest's shell expands it
	guest --env KEPT=kept --cwd /tmp -- sh -c '
		cat /proc/self/cgroup
		touch /dev/memphis && chmod 600 /dev/memphis
		site-user sh -c "
			id
			cat /proc/self/cgroup
			grep -e ^Cap -e ^NoNewPrivs /proc/self/status
			cat /proc/sys/kernel/perf_event_paranoid /proc/sys/kernel/yama/ptrace_scope
			cat /sys/fs/cgroup/cgroup.subtree_control /sys/fs/cgroup/site.slice/cgroup.subtree_control
			cat /sys/fs/cgroup/site.slice/job.scope/cgroup.controllers
			stat -c \"%A %U %G\" /dev/memphis
			echo \$KEPT \$HOME \$USER \$PWD
			cat /dev/cpu/0/msr
			exit 7"
		echo "status $?"
		id -u'
	[ "$status" -eq 0 ]
	[ "$output" = "0::/
uid=1000(user) gid=1000(user) groups=990(memphis),1000(user)
0::/site.slice/job.scope
CapInh:	0000000000000000
CapPrm:	0000000000000000
CapEff:	0000000000000000
CapBnd:	000001ffffffffff
CapAmb:	0000000000000000
NoNewPrivs:	0
3
1
cpu memory pids
cpu memory pids
cpu memory pids
-rw-rw---- root memphis
kept /home/user user /tmp
status 7
0" ]
	[[ "$stderr" == *"cat: can't open '/dev/cpu/0/msr': Permission denied"* ]]
}

@test "site-user without root's rights, without its cgroups or without a command ends with status 125 and runs nothing" {
	# shellcheck disable=SC2016 # the guest's shell expands it
	guest -- sh -c '
		site-user site-user echo not reached; echo "status $?"
		site-user; echo "status $?"
		site-user no-such-command; echo "status $?"
		site-user --perf-event-paranoid 1 cat /proc/sys/kernel/perf_event_paranoid; echo "status $?"
		mount -t tmpfs none /sys/fs/cgroup
		site-user echo not reached; echo "status $?"
		umount /sys/fs/cgroup
		mount -t tmpfs none /proc/sys/kernel
		site-user echo not reached; echo "status $?"
		umount /proc/sys/kernel'
	[ "$status" -eq 0 ]
	[ "$output" = "status 125
status 125
status 127
1
status 0
status 125
status 125" ]
	[ "$stderr" = "site-user: setting up a site: Operation not permitted. Run as root.
usage: site-user [--perf-event-paranoid N] [--ptrace-scope N] CMD [ARG...]
site-user: no-such-command: No such file or directory
site-user: /sys/fs/cgroup/cgroup.subtree_control: No such file or directory. The guest's first process mounts cgroup2 there.
site-user: /proc/sys/kernel/perf_event_paranoid: No such file or directory." ]
}
