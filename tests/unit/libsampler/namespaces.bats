#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs that enter namespaces that only single-threaded processes may enter, such as container launchers. If these tests fail, such
# programs can't run under memphis record, or recording ends when they enter.

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
    gcc "${flags[@]}" -o "$work/linked" namespaces.c -Wl,--export-dynamic-symbol=memphis_stand_ins -Wl,-u,memphis_wrapped "${wrap[@]}" "$build/lib/libmemphis.a" -ldl
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# record COMMAND...: runs the command with the library; env sets the variables, as programs that bats itself starts must not be recorded.
record() {
    run --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="${library-$build/lib/libmemphis.so} $work/idle.so" "$@"
}

# Prints the number of END chunks of each process file, one per line.
ends() {
    local file
    for file in "$MEMPHIS_OUTPUT"/*.process.memphis; do
        "$build/bin/memphis" dump "$file" | grep -c 'type=end'
    done
}

# Prints the sizes of the recorded blocks of 20001 and 20002 bytes, in order of time.
sizes() {
    local file
    for file in "$MEMPHIS_OUTPUT"/*.memphis; do
        "$build/bin/memphis" dump "$file"
    done | sed -n 's/^malloc time_ns=\([0-9]*\) .*size_bytes=\(2000[12]\) .*/\1 \2/p' | sort -n | cut -d' ' -f2 | paste -sd' '
}

# allowed COMMAND...: skips the test if the system does not allow the command.
allowed() {
    "$@" || skip "not allowed here: $*"
}

@test "unshare and setns work as without the library, and recording continues after them" {
    local program how
    [ "$("$work/namespaces" user)" = '0 0' ] || skip "user namespaces are not allowed here"
    for program in namespaces linked; do
        for how in user mount child; do
            [ "$how" != mount ] || [ "$("$work/namespaces" mount)" = '0 0' ] || continue
            echo "$program $how"
            rm -rf "$MEMPHIS_OUTPUT"
            # The program `linked` contains the library.
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

# As in a container that a launcher builds around itself.
@test "files of a program that hides the directory of the output are in it" {
    allowed unshare -r -m true
    record unshare -r -m "$work/namespaces" hide
    [ "$status" = 5 ]
    [ "$stderr" = "" ]
    [ "$(sizes)" = '20001 20002' ]
}

# The first one is opened by the drain, the second one by a thread of the program.
@test "the program's directory of work is that at the start, although the drain works in the one of the output" {
    local start
    mkdir "$BATS_TEST_TMPDIR/work"
    cd -P "$BATS_TEST_TMPDIR/work"
    for start in all at-once; do
        rm -rf "$MEMPHIS_OUTPUT"
        run -5 env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD="$start" LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/namespaces" late
        "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/dump"
        [ "$(grep -E '^  (directory|program_code) ' "$BATS_TEST_TMPDIR/dump" | sort -u)" = "  directory $PWD
  program_code $work:$PWD" ]
    done
}

@test "a program with several threads is refused, as without the library, and continues" {
    [ "$("$work/namespaces" threads)" = '-1 22' ]
    record "$work/namespaces" threads
    [ "$status" = 5 ]
    [ "$output" = '-1 22' ]
    [ "$stderr" = "" ]
    [ "$(sizes)" = '20001 20002' ]
}

@test "counters are also read after the program entered a namespace" {
    [ "$("$work/namespaces" user)" = '0 0' ] || skip "user namespaces are not allowed here"
    MEMPHIS_COUNTERS=vmstat record "$work/namespaces" user
    [ "$status" = 5 ]
    [ "$output" = '0 0' ]
    [ "$stderr" = "" ]
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/dump"
    # At least one reading before and one after; a metric keeps its number, and the reading thread is not one of the program.
    [ "$(grep -c 'type=counters ' "$BATS_TEST_TMPDIR/dump")" -ge 1 ]
    [ "$(grep -c 'vmstat host counter .* pgfault$' "$BATS_TEST_TMPDIR/dump")" = 1 ]
    pgfault=$(sed -n 's/^  \([0-9]*\) vmstat host counter .* pgfault$/\1/p' "$BATS_TEST_TMPDIR/dump")
    [ "$(grep -Ec "metric=$pgfault( |$)" "$BATS_TEST_TMPDIR/dump")" -ge 2 ]
    [ "$(find "$MEMPHIS_OUTPUT" -name '*.thread.memphis' | wc -l)" = 1 ]
}

@test "unshare(1) to user, mount and PID namespaces runs its program, and its companion stays" {
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
    [[ "$output" != *companion* ]]
}

@test "bubblewrap runs its program" {
    allowed bwrap --bind / / --dev /dev --proc /proc true
    record bwrap --unshare-all --bind / / --dev /dev --proc /proc sh -c 'echo inside; exit 3'
    [ "$status" = 3 ]
    [ "$output" = inside ]
    [ "$stderr" = "" ]
}

@test "a descriptor that the program closes after unshare(CLONE_FILES), or by close_range(), is closed in the library, too" {
    local how
    for how in unshare close_range; do
        echo "$how"
        rm -rf "$MEMPHIS_OUTPUT"
        record "$work/unshared" "$how"
        [ "$status" = 5 ]
        [ "$output" = 'hung up' ]
        [ "$stderr" = "" ]
        [ "$(ends)" = 1 ]
    done
}

@test "children of a direct clone(2) with the same pid as their parent, in a new PID namespace, are recognised as children" {
    allowed unshare -r -p -f true
    # A child must not wait for threads of its parent, which would take 20 s each time.
    run --separate-stderr timeout -s KILL 200 unshare -r -p -f env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/unshared" same
    [ "$status" = 5 ]
    [ "$output" = 15 ]
    [ "$stderr" = "" ]
}

@test "a program with children in another PID namespace keeps its companion, and has no other thread" {
    allowed unshare -r true
    run --separate-stderr unshare -r env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/unshared" pid
    [ "$status" = 5 ]
    [ "$output" = '1 1' ]
    [ "$stderr" = "" ]
}

@test "without /proc, a map of a shared file is recorded, and errno stays as it was" {
    allowed unshare -r -m true
    run --separate-stderr unshare -r env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/unshared" empty
    [ "$status" = 5 ]
    [ "$output" = 0 ]
    [ "$stderr" = "" ]
    [ "$(for file in "$MEMPHIS_OUTPUT"/*.memphis; do "$build/bin/memphis" dump "$file"; done | grep -c '^map .* size_bytes=8192 ')" = 1 ]
}
