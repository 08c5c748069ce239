#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=more
# The scripts that slurmd runs on a node, with stand-ins for scontrol and squeue, in the cases that are hard to make with a real Slurm. If
# these tests fail, a node stays in service that is unfit, or a job keeps the device.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
}

# on_node CONF SCRIPT: runs the script on a separate node (moab/node). The stand-in for scontrol prints the changes of the node's state;
# /run/jobs is what squeue prints.
on_node() {
    local why
    why=$("$BATS_TEST_DIRNAME/slurm/cluster" possible) || skip "$why"
    batch=$PWD/batch CONF=$(printf '%b' "$1") "$BATS_TEST_DIRNAME/moab/node" '
        opens() { runuser -u "$1" -- bash -c "exec 8<> /dev/memphis" 2> /dev/null && echo yes || echo no; }
        epilog() { SLURMD_NODENAME=node1 SLURM_JOB_ID=$1 "$batch/slurm/epilog"; }
        conf() { sed -i "$1" /etc/memphis/batch.conf; }
        mount -t tmpfs -o mode=755 none /usr/local/sbin
        cat > /usr/local/sbin/scontrol <<\TEXT
#!/bin/bash
case $* in
"show aliases "*) echo node1 ;;
"-o show node "*) cat /run/node ;;
"update NodeName=node1 State=DRAIN Reason="*) echo "NodeName=node1 State=IDLE+DRAIN Reason=${4#Reason=} [root@now]" > /run/node; echo "drained: ${4#Reason=}" > /dev/tty1 ;;
"update NodeName=node1 State=RESUME") echo "NodeName=node1 State=IDLE" > /run/node; echo resumed > /dev/tty1 ;;
*) exit 1 ;;
esac
TEXT
        printf "#!/bin/sh\ncat /run/jobs\n" > /usr/local/sbin/squeue
        chmod 755 /usr/local/sbin/*
        echo "NodeName=node1 State=IDLE" > /run/node
        : > /run/jobs
        : > /dev/tty1
        changes() { cat /dev/tty1; : > /dev/tty1; }
'"$2"
}

@test "an error in batch.conf neither leaves the device with the job nor the node in service" {
    run on_node 'NODES=node1\nUSERS=alice\nGRACE_SECONDS=0' '
        "$batch/handover" open 1 3001
        conf "s/GRACE.*/JOBS=al/"
        status=0; epilog 2 || status=$?; echo "another: $status $(opens alice)"; changes
        status=0; epilog 1 || status=$?; echo "$status $(opens alice)"; changes
        conf "/JOBS/d"; "$batch/slurm/health"; changes
        "$batch/handover" open 3 3001; echo "3 RUNNING" > /run/jobs
        conf "\$a JOBS=al"; "$batch/slurm/health" || echo "health: $? $(opens alice)"
        : > /run/jobs; "$batch/slurm/health" || echo "health: $? $(opens alice)"
        rm /etc/memphis/batch.conf; status=0; epilog 4 || status=$?; echo $status; changes'
    echo "$output"
    [ "$output" = 'memphis: /dev/memphis is open to user 3001 for job 1
memphis: error: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
memphis: node node1 is drained: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
another: 1 yes
drained: memphis: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
memphis: error: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
1 no
memphis: node node1 is fit again and resumed
resumed
memphis: /dev/memphis is open to user 3001 for job 3
memphis: error: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
health: 1 yes
memphis: error: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
health: 1 no
memphis: node node1 is drained: there is no /etc/memphis/batch.conf
1
drained: memphis: there is no /etc/memphis/batch.conf' ]
}

@test "a check that fails without output, or hangs, drains the node, and the reason is an error, not its remedy" {
    run on_node 'NODES=node1\nUSERS=alice\nNODE_CHECK=/run/unfit' '
        check() { printf "#!/bin/sh\n%s\n" "$1" > /run/unfit; chmod 755 /run/unfit; "$batch/slurm/health" 2> /dev/null || echo "unfit: $?"; changes; }
        check "exit 1"
        check "echo memphis: error: too hot; echo \"memphis:   remedy: cool it\"; exit 3"
        check "exit 0"
        # Stand-ins for a command that reaches its limit, and for a hand-over that cannot have its lock.
        printf "#!/bin/sh\n[ \"\$*\" != \"-k 5 40 /run/unfit\" ] || exit 124\nexec /usr/bin/timeout \"\$@\"\n" > /usr/local/sbin/timeout; chmod 755 /usr/local/sbin/timeout
        check "exit 0"
        rm /usr/local/sbin/timeout
        printf "#!/bin/sh\n[ \"\$1\" != -w ] || exit 1\nexec /usr/bin/flock \"\$@\"\n" > /usr/local/sbin/flock; chmod 755 /usr/local/sbin/flock
        check "exit 0"
        "$batch/slurm/health" --print 2> /dev/null || echo $?
        "$batch/moab/health" 2> /dev/null'
    echo "$output"
    [ "$output" = 'unfit: 1
drained: memphis: unfit: failed without output
unfit: 1
drained: memphis: unfit: too hot
resumed
unfit: 1
drained: memphis: unfit: no result after 40 seconds
unfit: 1
drained: memphis: another process has held the lock /run/memphis/lock for 2 minutes: end the process that `fuser -v /run/memphis/lock` names
another process has held the lock /run/memphis/lock for 2 minutes: end the process that `fuser -v /run/memphis/lock` names
1
ERROR memphis: another process has held the lock /run/memphis/lock for 2 minutes: end the process that `fuser -v /run/memphis/lock` names' ]
}

@test "a limit by accounts is a warning if Slurm does not enforce accounts" {
    run on_node 'POLICY=queue\nNODES=node1\nUSERS=alice\nGROUPS=none\nACCOUNTS=physics' '
        for enforce in none associations,limits; do
            printf "#!/bin/sh\n[ \"\$*\" = \"show config\" ] && echo AccountingStorageEnforce = $enforce\n" > /usr/local/sbin/scontrol
            "$batch/slurm/fragment" slurm.conf 2>&1 > /dev/null
        done'
    echo "$output"
    [ "$output" = 'memphis: warning: ACCOUNTS=physics, but AccountingStorageEnforce=none: all jobs in the partition would wait forever
memphis:   remedy: set AccountingStorageEnforce=associations in slurm.conf (with slurmdbd), or ACCOUNTS=none in /etc/memphis/batch.conf' ]
}

@test "the fragment says which lines must be merged with those of slurm.conf" {
    run on_node 'NODES=node1\nUSERS=alice' '"$batch/slurm/fragment" slurm.conf | sed -n "2,5p"'
    echo "$output"
    [ "$output" = "# Slurm uses only one line of a name. If slurm.conf has JobSubmitPlugins, PrologFlags or SchedulerParameters, append these
# values to the site's (PrologFlags=Contain,X11,Alloc) and remove the lines here; without Contain, ssh and X11 sessions would not belong to their job.
JobSubmitPlugins=lua
PrologFlags=Alloc" ]
}
