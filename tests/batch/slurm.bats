#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A real Slurm with six nodes; one has the module's device. Jobs of selected users get this node as their first node, other jobs never
# get it, and however a job ends, the device is closed and the next job runs. If these tests fail, a site cannot offer the device to
# its users.

bats_require_minimum_version 1.5.0
load ../environment
load slurm/cluster

setup_file() {
    cluster_up
    export batch=$work/usr/libexec/memphis/batch
    admin cp /etc/memphis/batch.conf "$work/batch.conf"
    admin "$batch/slurm/reservation" create
}

teardown_file() {
    cluster_down
}

# Cleans up after a failed test, so that the next test starts from the initial state.
teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || { tail -n 30 "$work/log/slurmctld" "$work/log/slurmd-a0" "$work/out"; admin sinfo -N -o '%N %T %E'; admin squeue; } >&2
    rm -f "$work/unfit"
    on a0 bash -c '! mountpoint -q /usr/bin/squeue || umount /usr/bin/squeue'
    for user in alice bob mallory; do
        admin scancel --user "$user"
    done
    until_true no_jobs
    admin scontrol delete ReservationName=other > /dev/null 2>&1 || :
    [ "$(admin scontrol -o show reservation memphis | grep -oE ' Users=[^ ]+')" = ' Users=alice' ] || {
        sleep 1
        admin scontrol delete ReservationName=memphis
        admin "$batch/slurm/reservation" create
    }
    admin cp "$work/batch.conf" /etc/memphis/batch.conf
    on a0 "$BATS_TEST_DIRNAME/slurm/module" load
    on a0 bash -c '[ ! -e /run/memphis/locked ] || kill $(cat /run/memphis/locked)'
}

create='scontrol create reservation ReservationName=memphis StartTime=now EndTime=2099-12-31T00:00:00 Users=alice Nodes=a0 Flags=IGNORE_JOBS,FLEX'

@test "one script creates, shows, changes and removes the reservation, and can print its commands without running them" {
    admin "$batch/slurm/reservation" remove
    run ! admin scontrol show reservation memphis
    [ "$(admin "$batch/slurm/reservation" --dry-run create)" = "$create" ]
    run ! admin scontrol show reservation memphis
    admin "$batch/slurm/reservation" create
    run admin "$batch/slurm/reservation" show
    [[ "$output" == *"Nodes=a0 "*"Flags=FLEX,IGNORE_JOBS,SPEC_NODES"*"Users=alice "* ]]
    admin "$batch/slurm/reservation" add bob
    [[ "$(admin scontrol show reservation memphis)" == *"Users=alice,bob "* ]]
    [ "$(as bob srun --memphis bash -c 'echo $SLURM_JOB_NODELIST')" = a0 ]
    admin "$batch/slurm/reservation" delete bob
    [[ "$(admin scontrol show reservation memphis)" == *"Users=alice "* ]]
    run ! admin "$batch/slurm/reservation" add nobody-of-that-name
    [[ "$output" == *"there is no user nobody-of-that-name here"* ]]
    # An existing reservation is updated, not duplicated.
    admin "$batch/slurm/reservation" create
    [ "$(admin scontrol -o show reservation | wc -l)" -eq 1 ]
}

@test "the site's own programs, options and job_submit.lua stay in force beside those of the node" {
    local id config
    id=$(job alice --memphis -N2 --wrap true)
    until_true no_jobs
    [ "$(grep " $id$" "$work/log/site-prolog" | sort)" = "b1 $id"$'\n'"zoo $id" ]
    [ "$(grep " $id$" "$work/log/site-epilog" | sort)" = "b1 $id"$'\n'"zoo $id" ]
    until_true grep -q '^zoo ' "$work/log/site-health"
    run ! as alice srun -J nameless true
    [[ "$output" == *"site: a job needs a name"* ]]
    config=$(admin scontrol show config | tr -s ' ')
    [[ "$config" == *"PrologFlags = Alloc,Contain"* ]]
    [[ "$config" == *"SchedulerParameters = bf_continue,bf_max_job_user=50,bf_interval=1,sched_interval=1,batch_sched_delay=0,nohold_on_prolog_fail"* ]]
    # Generated anew, the lines are the same, and nothing remains to be done.
    [ "$(cat "$work/log/fragment")" = "" ]
    [ "$(admin "$batch/slurm/fragment" slurm.conf 2>&1)" = "$(admin cat /etc/slurm/memphis.conf)" ]
    at_rest
}

@test "a node whose name does not sort first is refused with advice" {
    sed -e 's/^NODES=.*/NODES=b3/' -e 's/^FIRST=.*/FIRST=yes/' "$work/batch.conf" > "$work/b3.conf"
    run -2 admin env MEMPHIS_BATCH_CONF="$work/b3.conf" "$batch/slurm/reservation" create
    [[ "$output" == *"b3 is not the first of all nodes by name"*"set FIRST=no in $work/b3.conf, or "*"NodeName=a0 NodeHostname=b3"* ]]
}

@test "without FIRST the node is any one of the job, and the ranks on it sample" {
    on b3 "$BATS_TEST_DIRNAME/slurm/module" load
    admin sed -i 's/^NODES=.*/NODES=b3/' /etc/memphis/batch.conf
    admin "$batch/slurm/reservation" create
    run as alice srun -Q --memphis -N2 -w b1 --ntasks-per-node=1 bash -c '(exec 8<> /dev/memphis) 2> /dev/null && can=open; echo $SLURMD_NODENAME ${can:-closed} ${MEMPHIS_DISABLE:-samples}'
    echo "$output"
    [ "$(sort <<< "$output")" = $'b1 closed 1\nb3 open samples' ]
    until_true no_jobs
    until_true is_closed b3
    admin cp "$work/batch.conf" /etc/memphis/batch.conf
    admin "$batch/slurm/reservation" create
    # This waits for a health check that has read the other settings.
    on b3 flock /run/memphis/health true
    on b3 "$BATS_TEST_DIRNAME/slurm/module" unload
    at_rest
}

@test "the reservation is for users, for groups as they are when it is made, for accounts, or for all" {
    local row
    for row in 'USERS=mallory,@bob|Users=mallory,bob' 'USERS=@memphis|Users=alice,bob,mallory' 'USERS=all|Users=-nobody'; do
        admin sed -i "s/^USERS=.*/${row%|*}/" /etc/memphis/batch.conf
        admin "$batch/slurm/reservation" create
        admin scontrol -o show reservation memphis
        [ "$(admin scontrol -o show reservation memphis | grep -oE '(Users|Groups|Accounts)=[^ ]+' | paste -sd ' ')" = "${row#*|} Groups=(null) Accounts=(null)" ]
    done
    [ "$(as mallory srun -Q --memphis bash -c 'exec 8<> /dev/memphis && echo open')" = open ]
    admin sed -i -e 's/^ACCOUNTS=.*/ACCOUNTS=physics/' /etc/memphis/batch.conf
    [[ "$(admin "$batch/slurm/reservation" --dry-run create)" == *' Nodes=a0 Accounts=physics '* ]]
    admin sed -i -e 's/^USERS=.*/USERS=@no-such-group/' /etc/memphis/batch.conf
    run -2 admin "$batch/slurm/reservation" create
    [[ "$output" == *'memphis: error: there is no group no-such-group here'* ]]
    until_true no_jobs
    admin cp "$work/batch.conf" /etc/memphis/batch.conf
    admin "$batch/slurm/reservation" create
    at_rest
}

@test "of 20 jobs on 1 to 4 nodes, jobs with a request get the node first, alone and with its device; other jobs never get it" {
    local i user option jobs=() first device
    cat > "$work/job" <<'TEXT'
#!/bin/bash
first=$(scontrol show hostnames | head -n 1)
device=closed
if [ -e /dev/memphis ]; then
    # Detects two jobs on the node at the same time.
    mkdir "$WORK/alone" || echo "NOT ALONE"
    (exec 8<> /dev/memphis) && device=open
    sleep 0.3
    rmdir "$WORK/alone"
fi
echo "$first $SLURMD_NODENAME $(hostname) $device $SLURM_JOB_NUM_NODES $(srun hostname | sort -u | wc -l)"
TEXT
    chmod 1777 "$work"
    for i in {0..19}; do
        user=alice option=(--memphis)
        case $((i % 5)) in
        2) user=bob option=() ;;
        3) option=(--reservation=memphis) ;;
        4) option=() ;;
        esac
        jobs+=("$user $((i % 4 + 1)) ${option[*]:-none} $(WORK=$work job "$user" -N "$((i % 4 + 1))" "${option[@]}" < "$work/job")")
    done
    until_true no_jobs
    for i in "${jobs[@]}"; do
        read -r user nodes option id <<< "$i"
        echo "$i: $(cat "$work/home/$user/$id.out")"
        if [ "$option" = none ]; then
            [[ "$(cat "$work/home/$user/$id.out")" =~ ^b[1-5]\ (b[1-5])\ (b[1-5])\ closed\ $nodes\ $nodes$ ]]
        else
            [ "$(cat "$work/home/$user/$id.out")" = "a0 a0 zoo open $nodes $nodes" ]
        fi
    done
    [ "${#jobs[@]}" -eq 20 ]
    at_rest
}

@test "a heterogeneous job has the node in its first component" {
    run as alice srun --memphis -N1 bash -c 'echo 0 $SLURMD_NODENAME' : -N2 --ntasks-per-node=1 bash -c 'echo 1 $SLURMD_NODENAME'
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^0 a0$' <<< "$output")" -eq 1 ]
    [ "$(grep -c '^1 b[1-5]$' <<< "$output")" -eq 2 ]
    at_rest
}

@test "a heterogeneous job that asks in a later component only is refused with the reason" {
    local asks
    for asks in --memphis --reservation=memphis; do
        run ! as alice srun -N1 true : "$asks" -N1 true
        [[ "$output" == *"memphis: the first component of a heterogeneous job has the node with the module: ask for it there"* ]]
    done
    # srun passes the reservation on to the others, which need not be the user's own choice.
    as alice srun --reservation=memphis -N1 true : -N1 true
    at_rest
}

@test "a job whose nodes leave no room for the module's node is refused with the reason" {
    local nodes
    for nodes in '-w b3' '-w b3 -N1' '-w b3 -n4' '-w b3 -N1-2'; do
        # shellcheck disable=SC2086 # several options
        run ! as alice srun --memphis $nodes true
        [[ "$output" == *"memphis: the job names b3, but not a0, which has the module: name it, too, or ask for one node more (-N2)"* ]]
    done
    run ! as alice sbatch --memphis -N4 -w 'b[1,3-5]' --wrap true
    [[ "$output" == *"memphis: the job names b[1,3-5], but not a0, which has the module: name it, too, or ask for one node more (-N5)"* ]]
    run ! as alice srun --memphis -N2 -x 'b1,a[0-0]' true
    [[ "$output" == *"memphis: the job excludes a0, which has the module"* ]]
    # With JOBS=all, a job that has not asked runs without the node.
    admin sed -i 's/^JOBS=.*/JOBS=all/' /etc/memphis/batch.conf
    [ "$(as alice srun -w b3 bash -c 'echo $SLURM_JOB_NODELIST')" = b3 ]
    admin sed -i 's/^JOBS=.*/JOBS=asking/' /etc/memphis/batch.conf
    at_rest
}

@test "nodes that a user requests are kept in addition to the module's node" {
    [ "$(as alice sbatch --parsable -N2 -w b4 --memphis --wrap 'echo $SLURM_JOB_NODELIST' -o nodes.out > /dev/null; until_true no_jobs; cat "$work/home/alice/nodes.out")" = 'a0,b4' ]
    at_rest
}

@test "a user who names the module's node gets it, alone or in a list" {
    [ "$(as alice srun --memphis -N1 -w a0 bash -c 'echo $SLURM_JOB_NODELIST')" = a0 ]
    [ "$(as alice srun --reservation=memphis -N1 -w a0 bash -c 'echo $SLURM_JOB_NODELIST')" = a0 ]
    [ "$(as alice srun --memphis -N2 --ntasks-per-node=1 -w b1,a0 bash -c 'echo $SLURM_JOB_NODELIST' | sort -u)" = a0,b1 ]
    [ "$(as alice srun --memphis -N2 --ntasks-per-node=1 -w 'b[2-2],a[0]' bash -c 'echo $SLURM_JOB_NODELIST' | sort -u)" = a0,b2 ]
    [ "$(as alice srun --memphis -N3 --ntasks-per-node=1 -w 'b[1,3-3]' bash -c 'echo $SLURM_JOB_NODELIST' | sort -u)" = 'a0,b[1,3]' ]
    at_rest
}

@test "other users are refused by the option, by the reservation, by the node's name and at the device" {
    run ! as mallory srun --memphis true
    [[ "$output" == *"memphis: user mallory is not allowed to use the node with the module"* ]]
    run ! as mallory srun --reservation=memphis true
    [[ "$output" == *"memphis: user mallory is not allowed to use the node with the module"* ]]
    run ! as mallory srun --immediate=1 -w a0 true
    run ! as mallory env SPANK_MEMPHIS=1 srun --immediate=1 -w a0 true
    local id
    id=$(job alice --memphis --wrap 'sleep 1000')
    until_true can_open alice
    run ! can_open bob
    run ! can_open mallory
    run ! on a0 runuser -u nobody -g alice -- bash -c 'exec 8<> /dev/memphis'
    [ "$(permissions)" = 'user::rw- user:3001:rw- group::--- mask::rw- other::---  ' ]
    admin scancel "$id"
    at_rest
}

@test "users cannot bypass the rules by changing a submitted job" {
    local id
    id=$(job alice --memphis --hold -N1 --wrap true)
    for change in ReqNodeList=b1 Partition=work ReservationName=; do
        run ! as alice scontrol update "JobId=$id" "$change"
        echo "$change: $output"
        [[ "$output" == *"Access/permission denied"* ]]
    done
    admin scancel "$id"
    id=$(job alice --hold -N1 --wrap true)
    run ! as alice scontrol update "JobId=$id" ReservationName=memphis
    admin scancel "$id"
    at_rest
}

# reservation FIELD=VALUE...: creates the reservation anew, with other users; the pauses are those of the script.
reservation() {
    sleep 1
    admin scontrol delete ReservationName=memphis
    sleep 1
    admin scontrol create reservation ReservationName=memphis StartTime=now EndTime=2099-12-31T00:00:00 Nodes=a0 Flags=IGNORE_JOBS,FLEX "$@"
}

opened='(exec 8<> /dev/memphis) 2> /dev/null && can=open; echo "$SLURM_JOB_RESERVATION $SLURMD_NODENAME ${can:-closed}"'

@test "a list of reservations is checked, and a selected user's job has the one with the node" {
    local list
    admin scontrol create reservation ReservationName=other StartTime=now EndTime=2099-12-31T00:00:00 Nodes=b5 Flags=IGNORE_JOBS,FLEX Users=alice,mallory
    for list in memphis,other other,memphis other,,memphis; do
        run ! as mallory srun --reservation="$list" true
        echo "$list: $output"
        [[ "$output" == *"memphis: user mallory is not allowed to use the node with the module"* ]]
        run ! as mallory srun -p work true : --reservation="$list" true
        [[ "$output" == *"memphis: user mallory is not allowed to use the node with the module"* ]]
        [ "$(as alice srun --reservation="$list" bash -c "$opened")" = "memphis a0 open" ]
        until_true no_jobs
    done
    [ "$(as mallory srun --reservation=other -w b5 bash -c "$opened")" = "other b5 closed" ]
    until_true no_jobs
    admin scontrol delete ReservationName=other
    at_rest
}

@test "a reservation of all users but some, and one by groups or accounts, admit those whom Slurm admits" {
    reservation Users=-mallory
    [ "$(as alice srun --memphis bash -c "$opened")" = "memphis a0 open" ]
    [ "$(as bob srun --memphis bash -c "$opened")" = "memphis a0 open" ]
    run ! as mallory srun --memphis true
    [[ "$output" == *"memphis: user mallory is not allowed to use the node with the module"* ]]
    until_true no_jobs
    reservation Accounts=physics
    [ "$(as bob srun --memphis -A physics bash -c "$opened")" = "memphis a0 open" ]
    run ! as mallory srun --memphis true
    [[ "$output" == *"Access denied to requested reservation"* ]]
    until_true no_jobs
    reservation Groups=bob
    [ "$(as bob srun --memphis bash -c "$opened")" = "memphis a0 open" ]
    run ! as mallory srun --memphis true
    [[ "$output" == *"Access denied to requested reservation"* ]]
    # Nobody is selected by name, so no job gets the node without asking.
    admin sed -i 's/^JOBS=.*/JOBS=all/' /etc/memphis/batch.conf
    [[ "$(as bob srun bash -c "$opened")" == ' b'?' closed' ]]
    admin sed -i 's/^JOBS=.*/JOBS=asking/' /etc/memphis/batch.conf
    until_true no_jobs
    reservation Users=alice
    at_rest
}

@test "the prolog compares the job's user with the reservation's list: the job of a user who is no longer in it runs without the device" {
    local id said
    reservation Users=alice,bob
    id=$(job bob --memphis -N1 --wrap 'sleep 1000')
    until_true can_open bob
    said=$(on a0 env SLURMD_NODENAME=a0 SLURM_JOB_ID="$id" SLURM_JOB_UID=3002 "$batch/slurm/prolog" 2>&1)
    [ "$said" = "" ]
    admin scontrol update ReservationName=memphis Users-=bob
    [ "$(on a0 "$batch/handover" owner)" = "$id 3002" ]
    run -0 on a0 env SLURMD_NODENAME=a0 SLURM_JOB_ID="$id" SLURM_JOB_UID=3002 "$batch/slurm/prolog"
    [ "$output" = "memphis: job $id of user 3002 runs without /dev/memphis: the user is not among those who may have it: alice" ]
    admin scancel "$id"
    reservation Users=alice
    at_rest
}

@test "with JOBS=all, a chosen user's jobs get the node without asking, and other users' jobs are unaffected" {
    admin sed -i 's/^JOBS=.*/JOBS=all/' /etc/memphis/batch.conf
    run as alice srun -N2 --ntasks-per-node=1 bash -c 'echo $SLURM_JOB_NODELIST'
    admin sed -i 's/^JOBS=.*/JOBS=asking/' /etc/memphis/batch.conf
    [ "${lines[0]}" = 'a0,b1' ]
    [[ "$(as bob srun bash -c 'echo $SLURM_JOB_NODELIST')" == b? ]]
    at_rest
}

@test "srun --memphis is in the help, is checked at submission, and works in a script" {
    as alice srun --help | grep -q -- '--memphis=\[KEY=VALUE,...\]'
    for wrong in period=0 period= period=x,filter=remote filter=far event=remote event=remote-dram,far ranks=a periods=1 period=1,period=2 remote; do
        run -255 as alice sbatch --memphis="$wrong" --wrap true
        echo "$wrong: $output"
        [[ "$output" == *"memphis: ${wrong%%[,=]*}"* ]]
    done
    run as alice sbatch --memphis=filter=far --wrap true
    [[ "${lines[0]}" == *"memphis: filter=far: must be none, or a comma-separated list of remote, dram, loads, stores" ]]
    local id
    id=$(job alice -N2 <<'TEXT'
#!/bin/bash
#SBATCH --memphis=period=5000,event=remote-dram,local-dram,filter=remote,dram,output=/scratch/%j,ranks=0,2-3
srun --ntasks-per-node=1 bash -c 'echo $SLURM_PROCID $(env | grep ^MEMPHIS | sort)' | sort
TEXT
    )
    until_true no_jobs
    run cat "$work/home/alice/$id.out"
    local set='MEMPHIS_EVENT=remote-dram,local-dram MEMPHIS_FILTER=remote,dram MEMPHIS_OUTPUT=/scratch/%j MEMPHIS_PERIOD=5000 MEMPHIS_RANKS=0,2-3'
    [ "$output" = "0 $set"$'\n'"1 $set" ]
    # Without `ranks`, the ranks on nodes with the device sample.
    run as alice srun -N2 --ntasks-per-node=1 --memphis bash -c 'echo $SLURM_PROCID $(env | grep ^MEMPHIS)'
    [ "$(sort <<< "$output")" = "0"$'\n'"1 MEMPHIS_DISABLE=1" ]
    # The environment of the jobs of other users is unchanged.
    [ "$(as bob srun bash -c 'env | grep -c MEMPHIS' || true)" = 0 ]
    at_rest
}

@test "a cancelled job leaves the device closed" {
    local id
    id=$(job alice --memphis -N3 --wrap 'exec 8<> /dev/memphis; sleep 1000')
    until_true can_open alice
    admin scancel "$id"
    at_rest
}

@test "processes that hold the device after their job are killed: escaped, ignoring SIGTERM, or hidden from inspection" {
    cat > "$work/escape" <<'TEXT'
import ctypes, os, signal, sys, time
kind = sys.argv[1]
fd = os.open("/dev/memphis", os.O_RDWR)
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
if kind == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if kind == "hidden":
    ctypes.CDLL(None).prctl(4, 0)
# Slurm's own trackers find processes that still belong to the job by their environment or session.
open(sys.argv[2] + "." + kind, "w").write(str(os.getpid()))
time.sleep(100000)
TEXT
    chmod 755 "$work/escape"
    job alice --memphis <<TEXT
#!/bin/bash
for kind in plain deaf hidden; do
    setsid env -i python3 $work/escape \$kind $work/home/alice/escaped < /dev/null > /dev/null 2>&1
    until [ -s $work/home/alice/escaped.\$kind ]; do sleep 0.1; done
done
TEXT
    until_true test -s "$work/home/alice/escaped.hidden"
    at_rest
    for kind in plain deaf hidden; do
        run ! admin test -d "/proc/$(cat "$work/home/alice/escaped.$kind")"
    done
}

@test "a slurmd that is killed during a job leaves nothing open after its restart" {
    local id
    id=$(job alice --memphis --no-requeue --wrap 'exec 8<> /dev/memphis; sleep 1000')
    until_true can_open alice
    admin bash -c 'kill -9 $(cat /run/slurmd-a0.pid) $(pgrep -f "^slurmstepd: \[")'
    admin scancel "$id"
    # While slurmd does not run, nothing closes the device.
    [ "$(on a0 "$batch/handover" owner)" = "$id 3001" ]
    on a0 slurmd -N a0 < /dev/null > "$work/log/slurmd-a0.out" 2>&1
    at_rest
}

@test "without the module the node is drained with the reason, the job waits, and both resume when the module is loaded" {
    local id
    on a0 "$BATS_TEST_DIRNAME/slurm/module" unload
    until_true is_drained_for 'memphis: module memphis is not loaded'
    id=$(job alice --memphis --wrap 'exec 8<> /dev/memphis && echo open')
    [ "$(as bob srun echo others)" = others ]
    job_is "$id" PENDING
    on a0 "$BATS_TEST_DIRNAME/slurm/module" load
    at_rest
    [ "$(cat "$work/home/alice/$id.out")" = open ]
}

@test "a prolog that finds no device drains the node with the reason, and the job is queued again" {
    local id
    # Hold the health check's lock, or the check would find the missing device first.
    on a0 bash -c 'exec 8> /run/memphis/health; flock 8; echo $$ > /run/memphis/locked; exec sleep 1000' > /dev/null 2>&1 &
    until_true on a0 test -s /run/memphis/locked
    on a0 mv /dev/memphis /dev/elsewhere
    id=$(job alice --memphis --wrap 'exec 8<> /dev/memphis && echo open')
    until_true is_drained_for 'memphis: there is no /dev/memphis: is the module memphis loaded?'
    until_true job_is "$id" PENDING
    on a0 mv /dev/elsewhere /dev/memphis
    on a0 bash -c 'kill $(cat /run/memphis/locked); rm /run/memphis/locked'
    # Slurm holds a job that was queued again for two minutes in any case.
    until_true is_in_service
    admin scontrol update "JobId=$id" StartTime=now
    at_rest
    [ "$(cat "$work/home/alice/$id.out")" = open ]
}

@test "if the controller does not report the job to the prolog, the node is drained with this reason and the job is queued again" {
    local id
    printf '#!/bin/sh\nexit 1\n' > "$work/away"
    chmod 755 "$work/away"
    # Hold the health check's lock, or the check would resume the node at once.
    on a0 bash -c 'exec 8> /run/memphis/health; flock 8; echo $$ > /run/memphis/locked; exec sleep 1000' > /dev/null 2>&1 &
    until_true on a0 test -s /run/memphis/locked
    on a0 setfacl -m u:3002:rw /dev/memphis
    on a0 mount --bind "$work/away" /usr/bin/squeue
    id=$(job alice --memphis --wrap 'exec 8<> /dev/memphis && echo open')
    until_true is_drained_for "memphis: the controller does not report the partition or reservation of job $id"
    until_true job_is "$id" PENDING
    is_closed
    on a0 umount /usr/bin/squeue
    on a0 bash -c 'kill $(cat /run/memphis/locked); rm /run/memphis/locked'
    until_true is_in_service
    admin scontrol update "JobId=$id" StartTime=now
    at_rest
    [ "$(cat "$work/home/alice/$id.out")" = open ]
}

@test "the health check closes permissions that somebody or udev has left open" {
    on a0 setfacl -m u:3002:rw /dev/memphis
    until_true is_closed
    on a0 bash -c 'rm /dev/memphis; mknod -m 666 /dev/memphis c 1 7'
    until_true is_closed
    # The device is open to a job that is not in Slurm's queue.
    on a0 "$batch/handover" open 999999 3002
    until_true is_closed
    at_rest
}

@test "a node that fails its check is drained with the check's message, and resumed when it passes" {
    touch "$work/unfit"
    until_true is_drained_for 'memphis: node-check: turbo is on'
    rm "$work/unfit"
    at_rest
}

@test "a node that the administrator has drained stays drained" {
    admin scontrol update NodeName=a0 State=DRAIN Reason='new fans'
    touch "$work/unfit"
    run -1 on a0 "$batch/slurm/health" --print
    [ "$output" = 'node-check: turbo is on' ]
    rm "$work/unfit"
    run -0 on a0 "$batch/slurm/health" --print
    [ "$output" = fit ]
    # This call returns at once if another health check is running. Taking the lock waits for that check, so one has run in any case.
    on a0 "$batch/slurm/health"
    on a0 flock /run/memphis/health true
    is_drained_for 'new fans'
    admin scontrol update NodeName=a0 State=RESUME
    at_rest
}

@test "the scripts do nothing on other nodes, even if the configuration is missing or invalid" {
    run -0 on b1 "$batch/slurm/health"
    [ "$output" = "" ]
    on b1 mv /etc/memphis/batch.conf /etc/memphis/away
    run -0 on b1 env SLURMD_NODENAME=b1 "$batch/slurm/prolog"
    # The controller says it, once.
    as bob srun -w b2 true
    as bob srun -w b2 true
    [ "$(grep -c 'memphis: /etc/memphis/batch.conf: No such file or directory: jobs are neither placed nor checked' "$work/log/slurmctld")" -eq 1 ]
    on b1 bash -c 'echo POLICY=none > /etc/memphis/batch.conf'
    run -0 on b1 env SLURMD_NODENAME=b1 "$batch/slurm/prolog"
    run -1 on a0 env SLURMD_NODENAME=a0 "$batch/slurm/prolog"
    on b1 mv /etc/memphis/away /etc/memphis/batch.conf
    at_rest
}
