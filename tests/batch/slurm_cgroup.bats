#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=more
# A real Slurm that tracks processes and devices by control groups, with the configuration that pam_slurm_adopt needs. If these tests fail, the
# kernel lets jobs have the device that Slurm has not given them, or keeps it from those that have it.

bats_require_minimum_version 1.5.0
load ../environment
load slurm/cluster

setup_file() {
    export MEMPHIS_TEST_CGROUPS=yes MEMPHIS_TEST_POLICY=queue
    cluster_up
    export batch=$work/usr/libexec/memphis/batch
    # The nodes of this cluster share their processes, so b1 would find its device open in the jobs of a0.
    on b1 "$BATS_TEST_DIRNAME/slurm/module" unload
}

teardown_file() {
    cluster_down
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || { tail -n 30 "$work/log/slurmctld" "$work/log/slurmd-a0" "$work/out"; admin sinfo -N -o '%N %T %E'; admin squeue; } >&2
    admin scancel --user alice
    on a0 bash -c '[ ! -e /run/memphis/locked ] || kill $(cat /run/memphis/locked)'
}

@test "the fragment keeps the flags of pam_slurm_adopt, and is content with the control groups" {
    run -0 --separate-stderr admin "$batch/slurm/fragment" slurm.conf
    [[ "$output" == *$'\nPrologFlags=Alloc,Contain,X11\n'* ]]
    [[ "$output" == *$'\nGresTypes=nic\n'* ]]
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ]
}

@test "a job that asks has the device, and a process that leaves its session ends with the job" {
    local id
    [ "$(as alice srun -Q --memphis bash -c 'exec 8<> /dev/memphis && echo "$SLURMD_NODENAME open"')" = "a0 open" ]
    id=$(job alice -w a0 --memphis --wrap 'setsid bash -c "exec 8<> /dev/memphis; echo \$\$ > escaped; exec sleep 1000" < /dev/null > /dev/null 2>&1 & until [ -s escaped ]; do sleep 0.1; done')
    until_true test -s "$work/home/alice/escaped"
    until_true no_jobs
    until_true is_closed
    run ! admin test -d "/proc/$(cat "$work/home/alice/escaped")"
}

@test "the kernel keeps a job that has not the resource from the device, also where the access list has its user" {
    local id home=$work/home/alice
    # Hold the health check's lock, or the check would close the device.
    on a0 bash -c 'exec 8> /run/memphis/health; flock 8; echo $$ > /run/memphis/locked; exec sleep 1000' > /dev/null 2>&1 &
    until_true on a0 test -s /run/memphis/locked
    id=$(job alice -w a0 --wrap ': > started; until [ -e go ]; do sleep 0.1; done; exec 8<> /dev/memphis')
    # The prolog has run.
    until_true test -e "$home/started"
    on a0 setfacl -m u:3001:rw /dev/memphis
    can_open alice
    as alice touch go
    until_true no_jobs
    cat "$home/$id.out"
    [[ "$(cat "$home/$id.out")" == *'/dev/memphis: Operation not permitted'* ]]
    on a0 bash -c 'kill $(cat /run/memphis/locked); rm /run/memphis/locked'
    until_true no_jobs
    until_true is_closed
}
