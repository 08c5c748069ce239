#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: perf and Memphis on the same hardware. usage: guest.sh DIR-OF-PROGRAMS MODULE task|cpu
set -u

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

insmod "$2" period_min_cpu=1024
# Run as root, because it opens perf events of other users.
ok "rival ends well" "$1/rival" "$3"
ok "the module can be removed at the end" rmmod memphis
