#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The queue on a real Slurm: a partition of two nodes that both have the module's device. If these tests fail, sites with
# several such nodes cannot offer them to users.

bats_require_minimum_version 1.5.0
load ../environment
load slurm/cluster

setup_file() {
    MEMPHIS_TEST_POLICY=queue cluster_up
    export batch=$work/usr/libexec/memphis/batch
}

teardown_file() {
    cluster_down
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || { tail -n 30 "$work/log/slurmctld" "$work/out"; admin sinfo -N -o '%P %N %T %E'; admin squeue; } >&2
}

@test "no reservation is made for a queue" {
    run -2 admin "$batch/slurm/reservation" create
    [ "$output" = 'memphis: error: POLICY=queue in /etc/memphis/batch.conf needs no reservation' ]
}

@test "a job that requests the device in any way runs in the queue, alone, with the device on each of its nodes" {
    local asks
    cat > "$work/show" <<'TEXT'
#!/bin/bash
exec 8<> /dev/memphis && echo "$SLURM_JOB_PARTITION $SLURM_JOB_NODELIST $SLURMD_NODENAME open"
TEXT
    chmod 755 "$work/show"
    for asks in --memphis '-p memphis'; do
        # shellcheck disable=SC2086 # an option and its value
        run as alice srun -Q $asks -N2 --ntasks-per-node=1 "$work/show"
        echo "$asks: $output"
        [ "$(sort <<< "$output")" = "memphis a0,b1 a0 open"$'\n'"memphis a0,b1 b1 open" ]
        [ "$status" -eq 0 ]
    done
    until_true is_closed a0
    until_true is_closed b1
}

@test "other users are refused by the option and by the queue, and other jobs run elsewhere" {
    for asks in --memphis '-p memphis'; do
        # shellcheck disable=SC2086
        run ! as mallory srun $asks true
        [[ "$output" == *"memphis: user mallory is not allowed to use the node with the module"* ]]
    done
    [ "$(as mallory srun bash -c 'echo $SLURM_JOB_PARTITION')" = work ]
}

@test "a user's job that is moved into the queue later is refused" {
    local id
    id=$(job mallory --hold --wrap true)
    run ! as mallory scontrol update "JobId=$id" Partition=memphis
    [[ "$output" == *"Access/permission denied"* ]]
    admin scancel "$id"
    until_true no_jobs
}
