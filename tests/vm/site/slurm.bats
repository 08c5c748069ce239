#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A real Slurm on the emulated machine, on a node with the real module: a user's job from sbatch to its report and to the closed
# device, with everything where `make install-slurm` puts it; then the same Slurm with control groups of version 2. Statistical checks are
# at a significance level of 1e-7. If these tests fail, parts that pass their own tests (tests/batch, handover.bats, workloads.bats) do not
# work together.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

# slurm_options: prints the options that put Slurm's programs and plugins, and the programs that their scripts call, into the
# guest.
slurm_options() {
    local program library plugins

    for program in slurmctld slurmd slurmstepd munged; do
        options+=(--put "/usr/sbin/$program")
    done
    for program in sbatch srun scontrol sinfo squeue; do
        options+=(--put "/usr/bin/$program")
    done
    for program in bash setfacl getfacl stat find xargs timeout flock grep awk sed sort cut mktemp realpath setsid getent; do
        options+=(--put "$(realpath "$(command -v "$program")"):/usr/bin/$program")
    done
    # Plugins and Lua are loaded by name, so no program lists them as a dependency.
    plugins=$(ldd /usr/sbin/slurmd | sed -n 's,.*=> \(/.*\)/libslurmfull\.so .*,\1,p')
    mkdir -p "$work/plugins"
    cp "$plugins"/*.so "$work/plugins"
    options+=(--put "$work/plugins:$plugins")
    for library in /usr/lib/x86_64-linux-gnu/liblua5.[1-4].so.0; do
        options+=(--put "$library")
    done
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    local status=0 options=()
    export top=$PWD
    work=$(results_dir)
    export work

    rm -rf "$work"
    mkdir -p "$work/bin"
    make -s install-slurm DESTDIR="$work/site" prefix=/usr sysconfdir=/etc BUILD="$top/build" > "$work/install.txt" 2>&1
    cp build/lib/libmemphis.so.0 "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    gcc -O1 -g -fopenmp -Wall -Wextra -Werror -Iinclude -o "$work/bin/defect" tests/vm/site/slurm/defect.c \
        -L"$work/bin" -lmemphis -Wl,-rpath,'$ORIGIN'
    cp tests/vm/site/slurm/job.sh "$work/bin"
    slurm_options
    boot_machine "$machines" --module "build/kmod/$machines/memphis.ko" --log "$work/$machines.log" \
        "${options[@]}" --put build/bin/memphis:/usr/bin/memphis --put "$work/site/usr/libexec/memphis:/usr/libexec/memphis" \
        --put "$work/site/etc/memphis:/etc/memphis" --put "$work/bin:/home/alice" --put tests/batch/slurm/base.conf:/root/slurm/base.conf \
        --put tests/vm/site/slurm/guest.sh:/root/slurm/guest.sh --get "/root/out:$work/out" --get "/home/alice:$work/alice" -- \
        bash /root/slurm/guest.sh /root/out > "$work/$machines.txt" 2> "$work/$machines.err" || status=$?
    echo "$status" > "$work/$machines.status"
}

# fact NAME: prints what guest.sh stored under this name.
fact() {
    cat "$work/out/$1"
}

# is NAME STATUS TEXT: checks that the fact has this status and this text.
is() {
    echo "$1: $(fact "$1.status"): $(fact "$1")"
    [ "$(fact "$1.status")" -eq "$2" ]
    [ "$(fact "$1")" = "$3" ]
}

# json EXPRESSION: evaluates a jq expression on the report that the job made.
json() {
    jq -c "$1" "$work/alice/report.json"
}

closed=$'0:0\nuser::rw-\ngroup::---\nother::---'
no_user="memphis: user bob is not allowed to use the node with the module"

@test "all steps succeeded, and the kernel logged no complaint" {
    tail -n 20 "$work"/out/log/*
    all_ended_well
}

@test "the node is fit, and the job of a chosen user runs there and completes" {
    is reservation 0 ''
    is fit 0 fit
    [ "$(fact node.status)" -eq 0 ]
    [ "$(jq -c '[.verdict, .packages, .cpus]' "$work/out/node")" = '["fit",2,4]' ]
    [[ "$(fact job)" == *" UserId=alice(3001) "*" JobState=COMPLETED "*" ExitCode=0:0 "* ]]
    [[ "$(fact job)" == *" Reservation=memphis "* ]]
    [[ "$(fact job)" == *" NodeList=a0 "* ]]
    cat "$work/alice/job.out"
    [ "$(head -n 1 "$work/alice/job.out")" = 'on a0 of a0' ]
}

@test "while the job runs, the device is open to its user alone; another user is refused, whose jobs run elsewhere" {
    is open 0 $'0:0\nuser::rw-\nuser:3001:rw-\ngroup::---\nmask::rw-\nother::---'
    is owner 0 "$(fact id) 3001"
    is busy 0 fit
    is bob-opens 1 "bash: line 1: /dev/memphis: Permission denied"
    local way
    for way in bob-asks bob-reserves; do
        fact "$way"
        [ "$(fact "$way.status")" -eq 1 ]
        [[ "$(fact "$way")" == *"$no_user"* ]]
    done
    is bob-elsewhere 0 b1
}

@test "the job's sample files come back with samples and a balanced accounting" {
    # One file each of the main thread and three others, and the process file.
    [ "$(find "$work/alice/samples" -name '*.memphis' | wc -l)" -eq 5 ]
    json '.accounting | del(.threads)'
    [ "$(json '.accounting | .kept > 0 and .lost == 0 and .filtered.local > 0')" = true ]
    [ "$(json '.accounting | .interrupts == .kept + .lost + (.filtered | add)')" = true ]
    # Settings from the job's directive, and the identity of the job.
    run -0 jq -r '.[] | select(.kind == "process") | .settings | "\(.host) \(.job_id) \(.uid) \(.backend) \(.period) \(.drop)"' \
        < <(python3 "$top/tests/vm/library/files.py" "$work/alice/samples")
    [ "$output" = "machine $(fact id) 3001 device 32768 local" ]
}

@test "the report that the job made names the variable and the line, on the node that reads the variable remotely" {
    local line read count
    cat "$work/alice/job.out"
    grep -q '^ *000) \[heap\]:field ' "$work/alice/job.out"
    [ "$(json '[.nodes[] | .node as $node | .variables[] | select(.name == "field") | [$node, .segment, (.homes | map(.home))]]')" = '[[1,"heap",[0]]]' ]
    line=$(grep -n 'LINE: field' "$top/tests/vm/site/slurm/defect.c" | cut -d: -f1)
    [ "$(json '.nodes[] | select(.node == 1) | .variables[0] | [.name, (.instructions | map(.line) | unique)]')" = "[\"field\",[$line]]" ]
    # The number of samples agrees statistically with this number of accesses; see tests/vm/sources/truth.py for the 63.5.
    read=$(sed -n 's/ lines read from elsewhere$//p' "$work/alice/job.out")
    count=$(json '.nodes[] | select(.node == 1) | .variables[0].count')
    run -0 python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
from truth import CHANCE, PERIOD, tail
count, expected = int(sys.argv[2]), int(sys.argv[3]) / (PERIOD - 63.5)
print(tail(count, expected) > CHANCE / 2, f"{count} samples, {expected:.1f} expected")' "$top/tests/vm/workloads" "$count" "$read"
    echo "$output"
    [[ "$output" == True* ]]
}

@test "after the job the device is closed to all, the process that held it is gone, and the next job runs" {
    is closed 0 "$closed"
    is nobody 0 ''
    is uses 0 0
    [[ "$(< "$work/alice/escaped")" =~ ^[0-9]+$ ]]
    is escaped 1 ''
    is alice-opens-after 1 "bash: line 1: /dev/memphis: Permission denied"
    is bob-opens-after 1 "bash: line 1: /dev/memphis: Permission denied"
    is fit-after 0 fit
    is next 0 a0
}

@test "the module can then be unloaded: the node is drained with the reason, and resumed when the module is back" {
    is unload 0 ''
    is unfit 1 'memphis: node a0 is drained: module memphis is not loaded'
    is drained 0 'drained memphis: module memphis is not loaded'
    is load 0 ''
    is fit-again 0 'memphis: node a0 is fit again and resumed'
    # Slurm appends an asterisk until the controller has contacted the node itself.
    [[ "$(fact resumed)" =~ ^(idle|reserved)\*?\ none$ ]]
}

@test "with control groups of version 2, a job has the device if it has the resource, and otherwise not even by the access list" {
    [[ "$(fact queue)" == *$'\nPrologFlags=Alloc,Contain\n'*$'\nGresTypes=nic\n'* ]]
    fact constrained
    [[ "$(fact constrained)" =~ ^0::/system.slice/a0_slurmstepd.scope/job_[0-9]+/step_0/user/task_0$ ]]
    is outside 0 ''
    fact without
    [[ "$(fact without)" == *': /dev/memphis: Operation not permitted' ]]
}

@test "with control groups, a process that leaves its session ends with the job" {
    [[ "$(< "$work/alice/left")" =~ ^[0-9]+$ ]]
    is left 1 ''
}
