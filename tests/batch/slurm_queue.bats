#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The queue on a real Slurm: a partition of two nodes that both have the module's device. Only selected users get it, whatever others try.
# If these tests fail, sites with several such nodes cannot offer them to users.

bats_require_minimum_version 1.5.0
load ../environment
load slurm/cluster

setup_file() {
    MEMPHIS_TEST_POLICY=queue cluster_up
    export batch=$work/usr/libexec/memphis/batch
    admin cp /etc/memphis/batch.conf "$work/batch.conf"
}

teardown_file() {
    cluster_down
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || { tail -n 30 "$work/log/slurmctld" "$work/log/slurmd-a0" "$work/out"; admin sinfo -N -o '%P %N %T %E'; admin squeue; } >&2
    for user in alice bob mallory; do
        admin scancel --user "$user"
    done
    admin cp "$work/batch.conf" /etc/memphis/batch.conf
    admin scontrol update PartitionName=work Default=YES
    on b1 "$BATS_TEST_DIRNAME/slurm/module" load
    on a0 bash -c '! mountpoint -q /etc/passwd || umount /etc/passwd'
}

refused='memphis: user mallory is not allowed to use the node with the module'

# tries USER OPTION...: prints the partition and node of a job that opens the device, and whether it could.
tries() {
    # shellcheck disable=SC2016 # the job's own variables
    as "$1" srun -Q "${@:2}" bash -c '(exec 8<> /dev/memphis) 2> /dev/null && can=open; echo "$SLURM_JOB_PARTITION $SLURMD_NODENAME ${can:-closed}"'
}

nodes_are_idle() {
    [ "$(admin sinfo -h -N -p memphis -o '%N %T %E' | sort)" = $'a0 idle none\nb1 idle none' ]
}

# Both nodes run jobs, and no job has the device.
at_rest() {
    until_true no_jobs
    until_true nodes_are_idle
    until_true is_closed a0
    until_true is_closed b1
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

@test "a list of partitions with the queue is refused at submission and later, wherever the queue is in the list" {
    local id list
    for list in memphis,work work,memphis ,memphis memphis, work,,memphis; do
        run ! as mallory srun -p "$list" true
        echo "$list: $output"
        [[ "$output" == *"$refused"* ]]
    done
    id=$(job mallory --hold -p work --wrap true)
    for list in memphis,work work,memphis ,memphis; do
        run ! as mallory scontrol update "JobId=$id" Partition="$list"
        echo "$list: $output"
        [[ "$output" == *"Access/permission denied"* ]]
    done
    [ "$(admin squeue -h -j "$id" -o %P)" = work ]
    admin scancel "$id"
    # A task of an array that waits is a job of its own.
    id=$(job mallory --hold -p work --array=1-2 --wrap true)
    run ! as mallory scontrol update "JobId=${id}_2" Partition=memphis,work
    admin scancel "$id"
    # A selected user's job goes to the queue alone.
    [ "$(tries alice -p work,memphis -w a0)" = "memphis a0 open" ]
    at_rest
}

@test "each component of a heterogeneous job is checked, and the first has the device" {
    local hetero=(-p work -N1 true : -p memphis -N1 true)
    run ! as mallory srun "${hetero[@]}"
    [[ "$output" == *"$refused"* ]]
    run ! as mallory sbatch -p work --wrap true : -p work,memphis
    [[ "$output" == *"$refused"* ]]
    as alice srun "${hetero[@]}"
    run as alice srun --memphis -N1 bash -c 'exec 8<> /dev/memphis && echo 0 open' : -N1 bash -c '(exec 8<> /dev/memphis) 2> /dev/null || echo 1 closed'
    echo "$output"
    [ "$(grep '^[01]' <<< "$output" | sort)" = $'0 open\n1 closed' ]
    at_rest
}

@test "each task of an array has the device, and no task of another user's" {
    run ! as mallory sbatch -p work,memphis --array=1-3 --wrap true
    [[ "$output" == *"$refused"* ]]
    as alice sbatch -p memphis --array=1-3 -o '%a.out' --wrap 'exec 8<> /dev/memphis && echo open'
    until_true no_jobs
    [ "$(cat "$work/home/alice/"{1,2,3}.out)" = $'open\nopen\nopen' ]
    at_rest
}

@test "if the queue is the default partition, a job without a partition asks for it" {
    admin scontrol update PartitionName=memphis Default=YES
    run ! as mallory srun true
    [[ "$output" == *"$refused"* ]]
    [ "$(tries mallory -p work -w b2)" = "work b2 closed" ]
    [ "$(tries alice -N1)" = "memphis a0 open" ]
    admin scontrol update PartitionName=work Default=YES
    at_rest
}

@test "the partition has the limits of batch.conf, and the fragment warns of users outside its groups" {
    [[ "$(admin scontrol show partition memphis)" == *"AllowGroups=memphis AllowAccounts=ALL "* ]]
    run -0 admin "$batch/slurm/fragment" slurm.conf
    [ "${lines[-1]}" = 'PartitionName=memphis Nodes=a0,b1 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP AllowGroups=memphis' ]
    admin sed -i -e 's/^GROUPS=.*/GROUPS=bob,mallory/' -e 's/^ACCOUNTS=.*/ACCOUNTS=physics,chemistry/' -e 's/^USERS=.*/USERS=alice,bob/' /etc/memphis/batch.conf
    run -0 --separate-stderr admin "$batch/slurm/fragment" slurm.conf
    [ "${lines[-1]}" = 'PartitionName=memphis Nodes=a0,b1 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP AllowGroups=bob,mallory AllowAccounts=physics,chemistry' ]
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "memphis: warning: alice is not in GROUPS=bob,mallory here, so Slurm would refuse this user's jobs in the partition" ]
    admin sed -i -e 's/^GROUPS=.*/GROUPS=none/' -e 's/^ACCOUNTS=.*/ACCOUNTS=none/' /etc/memphis/batch.conf
    run -0 admin "$batch/slurm/fragment" slurm.conf
    [ "${lines[-1]}" = 'PartitionName=memphis Nodes=a0,b1 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP' ]
}
