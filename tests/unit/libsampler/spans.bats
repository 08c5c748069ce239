#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Spans of calipers, compared with the times that the program itself has read around each begin and end, on the same clock. If these tests
# fail, traces show phases of a program where there were none.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-spans

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs" || exit
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -shared -fPIC -I"$top/include" -o "$work/idle.so" idle_device.c -ldl
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wno-missing-field-initializers -Werror -pthread -I"$top/include" -o "$work/spans" spans/spans.c \
        -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out MEMPHIS_DEVICE=/dev/null
}

# spans [PID]: prints "PATH BEGIN END" for each span of the run, or of the process, sorted. END is 0 if there is only the record of an open one.
spans() {
    local process

    for process in "$MEMPHIS_OUTPUT"/*"${1:+.$1}".process.memphis; do
        {
            "$build/bin/memphis" dump "$process"
            "$build/bin/memphis" dump "${process%.process.memphis}".*memphis
        } | awk '$1 == "chunk" { regions = $2 == "type=regions" }
            regions && $1 != "chunk" { path[$1] = ($2 ? path[$2] "/" : "") $3 }
            $1 == "span" { split($2 "=" $3 "=" $4, field, "="); print path[field[2]], field[4], field[6] }'
    done | sort -k1,1 -k2,2n -k3,3nr | awk '!seen[$1, $2]++'
}

# agree DEPTH: compares "PATH FROM TO FROM TO" of the program, in $output, down to DEPTH, with the lines of spans(), in
# $BATS_TEST_TMPDIR/spans. The times of the library are interpolated between readings of both clocks: one microsecond is allowed.
agree() {
    head -n 20 "$BATS_TEST_TMPDIR/spans"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/spans")" -gt 0 ] || return
    paste -d' ' <(awk -v depth="$1" 'split($1, part, "/") <= depth && NF == 5' <<< "$output" | sort -k1,1 -k2,2n) <(sort -k1,1 -k2,2n "$BATS_TEST_TMPDIR/spans") |
        awk 'NF != 8 || $1 != $6 || $7 < $2 - 1000 || $7 > $3 + 1000 || $8 < $4 - 1000 || $8 > $5 + 1000 { print "differs: " $0; bad = 1 }
            END { exit bad || !NR }'
}

# measure WAY DEPTH: runs the program with spans down to DEPTH, and compares.
measure() {
    run --separate-stderr -0 env MEMPHIS_SPANS="$2" LD_PRELOAD="$work/idle.so" "$work/spans" "$1"
    # shellcheck disable=SC2154 # set by run
    [ -z "$stderr" ] || return
    spans > "$BATS_TEST_TMPDIR/spans"
    agree "$2"
}

@test "spans of nested and recursive calipers begin and end where the program's own clock says" {
    measure nested 128
    [ "$(wc -l < "$BATS_TEST_TMPDIR/spans")" = 142 ]
}

@test "by default outermost calipers have spans; on request, those inside them down to a depth" {
    run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/spans" nested
    spans > "$BATS_TEST_TMPDIR/spans"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/spans")" = 21 ]
    agree 1
    rm -rf "$MEMPHIS_OUTPUT"
    measure nested 2
    [ "$(wc -l < "$BATS_TEST_TMPDIR/spans")" = 82 ]
}

@test "with MEMPHIS_SPANS=0 there are none" {
    run --separate-stderr -0 env MEMPHIS_SPANS=0 LD_PRELOAD="$work/idle.so" "$work/spans" nested
    [ -z "$(spans)" ]
    run -1 grep -c type=spans <("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis)
}

@test "without times of regions, spans are the same" {
    export MEMPHIS_REGION_TIMES=0
    measure nested 3
}

@test "the spans of a region are its calls, and last as long as its times say" {
    measure nested 3
    "$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT" | jq -r '.region_times[] | "\(.path | join("/")) \(.calls) \(.ns)"' > "$BATS_TEST_TMPDIR/times"
    # Durations are converted by the mean rate of the clock, spans by its rate at that time.
    awk 'NR == FNR { calls[$1]++; ns[$1] += $3 - $2; next }
        calls[$1] != $2 || ns[$1] < 0.999 * $3 - 1000 || ns[$1] > 1.001 * $3 + 1000 { print $0 ": " calls[$1], ns[$1]; bad = 1 }
        { compared++ } END { exit bad || compared != 5 }' "$BATS_TEST_TMPDIR/spans" "$BATS_TEST_TMPDIR/times"
}

@test "a caliper that outlives the one around it has two spans" {
    measure overlapped 2
    [ "$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/spans" | sort | paste -sd' ')" = 'A A/B B' ]
}

@test "a caliper that was never ended ends where the next one of its site begins" {
    measure left 2
    [ "$(wc -l < "$BATS_TEST_TMPDIR/spans")" = 3 ]
}

@test "each thread has its own spans; those that it leaves open end with the thread" {
    measure threads 2
    [ "$(wc -l < "$BATS_TEST_TMPDIR/spans")" = 6 ]
}

@test "a forked child has spans of its own only, and so has its parent" {
    local child lines

    run --separate-stderr -0 env MEMPHIS_SPANS=2 LD_PRELOAD="$work/idle.so" "$work/spans" forked
    child=$(awk '$1 == "pid" { print $2 }' <<< "$output")
    lines=$output
    spans "$child" > "$BATS_TEST_TMPDIR/spans"
    output=$(grep '^Child ' <<< "$lines")
    agree 2
    spans | grep -v '^Child ' > "$BATS_TEST_TMPDIR/spans"
    output=$(grep '^Run' <<< "$lines")
    agree 2
}

@test "calipers that are open when the program ends are recorded as open" {
    run --separate-stderr -0 env MEMPHIS_SPANS=3 LD_PRELOAD="$work/idle.so" "$work/spans" left_open
    [ "$(spans | awk '{ print $1, ($3 > 0) }' | paste -sd' ')" = 'Run 0 Run/Step 0 Run/Step/Solve 1' ]
    "$build/bin/memphis" export --format trace "$MEMPHIS_OUTPUT" -o "$BATS_TEST_TMPDIR/trace"
    # They last until sampling ends.
    jq -e '([.traceEvents[] | select(.name == "sampled")][0] | .ts + .dur) as $last | [.traceEvents[] | select(.ph == "X" and .args.end == "unknown")] |
        ([.[].name] == ["Run", "Step"]) and all(.[]; .ts + .dur > $last - 0.01 and .ts + .dur < $last + 0.01)' "$BATS_TEST_TMPDIR/trace"
}

@test "the files of a program that is killed have the open calipers of a few seconds before" {
    local i

    env MEMPHIS_SPANS=2 LD_PRELOAD="$work/idle.so" "$work/spans" endless 3>&- &
    for ((i = 0; i < 600; i++)); do
        ! spans 2> /dev/null | grep -q '^Run ' || break
        sleep 0.1
    done
    kill -KILL $!
    wait $! || true
    [ "$i" -lt 600 ]
    [ "$(spans | awk '{ print $1, ($3 > 0) }' | paste -sd' ')" = 'Run 0 Run/Step 1' ]
}

@test "spans that the drain can't follow are lost and counted, but not those of outermost calipers" {
    local recorded lost

    run --separate-stderr -0 env MEMPHIS_SPANS=2 LD_PRELOAD="$work/idle.so" "$work/spans" many
    spans > "$BATS_TEST_TMPDIR/spans"
    # A caliper that was recorded while it was open counts as lost if its end is.
    recorded=$(grep -c '^Run/Step [0-9]* [1-9]' "$BATS_TEST_TMPDIR/spans")
    lost=$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | awk '$1 == "spans_lost" { lost = $2 } END { print lost }')
    [ $((recorded + lost)) = 4000000 ]
    [ "$recorded" -ge 7168 ]
    awk '$1 == "Run" && $3 { found++ } END { exit found != 1 }' "$BATS_TEST_TMPDIR/spans"
    [[ "$("$build/bin/memphis" report --full "$MEMPHIS_OUTPUT" | tr -s ' \n' ' ')" == *"$lost spans of calipers were not recorded: a buffer was full; traces lack them"* ]]
}

@test "beyond MEMPHIS_SPANS_MAX, spans are left out and counted" {
    run --separate-stderr -0 env MEMPHIS_SPANS=3 MEMPHIS_SPANS_MAX=100 LD_PRELOAD="$work/idle.so" "$work/spans" nested
    [ "$(spans | wc -l)" = 100 ]
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | awk '$1 == "spans_left_out" { print $2 }')" = 42 ]
    "$build/bin/memphis" export --format trace "$MEMPHIS_OUTPUT" -o "$BATS_TEST_TMPDIR/trace"
    jq -e '[.traceEvents[] | select(.name == "sampled") | .args.spans_left_out] == [42]' "$BATS_TEST_TMPDIR/trace"
    jq -e '[.traceEvents[] | select(.ph == "X" and .name != "sampled")] | length == 100' "$BATS_TEST_TMPDIR/trace"
}

# The interface does not allow calipers in signal handlers: a handler that interrupts one may leave its region open.
@test "calipers of signal handlers, which are not allowed, do no damage to the spans around them" {
    run --separate-stderr -0 env MEMPHIS_SPANS=3 LD_PRELOAD="$work/idle.so" "$work/spans" signalled
    spans > "$BATS_TEST_TMPDIR/spans"
    cut -d' ' -f1 "$BATS_TEST_TMPDIR/spans" | sort | uniq -c
    awk '$1 !~ "^(Run|Signal|Step)(/(Signal|Step))*$" || ($3 && $3 < $2) { bad = 1; print }
        $1 == "Run" && $3 { run++ } END { exit bad || run != 1 }' "$BATS_TEST_TMPDIR/spans"
}
