#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How the library finds the program's threads, and how its own threads run. If these tests fail, threads are missing in reports, or
# the library takes time and cores from the program.
# shellcheck disable=SC2030,SC2031 # bats runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-threads
    local flags=(-std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -pthread -I"$top/include") program

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/threads" || exit
    gcc "${flags[@]}" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    for program in alone crowd ends first_ends own_threads hung raw_forks short; do
        gcc "${flags[@]}" -fopenmp -o "$work/$program" "$program.c" "$work/idle.so" -L"$build/lib" -Wl,--no-as-needed -lmemphis -Wl,-rpath,"$build/lib"
    done
    gcc "${flags[@]}" -fopenmp -o "$work/own_threads_late" own_threads.c
    gcc "${flags[@]}" -fno-builtin -shared -fPIC -o "$work/mapping_allocator.so" ../allocators/mapping_allocator.c
    gcc "${flags[@]}" -fno-builtin -o "$work/timers" timers.c
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# sampled COMMAND...: runs the command with the library and a device that takes no samples.
sampled() {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$@"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ]
}

@test "calipers do not list the threads each time" {
    sampled "$work/crowd" pairs
    # Threads are listed every ten seconds, and when the system creates hundreds of tasks meanwhile.
    [ "$output" -lt 500 ]
    # The threads are listed at least the first time.
    [ "$output" -gt 0 ]
}

@test "a thread of clone() that replaces another one is attached by the next caliper" {
    sampled "$work/crowd" replaced
    [ "$output" = 0 ]
    sampled "$work/crowd" blind
    [ "$output" = 0 ]
}

# own_threads_are COMMAND...: checks that the companions of the program have the shell's CPU affinity and the default scheduling class.
own_threads_are() {
    local cpus
    export MEMPHIS_COUNTERS=vmstat
    cpus=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
    sampled "$@"
    [ "$(sort <<< "$output")" = "memphis-counter CPUs $cpus other
memphis-drain CPUs $cpus other" ]
}

@test "companions run on all CPUs of the process, even if the starting thread is bound" {
    own_threads_are "$work/own_threads"
    own_threads_are "$work/own_threads" bind
    export OMP_PROC_BIND=close OMP_PLACES=cores
    own_threads_are "$work/own_threads" team
    # The OpenMP runtime's constructor binds the thread before the library's constructor runs.
    own_threads_are "$work/own_threads"
    unset OMP_PROC_BIND OMP_PLACES
    # The library is loaded late, by a bound thread, beside one that is not bound.
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$work/idle.so" "$work/own_threads_late" load "$build/lib/libmemphis.so"
    [ "$(grep -c "CPUs $(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))') other" <<< "$output")" = 2 ]
}

@test "companions have the default scheduling class, for any class of the starting thread" {
    own_threads_are "$work/own_threads" batch
    own_threads_are "$work/own_threads" bind batch
    # The call is the same for each class; real-time classes need permission.
    if chrt -f 1 true 2> /dev/null; then
        own_threads_are "$work/own_threads" fifo
    fi
}

@test "an allocator that maps memory with its lock held does not deadlock in threads that the C library creates" {
    local work_done=20 what
    for what in small large; do
        # timeout ends a program that hangs with status 137.
        run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once MEMPHIS_OUTPUT="$BATS_TEST_TMPDIR/$what" \
            LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so $work/mapping_allocator.so" timeout -s KILL 300 "$work/timers" "$what"
        [ "$output" = "$work_done" ]
        [ "$stderr" = "" ]
        # The stacks of the first thread and of each timer thread are recorded nevertheless.
        # The threads that ended share a file.
        [ "$(for file in "$BATS_TEST_TMPDIR/$what"/*.memphis; do "$build/bin/memphis" dump "$file"; done |
            awk '/^file .* tid=/ { split($0, part, " tid="); split(part[2], tid, " ") } /^  stack 0x/ { print tid[1] }' | sort | uniq | wc -l)" -ge 21 ]
        work_done=40
    done
}

@test "with a hanging file system, fork, new threads, calipers and the child continue" {
    local what process
    for what in process ended; do
        export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/$what
        run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" timeout -s KILL 300 "$work/hung" "$what"
        [ "$output" = "hangs
child 0 0 0
child ended with 5
thread 0 0
again 0 0
went on" ]
        [ "$stderr" = "" ]
        # Both processes have complete files; the child's files contain its region and its block.
        run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
        [ "$(for process in "$MEMPHIS_OUTPUT"/*.process.memphis; do "$build/bin/memphis" dump "$process" | grep -c 'type=end'; done)" = "1
1" ]
        [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | grep -c ' Child$')" = 1 ]
    done
}

@test "with a file system that hangs while the first caliper is opened, fork and the child continue" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" timeout -s KILL 300 "$work/hung" start
    [ "$output" = "hangs
child 0 0 0
child ended with 5
started 0 0
went on" ]
    [ "$stderr" = "" ]
    [ "$(for process in "$MEMPHIS_OUTPUT"/*.process.memphis; do "$build/bin/memphis" dump "$process" | grep -c 'type=end'; done)" = "1
1" ]
}

@test "children of a direct clone(2), created while the library's thread works, can fork" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" timeout -s KILL 300 "$work/raw_forks"
    [ "$output" = 400 ]
    [ "$stderr" = "" ]
}

# ends HOW: runs programs/threads/ends.c; prints for each process whether its file was closed, and how many samples it has.
ends() {
    local file
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/$1
    run -5 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/ends" "$1"
    [ "$stderr" = "" ] || return
    for file in "$MEMPHIS_OUTPUT"/*.process.memphis; do
        echo "$("$build/bin/memphis" dump "$file" | grep -c type=end) $("$build/bin/memphis" dump "${file%.process.memphis}".*.thread.memphis | grep -c '^sample ')"
    done
}

@test "a child that ends by _exit() or _Exit(), as workers of a pool do, has all its samples, and closed files" {
    local record
    for record in '' at-once; do
        export MEMPHIS_RECORD=$record
        [ "$(ends child)" = "1 1
1 1" ]
        [ "$(ends Exit)" = "1 1
1 1" ]
        rm -r "$BATS_TEST_TMPDIR"/{child,Exit}
    done
}

@test "a process that ends by _exit() in a signal handler has all its samples, and closed files" {
    [ "$(ends handler)" = '1 1' ]
}

@test "a child of vfork() or of a direct clone(2) that ends by _exit() changes nothing of its parent's session" {
    export MEMPHIS_RECORD=at-once
    [ "$(ends shared)" = '1 1' ]
    [ "$(ends copy)" = '1 1' ]
}

@test "files of a program that executes another one are complete; an exec that failed is taken back" {
    "$build/bin/memphis" record -q --backend none -o "$MEMPHIS_OUTPUT" bash -c 'exec true'
    run -0 "$build/bin/memphis" report "$MEMPHIS_OUTPUT"
    [[ "$output" != *killed* ]]
    rm -r "$MEMPHIS_OUTPUT"
    run -3 "$build/bin/memphis" record -q --backend none -o "$MEMPHIS_OUTPUT" bash -O execfail -c 'exec /nowhere/program; exit 3'
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | awk '$1 == "exec_time_ns" { print ($2 > 0) }')" = "1
0" ]
}

@test "a program whose only thread exits has that thread's status" {
    run -4 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/alone"
    [ "$output" = begins ]
    [ "$stderr" = "" ]
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/alone" pthread_exit
    [ "$output" = begins ]
    [ "$stderr" = "" ]
    # Both have closed their files.
    [ "$(for file in "$MEMPHIS_OUTPUT"/*.process.memphis; do "$build/bin/memphis" dump "$file" | grep -c 'type=end'; done)" = "1
1" ]
}

# As documented in memphis(3) and memphis.h.
@test "with a hanging file system, the functions return their documented errors" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" timeout -s KILL 300 "$work/hung" answers
    # -ENOSPC, -ETIMEDOUT, -EINVAL
    [ "$output" = "hangs
65536 names, then -28
flush -110
flush 0, name 0
wrong -22 -22 -22" ]
    [ "$stderr" = "" ]
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | grep -q '^  names_left_out 1$'
}

@test "a program whose first thread ends before the others is recorded to its end" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/first_ends"
    [ "$stderr" = "" ]
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | grep -cE 'Late$')" = 1 ]
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | grep -c 'type=end')" = 1 ]
}

@test "threads without data leave no file, and are counted" {
    # On a slow machine, a small block of the C library may live long enough to be recorded.
    run -0 --separate-stderr "$build/bin/memphis" record --backend none --small-bytes 0 -o "$MEMPHIS_OUTPUT" "$work/short" idle
    [ "$(find "$MEMPHIS_OUTPUT" -type f -printf '%f\n' | grep -vc '\.process\.memphis$')" = 0 ]
    [ "$(find "$MEMPHIS_OUTPUT" -type f | wc -l)" = 1 ]
    # The main thread has no data either.
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | sed -n 's/^  threads_without_data //p' | tail -n 1)" = 2001 ]
    run -0 --separate-stderr "$build/bin/memphis" report --full "$MEMPHIS_OUTPUT"
    grep -q '^run: *1 process, 2001 threads, ' <<< "$output"
    run ! grep -q '^note: .*thread' <<< "$output"
}

@test "short threads with data share a file" {
    run -0 --separate-stderr "$build/bin/memphis" record --backend none --small-bytes 0 -o "$MEMPHIS_OUTPUT" "$work/short" caliper
    # Besides the process file. On a busy host, a thread may live for 450 ms, and has a file of its own then; no other thread has.
    [ "$(find "$MEMPHIS_OUTPUT" -name '*.ended.memphis' | wc -l)" = 1 ]
    find "$MEMPHIS_OUTPUT" -name '*.thread.memphis' -exec "$build/bin/memphis" dump {} ';' |
        awk '$1 == "start_time_ns" { start = $2 } $1 == "end_time_ns" && $2 - start < 450000000 { exit 1 }'
    [ "$(for file in "$MEMPHIS_OUTPUT"/*.memphis; do "$build/bin/memphis" dump "$file"; done | grep -c '^file .* kind=thread ')" = 2000 ]
    run -0 --separate-stderr "$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT"
    [ "$(python3 -c 'import json, sys
times = json.load(sys.stdin)["region_times"]
print([(row["path"], row["calls"], row["threads"]) for row in times])' <<< "$output")" = "[(['Work'], 2000, 2000)]" ]
    run -0 --separate-stderr "$build/bin/memphis" report --full "$MEMPHIS_OUTPUT"
    grep -q '^run: *1 process, 2001 threads, ' <<< "$output"
}
