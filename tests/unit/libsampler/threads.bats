#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How the library finds the program's threads, and what its own threads are. If these fail, threads are missing in reports, or
# the library takes time and cores that are the program's.
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
    for program in alone crowd own_threads hung raw_forks; do
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

# sampled COMMAND...: with the library and a device that takes no samples.
sampled() {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$@"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ]
}

@test "calipers don't list the threads again and again" {
    sampled "$work/crowd" pairs
    # Once in ten seconds; and where other processes make tasks by the hundred meanwhile.
    [ "$output" -lt 500 ]
    # It does list them: the first time.
    [ "$output" -gt 0 ]
}

@test "a thread of clone() that takes another one's place is attached by the next caliper" {
    sampled "$work/crowd" replaced
    [ "$output" = 0 ]
    sampled "$work/crowd" blind
    [ "$output" = 0 ]
}

# own_threads_are WORD...: with these arguments, the library's threads may use all CPUs that the shell may, as ordinary ones.
own_threads_are() {
    local cpus
    export MEMPHIS_CONTEXT=vmstat
    cpus=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
    sampled "$@"
    [ "$(sort <<< "$output")" = "memphis-context CPUs $cpus other
memphis-drain CPUs $cpus other" ]
}

@test "the library's threads run on all CPUs of the process, whatever the thread that starts them is bound to" {
    own_threads_are "$work/own_threads"
    own_threads_are "$work/own_threads" bind
    export OMP_PROC_BIND=close OMP_PLACES=cores
    own_threads_are "$work/own_threads" team
    # Bound by the runtime's constructor, which runs before the library's; and linked before it or behind it.
    own_threads_are "$work/own_threads"
    unset OMP_PROC_BIND OMP_PLACES
    # Loaded late, by a thread that is bound, beside one that is not.
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$work/idle.so" "$work/own_threads_late" load "$build/lib/libmemphis.so"
    [ "$(grep -c "CPUs $(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))') other" <<< "$output")" = 2 ]
}

@test "the library's threads are ordinary ones, whatever the scheduling class of the thread that starts them" {
    own_threads_are "$work/own_threads" batch
    own_threads_are "$work/own_threads" bind batch
    # Only where real-time classes are allowed; it is the same call for all of them.
    if chrt -f 1 true 2> /dev/null; then
        own_threads_are "$work/own_threads" fifo
    fi
}

@test "an allocator that maps memory with its lock held, in threads that the C library makes: nobody waits for ever" {
    local work_done=20 what files
    for what in small large; do
        # A program that hangs ends with 137.
        run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=all MEMPHIS_OUTPUT="$BATS_TEST_TMPDIR/$what" \
            LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so $work/mapping_allocator.so" timeout -s KILL 300 "$work/timers" "$what"
        [ "$output" = "$work_done" ]
        [ "$stderr" = "" ]
        # Where their stacks lie is known all the same: of the first thread, and of each timer's.
        files=("$BATS_TEST_TMPDIR/$what"/*.thread.memphis)
        [ "$(for file in "${files[@]}"; do "$build/bin/memphis" dump "$file" | grep -c '^  stack 0x'; done | grep -c 1)" -ge 21 ]
        work_done=40
    done
}

@test "a file system that hangs: fork, new threads, calipers and the child go on" {
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
        # Both processes have files that are whole; the child's name its region, and its block.
        run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
        [ "$(for process in "$MEMPHIS_OUTPUT"/*.process.memphis; do "$build/bin/memphis" dump "$process" | grep -c 'type=end'; done)" = "1
1" ]
        [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | grep -c ' Child$')" = 1 ]
    done
}

@test "a file system that hangs while the first caliper is opened: fork and the child go on" {
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

@test "children of clone(2) itself, made while the library's thread is at work, fork" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" timeout -s KILL 300 "$work/raw_forks"
    [ "$output" = 400 ]
    [ "$stderr" = "" ]
}

@test "a program whose only thread ends for itself has the status of that" {
    run -4 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=all LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/alone"
    [ "$output" = begins ]
    [ "$stderr" = "" ]
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=all LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/alone" pthread_exit
    [ "$output" = begins ]
    [ "$stderr" = "" ]
    # Both have closed their files.
    [ "$(for file in "$MEMPHIS_OUTPUT"/*.process.memphis; do "$build/bin/memphis" dump "$file" | grep -c 'type=end'; done)" = "1
1" ]
}

# As memphis(3) and memphis.h have it.
@test "a file system that hangs: what the functions return" {
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
