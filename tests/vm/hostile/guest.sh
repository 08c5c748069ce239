#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: all hostile programs in one boot. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu
set -u

programs=$1
module=$2

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

insmod "$module" period_min_cpu=1024
ok "the module can be loaded" [ -c /dev/memphis ]
program arguments
program mapping
program tamper
program users
program foreign
program secrets
program chaos 2000 1
program example
ok "nothing is left open or mapped: the module can be removed" rmmod memphis
