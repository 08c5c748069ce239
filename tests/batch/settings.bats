#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The settings of a site: mistakes are reported line by line, and all installed files can be removed. If these tests fail, other
# settings are in effect than the administrator wrote.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    conf=$BATS_TEST_TMPDIR/batch.conf
}

@test "the example is refused until nodes and users are filled in, and the settings in force are printed" {
    run -2 batch/settings.sh batch/batch.conf
    [ "$output" = "memphis: error: batch/batch.conf:$(grep -n '^NODES=$' batch/batch.conf | cut -d : -f 1): NODES=: must be a list of node names like a[0-3],b7
memphis: error: batch/batch.conf:$(grep -n '^USERS=$' batch/batch.conf | cut -d : -f 1): USERS=: must be all, or a comma-separated list of user names, and of groups like @staff" ]
    sed -e 's/^NODES=$/NODES=a0/' -e 's/^USERS=$/USERS=alice/' batch/batch.conf > "$conf"
    [ "$(batch/settings.sh "$conf")" = "$(printf '%s\n' POLICY=reservation NODES=a0 FIRST=no USERS=alice JOBS=asking RESERVATION=memphis QUEUE=memphis \
        GROUPS=memphis ACCOUNTS=none GRES=none PROCESSORS=none MODULE=memphis COMMANDS=none DEVICE=/dev/memphis NODE_CHECK=auto CONTROLLERS=off GRACE_SECONDS=5)" ]
}

@test "each mistake in the file is reported with its line, and a file with a mistake is not used" {
    printf '%s\n' '# a remark' 'POLICY=queues' 'NODES=a0,' 'USER=alice' 'junk' 'DEVICE=$(touch /tmp/x)' 'GRACE_SECONDS=99' 'GRACE_SECONDS=9' \
        'NODE_CHECK=memphis node' 'CONTROLLERS=yes' 'GROUPS=' 'ACCOUNTS=physics,' > "$conf"
    run -2 batch/settings.sh "$conf"
    [ "$output" = "memphis: error: $conf:2: POLICY=queues: must be reservation or queue
memphis: error: $conf:3: NODES=a0,: must be a list of node names like a[0-3],b7
memphis: error: $conf:4: no such setting: USER
memphis: error: $conf:5: not NAME=VALUE: junk
memphis: error: $conf:6: DEVICE: a value with blanks must be in double quotes, and must not contain quotes, \$, \` or \\
memphis: error: $conf:7: GRACE_SECONDS=99: must be a number of seconds from 0 to 59
memphis: error: $conf:8: GRACE_SECONDS is already set in an earlier line
memphis: error: $conf:9: NODE_CHECK: a value with blanks must be in double quotes, and must not contain quotes, \$, \` or \\
memphis: error: $conf:10: CONTROLLERS=yes: must be on or off
memphis: error: $conf:11: GROUPS=: must be none, or a comma-separated list of group names
memphis: error: $conf:12: ACCOUNTS=physics,: must be none, or a comma-separated list of account names
memphis: error: $conf: USERS is missing: must be all, or a comma-separated list of user names, and of groups like @staff" ]
    printf '%s\n' NODES=a0,a1 USERS=alice 'NODE_CHECK="/bin/check --all"' > "$conf"
    run -2 batch/settings.sh "$conf"
    [ "$output" = "memphis: error: $conf: NODES=a0,a1: must be a single node with POLICY=reservation" ]
    printf '%s\n' NODES=a0 USERS=alice GRES=memphis > "$conf"
    run -2 batch/settings.sh "$conf"
    [ "$output" = "memphis: error: $conf: GRES=memphis: must be none with POLICY=reservation, as a job has nodes without the device, too" ]
    run -2 batch/settings.sh "$conf.gone"
    [[ "$output" == "memphis: error: there is no $conf.gone"* ]]
}

@test "lists of nodes have ranges, and users are named by themselves, by their groups, or are all" {
    printf '%s\n' POLICY=queue 'NODES=b7,a[0-2,010],r[0-1]n[8-9]x' USERS=all GROUPS=none > "$conf"
    [ "$(batch/settings.sh "$conf" | grep NODES)" = NODES=b7,a0,a1,a2,a010,r0n8x,r0n9x,r1n8x,r1n9x ]
    local wrong row
    for wrong in 'a[0-' 'a[]' '[0-1]' 'a[0;1]' 'a[1-2-3]'; do
        printf '%s\n' POLICY=queue "NODES=$wrong" USERS=alice > "$conf"
        run -2 batch/settings.sh "$conf"
        [ "$output" = "memphis: error: $conf:2: NODES=$wrong: must be a list of node names like a[0-3],b7" ]
    done
    for row in 'a[3-0]|the range 3-0 ends before it begins' 'a[0-1]b[7,9-8]|the range 9-8 ends before it begins' \
        'a[0-99999]|more than 65536 nodes' 'a[0-255][0-255],b|more than 65536 nodes' 'a[0-999][0-999][0-999]|more than 65536 nodes'; do
        printf '%s\n' POLICY=queue "NODES=${row%|*}" USERS=alice > "$conf"
        run -2 batch/settings.sh "$conf"
        [ "$output" = "memphis: error: $conf: NODES=${row%|*}: ${row#*|}" ]
    done
    . batch/settings.sh
    [ "$(expand_names 'a[08-11,3]b[0],c')" = a08b0,a09b0,a10b0,a11b0,a3b0,c ]
    [ "$(expand_names 'a[0-255]b[0-255]' | tr , '\n' | sort -u | wc -l)" -eq 65536 ]
    chosen alice all
    chosen root bob,@root
    run ! chosen alice bob,@root
    run ! chosen 0 bob,@root
    run ! chosen root bob,root2
}

@test "root ignores a file that others may write" {
    [ "$(id -u)" -eq 0 ] || skip "root only"
    printf '%s\n' NODES=a0 USERS=alice > "$conf"
    batch/settings.sh "$conf"
    chmod 664 "$conf"
    run -2 batch/settings.sh "$conf"
    [[ "$output" == "memphis: error: $conf must belong to root and be writable by root only"* ]]
    chmod 644 "$conf"
    chown 65534 "$conf"
    run -2 batch/settings.sh "$conf"
}

@test "the keys of --memphis are settings of the library" {
    local key variable
    while read -r key variable; do
        grep -q "SETTING(\"$key\", \"${variable#MEMPHIS_}\"," libsampler/settings/env.c || { echo "$key $variable: not in libsampler/settings/env.c"; return 1; }
    done < <(sed -n 's/^\t{"\([a-z_]*\)", "\(MEMPHIS_[A-Z_]*\)",.*/\1 \2/p' batch/slurm/spank_memphis.c)
    [ "$(grep -cP '^\t\{"[a-z_]+", "MEMPHIS_' batch/slurm/spank_memphis.c)" -eq 14 ]
    # The help of srun and the page have all of them, in the order of the table.
    [ "$(sed -n 's/.*memphis.ko; keys: \(.*\)",$/\1/p' batch/slurm/spank_memphis.c | tr -d ', ')" = "$(sed -n 's/^\t{"\([a-z_]*\)", "MEMPHIS_.*/\1/p' batch/slurm/spank_memphis.c | tr -d '\n')" ]
}

@test "all files installed for a scheduler are removed again, except a file that the administrator has changed" {
    local root=$BATS_TEST_TMPDIR/root scheduler
    for scheduler in slurm moab; do
        make -s "install-$scheduler" DESTDIR="$root" BUILD="$PWD/build"
        [ -x "$root/usr/local/libexec/memphis/batch/handover" ]
        [ "$scheduler" = moab ] || grep -q '"/usr/local/libexec/memphis/batch/slurm/memphis.lua"' "$root/usr/local/libexec/memphis/batch/slurm/job_submit.lua"
        make -s "uninstall-$scheduler" DESTDIR="$root"
        [ "$(find "$root" -type f)" = "" ]
    done
    # A path may have characters that mean something to the commands that write it into files.
    make -s install-slurm DESTDIR="$root" SPANK=no prefix='/opt/R&D,\1'
    grep -qxF 'local memphis = dofile("/opt/R&D,\1/libexec/memphis/batch/slurm/memphis.lua")' "$root/opt/R&D,\\1/libexec/memphis/batch/slurm/job_submit.lua"
    make -s uninstall-slurm DESTDIR="$root" SPANK=no prefix='/opt/R&D,\1'
    [ "$(find "$root" -type f)" = "" ]
    make -s install-moab DESTDIR="$root"
    echo USERS=bob > "$root/etc/memphis/batch.conf"
    make -s install-moab DESTDIR="$root"
    run make -s uninstall-moab DESTDIR="$root"
    [ "$output" = "memphis: $root/etc/memphis/batch.conf has been changed and is kept" ]
    [ "$(cat "$root/etc/memphis/batch.conf")" = USERS=bob ]
}

@test "a group of the queue that does not exist is a warning with a remedy" {
    printf '%s\n' POLICY=queue NODES=a0 USERS=alice GROUPS=root,no-such-group > "$conf"
    run -0 --separate-stderr batch/settings.sh "$conf"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "memphis: warning: GROUPS=root,no-such-group: there is no group no-such-group here
memphis:   remedy: create it with USERS as its members, or name another group, or set GROUPS=none in $conf" ]
    for settings in 'POLICY=queue GROUPS=none' 'POLICY=queue GROUPS=root' 'POLICY=reservation GROUPS=no-such-group'; do
        # shellcheck disable=SC2086 # lines
        printf '%s\n' NODES=a0 USERS=alice $settings > "$conf"
        run -0 --separate-stderr batch/settings.sh "$conf"
        [ "$stderr" = "" ]
    done
}
