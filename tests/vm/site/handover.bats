#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The hand-over that prologs and epilogs call, with the real device: it opens the device to one user and closes it, after which
# the kernel counts no user. If this test fails, the hand-over works only with stand-ins (tests/batch).

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    local status=0 command puts=()
    work=$(results_dir)
    export work
    rm -rf "$work"
    mkdir -p "$work"
    for command in bash setfacl getfacl stat find xargs timeout flock grep awk sed sort cut mktemp setpriv realpath; do
        puts+=(--put "$(realpath "$(command -v "$command")"):/usr/bin/$command")
    done
    # Holds a file without opening it, as there is no block device with this number that could be opened.
    gcc -O1 -static -o "$work/names" -x c - <<'TEXT'
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv) { return argc == 2 && open(argv[1], O_PATH) >= 0 ? pause() : 1; }
TEXT
    puts+=(--put "$work/names:/root/names")
    cat > "$work/guest.sh" <<'TEXT'
printf 'root:x:0:0::/root:/bin/sh\n' > /etc/passwd
mkdir -p /etc/memphis /run
printf 'NODES=node1\nUSERS=alice\nNODE_CHECK=none\nGRACE_SECONDS=1\n' > /etc/memphis/batch.conf
as_alice="setpriv --reuid 3001 --regid 3001 --clear-groups bash -c"
handover=/root/batch/handover
$handover close; echo "closed: $? $(cat /sys/module/memphis/refcnt)"
$handover check; echo "fit: $?"
$handover open 7 3001
getfacl -cnp /dev/memphis
$as_alice 'trap "" TERM; exec 8<> /dev/memphis; while :; do sleep 1000; done' &
until [ "$(cat /sys/module/memphis/refcnt)" -gt 0 ]; do sleep 0.1; done
$handover close 7; echo "closed: $? $(cat /sys/module/memphis/refcnt)"
$handover check; echo "fit: $?"
$as_alice 'exec 8<> /dev/memphis' 2> /dev/null || echo refused
# A block device with the number of the device.
mknod /tmp/block b $(($(stat -c 0x%t /dev/memphis))) $(($(stat -c 0x%T /dev/memphis)))
cp /root/names /tmp
setpriv --reuid 3002 --regid 3002 --clear-groups /tmp/names /tmp/block &
until [ "$(readlink /proc/$!/fd/3)" = /tmp/block ]; do sleep 0.1; done
$handover close; kill -0 $! && echo alive
# With a stand-in for the tool, which says what it is asked, and who has the device then.
mkdir -p /usr/local/bin
printf '#!/bin/bash\necho "$*: $(getfacl -cnp /dev/memphis | grep -c user:3001)" >> /root/asked\n[ "$3" = on ]\n' > /usr/local/bin/memphis
chmod +x /usr/local/bin/memphis
$handover open 8 3001; $handover close 8; [ ! -e /root/asked ] && echo not asked
echo CONTROLLERS=on >> /etc/memphis/batch.conf
$handover open 9 3001; $handover close 9; echo "closed: $?"
# The site has changed its mind, and the counters could not be switched off: the next job does not see them.
sed -i /^CONTROLLERS=/d /etc/memphis/batch.conf
printf '#!/bin/bash\necho "$*: $(getfacl -cnp /dev/memphis | grep -c user:3001)" >> /root/asked\n' > /usr/local/bin/memphis
$handover open 10 3001; $handover close 10
cat /root/asked
TEXT
    boot_machine "$machines" --module "build/kmod/$machines/memphis.ko" --put "$PWD/batch:/root/batch" "${puts[@]}" \
        --put "$work/guest.sh:/root/guest.sh" --log "$work/$machines.log" -- bash /root/guest.sh \
        > "$work/$machines.txt" 2> "$work/$machines.err" || status=$?
    echo "$status" > "$work/$machines.status"
}

@test "the kernel logs no complaint" {
    all_ended_well
}

@test "the device is open to the job's user alone, then closed, and the kernel counts no process that holds it; one with a block device of the same number lives" {
    [ "$(< "$work/$machines.txt")" = 'closed: 0 0
fit: 0
user::rw-
user:3001:rw-
group::---
mask::rw-
other::---

closed: 0 0
fit: 0
refused
alive
not asked
closed: 0
node --controllers on: 0
node --controllers off: 0
node --controllers off: 0' ]
    grep -qxF 'memphis: cannot switch the counters of memory controllers off: ' "$work/$machines.err"
    grep -qE '^memphis: /dev/memphis: sending SIGKILL to [0-9 ]+, which still have it open$' "$work/$machines.err"
}
