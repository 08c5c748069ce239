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

# The lists are longer than a site's, and most of them would not fit into the memory without the limit.
@test "a list of too many nodes, or of names that are too long, is refused, and the controller does not expand it" {
    conf NODES=a0 USERS=alice
    local list long refused
    refused='memphis: the job'"'"'s list of nodes has more than 65536 names, or one with more than 63 characters or 5 brackets: name fewer nodes
refused
reservation=memphis'
    long=$(printf '%0300d' 0)
    ulimit -v 200000
    for list in 'b[0-999][0-999]' 'b[0-65536]' 'b[0-65535],c' 'a0,b[0-9][0-9][0-9][0-9][0-9]' 'b[0-99999999999]' "b[${long}1]" "b$long" \
        "b[0-255][0-255]$(printf '[0]%.0s' {1..100})" "b[0-65535]$(printf 'x%.0s' {1..100})"; do
        run submit alice reservation=memphis "req_nodes=$list"
        [ "$output" = "$refused
req_nodes=$list" ]
        run submit alice reservation=memphis "exc_nodes=$list"
        [ "$output" = "$refused" ]
    done
    run submit alice reservation=memphis min_nodes=2 'req_nodes=b[0-65535]'
    [[ "$output" == *"the job names b[0-65535], but not a0"* ]]
    run submit alice reservation=memphis 'req_nodes=b[0-9],a[3-0,0-0]c[1]x'
    [[ "$output" == *"name it, too, or ask for one node more (-N12)"* ]]
}

@test "the node's name in batch.conf may have brackets" {
    conf 'NODES=a[0]' USERS=alice
    [ "$(submit alice reservation=memphis req_nodes=a0,b1)" = $'accepted\nreservation=memphis\nreq_nodes=a0,b1' ]
    [ "$(submit alice reservation=memphis)" = $'accepted\nreservation=memphis\nreq_nodes=a[0]' ]
    run submit alice reservation=memphis exc_nodes=a0
    [ "${lines[0]}" = 'memphis: the job excludes a[0], which has the module' ]
}

@test "the resource is written as this version of Slurm does, and stands alone if the job wants none" {
    conf POLICY=queue NODES=a0 USERS=alice GRES=memphis
    local row
    for row in '22.05.8 gres:' '23.02.1 gres:' '23.11.0 gres/' '25.11.0 gres/'; do
        stand_in scontrol "echo slurm ${row% *}"
        [ "$(submit alice partition=memphis | tail -n 1)" = "tres_per_node=${row#* }memphis:1" ]
    done
    [ "$(submit alice partition=memphis tres_per_node=gres/none | tail -n 1)" = "tres_per_node=gres/memphis:1" ]
    [ "$(submit alice partition=memphis tres_per_node=gres:none | tail -n 1)" = "tres_per_node=gres/memphis:1" ]
    [ "$(submit alice partition=memphis tres_per_node=gres/gpu:2 | tail -n 1)" = "tres_per_node=gres/gpu:2,gres/memphis:1" ]
    [ "$(submit alice partition=memphis tres_per_node=gres/gpu:2,gres/memphis | tail -n 1)" = "tres_per_node=gres/gpu:2,gres/memphis" ]
    stand_in scontrol 'exit 1'
    [ "$(submit alice partition=memphis)" = "memphis: no version from scontrol, so it is taken for 23.11 or later; COMMANDS in $MEMPHIS_BATCH_CONF may name its directory
accepted
partition=memphis
tres_per_node=gres/memphis:1" ]
    # Asked once, for two jobs.
    [ "$(submit alice partition=memphis jobs=2 | grep -c version)" -eq 1 ]
}

@test "without nodes or users, jobs are neither placed nor checked, and it is said once" {
    local row nodes users missing
    for row in 'NODES=|USERS=alice|NODES' 'NODES=a0|USERS=|USERS' 'NODES=a0|JOBS=all|USERS' 'NODES=""|USERS=alice|NODES'; do
        IFS='|' read -r nodes users missing <<< "$row"
        conf "$nodes" "$users"
        [ "$(submit alice reservation=memphis jobs=2)" = "memphis: $MEMPHIS_BATCH_CONF: $missing has no value: jobs are neither placed nor checked
accepted
reservation=memphis" ]
    done
}
