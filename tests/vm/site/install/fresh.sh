#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In a fresh system with the packages in /srv/out; the results go there, too.
# usage: fresh.sh install|remove RELEASE
set -euxo pipefail
export DEBIAN_FRONTEND=noninteractive
out=/srv/out
action=$1
release=$2
ours=$(cd "$out" && for file in *.deb; do echo "${file%%_*}"; done)
apt=(apt-get -q -y --no-install-recommends)

# Prints every file with a checksum, except files that apt, dpkg, the loader and depmod maintain, and DKMS's signing key, which
# is created at the first build of any module.
tree()
{
	find / -xdev \( -path /srv -o -path /proc -o -path /tmp -o -path /run -o -path /dev -o -path /var/cache -o -path /var/log \
		-o -path /var/lib/apt -o -path /var/lib/dpkg -o -path '/var/lib/dkms/mok.*' -o -path /etc/ld.so.cache \
		-o -path '/usr/lib/modules/*/modules.*' -o -path '/lib/modules/*/modules.*' \) -prune -o \
		-path '/etc/*-' -o -printf '%y %m %u:%g %p %l\n' | sort
	find /etc /usr/lib/modules /lib/modules /usr/src -xdev -type f ! -name 'modules.*' ! -path '/etc/*-' ! -name ld.so.cache \
		-exec sha256sum {} + 2> /dev/null | sort -k 2
}

"${apt[@]}" update
if [ "$action" = remove ]; then
	# shellcheck disable=SC2046 # package names
	"${apt[@]}" install $(cat "$out/depends")
	tree > "$out/before"
	"${apt[@]}" install "$out"/*.deb
	# shellcheck disable=SC2086 # package names
	"${apt[@]}" purge $ours
	tree > "$out/after"
	exit 0
fi

# Prints the names of all installed packages.
installed()
{
	dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' | sed -n 's/ installed$//p' | sort
}

installed > /tmp/before
# openssl is only recommended; with it, DKMS signs modules.
"${apt[@]}" install "$out"/*.deb "linux-headers-$release" openssl
installed | comm -13 /tmp/before - | grep -v memphis > "$out/depends"
dkms status > "$out/dkms"
modinfo -k "$release" -F version memphis > "$out/modinfo.version"
modinfo -k "$release" -F signer memphis > "$out/modinfo.signer"
getent group memphis | sed 's/:[0-9]*:/:GID:/' > "$out/group"

if [ -e /usr/include/memphis.h ]; then
	"${apt[@]}" install gcc libc6-dev
	printf '#include <memphis.h>\n#include <stdio.h>\nint main(void) { return puts(memphis_version()) < 0; }\n' > /tmp/c.c
	gcc -Wall -Werror -o /tmp/c /tmp/c.c -lmemphis
	/tmp/c > "$out/c.out"
	python3 -c 'import memphis; print(memphis.version())' > "$out/python.out"
	gcc -O2 -g -pthread -o /usr/local/bin/hotspot /srv/memphis/tests/workloads/programs/hotspot.c
	# Packs the run-time system without build tools; the guest provides the directories that are mounts.
	tar -C / -cf "$out/root.tar" --one-file-system --exclude=./srv --exclude=./proc --exclude=./sys --exclude=./dev --exclude=./tmp \
		--exclude=./run --exclude=./var --exclude=./boot --exclude=./usr/share --exclude=./usr/include --exclude=./usr/src \
		--exclude=./usr/lib/gcc --exclude='./usr/lib/modules/*/kernel' --exclude='./usr/lib/linux-*' --exclude='*.a' --exclude='./usr/lib/x86_64-linux-gnu/perl*' \
		--exclude='./usr/lib/python*' --exclude='./usr/lib/x86_64-linux-gnu/gconv' --exclude='./usr/bin/*-linux-gnu-*' \
		--exclude='./usr/lib/x86_64-linux-gnu/lib[at]san*' --exclude='./usr/libexec' .
	rm /usr/local/bin/hotspot
fi
# shellcheck disable=SC2086 # package names
"${apt[@]}" purge $ours
{
	find / -xdev \( -path /srv -o -path /proc -o -path /tmp -o -path /var/log -o -path /var/cache/apt \) -prune -o -iname '*memphis*' -print
	grep memphis /etc/passwd /etc/group /etc/gshadow || :
	dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' | grep memphis || :
} > "$out/purged"
