#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis record -p, called by the user of a site: attaching to running programs, with the module and with perf. If these tests
# fail, a run that can't be restarted can't be analysed, or is disturbed by the attempt.

bats_require_minimum_version 1.5.0
load ../environment
load checks

# Use only the module on kernels on which perf's IBS can't follow a thread.
backends_of() {
    case $(machine_cpu "$1")-$(machine_sampler "$1") in
    milan-cpu) echo device ;;
    *) echo device perf ;;
    esac
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.."
    export top=$PWD
    work=$(results_dir)
    export work
    rm -rf "$work"
    mkdir -p "$work/bin"
    cp tests/vm/attach/guest.sh "$work/bin"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/target" tests/vm/attach/target.c
    local machine module status
    for machine in $machines; do
        module=build/kmod/$(machine_kernel "$machine")
        machine/kbuild "$(machine_kernel "$machine")" kmod "$module" > "$work/$machine.kbuild" 2>&1
        status=0
        # shellcheck disable=SC2046 # words
        boot_machine "$machine" --log "$work/$machine.log" --put "$module/memphis.ko:/root/memphis.ko" --put build/bin/memphis \
            --put build/lib/libmemphis.so.0 --put "$work/bin" --put "$(realpath "$(command -v setpriv)"):/usr/bin/setpriv" --get "/root/out:$work/$machine" -- \
            bash "$work/bin/guest.sh" "$top" "$work/bin" /root/out /root/memphis.ko $(backends_of "$machine") \
            > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
        echo "$status" > "$work/$machine.status"
    done
}

# of MACHINE NAME: prints a file that the guest wrote.
of() {
    cat "$work/$1/$2"
}

# report MACHINE NAME EXPRESSION: evaluates a Python expression on the report `r` on NAME.
report() {
    "$top/build/bin/memphis" report --format json "$work/$1/$2" | python3 -c '
import json, sys
r = json.load(sys.stdin)
books = r["accounting"]
process = r["processes"][0]
unseen = books["unseen_ns"] / books["cpu_ns"] if books["cpu_ns"] else 0
accounted = books["interrupts"] + int(process["settings"].get("unattached", 0))
def node(n):
    return [o for o in r["nodes"] if o["node"] == n][0]
print(eval(sys.argv[1]))' "$3"
}

@test "the kernels log no complaint" {
    all_ended_well
}

@test "a program attached before its work begins is sampled to its end by both backends, with early and late threads, and the accounting equals the machine's count" {
    for machine in $machines; do
        for backend in $(backends_of "$machine"); do
            echo "$machine $backend: $(of "$machine" "$backend.err")"
            run -0 report "$machine" "$backend" 'accounted, books["lost"], books["balanced"], all(t["closed"] for t in books["threads"])'
            [ "$output" = "($(of "$machine" "$backend.delivered"), 0, True, True)" ]
            # The main thread, two early threads and two late ones. Each but the main thread reads memory; interrupts of the main thread, in
            # the kernel, may be as many where events per CPU see the end of the process.
            run -0 report "$machine" "$backend" 'len(books["threads"]), sorted(t["kept"] > 10 for t in books["threads"])'
            [ "$output" = '(5, [False, True, True, True, True])' ]
            # Per-CPU events can't measure the CPU time of a single process.
            run -0 report "$machine" "$backend" 'books["cpu_ns"] > 0 and unseen < 0.5 if process["settings"]["sampler"] == "task" else books["cpu_ns"] == 0'
            [ "$output" = True ]
        done
    done
}

@test "the program keeps its output and exit status, and the tool exits with 0 and prints what it captured" {
    for machine in $machines; do
        for backend in $(backends_of "$machine"); do
            [ "$(of "$machine" "$backend.out")" = "ready $(of "$machine" "$backend.pid")"$'\ndone' ]
            [ -z "$(of "$machine" "$backend.target")" ]
            [ "$(of "$machine" "$backend.status") $(of "$machine" "$backend.tool")" = '7 0' ]
            run -0 report "$machine" "$backend" '"%d samples kept, 0 lost, of %d interrupts in 5 threads: %.1f %% of what the period predicts" % (books["kept"], books["interrupts"], 100 - 100 * unseen) + (", threads that were not found in time had %.1f %% of the CPU time" % (100 * unseen) if unseen > 0.01 else "")'
            run -0 diff <(of "$machine" "$backend.err" | head -2) <(
                echo "memphis record: process $(of "$machine" "$backend.pid") is sampled, 3 threads so far; allocations are not known"
                echo "memphis record: $output")
            [[ "$(of "$machine" "$backend.err" | tail -1)" == "memphis record: files in /root/out/$backend (6, "*'bytes per sample); next: memphis report /root/out/'"$backend" ]]
        done
    done
}

@test "the kernel log has the users who opened the device and the attached threads, and nothing when auditing is off" {
    local pid
    for machine in $machines; do
        pid=$(of "$machine" device.pid)
        run -1 grep -Evx '(opened by uid (0|1000), pid [0-9]+ \((memphis|target|bash)\))|(uid (0|1000), pid [0-9]+ \(memphis\) attaches thread [0-9]+ of pid [0-9]+ \((target|sleep)\))' "$work/$machine/audit"
        # The main thread, two early threads and two late ones.
        [ "$(grep -Ec "^uid 1000, pid [0-9]+ \(memphis\) attaches thread [0-9]+ of pid $pid \(target\)$" "$work/$machine/audit")" -eq 5 ]
        # Includes root's own sampling, but not the shell's open after auditing was switched off.
        [ "$(grep -c '^opened by uid 0, pid [0-9]* (memphis)$' "$work/$machine/audit")" -ge 1 ]
        [ "$(tail -n 1 "$work/$machine/audit" | grep -c '(bash)')" -eq 0 ]
    done
}

@test "a user who floods the kernel log is limited to 512 lines, what is left out is counted, and other users' lines are there, in a user namespace with both IDs" {
    for machine in $machines; do
        run -0 sed -E 's/, pid [0-9]+//' "$work/$machine/flood"
        [ "$(sort <<< "$output" | uniq -c | sed 's/^ *//')" = "1 188 more lines of uid 3001 were left out
512 opened by uid 3001 (bash)
1 opened by uid 3002 (bash)
1 opened by uid 3003 as uid 100007 (bash)" ]
        # The other user came last.
        [ "$(tail -n 2 <<< "$output" | head -n 1)" = 'opened by uid 3002 (bash)' ]
    done
}

@test "static arrays are named with their lines, and heap blocks are reported as unknown by reason and by a note" {
    for machine in $machines; do
        for backend in $(backends_of "$machine"); do
            "$top/build/bin/memphis" report --full "$work/$machine/$backend"
            run -0 report "$machine" "$backend" '[("%s:%s" % (v["segment"], v["name"]), v["instructions"][0]["line"]) for v in node(1)["variables"] if v["name"] == "field"]'
            [ "$output" = "[('bss:field', $(grep -n 'LINE: field' "$top/tests/vm/attach/target.c" | cut -d: -f1))]" ]
            run -0 report "$machine" "$backend" 'all(books["unattributed"][reason] > 10 for reason in ("allocations-off", "anonymous-map"))'
            [ "$output" = True ]
            run -0 report "$machine" "$backend" 'process["settings"]["mode"], process["settings"]["alloc_min_bytes"], r["notes"]'
            [ "$output" = "('attached', 'off', ['process $(of "$machine" "$backend.pid"): attached while running: allocations are not known, and blocks have no names'])" ]
        done
    done
}

@test "the files describe the sampled process: command, executable, build-id, directory and user" {
    for machine in $machines; do
        run -0 report "$machine" device 'process["settings"]["command"], process["settings"]["executable"], process["settings"]["directory"], process["settings"]["uid"]'
        [ "$output" = "('$work/bin/target 1000000', '$work/bin/target', '/root/out', '1000')" ]
        run -0 report "$machine" device 'process["settings"]["build_id"]'
        [ "$output" = "$(readelf -n "$work/bin/target" | sed -n 's/ *Build ID: //p')" ]
    done
}

@test "a tool that is killed leaves the program unharmed and no interrupts behind" {
    for machine in $machines; do
        for backend in $(backends_of "$machine"); do
            [ "$(of "$machine" "$backend-killed.status")" = 7 ]
            [ "$(of "$machine" "$backend-killed.out" | tail -1)" = done ]
            [ "$(of "$machine" "$backend-killed.delivered")" = 0 ]
        done
    done
}

@test "another program that the process executes is not sampled, and the tool reports it" {
    for machine in $machines; do
        for backend in $(backends_of "$machine"); do
            of "$machine" "$backend-exec.err"
            [ "$(of "$machine" "$backend-exec.tool") $(of "$machine" "$backend-exec.status") $(of "$machine" "$backend-exec.delivered")" = '0 9 0' ]
            of "$machine" "$backend-exec.err" | grep -q 'executes another program, which is not sampled; memphis record -p '
        done
    done
}

@test "--duration and Ctrl-C end the tool with status 0, and the program goes on" {
    for machine in $machines; do
        [ "$(of "$machine" time.tool) $(of "$machine" interrupt.tool) $(of "$machine" time.status)" = '0 0 7' ]
        [ "$(of "$machine" time.out | tail -1)" = done ]
        run -0 report "$machine" time 'books["balanced"], all(t["closed"] for t in books["threads"])'
        [ "$output" = '(True, True)' ]
    done
}

@test "a process of another user, a missing one and one that samples itself are refused with the reason; a process that ends is no error" {
    for machine in $machines; do
        [ "$(of "$machine" other.tool)" = 1 ]
        [[ "$(of "$machine" other.err)" =~ ^"memphis: not sampling: process "[0-9]+": Permission denied; it is another user's, or has other rights than its user: be that user, or root"$ ]]
        [ "$(of "$machine" nobody.tool)" = 1 ]
        [ "$(of "$machine" nobody.err)" = 'memphis: not sampling: process 4000000: No such process; ps -e lists all processes' ]
        for name in inside twice-2; do
            [ "$(of "$machine" "$name.tool")" = 1 ]
            [[ "$(of "$machine" "$name.err")" =~ ^"memphis: not sampling: process "[0-9]+"; it is sampled already, by itself (memphis record, calipers) or by another memphis record -p: its own files have all of it"$ ]]
        done
        [ ! -e "$work/$machine/inside-2" ]
        [ ! -e "$work/$machine/twice-2" ]
        [ "$(of "$machine" short.tool)" = 0 ]
        [[ "$(of "$machine" short.err)" == *'memphis record: no sample was kept of '* ]]
    done
}

@test "Yama's ptrace_scope 1, which stops a debugger, does not stop users from sampling their own processes" {
    for machine in $machines; do
        of "$machine" yama.err
        [ "$(of "$machine" yama.scope)" = 1 ]
        [ "$(of "$machine" yama-memory.tool)" = 1 ]
        [[ "$(of "$machine" yama-memory.err)" =~ ^"dd: can't open '/proc/"[0-9]+"/mem': Permission denied"$ ]]
        [ "$(of "$machine" yama.status) $(of "$machine" yama.tool)" = '7 0' ]
        run -0 report "$machine" yama 'books["balanced"], books["kept"] > 20, process["settings"]["uid"], books["lost"]'
        [ "$output" = "(True, True, '1000', 0)" ]
    done
}

@test "root samples an ordinary user's process with the module" {
    for machine in $machines; do
        of "$machine" own.err
        [ "$(of "$machine" own.status)" = 7 ]
        run -0 report "$machine" own 'books["balanced"], books["kept"] > 20, process["settings"]["uid"], books["lost"]'
        [ "$output" = "(True, True, '1000', 0)" ]
    done
}
