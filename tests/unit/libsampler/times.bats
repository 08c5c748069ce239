#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Calls and times of regions, compared with those that the program itself has measured around the same calipers, on the same clock. If these
# tests fail, users decide by wrong numbers.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-times
    local link=(-L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib")

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/times" || exit
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -shared -fPIC -I"$top/include" -o "$work/idle.so" ../idle_device.c -ldl
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wno-missing-field-initializers -Werror -pthread -I"$top/include" -o "$work/times" times.c "${link[@]}"
    gcc -std=gnu11 -O2 -g -Wall -Wextra -Werror -I"$top/include" -o "$work/names" names.c "${link[@]}"
    gfortran -fopenmp -O2 -g -Wall -Werror -J"$work" -I"$build/include" -o "$work/times-fortran" times.F90 "${link[@]}"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out MEMPHIS_DEVICE=/dev/null
}

# regions [OPTION...]: prints "PATH CALLS NS NS-EXCLUSIVE THREADS" for each region of the run.
regions() {
    "$build/bin/memphis" report --format json "$@" "$MEMPHIS_OUTPUT" |
        jq -r '.region_times[] | "\(.path | join("/")) \(.calls) \(.ns) \(.ns_exclusive) \(.threads)"'
}

# agree: compares "PATH CALLS INSIDE OUTSIDE" of the program, in $output, with the lines of regions(), in $BATS_TEST_TMPDIR/regions.
agree() {
    cat "$BATS_TEST_TMPDIR/regions"
    awk 'NR == FNR { calls[$1] = $2; ns[$1] = $3; next }
        $2 != calls[$1] { print $1 ": " calls[$1] " calls instead of " $2; bad = 1 }
        ns[$1] < $3 || ns[$1] > $4 { print $1 ": " ns[$1] " ns is not from " $3 " to " $4; bad = 1 }
        { compared++ }
        END { exit bad || !compared }' "$BATS_TEST_TMPDIR/regions" - <<< "$output"
}

# measure WAY: runs the program and compares its numbers.
measure() {
    run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/times" "$1"
    # shellcheck disable=SC2154 # set by run
    [ -z "$stderr" ] || return
    regions > "$BATS_TEST_TMPDIR/regions"
    agree
}

@test "a caliper gets the name that is in the buffer at the time of the call, whatever was there before" {
    run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/names"
    [ "$output" = "$(printf -- "-22 %.0s" {1..20})failed 0" ]
    run -0 regions
    [ "$(cut -d' ' -f1,2 <<< "$output" | sort | paste -sd' ')" = "Outer 1 Outer/one 96 Outer/two 90" ]
}

@test "nested, repeated and recursive regions have the program's own calls and times" {
    measure nested
    [ "$(wc -l <<< "$output")" = 6 ]
    [ "$(wc -l < "$BATS_TEST_TMPDIR/regions")" = 6 ]
    # Exclusive times are what the regions inside leave.
    awk '{ calls[$1] = $2; ns[$1] = $3; own[$1] = $4 }
        END { exit own["Run"] != ns["Run"] - ns["Run/Step"] - ns["Run/Solve"] || own["Run/Step"] != ns["Run/Step"] - ns["Run/Step/Solve"] ||
            own["Run/Step/Solve"] != ns["Run/Step/Solve"] || calls["Run/Step/Solve"] != 3000 }' "$BATS_TEST_TMPDIR/regions"
}

@test "the levels of a recursion in Python count once for each call, and nothing is noted" {
    # Scripts that stand in for python3 would make processes of their own.
    local python
    python=$(python3 -c 'import sys; print(sys.executable)')
    PYTHONPATH=$top/libsampler/api/python MEMPHIS_LIB=$build/lib/libmemphis.so.0 \
        run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$python" "$BATS_TEST_DIRNAME/programs/times/recursion.py"
    [ -z "$stderr" ] || return
    regions > "$BATS_TEST_TMPDIR/regions"
    [ "$(cut -d' ' -f1,2 "$BATS_TEST_TMPDIR/regions" | sort | paste -sd, )" = \
        'Run 1,Run/Fails 3,Run/Inner 0,Run/Level 2,Run/Level/Level 2,Run/Level/Level/Level 2,Run/Level/Level/Level/Level 2,Run/Outer 1,Run/Outer/Inner 1' ]
    run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
    [[ $output != *"never ended"* ]]
}

@test "a region that is open when the one around it is ended continues at the outer level, without a call" {
    measure overlapped
    [ "$(cut -d' ' -f1,2 "$BATS_TEST_TMPDIR/regions" | sort | paste -sd' ')" = 'A 1 A/B 1 B 0' ]
}

@test "each thread has its own numbers; those of a thread that ends inside calipers last until its end" {
    measure threads
    [ "$(awk '$1 == "Thread" { print $2, $5 }' "$BATS_TEST_TMPDIR/regions")" = '3 3' ]
    "$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT" > "$BATS_TEST_TMPDIR/json"
    jq -e '.region_times[] | select(.path == ["Thread", "Work"]) |
        .least.ns <= .median.ns and .median.ns <= .most.ns and .least.ns + .median.ns + .most.ns == .ns and
        ([.least.tid, .median.tid, .most.tid] | unique | length) == 3' "$BATS_TEST_TMPDIR/json"
    # The eighth caliper of the last thread is not ended.
    jq -e '.region_times[] | select(.path == ["Thread"]) | .cpu_ns > 0' "$BATS_TEST_TMPDIR/json"
}

@test "time and calls in a pause of the sampling count" {
    measure paused
    [ "$(awk '$1 == "Run/Step" { print $2, ($3 >= 2000000) }' "$BATS_TEST_TMPDIR/regions")" = '1 1' ]
}

@test "a forked child has numbers of its own only, and so has its parent" {
    local parent child

    run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/times" forked
    read -r child parent <<< "$(awk '$1 == "pid" { print $2 }' <<< "$output" | paste -sd' ')"
    local lines=$output
    regions --process "$child" > "$BATS_TEST_TMPDIR/regions"
    output=$(grep '^Child ' <<< "$lines")
    agree
    [ "$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/regions")" = Child ]
    regions --process "$parent" > "$BATS_TEST_TMPDIR/regions"
    output=$(grep '^Run ' <<< "$lines")
    agree
    [ "$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/regions")" = Run ]
}

@test "regions that are open when the program ends last until then" {
    measure left_open
}

@test "the files of a program that is killed have the numbers of a few seconds before, also of open regions" {
    local i

    # The first numbers are written at once.
    env LD_PRELOAD="$work/idle.so" "$work/times" endless 3>&- &
    for ((i = 0; i < 600; i++)); do
        ! regions 2> /dev/null | awk '$1 == "Run/Step" && $3 > 1e9 { found = 1 } END { exit !found }' || break
        sleep 0.1
    done
    kill -KILL $!
    wait $! || true
    [ "$i" -lt 600 ]
    [ "$(regions | cut -d' ' -f1,2 | paste -sd' ')" = 'Run 1 Run/Step 2' ]
}

@test "with MEMPHIS_REGION_TIMES=0 there are no numbers, and the report has no table" {
    MEMPHIS_REGION_TIMES=0 run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/times" nested
    [ "$("$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT" | jq -c .region_times)" = '[]' ]
    run -0 "$build/bin/memphis" report --by region "$MEMPHIS_OUTPUT"
    [[ "$output" != *'TIME IN REGIONS'* ]]
    run -1 "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis '|' grep region-time
}

@test "threads of an OpenMP team in a Fortran program have the program's own calls and times" {
    run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/times-fortran"
    [ -z "$stderr" ]
    regions > "$BATS_TEST_TMPDIR/regions"
    agree
    [ "$(awk '{ print $1, $2, $5 }' "$BATS_TEST_TMPDIR/regions" | sort | paste -sd' ')" = 'Part 90 3 TimeLoop 1 1 TimeLoop/Part 10 1' ]
}

@test "the calls of the case study's own timers are those of its regions, and their times are in those of the regions" {
    make -s -C "$top/examples/cice_halo" BUILD="$build" >&2
    OMP_NUM_THREADS=2 run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$build/examples/cice_halo/cice_halo" --steps 3
    regions | sed 's,^[^ ]*/,,' | sort > "$BATS_TEST_TMPDIR/regions"
    awk '$1 == "timer" { print $2, $5 }' <<< "$output" | sort > "$BATS_TEST_TMPDIR/timers"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/timers")" = 5 ]
    diff "$BATS_TEST_TMPDIR/timers" <(cut -d' ' -f1,2 "$BATS_TEST_TMPDIR/regions")
    # The timers have three decimal places.
    awk 'NR == FNR { ns[$1] = $3; next } $1 == "timer" && ns[$2] < 1e9 * $3 - 5e5 { bad = 1 } END { exit bad }' "$BATS_TEST_TMPDIR/regions" - <<< "$output"
}

@test "without times, no counters of regions are opened, and the files claim none" {
    local times

    for times in 1 0; do
        rm -rf "$MEMPHIS_OUTPUT"
        run --separate-stderr -0 env MEMPHIS_REGION_COUNTERS=1 MEMPHIS_REGION_TIMES="$times" LD_PRELOAD="$work/idle.so" "$work/times" nested
        "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/$times"
    done
    grep -q 'region_counters cycles,instructions' "$BATS_TEST_TMPDIR/1"
    run -1 grep region_counters "$BATS_TEST_TMPDIR/0"
}
