#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The library without the module, with perf_event_open(2): the same files, accounting and shares as with the module, and perf's
# refusals. If these tests fail, users without a device get wrong numbers, or nothing and no reason.

bats_require_minimum_version 1.5.0
load ../environment
load checks

# truth_period MACHINE: prints the period of the run that is compared with exact counts; see examples/cice_halo/demo. With IBS this
# is done at length only: the workloads of tests/vm/workloads are compared in this way with the same decoder in `make test-more`.
truth_period() {
    case $(machine_cpu "$1") in
    milan | genoa | turin) if at_length; then echo 32768; fi ;;
    *) if at_level_more; then echo 1999; fi ;;
    esac
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local link=(-I"$top/include" -I"$top/build/include" -L"$top/build/lib" -lmemphis -Wl,-rpath,'$ORIGIN')
    local machine period status truth

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 build/examples/cice_halo/cice_halo examples/cice_halo/demo-guest tests/vm/library/dense.sh tests/vm/perf/guest.sh "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/threads" tests/vm/library/threads.c "${link[@]}"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/races" tests/vm/library/races.c "${link[@]}"
    gcc -O2 -g -Wall -Wextra -Werror -o "$work/bin/ending" tests/vm/library/ending.c "${link[@]}"
    gfortran -O2 -g -fopenmp -J "$work" -o "$work/bin/openmp" tests/vm/library/openmp.F90 "${link[@]}"
    for machine in $machines; do
        period=$(truth_period "$machine")
        truth=()
        status=0
        [ -z "$period" ] || truth=(--truth "$work/$machine.tsv")
        boot_machine "$machine" --put "$work/bin" --get "/root/out:$work/$machine" "${truth[@]}" --log "$work/$machine.log" -- \
            env LD_LIBRARY_PATH="$work/bin" sh "$work/bin/guest.sh" "$work/bin" /root/out "$period" \
            > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
        echo "$status" > "$work/$machine.status"
    done
}

# holds NAME MACHINE...: succeeds if check.py NAME finds no deviation on any of the machines. There may be none at length, when each
# machine has a run of its own.
holds() {
    local name=$1 machine
    shift
    [ $# -gt 0 ] || at_length || return
    for machine in "$@"; do
        echo "machine $machine"
        python3 "$top/tests/vm/library/check.py" "$name" "$work/$machine" || return
    done
}

# with ibs|pebs: prints the selected machines with this hardware.
with() {
    local machine
    for machine in $machines; do
        case $(machine_cpu "$machine") in
        milan | genoa | turin) [ "$1" = pebs ] || echo "$machine" ;;
        *) [ "$1" = ibs ] || echo "$machine" ;;
        esac
    done
}

# says NAME STATUS TEXT: checks that the program had this exit status and exactly this standard error, on each machine.
says() {
    local machine
    for machine in $machines; do
        echo "machine $machine: $(< "$work/$machine/$1.err")"
        [ "$(< "$work/$machine/$1.status")" = "$2" ] || return
        [ "$(< "$work/$machine/$1.err")" = "$3" ] || return
    done
}

@test "the kernels log no complaint" {
    all_ended_well
}

@test "without a device, auto samples every thread with perf, in its region and with known data, and the accounting equals the machine's count" {
    local machine
    # shellcheck disable=SC2086 # machines
    holds threads $machines
    for machine in $machines; do
        grep -rqa '^backend perf$' "$work/$machine/threads"
    done
}

@test "calipers that threads open and close at once, or that an ending process or a cancelled thread leaves, are sampled in their region without a crash" {
    # shellcheck disable=SC2046 # machines
    holds races $(with ibs)
}

@test "with a filter for remote accesses, no local load and no local store is kept" {
    # shellcheck disable=SC2046 # machines
    holds filter $(with ibs)
}

# ended_well MACHINE NAME STATUS: the program had this exit status, and the library printed nothing.
ended_well() {
    echo "$1 $2: $(< "$work/$1/$2.status") $(< "$work/$1/$2.err")"
    [ "$(< "$work/$1/$2.err")" = '' ]
    [ "$(< "$work/$1/$2.status")" -eq "$3" ]
}

# loads MACHINE NAME EVENT: sets samples, loads, counted and lost from the report on the event.
loads() {
    read -r samples loads counted lost < <("$top/build/bin/memphis" report --select loads --format json "$work/$1/$2" |
        jq -r --arg event "$3" '.accounting | .lost as $lost | .loads_by_source[$event] | "\(.samples) \(.loads) \(.counted) \($lost)"')
    echo "$1 $2 $3: $samples samples for $loads of $counted, $lost lost"
}

@test "by perf, an event of loads by source has a sample for each period of what it counts, alone and with the others" {
    local machine run name event period samples loads counted lost
    for machine in $(with pebs); do
        for run in by-source:remote-dram:101 events:remote-dram:1009 events:local-dram:1009; do
            IFS=: read -r name event period <<< "$run"
            ended_well "$machine" "$name" 0
            loads "$machine" "$name" "$event"
            # Three arrays of 4 MiB, half of each used from each node in 20 steps: 64 bytes are a line, and the L3 has 2 MiB.
            [ "$counted" -gt 1900000 ]
            # Each of four threads has the rest of a period, and samples of the library itself are not selected. A busy host may let the drain wait
            # until a buffer, which has half of the samples, is full.
            [ "$loads" -le "$counted" ]
            [ $((counted - loads)) -le $(((16 + lost) * period)) ]
            [ $((2 * lost)) -le "$samples" ]
        done
        # Samples of several events, which are in buffers of their own, are in the order of their times.
        "$top/build/bin/memphis" dump "$work/$machine"/events/*.memphis > "$BATS_TEST_TMPDIR/dump"
        awk '/^file/ {last = 0} $1 == "sample" {time = substr($2, 9) + 0; if (time < last) bad = 1; last = time; count++} END {exit bad || count < 1000}' "$BATS_TEST_TMPDIR/dump"
    done
}

@test "by perf, a program that closes all descriptors is sampled by all of its events until it ends" {
    local run closed after interrupts missing
    # On Sapphire Rapids, load latency has a second event in its group.
    for run in $(for machine in $(with pebs); do echo "$machine/closed $machine/closed-latency"; done); do
        ended_well "${run%/*}" "${run#*/}" 7
        closed=$(awk '$1 == "closed" {print $2}' "$work/$run.out")
        "$top/build/bin/memphis" dump "$work/$run"/*.memphis > "$BATS_TEST_TMPDIR/dump"
        # The main thread walks 100 times over 4 MiB after that, and another thread at the same time; the L3 holds 2 MiB.
        after=$(awk -v closed="$closed" '$1 == "sample" && substr($2, 9) + 0 > closed + 0 {after++} END {print after + 0}' "$BATS_TEST_TMPDIR/dump")
        # A busy host may let the drain wait until a buffer is full; what is lost then is known.
        interrupts=$("$top/build/bin/memphis" report --format json "$work/$run" | jq .accounting.interrupts)
        echo "$run: $after samples after the end of all descriptors; $interrupts interrupts, delivered: $(< "$work/$run.delivered")"
        [ "$after" -gt 300 ]
        # Nobody can stop these events any more: while the process ends, each of its two threads may be sampled after the last reading.
        missing=$(($(< "$work/$run.delivered") - interrupts))
        [ "$missing" -ge 0 ]
        [ "$missing" -le 2 ]
    done
}

@test "samples that find no room in perf's buffer are counted as lost, and the accounting balances" {
    # shellcheck disable=SC2046 # machines
    holds lossy $(with ibs)
}

@test "by perf, lost samples of several events are counted, although read(2) of an event does not return their number before Linux 6.0" {
    local machine kept lost interrupts
    for machine in $(with pebs); do
        ended_well "$machine" lossy 7
        read -r kept lost interrupts < <("$top/build/bin/memphis" report --format json "$work/$machine/lossy" |
            jq -r '.accounting | "\(.kept) \(.lost) \(.interrupts)"')
        echo "$machine: $kept kept, $lost lost, $interrupts interrupts; delivered: $(< "$work/$machine/lossy.delivered")"
        [ "$lost" -gt 0 ]
        # Records of PERF_RECORD_LOST precede others, so that what is lost at the very end is not known there.
        case $(machine_kernel "$machine") in
        5.*) [ "$interrupts" -le "$(< "$work/$machine/lossy.delivered")" ] ;;
        *) [ "$interrupts" -eq "$(< "$work/$machine/lossy.delivered")" ] ;;
        esac
    done
}

@test "by perf, threads have the descriptors of threads that have ended" {
    local machine unsampled
    for machine in $(with pebs); do
        echo "$machine: $(< "$work/$machine/short.err")"
        [ "$(< "$work/$machine/short.status")" = 7 ]
        unsampled=$("$top/build/bin/memphis" dump "$work/$machine"/short/files/*.process.memphis | awk '$1 == "threads_unsampled" {count = $2} END {print count + 0}')
        echo "$unsampled of 61 are not sampled"
        # Without waiting for the drain, most are not. The drain, too, may attach a thread, and does not wait.
        [ "$unsampled" -lt 20 ]
    done
}

@test "MEMPHIS_BACKEND=device does not fall back to perf" {
    says device 1 'memphis: not sampling: /dev/memphis: No such file or directory; load the module (modprobe memphis) on this node, or run on the node that has it'
}

@test "if perf_event_paranoid forbids sampling, one line reports it and the remedy" {
    local why='kernel.perf_event_paranoid is 3: the administrator must set it to 1 (sysctl), or give the program CAP_PERFMON'
    says paranoid 1 "memphis: not sampling: perf: Permission denied; $why"
    says auto 1 "memphis: not sampling: /dev/memphis: No such file or directory; load the module (modprobe memphis) on this node, or run on the node that has it; nor by perf: Permission denied; $why"
}

# samples MACHINE NAME: prints the number of samples that the report counts as kept.
samples() {
    "$top/build/bin/memphis" report --format json "$work/$1/$2/files" |
        python3 -c 'import json, sys; a = json.load(sys.stdin)["accounting"]; print(a["kept"] if a["kept"] + a["lost"] + sum(a["filtered"].values()) == a["interrupts"] else "books")'
}

@test "if perf_event_paranoid allows it, a user is sampled even with little locked memory; with none, one line reports the reason" {
    local machine
    for machine in $machines; do
        for name in allowed little; do
            echo "$machine $name: $(< "$work/$machine/$name.err")"
            [ "$(< "$work/$machine/$name.status")" = 7 ]
            [ "$(samples "$machine" "$name")" -gt 100 ]
        done
        echo "$machine nothing: $(< "$work/$machine/nothing.err")"
        [[ "$(< "$work/$machine/nothing.err")" == "memphis: not sampling: attach to the device: Operation not permitted; kernel.perf_event_paranoid is 1, which is enough: "*"locked memory that is allowed (kernel.perf_event_mlock_kb 0 per CPU, and \`ulimit -l\` 0 KiB)"* ]]
    done
}

@test "by perf, several events of a thread share the locked memory that is allowed" {
    local machine
    for machine in $(with pebs); do
        ended_well "$machine" scarce 7
        [ "$(samples "$machine" scarce)" -gt 100 ]
    done
}

# bats test_tags=more
@test "in cice_halo, shares of the top variables and lines agree statistically with exact counts, and the accounting equals the machine's count" {
    local machine count=0
    for machine in $machines; do
        [ -n "$(truth_period "$machine")" ] || continue
        echo "machine $machine"
        count=$((count + 1))
        "$top/build/bin/memphis" report --format json -o "$work/$machine.json" "$work/$machine/truth"
        "$top/tests/vm/demo/truth.py" "$work/$machine.tsv" "$work/$machine/truth/run.txt" "$work/bin/cice_halo" "$work/$machine.json"
        run -0 python3 -c 'import json, sys; a = json.load(open(sys.argv[1]))["accounting"]; print(a["interrupts"], a["lost"])' "$work/$machine.json"
        [ "$output" = "$(awk '$1 == "delivered_total" {print $2}' "$work/$machine.tsv") 0" ]
    done
    [ "$count" -gt 0 ]
}
