#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest, as root: switches to the installed system and performs the tasks of its administrator and its users.
mkdir -p /fresh /out
tar -C /fresh -xf /root.tar
rm /root.tar
cd /fresh || exit 1
for directory in proc sys dev; do
	mkdir "$directory"
	mount --bind "/$directory" "$directory" || exit 1
done
mkdir -m 1777 tmp
mkdir -p run var/log out srv
mount --bind /out /fresh/out

cat > /fresh/guest.sh << 'TEXT'
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
# Makes systemd's tools work although the system was entered by chroot.
export SYSTEMD_IGNORE_CHROOT=1
useradd -m alice
useradd -m bob
usermod -a -G memphis alice
if [ -x /usr/lib/systemd/systemd-udevd ]; then /usr/lib/systemd/systemd-udevd --daemon; else /lib/systemd/systemd-udevd --daemon; fi
modprobe memphis
udevadm settle
stat -c '%a %U %G' /dev/memphis > /out/device
su - alice -c 'memphis record -o samples --period 32768 -- hotspot 16 6' > /out/record 2>&1
echo "status $?" >> /out/record
su - alice -c 'memphis report --format paper samples' > /out/report 2>&1
echo "status $?" >> /out/report
su - bob -c 'memphis record -o samples -- hotspot 1 1' > /out/refused 2>&1
echo "status $?" >> /out/refused
TEXT
chroot /fresh /bin/bash /guest.sh
