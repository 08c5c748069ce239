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
        # Slurm is where COMMANDS says, which is valid.
        mkdir -p /run/slurm; mv /usr/local/sbin/scontrol /run/slurm; conf "\$a COMMANDS=/run/slurm"
        changes > /dev/null; status=0; epilog 3 || status=$?; echo "elsewhere: $status"; changes
        mv /run/slurm/scontrol /usr/local/sbin
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
memphis: error: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
memphis: node node1 is drained: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
elsewhere: 1
drained: memphis: /etc/memphis/batch.conf:3: JOBS=al: must be asking or all
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
            "$batch/slurm/fragment" slurm.conf 2>&1 > /dev/null | grep -v job_submit
        done'
    echo "$output"
    [ "$output" = 'memphis: warning: ACCOUNTS=physics, but AccountingStorageEnforce=none: all jobs in the partition would wait forever
memphis:   remedy: set AccountingStorageEnforce=associations in slurm.conf (with slurmdbd), or ACCOUNTS=none in /etc/memphis/batch.conf' ]
}

# config LINE...: what the controller reports as the site's configuration.
config='config() { printf "%s\n" "$@" "SLURM_CONF = /etc/slurm/slurm.conf" > /run/config; printf "#!/bin/sh\n[ \"\$*\" != \"show config\" ] || cat /run/config\n" > /usr/local/sbin/scontrol; }
    lines() { "$batch/slurm/fragment" slurm.conf 2>&1 | grep -v "^#" | sed "s,$batch,BATCH,g"; }
    mkdir -p /etc/slurm; cp "$batch/slurm/job_submit.lua.in" /etc/slurm/job_submit.lua; sed -i "s,@batchdir@,$batch," /etc/slurm/job_submit.lua
'

@test "a site without options of its own gets those of the scripts, and the lines are the same when they are in force" {
    run on_node 'NODES=node1\nUSERS=alice' "$config"'
        config "JobSubmitPlugins        = (null)" "PrologFlags = (null)" "SchedulerParameters = (null)" "Prolog = (null)" "HealthCheckProgram = (null)" "HealthCheckInterval = 0 sec" "HealthCheckNodeState = ANY" "SlurmdUser = root(0)"
        lines > /run/first
        cat /run/first
        config "JobSubmitPlugins = lua" "PrologFlags = Alloc" "SchedulerParameters = nohold_on_prolog_fail" "Prolog = $batch/slurm/prolog" "Epilog = $batch/slurm/epilog" "HealthCheckProgram = $batch/slurm/health" "HealthCheckInterval = 60 sec" "HealthCheckNodeState = ANY" "SlurmdUser = root(0)"
        lines | cmp - /run/first && echo the same'
    echo "$output"
    [ "$output" = 'JobSubmitPlugins=lua
PrologFlags=Alloc
SchedulerParameters=nohold_on_prolog_fail
Prolog=BATCH/slurm/prolog
Epilog=BATCH/slurm/epilog
HealthCheckProgram=BATCH/slurm/health
HealthCheckInterval=60
HealthCheckNodeState=ANY
the same' ]
}

@test "lists of the site are kept, its programs run in a script with these, and what is missing is said with its remedy" {
    run on_node 'NODES=node1\nUSERS=alice' "$config"'
        mkdir /etc/slurm/epilog.d; printf "#!/bin/sh\necho site; exit \${fails:-0}\n" > /etc/slurm/prolog; chmod 755 /etc/slurm/prolog
        config "JobSubmitPlugins = require_timelimit,job_submit/lua" "PrologFlags = Alloc,Contain,X11" "SchedulerParameters = bf_continue,bf_window=2880" "Prolog = /etc/slurm/prolog" "Epilog = /etc/slurm/epilog.d/*" "HealthCheckProgram = /usr/sbin/nhc" "HealthCheckInterval = 300 sec" "HealthCheckNodeState = IDLE,CYCLE" "SlurmdUser = root(0)"
        echo > /etc/slurm/job_submit.lua
        lines
        echo "== the remedies"
        "$batch/slurm/fragment" prolog > /etc/memphis/prolog; "$batch/slurm/fragment" health > /etc/memphis/health
        tail -n +3 /etc/memphis/prolog | sed "s,$batch,BATCH,"; tail -n +3 /etc/memphis/health | sed "s,$batch,BATCH,"
        { "$batch/slurm/fragment" epilog 2>&1 || true; } | sed "s,$batch,BATCH,g"
        ln -s "$batch/slurm/epilog" /etc/slurm/epilog.d/memphis
        echo "dofile(\"$batch/slurm/memphis.lua\")" > /etc/slurm/job_submit.lua
        lines | grep memphis: || true
        fails=7 bash /etc/memphis/prolog || echo "prolog: $?"' || true
    echo "$output"
    [ "$output" = 'JobSubmitPlugins=require_timelimit,job_submit/lua
PrologFlags=Alloc,Contain,X11
SchedulerParameters=bf_continue,bf_window=2880,nohold_on_prolog_fail
Prolog=/etc/memphis/prolog
Epilog=/etc/slurm/epilog.d/*
HealthCheckProgram=/etc/memphis/health
HealthCheckInterval=300
HealthCheckNodeState=IDLE,CYCLE
memphis: warning: Prolog: /etc/memphis/prolog does not run /etc/slurm/prolog and BATCH/slurm/prolog yet
memphis:   remedy: fragment prolog > /etc/memphis/prolog.new && chmod 755 /etc/memphis/prolog.new && mv /etc/memphis/prolog.new /etc/memphis/prolog, on all nodes
memphis: warning: Epilog=/etc/slurm/epilog.d/* has no BATCH/slurm/epilog
memphis:   remedy: ln -s BATCH/slurm/epilog /etc/slurm/epilog.d/memphis, on all nodes
memphis: warning: HealthCheckProgram: /etc/memphis/health does not run /usr/sbin/nhc and BATCH/slurm/health yet
memphis:   remedy: fragment health > /etc/memphis/health.new && chmod 755 /etc/memphis/health.new && mv /etc/memphis/health.new /etc/memphis/health, on all nodes
memphis: warning: /etc/slurm/job_submit.lua does not call memphis.lua
memphis:   remedy: add the calls in BATCH/slurm/job_submit.lua
== the remedies
site=/etc/slurm/prolog
"$site" || exit
exec BATCH/slurm/prolog
site=/usr/sbin/nhc
status=0
BATCH/slurm/health || status=$?
"$site" || status=$?
exit $status
memphis: error: Epilog=/etc/slurm/epilog.d/*: a link is enough
memphis:   remedy: ln -s BATCH/slurm/epilog /etc/slurm/epilog.d/memphis, on all nodes
site
prolog: 7' ]
}

@test "since Slurm 24.05 the lines of the prolog add up: the site's stay, and a site's program that runs this one is enough" {
    run on_node 'NODES=node1\nUSERS=alice' "$config"'
        printf "%s\n" "#!/bin/sh" "# $batch/slurm/prolog" > /etc/slurm/prolog
        config "Prolog[0] = /etc/slurm/prolog" "Epilog[0] = /etc/slurm/epilog" "Epilog[1] = $batch/slurm/epilog"
        lines | grep log=
        printf "%s\n" "#!/bin/sh" "$batch/slurm/prolog" > /etc/slurm/prolog
        lines | grep log='
    echo "$output"
    [ "$output" = 'Prolog=BATCH/slurm/prolog
Epilog=BATCH/slurm/epilog
Epilog=BATCH/slurm/epilog' ]
}

@test "the wrapper is never taken for the site's program: it names that one, also when it is in force" {
    run on_node 'NODES=node1\nUSERS=alice' "$config"'
        config "Prolog = /etc/slurm/prolog"; "$batch/slurm/fragment" prolog > /etc/memphis/prolog
        config "Prolog = /etc/memphis/prolog"
        lines | grep "log=\|memphis:"; "$batch/slurm/fragment" prolog | cmp - /etc/memphis/prolog && echo the same
        echo "== another prefix"
        sed -i "s,^exec .*,exec /opt/memphis/batch/slurm/prolog," /etc/memphis/prolog
        lines | grep "log=\|memphis:"; "$batch/slurm/fragment" prolog | tail -n +3 | sed "s,$batch,BATCH,"
        config "Prolog = /opt/memphis/batch/slurm/prolog" "Epilog = /opt/memphis/batch/slurm/epilog"
        lines | grep "log=\|memphis:"
        echo "== emptied by its own making"
        config "Prolog = /etc/memphis/prolog"
        "$batch/slurm/fragment" prolog > /etc/memphis/prolog || echo "status $?, $(stat -c %s /etc/memphis/prolog) bytes"
        lines | grep "log=\|memphis:"
        echo "== lines add up since an upgrade of Slurm"
        "$batch/slurm/fragment" slurm.conf > /dev/null 2>&1
        printf "site=/etc/slurm/prolog\n" > /etc/memphis/prolog
        config "Prolog[0] = /etc/slurm/prolog" "Prolog[1] = /etc/memphis/prolog"; lines | grep log=
        config "Prolog[0] = /etc/memphis/prolog" "Prolog[1] = /etc/slurm/another"; lines | grep log=
        "$batch/slurm/fragment" prolog | grep site=' || true
    echo "$output"
    [ "$output" = 'Prolog=/etc/memphis/prolog
Epilog=BATCH/slurm/epilog
the same
== another prefix
Prolog=/etc/memphis/prolog
Epilog=BATCH/slurm/epilog
memphis: warning: Prolog: /etc/memphis/prolog does not run /etc/slurm/prolog and BATCH/slurm/prolog yet
memphis:   remedy: fragment prolog > /etc/memphis/prolog.new && chmod 755 /etc/memphis/prolog.new && mv /etc/memphis/prolog.new /etc/memphis/prolog, on all nodes
site=/etc/slurm/prolog
"$site" || exit
exec BATCH/slurm/prolog
Prolog=BATCH/slurm/prolog
Epilog=BATCH/slurm/epilog
== emptied by its own making
memphis: error: Prolog=/etc/memphis/prolog does not name the site'"'"'s program here
memphis:   remedy: echo site=PROGRAM >> /etc/memphis/prolog, with the site'"'"'s own Prolog, and repeat
status 2, 0 bytes
Prolog=/etc/memphis/prolog
Epilog=BATCH/slurm/epilog
memphis: warning: Prolog=/etc/memphis/prolog does not name the site'"'"'s program here
memphis:   remedy: echo site=PROGRAM >> /etc/memphis/prolog, with the site'"'"'s own Prolog, and repeat
== lines add up since an upgrade of Slurm
Prolog=BATCH/slurm/prolog
Epilog=BATCH/slurm/epilog
Prolog=/etc/memphis/prolog
Epilog=BATCH/slurm/epilog
site=/etc/slurm/prolog' ]
}

@test "a link has a name that the site's pattern matches, and a comment is no call" {
    run on_node 'NODES=node1\nUSERS=alice' "$config"'
        mkdir /etc/slurm/prolog.d
        for pattern in "*" "*.sh" "90-*" "[0-9]*"; do
            config "Prolog = /etc/slurm/prolog.d/$pattern"; lines | grep remedy
        done
        config "Prolog = /etc/slurm/prolog.d/*.sh"
        printf "%s\n" "#!/bin/sh" "  # exec $batch/slurm/prolog" > /etc/slurm/prolog.d/site.sh; lines | grep -c remedy
        ln -s "$batch/slurm/prolog" /etc/slurm/prolog.d/memphis; lines | grep -c remedy
        ln -s "$batch/slurm/prolog" /etc/slurm/prolog.d/memphis.sh; lines | grep -c remedy || true
        sed -i "s/^/-- /" /etc/slurm/job_submit.lua; lines | grep lua'
    echo "$output"
    [ "$output" = 'memphis:   remedy: ln -s BATCH/slurm/prolog /etc/slurm/prolog.d/memphis, on all nodes
memphis:   remedy: ln -s BATCH/slurm/prolog /etc/slurm/prolog.d/memphis.sh, on all nodes
memphis:   remedy: ln -s BATCH/slurm/prolog /etc/slurm/prolog.d/90-memphis, on all nodes
memphis:   remedy: ln -s BATCH/slurm/prolog PATH, where /etc/slurm/prolog.d/[0-9]* matches PATH, on all nodes
1
1
0
JobSubmitPlugins=lua
memphis: warning: /etc/slurm/job_submit.lua does not call memphis.lua
memphis:   remedy: add the calls in BATCH/slurm/job_submit.lua' ]
}

@test "the fragment refuses what contradicts, and asks for the controller" {
    run on_node 'NODES=node1\nUSERS=alice' "$config"'
        config "HealthCheckProgram = (null)" "HealthCheckNodeState = ALLOC"; lines || true
        config "HealthCheckProgram = /usr/sbin/nhc" "HealthCheckNodeState = NONDRAINED_IDLE"; lines || true
        config "SlurmdUser = slurm(64030)"; lines || true
        printf "#!/bin/sh\necho no answer; exit 1\n" > /usr/local/sbin/scontrol; lines || true
        rm /usr/local/sbin/scontrol; hidden=$(command -v scontrol) && mount --bind /dev/null "$hidden"; lines || true
        mount -t tmpfs none /opt; mkdir -p /opt/slurm/bin; printf "#!/bin/sh\necho no answer here; exit 1\n" > /opt/slurm/bin/scontrol; chmod 755 /opt/slurm/bin/scontrol
        echo COMMANDS=/opt/slurm/bin >> /etc/memphis/batch.conf; lines || true'
    echo "$output"
    [ "$output" = 'memphis: error: HealthCheckNodeState=ALLOC: a node that was drained because it is unfit would never be resumed
memphis:   remedy: add IDLE to HealthCheckNodeState in slurm.conf
memphis: error: HealthCheckNodeState=NONDRAINED_IDLE: a node that was drained because it is unfit would never be resumed
memphis:   remedy: add IDLE to HealthCheckNodeState in slurm.conf
memphis: error: SlurmdUser=slurm(64030): only a prolog of root can open the device
memphis:   remedy: set SlurmdUser=root in slurm.conf
memphis: error: the controller does not answer `scontrol show config`: no answer
memphis:   remedy: start slurmctld without these lines first
memphis: error: there is no scontrol in /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
memphis:   remedy: set COMMANDS in /etc/memphis/batch.conf to the directory of Slurm'"'"'s commands, like /opt/slurm/bin
memphis: error: the controller does not answer `scontrol show config`: no answer here
memphis:   remedy: start slurmctld without these lines first' ]
}

@test "the health check asks the controller nothing on a node that has neither the module nor the directory of its state" {
    run on_node 'NODES=node1,node2\nPOLICY=queue\nUSERS=alice' '
        printf "#!/bin/sh\necho \"\${0##*/} \$*\" >> /dev/tty1; [ \$1 = update ] || echo node1\n" > /usr/local/sbin/scontrol
        cp /usr/local/sbin/scontrol /usr/local/sbin/squeue
        rm -r /sys/module/memphis /dev/memphis; hostname other
        "$batch/slurm/health"; echo "other: $? $(changes)"
        mkdir -m 700 /run/memphis; "$batch/slurm/health" 2> /dev/null || echo "with its state: $(changes | head -n 1)"
        rm -r /run/memphis; hostname node1
        "$batch/slurm/health" 2> /dev/null || echo "after a reboot: $(changes | tail -n 1)"'
    echo "$output"
    [ "$output" = 'other: 0 
with its state: scontrol show aliases other
after a reboot: scontrol update NodeName=node1 State=DRAIN Reason=memphis: module memphis is not loaded' ]
}
