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

program()
{
	name=$1
	shift
	"$programs/$name" "$@"
	ok "$name ends well" [ $? -eq 0 ]
	echo "# $(cut -d' ' -f1 /proc/uptime)"
}

program_of_user()
{
	site-user "$programs/$1"
	ok "$1 ends well" [ $? -eq 0 ]
}

insmod "$module"
ok "the module can be loaded" [ -c /dev/memphis ]
ok "the device is root's alone" [ "$(stat -c '%a %U' /dev/memphis)" = "600 root" ]
ok "a user is refused" sh -c 'su user -c "cat /dev/memphis" 2>&1 | grep -q "Permission denied"'
for name in "$@"; do
	case $name in
	requests) program requests "$sampler" ;;
	storm) program storm 10 1 ;;
	homes) program_of_user homes ;;
	*) program "$name" ;;
	esac
done

exec 9< /dev/memphis
ok "the module can't be removed while its device is open" sh -c '! rmmod memphis 2> /dev/null'
ok "and still works" sh -c "'$programs/maps' > /dev/null"
exec 9<&-
ok "the module can be removed when all is closed" rmmod memphis
ok "the device has gone" [ ! -e /dev/memphis ]
insmod "$module"
ok "the module can be loaded again" [ -c /dev/memphis ]
program maps
rmmod memphis
