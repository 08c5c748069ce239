#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: all hostile programs in one boot. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu ROUNDS STORMS SESSIONS
# ROUNDS: how often the search for secrets repeats its work. STORMS, SESSIONS: see storm.sh.
set -u

programs=$1
module=$2
rounds=$4

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# Runs a program as the user of a site. Only root may open the machine's count of samples.
program()
{
	name=$1
	shift
	FILE_MSR=8 site-user "$programs/$name" "$@" 8< /dev/cpu/0/msr
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

# Runs a program as root, because it becomes several users in turn, or makes namespaces and setuid programs.
users()
{
	name=$1
	shift
	"$programs/$name" "$@"
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

insmod "$module" period_min_cpu=1024
ok "the module can be loaded" [ -c /dev/memphis ]
users arguments
program mapping
program tamper
users users
users foreign
users secrets "$rounds"
users chaos 2000 1
users switched 100
program example
ok "the module can be removed, as nothing is left open or mapped" rmmod memphis
sh "$programs/storm.sh" "$programs" "$module" "$3" "$5" "$6"
