#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs that enter namespaces which are open to processes of one thread alone: launchers of containers. If these fail, they
# can't be started under memphis record, or their files end where they entered.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-namespaces
    local flags=(-std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -Wall -Wextra -Werror -pthread -I"$top/include") wrap

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    mapfile -t wrap < <(sed '/^#/d; s/^/-Wl,--wrap=/' "$top/packaging/wrap")
    cd "$BATS_TEST_DIRNAME/programs/namespaces" || exit
    gcc "${flags[@]}" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc "${flags[@]}" -o "$work/namespaces" namespaces.c
    gcc "${flags[@]}" -o "$work/unshared" unshared.c
    gcc "${flags[@]}" -o "$work/linked" namespaces.c -Wl,-u,memphis_wrapped "${wrap[@]}" "$build/lib/libmemphis.a" -ldl
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# record COMMAND...: through env, as what bats itself starts is not to be recorded.
record() {
    run --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=all LD_PRELOAD="${library-$build/lib/libmemphis.so} $work/idle.so" "$@"
}

# How often each kind of line that a process's files are asked for stands in them.
ends() {
    local file
    for file in "$MEMPHIS_OUTPUT"/*.process.memphis; do
        "$build/bin/memphis" dump "$file" | grep -c 'type=end'
    done
}

# Blocks of these sizes, in the order of time.
sizes() {
    local file
    for file in "$MEMPHIS_OUTPUT"/*.thread.memphis; do
        "$build/bin/memphis" dump "$file"
    done | sed -n 's/^malloc time_ns=\([0-9]*\) .*size_bytes=\(2000[12]\) .*/\1 \2/p' | sort -n | cut -d' ' -f2 | paste -sd' '
}

# The system must allow it, or nothing is tested.
allowed() {
    "$@" || skip "not allowed here: $*"
}

@test "unshare and setns work as without the library, and recording goes on behind them" {
    local program how
    [ "$("$work/namespaces" user)" = '0 0' ] || skip "user namespaces are not allowed here"
    for program in namespaces linked; do
        for how in user mount child; do
            [ "$how" != mount ] || [ "$("$work/namespaces" mount)" = '0 0' ] || continue
            echo "$program $how"
            rm -rf "$MEMPHIS_OUTPUT"
            # One of them has the library in it.
            [ "$program" = namespaces ] || local library=''
            record "$work/$program" "$how"
            # shellcheck disable=SC2154 # set by run
            [ "$status" = 5 ]
            [ "$output" = '0 0' ]
            # shellcheck disable=SC2154 # set by run
            [ "$stderr" = "" ]
            [ "$(sizes)" = '20001 20002' ]
            [ "$(ends | sort -u)" = 1 ]
        done
    done
}

@test "with threads of its own the program is refused, as without the library, and goes on" {
    [ "$("$work/namespaces" threads)" = '-1 22' ]
    record "$work/namespaces" threads
    [ "$status" = 5 ]
    [ "$output" = '-1 22' ]
    [ "$stderr" = "" ]
    [ "$(sizes)" = '20001 20002' ]
}

@test "counters are read on behind them" {
    [ "$("$work/namespaces" user)" = '0 0' ] || skip "user namespaces are not allowed here"
    MEMPHIS_CONTEXT=vmstat record "$work/namespaces" user
    [ "$status" = 5 ]
    [ "$output" = '0 0' ]
    [ "$stderr" = "" ]
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/dump"
    # At least one reading before, one behind; a metric has one number all the time, and what reads is no thread of the program.
    [ "$(grep -c 'type=context ' "$BATS_TEST_TMPDIR/dump")" -ge 1 ]
    [ "$(grep -c 'vmstat host counter .* pgfault$' "$BATS_TEST_TMPDIR/dump")" = 1 ]
    pgfault=$(sed -n 's/^  \([0-9]*\) vmstat host counter .* pgfault$/\1/p' "$BATS_TEST_TMPDIR/dump")
    [ "$(grep -Ec "metric=$pgfault( |$)" "$BATS_TEST_TMPDIR/dump")" -ge 2 ]
    [ "$(find "$MEMPHIS_OUTPUT" -name '*.thread.memphis' | wc -l)" = 1 ]
}

@test "unshare(1) to user, mount and PID namespaces runs its program; where no thread can be made any more, that is told" {
    allowed unshare -r true
    record unshare -r -m sh -c 'id -u'
    [ "$status" = 0 ]
    [ "$output" = 0 ]
    [ "$stderr" = "" ]
    rm -rf "$MEMPHIS_OUTPUT"
    record unshare -r -p -f "$work/namespaces" user
    [ "$status" = 5 ]
    [ "$output" = '0 0' ]
    [ "$stderr" = "" ]
    run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
    [[ "$output" == *": 1 thread that writes the files could not be made (children go to a PID namespace of their own): samples beyond what the rings hold were lost"* ]]
}

@test "bubblewrap runs its program" {
    allowed bwrap --bind / / --dev /dev --proc /proc true
    record bwrap --unshare-all --bind / / --dev /dev --proc /proc sh -c 'echo inside; exit 3'
    [ "$status" = 3 ]
    [ "$output" = inside ]
    [ "$stderr" = "" ]
}

@test "files that the program closes are closed behind unshare(CLONE_FILES) and the like, too" {
    local how
    for how in unshare close_range; do
        echo "$how"
        rm -rf "$MEMPHIS_OUTPUT"
        record "$work/unshared" "$how"
        [ "$status" = 5 ]
        [ "$output" = told ]
        [ "$stderr" = "" ]
        [ "$(ends)" = 1 ]
    done
}

@test "children of clone() itself that have their parent's number, in a PID namespace of their own, are known as such" {
    allowed unshare -r -p -f true
    # It waits for no thread of its parent's: that would take 20 s each time.
    run --separate-stderr timeout -s KILL 200 unshare -r -p -f env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=all LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/unshared" same
    [ "$status" = 5 ]
    [ "$output" = 15 ]
    [ "$stderr" = "" ]
}

@test "the library's threads stay where they could not be made again: children in another PID namespace" {
    allowed unshare -r true
    run --separate-stderr unshare -r env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=all LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/unshared" pid
    [ "$status" = 5 ]
    [ "$output" = '2 2' ]
    [ "$stderr" = "" ]
}
