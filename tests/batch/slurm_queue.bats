#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=more
# The queue on a real Slurm: a partition of two nodes that both have the module's device. Only selected users get it, whatever others try,
# and a suspended job keeps it. If these tests fail, sites with several such nodes cannot offer them to users.

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

@test "a job whose name looks like the queue does not get the device" {
    local id
    [ "$(tries mallory -p work -w a0 -J 'x Partition=memphis')" = "work a0 closed" ]
    [ "$(tries mallory -p work -w a0 --comment 'x Partition=memphis UserId=alice(3001)')" = "work a0 closed" ]
    # The job of a selected user in another partition of the node has not asked.
    [ "$(tries alice -p work -w a0 -J ' Partition=memphis')" = "work a0 closed" ]
    at_rest
}

# moved_in USER: an administrator moves a job of the user into the queue, which nothing but the prolog checks. Prints the job's output.
moved_in() {
    local id
    id=$(job "$1" --hold -p work -w a0 --wrap '(exec 8<> /dev/memphis) 2> /dev/null && can=open; echo "$SLURM_JOB_PARTITION $SLURMD_NODENAME ${can:-closed}"')
    admin scontrol update "JobId=$id" Partition=memphis
    admin scontrol release "$id"
    until_true no_jobs
    cat "$work/home/$1/$id.out"
}

@test "the prolog checks the user: a job that an administrator has moved into the queue runs without the device, and the node stays" {
    [ "$(moved_in mallory)" = "memphis a0 closed" ]
    [ "$(moved_in alice)" = "memphis a0 open" ]
    at_rest
    # The log says why. This prolog runs once more, for a job that waits.
    local id
    id=$(job mallory --hold -p work --wrap true)
    admin scontrol update "JobId=$id" Partition=memphis
    run -0 on a0 env SLURMD_NODENAME=a0 SLURM_JOB_ID="$id" SLURM_JOB_UID=3003 SLURM_JOB_USER=alice "$batch/slurm/prolog"
    [ "$output" = "memphis: job $id of user 3003 runs without /dev/memphis: the user is not among those who may have it: alice" ]
    is_closed a0
    admin scancel "$id"
    at_rest
}

@test "a number in USERS is a name, not the ID of another user" {
    admin sed -i 's/^USERS=.*/USERS=alice,3003/' /etc/memphis/batch.conf
    run ! as mallory srun -p memphis true
    [[ "$output" == *"$refused"* ]]
    [ "$(moved_in mallory)" = "memphis a0 closed" ]
    at_rest
}

@test "USERS may name groups, or all; lists of nodes have ranges" {
    admin sed -i -e 's/^USERS=.*/USERS=alice,@bob/' -e 's/^NODES=.*/NODES=a[0-0],b[1]/' /etc/memphis/batch.conf
    [ "$(tries bob --memphis -w b1)" = "memphis b1 open" ]
    run ! as mallory srun -p memphis true
    [[ "$output" == *"$refused"* ]]
    [ "$(moved_in mallory)" = "memphis a0 closed" ]
    admin sed -i 's/^USERS=.*/USERS=all/' /etc/memphis/batch.conf
    [ "$(tries mallory --memphis -w b1)" = "memphis b1 open" ]
    at_rest
}

@test "a job that names nodes without the module, or excludes all that have it, is refused with the reason" {
    run ! as alice srun --memphis -w b3 true
    [[ "$output" == *"memphis: the job names b3, which has no module; a0,b1 has it"* ]]
    run ! as alice srun --memphis -x a0,b1 true
    [[ "$output" == *"memphis: the job excludes a0,b1, which has the module"* ]]
    [ "$(tries alice --memphis -x a0)" = "memphis b1 open" ]
    at_rest
}

@test "users whose account the node does not know are those that the controller names" {
    admin bash -c "grep -v '^alice:\|^mallory:' /etc/passwd > $work/passwd"
    on a0 mount --bind "$work/passwd" /etc/passwd
    run ! on a0 getent passwd 3001
    # The task's shell has no home directory here.
    [ "$(as alice srun -Q -D / -p memphis -w a0 bash -c '(exec 8<> /dev/memphis) && echo open')" = open ]
    until_true is_closed a0
    [ "$(moved_in mallory)" = "memphis a0 closed" ]
    on a0 umount /etc/passwd
    at_rest
}

@test "the partition has the limits of batch.conf, and the fragment warns of users outside its groups" {
    [[ "$(admin scontrol show partition memphis)" == *"AllowGroups=memphis AllowAccounts=ALL "* ]]
    run -0 admin "$batch/slurm/fragment" slurm.conf
    [ "${lines[-1]}" = 'PartitionName=memphis Nodes=a0,b1 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP AllowGroups=memphis' ]
    admin sed -i -e 's/^GROUPS=.*/GROUPS=bob,mallory/' -e 's/^ACCOUNTS=.*/ACCOUNTS=physics,chemistry/' -e 's/^GRES=.*/GRES=none/' -e 's/^USERS=.*/USERS=alice,bob/' /etc/memphis/batch.conf
    run -0 --separate-stderr admin "$batch/slurm/fragment" slurm.conf
    [ "${lines[-1]}" = 'PartitionName=memphis Nodes=a0,b1 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP AllowGroups=bob,mallory AllowAccounts=physics,chemistry' ]
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "memphis: warning: alice is not in GROUPS=bob,mallory here, so Slurm would refuse this user's jobs in the partition
memphis: warning: ACCOUNTS=physics,chemistry, but AccountingStorageEnforce=none: all jobs in the partition would wait forever
memphis:   remedy: set AccountingStorageEnforce=associations in slurm.conf (with slurmdbd), or ACCOUNTS=none in /etc/memphis/batch.conf" ]
    admin sed -i -e 's/^GROUPS=.*/GROUPS=none/' -e 's/^ACCOUNTS=.*/ACCOUNTS=none/' /etc/memphis/batch.conf
    run -0 admin "$batch/slurm/fragment" slurm.conf
    [ "${lines[-1]}" = 'PartitionName=memphis Nodes=a0,b1 OverSubscribe=EXCLUSIVE MaxTime=INFINITE State=UP' ]
}

# Reports the device of descriptor 8, which the process has opened before, whenever a file `ask.N` appears.
owner_script='#!/bin/bash
exec 8<> /dev/memphis
for ((n = 0; ; n++)); do
    until [ -e ask.$n ]; do sleep 0.1; done
    echo "$BASHPID $(stat -L -c %t:%T /proc/$BASHPID/fd/8)" > said.new
    mv said.new said.$n
done'

@test "a suspended job keeps its processes and the device while other jobs start on the node" {
    local id home=$work/home/alice said job
    admin sed -i 's/^USERS=.*/USERS=alice,bob/' /etc/memphis/batch.conf
    # The nodes of this cluster share their processes, so b1 would find its device open in the job of a0.
    on b1 "$BATS_TEST_DIRNAME/slurm/module" unload
    id=$(job alice -p memphis -w a0 <<< "$owner_script")
    as alice touch ask.0
    until_true test -e "$home/said.0"
    said=$(cat "$home/said.0")
    [[ "$said" == *' 1:7' ]]
    admin scontrol suspend "$id"
    until_true job_is "$id" SUSPENDED
    # Another job of the node does not get the device, and does not wait for it. One that asks for it waits, as Slurm keeps the resource of the
    # suspended job.
    [ "$(tries mallory -p work -w a0)" = "work a0 closed" ]
    on a0 "$batch/slurm/health"
    # This waits for a health check that was running.
    on a0 flock /run/memphis/health true
    [ "$(on a0 "$batch/handover" owner)" = "$id 3001" ]
    # Without an answer from the controller, nothing is killed, either.
    job=$(job mallory --hold -p work --wrap true)
    run -1 on a0 env SLURMD_NODENAME=a0 SLURM_JOB_ID="$job" SLURM_CONF=/dev/null "$batch/slurm/prolog"
    admin scancel "$job"
    [ "$(reason a0)" = none ]
    admin scontrol resume "$id"
    until_true job_is "$id" RUNNING
    as alice touch ask.1
    until_true test -e "$home/said.1"
    [ "$(cat "$home/said.1")" = "$said" ]
    can_open alice
    admin scancel "$id"
    until_true is_closed a0
    on b1 "$BATS_TEST_DIRNAME/slurm/module" load
    at_rest
    [ "$(tries bob -p memphis -w a0)" = "memphis a0 open" ]
    at_rest
}

# preempts MODE: a partition whose jobs come before those of the others, in this way.
preempts() {
    admin bash -c "printf '%s\n' PreemptType=preempt/partition_prio PreemptMode=$1 'PartitionName=urgent Nodes=a0,b[1-5] MaxTime=INFINITE State=UP PriorityTier=10' > /etc/slurm/preempt.conf"
    admin scontrol reconfigure
}

@test "the device is a generic resource: a job asks by it, and each job that asks has it on each node" {
    local id asks
    for asks in --gres=memphis --gres=memphis:1 --memphis; do
        id=$(job alice "$asks" -N2 --wrap 'scontrol -d show job $SLURM_JOB_ID | grep -oE " GRES=.*|TresPerNode=.*"; (exec 8<> /dev/memphis) && echo open')
        until_true no_jobs
        cat "$work/home/alice/$id.out"
        # Slurm prints nodes with the same resources in one line.
        [ "$(grep -v Tres "$work/home/alice/$id.out")" = $' GRES=memphis:1(IDX:0)\nopen' ]
        grep -q '^TresPerNode=gres:memphis' "$work/home/alice/$id.out"
        run ! as mallory srun "$asks" true
        [[ "$output" == *"$refused"* ]]
    done
    [ "$(tries alice --memphis --gres=none -w a0)" = "memphis a0 open" ]
    run -0 --separate-stderr admin "$batch/slurm/fragment" slurm.conf
    [[ "$output" == *$'\nGresTypes=memphis\n'* ]]
    [ "$stderr" = 'memphis: warning: ConstrainDevices=no, TaskPlugin=task/none: the kernel does not keep other jobs of the same user from the device
memphis:   remedy: ConstrainDevices=yes in cgroup.conf, and TaskPlugin=task/cgroup' ]
    [ "$(admin "$batch/slurm/fragment" gres.conf)" = 'NodeName=a0,b1 Name=memphis File=/dev/memphis' ]
    at_rest
}

@test "preemption by suspension and gang scheduling leave a job with its nodes and the device; preempted by cancellation, it loses it" {
    local id other home=$work/home/alice said
    rm -f "$home"/ask.* "$home"/said.*
    on b1 "$BATS_TEST_DIRNAME/slurm/module" unload
    admin bash -c ': > /etc/slurm/preempt.conf; echo include preempt.conf >> /etc/slurm/slurm.conf'
    preempts SUSPEND,GANG
    id=$(job alice -p memphis -w a0 <<< "$owner_script")
    as alice touch ask.0
    until_true test -e "$home/said.0"
    said=$(cat "$home/said.0")
    # Its nodes are exclusive, so Slurm does not share them in turns: the other job waits.
    other=$(job mallory -p urgent -w a0 --wrap '(exec 8<> /dev/memphis) 2> /dev/null && can=open; echo "$SLURMD_NODENAME ${can:-closed}"')
    until_true job_waits "$other"
    as alice touch ask.1
    until_true test -e "$home/said.1"
    [ "$(cat "$home/said.1")" = "$said" ]
    admin scancel "$id"
    until_true no_jobs
    [ "$(cat "$work/home/mallory/$other.out")" = "a0 closed" ]
    preempts CANCEL
    rm -f "$home"/ask.1 "$home"/said.*
    id=$(job alice -p memphis -w a0 <<< "$owner_script")
    until_true test -e "$home/said.0"
    [ "$(as mallory srun -Q -p urgent -w a0 bash -c '(exec 8<> /dev/memphis) 2> /dev/null && can=open; echo "$SLURMD_NODENAME ${can:-closed}"')" = "a0 closed" ]
    until_true no_jobs
    [ "$(tries alice -p memphis -w a0)" = "memphis a0 open" ]
    admin sed -i '/preempt.conf/d' /etc/slurm/slurm.conf
    admin scontrol reconfigure
    until_true is_closed a0
    on b1 "$BATS_TEST_DIRNAME/slurm/module" load
    at_rest
}

@test "a device that an ended job has left open is closed by the next job's prolog" {
    # The owner is unknown to the controller, and then a job that has ended.
    local id
    on a0 bash -c 'exec 7> /run/memphis/health; flock 7; echo $$ > /run/memphis/locked; exec sleep 1000' > /dev/null 2>&1 &
    until_true on a0 test -s /run/memphis/locked
    id=$(job mallory -p work -w b3 --wrap true)
    until_true no_jobs
    for id in 999999 "$id"; do
        on a0 "$batch/handover" open "$id" 3002
        [ "$(tries mallory -p work -w a0)" = "work a0 closed" ]
        is_closed a0
        on a0 "$batch/handover" open "$id" 3002
        [ "$(tries alice -p memphis -w a0)" = "memphis a0 open" ]
        until_true is_closed a0
    done
    on a0 bash -c 'kill $(cat /run/memphis/locked); rm /run/memphis/locked'
    at_rest
}
