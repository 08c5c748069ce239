#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The commands that an administrator runs, with stand-ins for those of Slurm, of which batch.conf has the directory. If these tests fail, a
# site loses its reservation or its own programs, or users get the device whom nobody has chosen.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    batch=$PWD/batch
    bin=$BATS_TEST_TMPDIR/bin
    export bin MEMPHIS_BATCH_CONF=$BATS_TEST_TMPDIR/batch.conf
    mkdir "$bin"
    conf NODES=a0 USERS=alice
    # The stand-in for scontrol prints these files, and changes of the reservation as they are.
    stand_in scontrol 'case $* in
"show config") cat "$bin/config" ;;
"-o show reservation "*) [ ! -e "$bin/reservation" ] || cat "$bin/reservation" ;;
"-o show nodes") echo "NodeName=a0 State=IDLE" ;;
*) echo "scontrol $*" >> "$bin/changes" ;;
esac'
    stand_in squeue true
    : > "$bin/changes"
}

# conf LINE...: the site's settings.
conf() {
    printf '%s\n' COMMANDS="$bin" "$@" > "$MEMPHIS_BATCH_CONF"
    chmod 644 "$MEMPHIS_BATCH_CONF"
}

# stand_in COMMAND SCRIPT
stand_in() {
    printf '#!/bin/bash\n%s\n' "$2" > "$bin/$1"
    chmod 755 "$bin/$1"
}

# accounts: alice is in the groups `staff` and `domain users`, nobody in `empty`.
accounts() {
    stand_in getent 'case $* in
"group -- staff") echo staff:x:50:alice,bob ;;
"group -- users") echo users:x:100:carol ;;
"group -- empty") echo empty:x:60: ;;
"group -- "*) exit 2 ;;
passwd) echo dave:x:3004:50::/:/bin/sh ;;
esac'
    stand_in id 'case $* in
"-u alice" | "-u bob" | "-u dave") echo 3001 ;;
"-u") exec /usr/bin/id -u ;;
"-G -- alice") echo 3001 50 200 ;;
"-nG -- alice") echo alice staff domain users ;;
*) exit 1 ;;
esac'
}

@test "the members of groups are users of the reservation, and a group that is missing or empty leaves the reservation as it is" {
    accounts
    conf NODES=a0 USERS=@staff
    run -0 "$batch/slurm/reservation" --dry-run create
    [ "$output" = 'scontrol create reservation ReservationName=memphis StartTime=now EndTime=2099-12-31T00:00:00 Users=alice,bob,dave Nodes=a0 Flags=IGNORE_JOBS,FLEX' ]
    echo 'ReservationName=memphis StartTime=now Users=alice Accounts=(null) ' > "$bin/reservation"
    local row group
    for row in @staff,@none @none alice,@empty,@100; do
        conf NODES=a0 "USERS=$row"
        run -2 "$batch/slurm/reservation" create
        group=${row##*@}
        [ "$output" = "memphis: error: there is no group $group here
memphis:   remedy: create it here: the controller must know the groups of USERS" ]
    done
    conf NODES=a0 USERS=@empty
    run -2 "$batch/slurm/reservation" create
    [ "$output" = "memphis: error: USERS=@empty: the groups have no members here
memphis:   remedy: add members, or name users in $MEMPHIS_BATCH_CONF" ]
    [ "$(cat "$bin/changes")" = "" ]
}

@test "a reservation is deleted in a later second than any change before, and created in a later one than its deletion" {
    stand_in sleep 'echo "sleep $*" >> "$bin/changes"'
    echo 'ReservationName=memphis StartTime=now Users=root Accounts=(null) ' > "$bin/reservation"
    # The list of those who may not is of another kind, so that the reservation is made anew.
    stand_in scontrol 'case $* in
"-o show reservation "*) [ ! -e "$bin/reservation" ] || cat "$bin/reservation" ;;
"-o show nodes") echo "NodeName=a0 State=IDLE" ;;
"delete "*) rm "$bin/reservation"; echo "scontrol $*" >> "$bin/changes" ;;
"show "*) echo a0 ;;
*) echo "scontrol $*" >> "$bin/changes" ;;
esac'
    conf NODES=a0 USERS=all
    run -0 "$batch/slurm/reservation" create
    [ "$(cut -d ' ' -f 1,2 "$bin/changes")" = 'sleep 1
scontrol delete
sleep 1
scontrol create' ]
    # A change of the list is one of the same reservation.
    : > "$bin/changes"
    echo 'ReservationName=memphis StartTime=now Users=-nobody Accounts=(null) ' > "$bin/reservation"
    run -0 "$batch/slurm/reservation" create
    [ "$(cut -d ' ' -f 1,2 "$bin/changes")" = 'scontrol update' ]
}

@test "a group is compared by its ID: who is in the group 'domain users' is not in 'users'" {
    accounts
    (
        . batch/settings.sh
        PATH=$bin:$PATH
        chosen alice @staff
        chosen alice bob,@users,@staff
        run ! chosen alice @users,@domain
        run ! chosen alice @50
        run ! chosen bob @staff
    )
    conf POLICY=queue NODES=a0 USERS=alice GROUPS=users
    echo 'SlurmdUser = root(0)' > "$bin/config"
    run -0 --separate-stderr "$batch/slurm/fragment" slurm.conf
    # shellcheck disable=SC2154 # set by run
    [[ "$stderr" == *"memphis: warning: alice is not in GROUPS=users here, so Slurm would refuse this user's jobs in the partition"* ]]
}

@test "each failure of the commands has exit status 2" {
    for action in show remove 'add root'; do
        # shellcheck disable=SC2086 # an action and its argument
        run -2 "$batch/slurm/reservation" $action
        [ "${lines[0]}" = 'memphis: error: there is no reservation memphis' ]
    done
    echo 'SlurmdUser = slurm(64030)' > "$bin/config"
    run -2 "$batch/slurm/fragment" slurm.conf
    run -2 "$batch/slurm/fragment" gres.conf
    run -2 "$batch/slurm/fragment" junk
    conf NODES=a0
    run -2 "$batch/slurm/fragment" slurm.conf
    conf NODES=a0 USERS=alice
    stand_in scontrol 'echo "slurm_load_node error: Unable to contact slurm controller"; exit 1'
    for action in create show remove 'add root'; do
        # shellcheck disable=SC2086
        run -2 "$batch/slurm/reservation" $action
        [ "$output" = 'memphis: error: the controller does not answer `scontrol -o show nodes`: slurm_load_node error: Unable to contact slurm controller
memphis:   remedy: start slurmctld, and see its log' ]
    done
}
