#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Moab and Torque: their configuration and job requests follow their manuals, and their scripts hand the device over. Where Moab
# would place a job is not tested, as no Moab is available. If these tests fail, a site's moab.cfg is wrong or the device stays open
# after a job.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    moab=$PWD/batch/moab
    export MEMPHIS_BATCH_CONF=$BATS_TEST_TMPDIR/batch.conf
    me=$(id -un)
    conf "NODES=node1" "USERS=alice,$me"
}

conf() {
    printf '%s\n' PROCESSORS=12 "$@" > "$MEMPHIS_BATCH_CONF"
}

grammar() {
    python3 "$BATS_TEST_DIRNAME/moab/grammar.py" "$@"
}

@test "moab.cfg gets a standing reservation of one node for its users, without end" {
    [ "$("$moab/fragment" moab.cfg)" = "$(printf '%s\n' 'SRCFG[memphis] HOSTLIST=node1 PERIOD=INFINITY' \
        'SRCFG[memphis] TASKCOUNT=1 RESOURCES=PROCS:12' "SRCFG[memphis] USERLIST=alice+,$me+")" ]
    [ "$("$moab/fragment" moab.cfg | grammar srcfg)" = 'as the manuals have it' ]
    [ "$("$moab/fragment" qmgr)" = '' ]
}

@test "nothing is printed or submitted until the number of processors is filled in, and jobs pass the filter unchanged" {
    local refusal="memphis: error: $MEMPHIS_BATCH_CONF: PROCESSORS is none: for Moab it must be a number from 1 to 99999
memphis:   remedy: set it to the number of processors of node1"
    sed -e 's/^NODES=$/NODES=node1/' -e "s/^USERS=$/USERS=$me/" batch/batch.conf > "$MEMPHIS_BATCH_CONF"
    run -2 "$moab/fragment" moab.cfg
    [ "$output" = "$refusal" ]
    run -2 "$moab/submit" --dry-run "$moab/submit"
    [ "$output" = "$refusal" ]
    run -0 filtered '#MEMPHIS\n#PBS -l nodes=2\n'
    [ "$output" = "$refusal"$'\n#MEMPHIS\n#PBS -l nodes=2' ]
}

@test "with a class, moab.cfg gets a reservation of several nodes, and the class's queue admits its users" {
    conf POLICY=queue NODES=node1,node2 USERS=alice,bob
    [ "$("$moab/fragment" moab.cfg)" = "$(printf '%s\n' 'SRCFG[memphis] HOSTLIST=node1,node2 PERIOD=INFINITY' 'SRCFG[memphis] CLASSLIST=memphis')" ]
    [ "$("$moab/fragment" moab.cfg | grammar srcfg)" = 'as the manuals have it' ]
    [ "$("$moab/fragment" qmgr)" = "$(printf '%s\n' 'create queue memphis' 'set queue memphis queue_type = Execution' \
        'set queue memphis acl_users = alice,bob' 'set queue memphis acl_user_enable = True' \
        'set queue memphis enabled = True' 'set queue memphis started = True')" ]
}

@test "the checker of the grammar refuses planted mistakes" {
    local good line sed said
    good=$("$moab/fragment" moab.cfg)
    while IFS='|' read -r sed said; do
        line=$(sed "$sed" <<< "$good")
        [ "$line" != "$good" ]
        run -1 grammar srcfg <<< "$line"
        echo "$sed: $output"
        [[ "$output" == *"$said"* ]]
    done <<'TEXT'
s/INFINITY/FOREVER/|PERIOD can't be FOREVER
s/PERIOD=INFINITY/PERIOD=DAY/|memphis: ends
s/HOSTLIST=node1//|memphis: on no host
s/HOSTLIST/HOSTS/|no attribute of SRCFG: HOSTS=node1
s/PROCS:12/PROCS=12/|RESOURCES can't be PROCS=12
s/TASKCOUNT=1/TASKCOUNT=0/|TASKCOUNT can't be 0
s/alice+/alice++/|USERLIST can't be alice++
/USERLIST/d|memphis: nobody's
s/SRCFG\[memphis\] USER/SRCFG(memphis) USER/|not SRCFG[NAME]
s/TASKCOUNT=1/HOSTLIST=node2/|HOSTLIST twice
s/+,/+ ,/|no attribute of SRCFG: ,
TEXT
    good="msub -l nodes=node1:ppn=8+3:ppn=8,walltime=1:00:00 job.sh"
    [ "$(grammar msub <<< "$good")" = 'as the manuals have it' ]
    while IFS='|' read -r sed said; do
        run -1 grammar msub <<< "$(sed "$sed" <<< "$good")"
        echo "$sed: $output"
        [[ "$output" == *"$said"* ]]
    done <<'TEXT'
s/+3/,3/|no resource: 3:ppn
s/ppn=8/ppn=0/|nodes can't be
s/ppn=8+/ppn=8++/|nodes can't be
s/ppn=8+/ppn 8+/|not one script
s/1:00:00/1h/|walltime can't be 1h
s/-l/--nodes/|no option: --nodes
s/ job.sh//|not one script
TEXT
}

@test "submit requests the node first, and other nodes as needed" {
    local script=$BATS_TEST_TMPDIR/job.sh line
    echo true > "$script"
    line=$("$moab/submit" --dry-run --nodes 4 --ppn 8 "$script")
    [ "$line" = "msub -l nodes=node1:ppn=8+3:ppn=8,walltime=1:00:00 $script" ]
    [ "$(grammar msub <<< "$line")" = 'as the manuals have it' ]
    line=$("$moab/submit" --dry-run --walltime 30:00 "$script" -A project)
    [ "$line" = "msub -l nodes=node1:ppn=12,walltime=30:00 -A project $script" ]
    [ "$(grammar msub <<< "$line")" = 'as the manuals have it' ]
    conf POLICY=queue NODES=node1,node2 "USERS=$me"
    line=$("$moab/submit" --dry-run --nodes 2 "$script")
    [ "$line" = "msub -q memphis -l nodes=2:ppn=12,walltime=1:00:00 $script" ]
    [ "$(grammar msub <<< "$line")" = 'as the manuals have it' ]
    conf NODES=node1 USERS=alice
    run -2 "$moab/submit" --dry-run "$script"
    [[ "$output" == *"user $me is not allowed to use the node with the module"* ]]
}

# filtered SCRIPT [QSUB-ARGUMENT...]: prints the output of the submit filter for the script.
filtered() {
    printf '%b' "$1" | "$moab/filter" "${@:2}"
}

@test "the filter puts the node first in scripts that request it, and does not change other scripts" {
    [ "$(filtered '#!/bin/sh\n#MEMPHIS\n#PBS -l nodes=4:ppn=8,walltime=1:00\nrun\n')" = $'#!/bin/sh\n#MEMPHIS\n#PBS -l nodes=node1:ppn=8+3:ppn=8,walltime=1:00\nrun' ]
    [ "$(filtered '#MEMPHIS\n#PBS -l walltime=1:00,nodes=1:ppn=8:big\n')" = $'#MEMPHIS\n#PBS -l walltime=1:00,nodes=node1:ppn=8:big' ]
    [ "$(filtered '#MEMPHIS\n#MSUB -l nodes=2+1:big\n')" = $'#MEMPHIS\n#MSUB -l nodes=node1+1+1:big' ]
    [ "$(filtered '#MEMPHIS\n#PBS -l nodes=node7:ppn=2\n')" = $'#MEMPHIS\n#PBS -l nodes=node1:ppn=12+node7:ppn=2' ]
    [ "$(filtered '#MEMPHIS\n#PBS -l nodes=node1:ppn=2+2\n')" = $'#MEMPHIS\n#PBS -l nodes=node1:ppn=2+2' ]
    [ "$(filtered '#!/bin/sh\n#MEMPHIS\nrun\n')" = $'#!/bin/sh\n#MEMPHIS\n#PBS -l nodes=node1:ppn=12\nrun' ]
    # What follows the first command is text.
    [ "$(filtered '#!/bin/sh\n#MEMPHIS\ncat > next <<E\n#PBS -l nodes=2:ppn=1\nE\n')" = $'#!/bin/sh\n#MEMPHIS\n#PBS -l nodes=node1:ppn=12\ncat > next <<E\n#PBS -l nodes=2:ppn=1\nE' ]
    [ "$(filtered 'cat > next <<E\n#MEMPHIS\n#PBS -l nodes=2\nE\n')" = $'cat > next <<E\n#MEMPHIS\n#PBS -l nodes=2\nE' ]
    # Unchanged byte for byte, even without a newline at the end.
    printf '#PBS -l nodes=4\n\n\\n  run' > "$BATS_TEST_TMPDIR/plain"
    "$moab/filter" < "$BATS_TEST_TMPDIR/plain" | cmp - "$BATS_TEST_TMPDIR/plain"
    # A request for nodes on the command line would override the request in the script.
    run -255 filtered '#MEMPHIS\nrun\n' -l nodes=4
    conf NODES=node1 USERS=alice
    run -255 filtered '#MEMPHIS\nrun\n'
    [[ "$output" == "memphis: user $me is not allowed to use the node with the module" ]]
    # With JOBS=all, jobs of selected users get the node without a request, and jobs of other users pass unchanged.
    conf NODES=node1 USERS=alice JOBS=all
    [ "$(filtered '#PBS -l nodes=4\n')" = '#PBS -l nodes=4' ]
    conf NODES=node1 "USERS=$me" JOBS=all
    [ "$(filtered '#!/bin/sh\n#PBS -l nodes=4\n')" = $'#!/bin/sh\n#PBS -l nodes=node1+3' ]
    conf POLICY=queue NODES=node1,node2 "USERS=$me"
    [ "$(filtered '#!/bin/sh\n#MEMPHIS\n#PBS -l nodes=2\n')" = $'#!/bin/sh\n#MEMPHIS\n#PBS -q memphis\n#PBS -l nodes=2' ]
    # Jobs pass unchanged if the configuration is invalid.
    conf POLICY=none
    [ "$(filtered '#MEMPHIS\nrun\n' 2> /dev/null)" = $'#MEMPHIS\nrun' ]
}

@test "the filter refuses jobs that name the queue, of users who may not use it, and passes all others unchanged" {
    local named script
    conf POLICY=queue NODES=node1,node2 USERS=alice
    while read -r named; do
        run -255 filtered "#!/bin/sh\n#PBS $named\nrun\n"
        [ "$output" = "memphis: user $me is not allowed to use the node with the module" ]
        run -255 filtered "\n# text\n#MSUB  -l nodes=2 $named\nrun\n"
        # shellcheck disable=SC2086 # options and their values
        run -255 filtered '#!/bin/sh\nrun\n' $named
        # shellcheck disable=SC2086
        run -255 filtered 'run\n' -N name -Vh job.sh $named
    done <<'TEXT'
-q memphis
-qmemphis
-q memphis@server
-Vq memphis
-N name -q memphis
-q batch -q memphis
-l nodes=1,class=memphis
-lclass=memphis,walltime=1:00
-W x=class:memphis
TEXT
    # Another queue, another option's value, and text that is no directive: after the first command, and in comments.
    for script in '#PBS -q memphis2\nrun\n' '#PBS -q batch@memphis\nrun\n' '#PBS -N -qmemphis\nrun\n' 'run\n#PBS -q memphis\n' '# PBS -q memphis\nrun\n'; do
        [ "$(filtered "$script"; echo $?)" = "$(printf '%b0' "$script")" ]
    done
    [ "$(filtered 'run\n' -N memphis -q batch job.sh)" = run ]
    # A selected user's request passes, and so does any with the reservation, whose users Moab knows.
    conf POLICY=queue NODES=node1,node2 "USERS=$me"
    [ "$(filtered '#PBS -q memphis\nrun\n' -q memphis)" = $'#PBS -q memphis\nrun' ]
    conf NODES=node1 USERS=alice
    [ "$(filtered '#PBS -q memphis\nrun\n')" = $'#PBS -q memphis\nrun' ]
}

# on_node CONF SCRIPT: runs the script on a separate node, with $moab and functions that call the prologue and the epilogue as
# Torque does.
on_node() {
    local why
    why=$("$BATS_TEST_DIRNAME/slurm/cluster" possible) || skip "$why"
    unset MEMPHIS_BATCH_CONF
    moab=$moab CONF=$(printf '%b' "$1") "$BATS_TEST_DIRNAME/moab/node" '
        prologue() { env -i "$moab/prologue" "$1" "$2" "$2" job nodes=1 "${3:-batch}" account; }
        epilogue() { env -i "$moab/epilogue" "$1" "$2" "$2" job 4711 nodes=1 cput=0 "${3:-batch}" account 0; }
        access() { getfacl -cnp /dev/memphis | tr "\n" " "; }
        # A stand-in for Torque that prints /run/qstat-JOB, or knows nothing of the job; without its directory there is no answer.
        mount -t tmpfs -o mode=755 none /usr/local/sbin
        printf "%s\n" "#!/bin/bash" "[ -d /run/qstat ] || { echo qstat: cannot connect to server >&2; exit 111; }" \
            "cat /run/qstat/\$2 2> /dev/null || { echo qstat: Unknown Job Id Error \$2 >&2; exit 153; }" > /usr/local/sbin/qstat
        chmod 755 /usr/local/sbin/qstat
        is() { mkdir -p /run/qstat; printf "Job Id: %s\n    Job_Name = x\n    job_state = %s\n    queue = memphis\n\tjob_state = C\n" "$1" "$2" > "/run/qstat/$1"; }
        opens() { runuser -u "$1" -- bash -c "exec 8<> /dev/memphis" 2> /dev/null && echo yes || echo no; }
'"$2"
}

@test "prologue and epilogue take Torque's arguments in an empty environment, and hand the device over" {
    run on_node 'NODES=node1\nUSERS=alice\nGRACE_SECONDS=1' '
        prologue 17.server alice; echo "$? $(opens alice) $(opens bob)"
        runuser -u alice -- setsid bash -c "trap \"\" TERM; exec 8<> /dev/memphis; echo \$BASHPID; sleep 1000" > /tmp/holder.$$ & sleep 0
        until [ -s /tmp/holder.$$ ]; do sleep 0.1; done
        epilogue 18.server alice; echo "another: $? $(opens alice)"
        epilogue 17.server alice; echo "$? $(opens alice) $(opens bob)"
        # It closes its files before it is gone.
        timeout 300 tail -s 0.1 -f --pid=$(cat /tmp/holder.$$) /dev/null && echo ended || echo alive
        rm /tmp/holder.$$; wait || :
        prologue 19.server bob; echo "others: $? $(opens bob)"'
    echo "$output"
    # The shell also reports that its child was killed.
    [ "$(grep -vE '^memphis: |Killed' <<< "$output")" = $'0 yes no\nanother: 0 yes\n0 no no\nended\nothers: 0 no' ]
}

@test "after a prologue that finds no device, the job is queued again, and the health check takes the node out of service" {
    run on_node 'NODES=node1\nUSERS=alice' '
        "$moab/health"; echo "healthy: $?"
        rm /dev/memphis
        status=0; prologue 17.server alice 2> /dev/null || status=$?; echo "$status"
        "$moab/health" 2> /dev/null
        setfacl -m u:3002:rw /dev/full; mknod -m 666 /dev/memphis c 1 7
        "$moab/health"; access'
    echo "$output"
    [ "$output" = $'healthy: 0\n2\nERROR memphis: no device /dev/memphis\nuser::rw- group::--- other::---  ' ]
}

@test "with a queue, its jobs get the device, and nothing is done on other nodes" {
    run on_node 'POLICY=queue\nNODES=node1,node2\nUSERS=alice' '
        prologue 1.server alice batch; opens alice; prologue 2.server alice memphis; opens alice; epilogue 2.server alice memphis; opens alice
        hostname node9; rm /dev/memphis; prologue 3.server alice memphis; echo "$?"'
    echo "$output"
    [ "$(grep -v '^memphis: ' <<< "$output")" = $'no\nyes\nno\n0' ]
}

@test "with a queue, the prologue checks the user, and a job without the device runs" {
    run on_node 'POLICY=queue\nNODES=node1\nUSERS=alice' '
        prologue 1.server bob memphis; echo "$? $(opens bob)"; prologue 2.server alice memphis; echo "$? $(opens alice) $(opens bob)"'
    echo "$output"
    [ "$output" = "memphis: job 1.server runs without /dev/memphis: user bob is not in USERS
0 no
memphis: /dev/memphis is open to user 3001 for job 2.server
0 yes no" ]
}

@test "a suspended job keeps its processes and the device while other jobs start, and loses both when it has ended" {
    run on_node 'NODES=node1\nUSERS=alice,bob\nGRACE_SECONDS=0' '
        held() { grep -qs sleep /proc/$(cat /run/holder)/comm && echo "lives $(opens alice) $(opens bob) $(opens carol)"; }
        sed -i "s/^bob:.*/&\ncarol:x:3003:3003::\/:\/bin\/bash/" /etc/passwd
        prologue 1.server alice
        runuser -u alice -- bash -c "exec 8<> /dev/memphis; echo \$BASHPID; exec sleep 1000" > /run/holder & sleep 0
        # The shell that runs in the background makes the file, maybe later.
        until [ -s /run/holder ] && grep -qs sleep /proc/$(cat /run/holder)/comm; do sleep 0.1; done
        for state in S R E T none; do
            if [ $state = none ]; then rm -r /run/qstat; else is 1.server $state; fi
            prologue 2.server bob; prologue 3.server carol; "$moab/health"; echo "$state $(held)"
        done
        "$moab/../handover" owner
        is 1.server C
        prologue 4.server bob; wait || :; echo "$(held || echo ended) $(opens alice) $(opens bob)"
        # The owner is unknown to Torque; a user who gets no device closes it, too.
        rm /run/qstat/*
        prologue 5.server carol; echo "$(opens bob) $("$moab/../handover" owner)"'
    echo "$output"
    [ "$(grep -vE '^memphis: |Killed|Terminated' <<< "$output")" = $'S lives yes no no\nR lives yes no no\nE lives yes no no\nT lives yes no no\nnone lives yes no no\n1.server 3001\nended no yes\nno ' ]
    [[ "$output" == *"memphis: job 2.server runs without /dev/memphis, which another job has that has not ended"* ]]
}

@test "the device of a running job is never treated as left open" {
    run on_node 'NODES=node1\nUSERS=alice' '
        setfacl -m u:3002:rw /dev/memphis; "$moab/../handover" tidy; opens bob
        prologue 1.server alice; "$moab/../handover" tidy; "$moab/health"; opens alice; "$moab/../handover" owner'
    echo "$output"
    [ "$(grep -v '^memphis: ' <<< "$output")" = $'no\nyes\n1.server 3001' ]
}

@test "a device that the kernel still counts as used is never reported as closed, even if no process holds it" {
    run on_node 'NODES=node1\nUSERS=alice\nGRACE_SECONDS=0' '
        prologue 1.server alice
        echo 1 > /sys/module/memphis/refcnt
        status=0; epilogue 1.server alice || status=$?; echo "$status $(opens alice)"
        "$moab/../handover" check || :
        echo 0 > /sys/module/memphis/refcnt
        epilogue 1.server alice; "$moab/../handover" check; echo fit
        echo 1 > /sys/module/memphis/refcnt
        "$moab/../handover" check || :'
    echo "$output"
    [[ "$output" == *"memphis: /dev/memphis: module memphis is in use, but no process has the device open"* ]]
    [ "$(grep -v '^memphis: ' <<< "$output")" = '2 no
/dev/memphis was closed after job 1.server, but is still in use
fit
/dev/memphis is in use, but no process has it open' ]
}

@test "only root may enter the directory with the locks, and one that others could enter is repaired with new locks" {
    run on_node 'NODES=node1\nUSERS=alice' '
        modes() { (cd /run/memphis && stat -c "%U %a %n" . *) | tr "\n" " "; echo; }
        locks() { runuser -u bob -- flock -n "/run/memphis/$1" true 2> /dev/null && echo yes || echo no; }
        prologue 1.server alice; modes; locks lock; locks health
        # A user holds the lock, and the job keeps its device.
        chmod 755 /run/memphis; chmod 644 /run/memphis/*
        runuser -u bob -- flock /run/memphis/lock bash -c "echo locked > /tmp/locked.$$; exec sleep 1000" & sleep 0
        until [ -s /tmp/locked.$$ ]; do sleep 0.1; done; rm /tmp/locked.$$
        "$moab/../handover" owner; modes; locks lock
        # A directory that another user could have written to says nothing true.
        chown bob /run/memphis; "$moab/../handover" owner; modes
        rm -r /run/memphis; mkdir /tmp/other.$$; touch /tmp/other.$$/kept; ln -s /tmp/other.$$ /run/memphis
        "$moab/../handover" owner; modes; ls /tmp/other.$$; rm -r /tmp/other.$$'
    echo "$output"
    [ "$output" = 'memphis: /dev/memphis is open to user 3001 for job 1.server
root 700 . root 600 health root 600 job root 600 lock 
no
no
1.server 3001
root 700 . root 600 health root 600 job root 600 lock 
no
memphis: /run/memphis was writable by others: its contents are removed
root 700 . root 600 health root 600 lock 
root 700 . root 600 health root 600 lock 
kept' ]
}

@test "a device is closed after its job even if the lock cannot be had, with a remedy" {
    run on_node 'NODES=node1\nUSERS=alice\nGRACE_SECONDS=0' '
        prologue 1.server alice
        # A stand-in for a lock that is held by another process until the limit.
        printf "#!/bin/sh\nexit 1\n" > /usr/local/sbin/flock; chmod 755 /usr/local/sbin/flock
        status=0; epilogue 2.server alice || status=$?; echo "another: $status $(opens alice)"
        status=0; epilogue 1.server alice || status=$?; echo "$status $(opens alice)"; access; echo
        rm /usr/local/sbin/flock; hash -r
        epilogue 1.server alice; "$moab/../handover" check; echo fit'
    echo "$output"
    [ "$output" = 'memphis: /dev/memphis is open to user 3001 for job 1.server
another: 0 yes
memphis: another process has held the lock /run/memphis/lock for 2 minutes: end the process that `fuser -v /run/memphis/lock` names
2 no
user::rw- group::--- other::---  
memphis: /dev/memphis is closed after job 1.server
fit' ]
}

@test "a job loses the device after an error in batch.conf, and after a change of DEVICE or NODES, as it was opened" {
    run on_node 'NODES=node1\nUSERS=alice\nDEVICE=/dev/memphis' '
        conf() { sed -i "$1" /etc/memphis/batch.conf; }
        conf "\$a MODULE=other"; cp -r /sys/module/memphis /sys/module/other
        prologue 1.server alice; "$moab/../handover" owner
        conf "s/MODULE=.*/JOBS=al/"
        status=0; epilogue 2.server alice || status=$?; echo "another: $status $(opens alice)"
        is 1.server R; "$moab/health" 2> /dev/null || echo "health: $? $(opens alice)"
        status=0; epilogue 1.server alice || status=$?; echo "$status $(opens alice) $("$moab/../handover" owner)"
        conf "/JOBS/d"; prologue 3.server alice
        conf "s/DEVICE=.*/DEVICE=/"; is 3.server C
        "$moab/health" 2> /dev/null || echo "health: $? $(opens alice)"
        conf "s/DEVICE=.*/DEVICE=\/dev\/memphis/"; prologue 4.server alice
        conf "s/DEVICE=.*/DEVICE=\/dev\/other/"; epilogue 4.server alice; opens alice
        conf "s/DEVICE=.*/DEVICE=\/dev\/memphis/"; prologue 5.server alice
        conf "s/NODES=.*/NODES=node7/"; epilogue 5.server alice; opens alice; "$moab/health"; echo $?'
    echo "$output"
    [ "$output" = 'memphis: /dev/memphis is open to user 3001 for job 1.server
1.server 3001
memphis: error: /etc/memphis/batch.conf:4: JOBS=al: must be asking or all
another: 2 yes
ERROR memphis: batch.conf has errors; settings.sh prints them
health: 2 yes
memphis: error: /etc/memphis/batch.conf:4: JOBS=al: must be asking or all
2 no 
memphis: /dev/memphis is open to user 3001 for job 3.server
ERROR memphis: batch.conf has errors; settings.sh prints them
health: 2 no
memphis: /dev/memphis is open to user 3001 for job 4.server
memphis: /dev/memphis is closed after job 4.server
no
memphis: /dev/memphis is open to user 3001 for job 5.server
memphis: /dev/memphis is closed after job 5.server
no
0' ]
}
