#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In a build chroot: installs and removes the module in each of the ways, and leaves the results in /srv/out.
# usage: module.sh RELEASE
set -uo pipefail
cd /srv/memphis || exit 1
export KDIR=/lib/modules/$1/build
out=/srv/out

# Prints every file and directory of the system, except those that depmod and groupadd rewrite, which are checked separately.
tree()
{
	find / -xdev \( -path /srv -o -path /proc -o -path /tmp \) -prune -o ! -name '*-' ! -path '*/modules.*' -printf '%p %y %m %l\n' | sort
}

# Directories that other software uses as well, and the lock file of the programs for users and groups; they must stay.
mkdir -p /etc/sysusers.d /usr/local/share/doc /usr/local/share/man/man4
install -m 600 /dev/null /etc/.pwd.lock
tree > "$out/before"
make install-module > "$out/install-module" 2>&1
echo "status $?" >> "$out/install-module"
tree > "$out/installed"
getent group memphis | sed 's/:[0-9]*:/:GID:/' > "$out/group"
cp "/lib/modules/$1/modules.dep" "$out/modules.dep"
cp "/lib/modules/$1/updates"/memphis.ko* "$out"
make uninstall-module > "$out/uninstall-module" 2>&1
echo "status $?" >> "$out/uninstall-module"
tree > "$out/after"
getent group memphis > "$out/group.after"

# A group with members belongs to the site and stays.
make install-module > /dev/null 2>&1
gpasswd -a nobody memphis > /dev/null 2>&1
make uninstall-module > "$out/uninstall-members" 2>&1
getent group memphis | sed 's/:[0-9]*:/:GID:/' > "$out/group.members"
groupdel memphis

# The module is signed before it is installed.
make -C kmod > /dev/null 2>&1
for key in "KEY= CERT=" "KEY=/nonexistent/key CERT=$out/cert.der" "KEY=$out/key.pem CERT=$out/cert.der" "KEY=$out/key.pem CERT=$out/cert.der"; do
	# shellcheck disable=SC2086 # two arguments
	make sign $key
	echo "status $?"
done > "$out/sign" 2>&1
make install-module DESTDIR=/srv/signed > "$out/install-signed" 2>&1
find /srv/signed -type f -printf '%P %m\n' | sort > "$out/signed.tree"
cp "/srv/signed/lib/modules/$1/updates"/memphis.ko* "$out/signed/"
make -C kmod clean > /dev/null 2>&1

make install-module KDIR=/nonexistent > "$out/no-headers" 2>&1
echo "status $?" >> "$out/no-headers"
make install-dkms > "$out/no-dkms" 2>&1
echo "status $?" >> "$out/no-dkms"

# DKMS runs the commands of dkms.conf in a copy of the tree.
make install-dkms-files DESTDIR=/srv/dkms
cp -a /srv/dkms/usr/src/memphis-* /srv/dkms/copy
cd /srv/dkms/copy || exit 1
# shellcheck disable=SC2034 # dkms.conf uses it
kernel_source_dir=$KDIR
# shellcheck disable=SC1091 # made above
. ./dkms.conf
eval "${MAKE[0]}" > "$out/dkms.make" 2>&1
echo "status $?" >> "$out/dkms.make"
cp "${BUILT_MODULE_LOCATION[0]}/${BUILT_MODULE_NAME[0]}.ko" "$out/dkms.ko"
eval "$CLEAN" > "$out/dkms.clean" 2>&1
echo "status $?" >> "$out/dkms.clean"
(cd /srv/dkms/usr/src/memphis-* && find . -printf '%p %y %m\n' | sort) > "$out/dkms.tree"
find . -printf '%p %y %m\n' | sort > "$out/dkms.cleaned"
