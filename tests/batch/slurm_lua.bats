#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis.lua alone, without Slurm. If these tests fail, jobs of users get the node who may not have it, or one job stops the controller.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export MEMPHIS_BATCH_CONF=$BATS_TEST_TMPDIR/batch.conf
    bin=$BATS_TEST_TMPDIR/bin
    mkdir "$bin"
}

# conf LINE...: the site's settings.
conf() {
    printf '%s\n' COMMANDS="$bin" "$@" > "$MEMPHIS_BATCH_CONF"
}

# stand_in COMMAND SCRIPT
stand_in() {
    printf '#!/bin/bash\n%s\n' "$2" > "$bin/$1"
    chmod 755 "$bin/$1"
}

# submit USER FIELD=VALUE...: a job of the user.
submit() {
    lua5.1 tests/batch/slurm/submit.lua batch/slurm/memphis.lua "$@"
}

@test "a group is compared by its ID: who is in the group 'domain users' is not in 'users'" {
    stand_in getent 'case $* in
"group -- staff") echo staff:x:50:bob ;;
"group -- users") echo users:x:100:carol ;;
*) exit 2 ;;
esac'
    stand_in id 'case $* in
"-G -- alice") echo 3001 50 200 ;;
"-nG -- alice") echo alice staff domain users ;;
*) exit 1 ;;
esac'
    conf POLICY=queue NODES=a0 USERS=@users,@domain
    export PATH=$bin:$PATH
    run submit alice partition=memphis
    [ "$output" = 'memphis: user alice is not allowed to use the node with the module
refused
partition=memphis' ]
    conf POLICY=queue NODES=a0 USERS=@users,@staff
    [ "$(submit alice partition=memphis)" = $'accepted\npartition=memphis' ]
    [ "$(submit bob partition=memphis | tail -n 2)" = $'refused\npartition=memphis' ]
    conf POLICY=queue NODES=a0 'USERS=@$(touch '"$bin/made"'),@50,@-1'
    [ "$(submit alice partition=memphis | tail -n 2)" = $'refused\npartition=memphis' ]
    [ ! -e "$bin/made" ]
}
