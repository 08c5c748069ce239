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

insmod "$module"
program rival "$sampler"
ok "nothing keeps the module" rmmod memphis
