#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest, as root: uses the installed module and tool under the installed policy, with the system's own device manager.
# Results go to /root/out. usage: guest.sh DIRECTORY (with hotspot, system, signed/memphis.ko)
work=$1
out=/root/out
mkdir -p "$out" /etc/modprobe.d

# Prints name and value of each parameter of the module.
parameters()
{
	(cd /sys/module/memphis/parameters && grep '' ./* | sed 's,^\./,,; s,:,=,')
}

# An explicit path, because the shell would use busybox's applets, and busybox's depmod writes no index that kmod's tools read.
modprobe=/usr/sbin/modprobe
/usr/sbin/depmod
systemd-sysusers
sed -i 's/^\(memphis:.*:\)$/\1user/' /etc/group
sed 's/:[0-9]*:/:GID:/' /etc/group > "$out/groups"
systemd-udevd --daemon

"$modprobe" memphis
udevadm settle
stat -c '%a %U %G %F' /dev/memphis > "$out/device"
parameters > "$out/parameters"

cd /home/user || exit 1
su user -c "memphis record -o /tmp/samples --period 32768 -- $work/hotspot 16 6" > "$out/record" 2>&1
echo "status $?" >> "$out/record"
su user -c 'memphis report --format paper /tmp/samples' > "$out/report" 2>&1
echo "status $?" >> "$out/report"
su nobody -c "memphis record -o /tmp/none -- $work/hotspot 1 1" > "$out/refused" 2>&1
echo "status $?" >> "$out/refused"

# While a process samples, the module and everything installed must stay.
sleep 1000 3<> /dev/memphis &
until [ "$(cat /sys/module/memphis/refcnt)" -gt 0 ]; do sleep 0.1; done
"$work/system" unload > "$out/unload.busy" 2>&1
echo "status $?" >> "$out/unload.busy"
kill $!
wait $! 2> /dev/null
"$work/system" unload > "$out/unload" 2>&1
echo "status $?" >> "$out/unload"
ls -d /dev/memphis /sys/module/memphis > "$out/unloaded" 2>&1

# modprobe must accept each line of the example.
sed 's/^#options/options/; s/period_min=0/period_min=4096/; s/threads_max=4096/threads_max=17/' \
	"$work/modprobe.conf" > /etc/modprobe.d/memphis.conf
"$modprobe" memphis
parameters > "$out/parameters.set"
"$modprobe" -r memphis

# From here on, the kernel accepts only signed modules; only a reboot reverts this.
echo 1 > /sys/module/module/parameters/sig_enforce
for file in "$work/memphis.ko" "$work/signed/memphis.ko"; do
	dmesg -c > /dev/null
	insmod "$file" > "$out/insmod" 2>&1
	echo "status $?"
	cat "$out/insmod"
	dmesg | sed 's/^\[[^]]*\] //' | grep -i 'module'
done > "$out/enforced"
