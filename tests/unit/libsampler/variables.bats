#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of a program's variables in the report, from the data that the library records: thread-local variables, variables on stacks, in
# libraries and in shared memory. The programs make the samples themselves. If these tests fail, whole classes of variables have no names.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-variables
    # shellcheck disable=SC2054 # commas are the linker's
    local c=(-std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -pthread -I"$top/include")
    local link=(-L"$work" -l:idle.so -I"$build/include" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib" -Wl,-rpath,"$work")

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/variables" || exit
    gcc "${c[@]}" -O2 -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc "${c[@]}" -O1 -shared -fPIC -o "$work/liblinked.so" tls_library.c
    gcc "${c[@]}" -O1 -DLATE=100 -shared -fPIC -o "$work/late-small.so" tls_library.c
    gcc "${c[@]}" -O1 -DLATE=100000 -shared -fPIC -o "$work/late-large.so" tls_library.c
    for compiler in gcc clang; do
        "$compiler" "${c[@]}" -O1 -o "$work/tls-$compiler" tls.c "${link[@]}" -L"$work" -llinked
        "$compiler" "${c[@]}" -gdwarf-4 -O0 -no-pie -o "$work/tls-$compiler-4" tls.c "${link[@]}" -L"$work" -llinked
    done
    # With optimization, gfortran does not describe where members of a threadprivate COMMON block are.
    for optimize in 0 2; do
        gfortran -g "-O$optimize" -fopenmp -J"$work" -Wall -o "$work/threadprivate-$optimize" threadprivate.F90 "${link[@]}"
    done
    for options in 'gcc -O0' 'gcc -O2 -gdwarf-4' 'gcc -O3 -mavx2' 'gcc -O2 -fno-omit-frame-pointer' 'clang -O0' 'clang -O2 -gdwarf-4 -no-pie'; do
        # shellcheck disable=SC2086 # options are words
        ${options%% *} "${c[@]}" ${options#* } -o "$work/stack-${options// /}" stack.c "${link[@]}"
    done
    gcc "${c[@]}" -O0 -shared -fPIC -DNAME=early -o "$work/early.so" loaded_library.c
    gcc "${c[@]}" -O0 -shared -fPIC -DNAME=later -o "$work/later.so" loaded_library.c
    # Linked to a fixed address, as prelink does.
    gcc "${c[@]}" -O0 -shared -fPIC -DNAME=placed -Wl,-Ttext-segment=0x10000000 -o "$work/placed.so" loaded_library.c
    gcc "${c[@]}" -O0 -shared -fPIC -DNAME=there -Wl,-Ttext-segment=0x10000000 -o "$work/there.so" loaded_library.c
    gcc "${c[@]}" -O1 -o "$work/loaded" loaded.c "${link[@]}" -ldl
    gcc "${c[@]}" -O1 -o "$work/reloaded" reloaded.c "${link[@]}" -ldl
    gcc "${c[@]}" -O0 -shared -fPIC -DNAME=needed -o "$work/libneeded.so" loaded_library.c
    gcc "${c[@]}" -O0 -shared -fPIC -DNAME=needs -o "$work/needs.so" loaded_library.c -Wl,--no-as-needed -L"$work" -lneeded \
        -Wl,-rpath,"$work"
    rm "$work/libneeded.so"
    mkfifo "$work/libneeded.so"
    gcc "${c[@]}" -O1 -shared -fPIC -o "$work/libmpi.so.40" ../mpi/mpi_library.c
    gcc "${c[@]}" -O1 -o "$work/shares" shares.c "${link[@]}" -L"$work" -l:libmpi.so.40
    gcc "${c[@]}" -O1 -fno-builtin -o "$work/late" late.c "${link[@]}"
    gcc "${c[@]}" -O1 -o "$work/loading" loading.c "${link[@]}" -ldl
    gfortran -g -O0 -fopenmp -J"$work" -Wall -o "$work/stack-fortran-0" stack.F90 "${link[@]}"
    gfortran -g -O2 -fopenmp -J"$work" -Wall -o "$work/stack-fortran-2" stack.F90 "${link[@]}"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# sampled COMMAND...: runs the command with the library. Sets $got to the variables in the report, each with its number of samples.
sampled() {
    run --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$@"
    # shellcheck disable=SC2154 # set by run
    [ "$status $stderr" = '0 ' ] || { echo "status $status: $stderr"; false; }
    "$build/bin/memphis" report --format paper --top 0 "$MEMPHIS_OUTPUT" > "$BATS_TEST_TMPDIR/report"
    got=$(sed -nE 's/^[0-9]+\) (.*) \[ 0x.* \] ([0-9]+)$/\1 \2/p' "$BATS_TEST_TMPDIR/report" | sort)
}

expect() {
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2") || { cat "$BATS_TEST_TMPDIR/report"; false; }
}

@test "thread-local variables of the program and of libraries are named, in threads from before and after the start of sampling" {
    local program late
    for program in tls-gcc tls-gcc-4 tls-clang tls-clang-4; do
        for late in small large; do
            rm -rf "$MEMPHIS_OUTPUT"
            sampled "$work/$program" "$work/late-$late.so"
            expect '[tls]:buffer 3
[tls]:linked 3
[tls]:much 3
[tls]:own 3' "$got"
        done
    done
}

@test "threadprivate variables of a module and of a COMMON block are named, in every thread" {
    local optimize
    for optimize in 0 2; do
        rm -rf "$MEMPHIS_OUTPUT"
        OMP_NUM_THREADS=4 sampled "$work/threadprivate-$optimize"
        expect '[tls]:/mine/first 4
[tls]:/mine/second 4
[tls]:ocean::work 4' "$got"
    done
}

@test "local variables of functions whose frames exist when a caliper is opened are named; others are not" {
    local program
    for program in "$work"/stack-gcc* "$work"/stack-clang*; do
        rm -rf "$MEMPHIS_OUTPUT"
        sampled "$program"
        expect '[stack]:<not-found> 3
[stack]:aligned::wide 1
[stack]:main::field 5
[stack]:solve::inner 1
[stack]:step::block 3
[stack]:step::cells 3
[stack]:step::residual 3
[stack]:variable::sized 1' "$got"
        grep -q '^ *stack-frame 3 ' "$BATS_TEST_TMPDIR/report"
    done
}

@test "local arrays of Fortran that OpenMP puts on the stack are named, from every thread" {
    local program
    for program in "$work"/stack-fortran*; do
        rm -rf "$MEMPHIS_OUTPUT"
        OMP_NUM_THREADS=4 sampled "$program"
        expect '[stack]:driver::field 8
[stack]:driver::solve::work 4' "$got"
    done
}

@test "static variables of libraries that are loaded late, and of a library with a fixed address, are named" {
    sampled "$work/loaded" "$work/early.so" "$work/later.so" "$work/placed.so"
    expect '[bss]:early 1
[bss]:later 1
[bss]:placed 1' "$got"
}

@test "a library at the address of an unloaded one gets the samples from its own loading on" {
    sampled "$work/reloaded" "$work/placed.so" "$work/there.so"
    expect '[bss]:placed 1
[bss]:there 1' "$got"
}

@test "no list of maps is recorded while the dynamic loader works" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" \
        "$work/loading" "$work/needs.so" "$work/libneeded.so"
    [ "$stderr" = '' ]
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/dump"
    [ "$(grep -c '^  0x.*needs\.so' "$BATS_TEST_TMPDIR/dump")" -eq 0 ]
    # There is one list before loading and one after; no list is marked as made during loading.
    [ "$(grep -c '^  time_ns ' "$BATS_TEST_TMPDIR/dump")" -ge 2 ]
    [ "$(grep -c '^  time_ns .*loading' "$BATS_TEST_TMPDIR/dump")" -eq 0 ]
}

@test "shared memory of each kind, unmapped before the end, is named by its file or kind and by its holder" {
    sampled "$work/shares" "$BATS_TEST_TMPDIR/climate.dat" stays
    expect '[climate.dat]:climate 2
[mmap]:own 2
[shm]:attached 2
[shm]:common 2
[shm]:posix 2
[shm]:sealed 2
[shm]:segment 2
[shm]:window 2' "$got"
}

@test "sampled blocks have names, for any number of earlier blocks without samples" {
    # The first 20 records are written for any block; the rest is reserved for blocks with samples.
    MEMPHIS_ALLOC_MAX_RECORDS=40 sampled "$work/late"
    expect '[heap]:grown 3
[heap]:late 4
[heap]:left 3
[heap]:waiting 3' "$got"
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis > "$BATS_TEST_TMPDIR/dump"
    [ "$(grep -Ec '^(malloc|free|map|share|unmap) ' "$BATS_TEST_TMPDIR/dump")" -le 40 ]
    [ "$(grep -c allocations_left_out "$BATS_TEST_TMPDIR/dump")" -eq 0 ]
    # Blocks that were released without a sample: half of all, except those that were recorded first.
    unsampled=$(awk '$1 == "allocations_unsampled" { last = $2 } END { print last }' "$BATS_TEST_TMPDIR/dump")
    [ "$unsampled" -ge 480 ]
    [ "$unsampled" -le 500 ]
}
