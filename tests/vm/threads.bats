#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Threads of every kind: each is sampled and has its name and number, and the accounting equals the machine's own count;
# calipers of the process and of threads, nested and overlapping. If these tests fail, threads are missing in a report, or in
# the wrong region.

bats_require_minimum_version 1.5.0
load ../environment
load checks

# Each row is one run: NAME, the check in check.py, PROGRAM and its arguments.
table='
pthread-c        making-all     pthread-c
std-c++          making-all     std-c++
clone-c          making-alive   clone-c
clone-c++        making-alive   clone-c++
loaded-late      making-alive   late-c
gcc-c-one        team-asked     gcc-c       one
gcc-c-each       team-asked     gcc-c       each
gcc-c++-one      team-asked     gcc-c++     one
gcc-c++-each     team-asked     gcc-c++     each
gcc-f-one        team-asked     gcc-f       one
gcc-f-each       team-asked     gcc-f       each
gcc-nested       nested         gcc-c       nested
llvm-c-one       team-told      llvm-c      one
llvm-c-each      team-told      llvm-c      each
llvm-c++-one     team-told      llvm-c++    one
llvm-c++-each    team-told      llvm-c++    each
llvm-f-one       team-told      llvm-f      one
llvm-f-each      team-told      llvm-f      each
llvm-nested      nested         llvm-c      nested
overlap          overlap        overlap
'

build_all()
{
    local from=tests/vm/threads bin=$work/bin
    local warn=(-O2 -g -Wall -Wextra -Werror -pthread -I"$top/include" -I"$top/build/include")
    local link=(-L"$top/build/lib" -Wl,--no-as-needed -lmemphis -Wl,--as-needed -Wl,-rpath,'$ORIGIN')

    gcc "${warn[@]}" -c -o "$work/work.o" $from/work.c
    gcc "${warn[@]}" -c -o "$work/making.o" $from/making.c
    gcc "${warn[@]}" -o "$bin/pthread-c" $from/make_pthread.c "$work"/{work,making}.o "${link[@]}"
    gcc "${warn[@]}" -o "$bin/late-c" $from/make_pthread.c "$work"/{work,making}.o
    g++ "${warn[@]}" -o "$bin/std-c++" $from/make_std.cpp "$work"/{work,making}.o "${link[@]}"
    gcc "${warn[@]}" -o "$bin/clone-c" $from/make_clone.c "$work"/{work,making}.o "${link[@]}"
    g++ "${warn[@]}" -o "$bin/clone-c++" -x c++ $from/make_clone.c -x none "$work"/{work,making}.o "${link[@]}"
    gcc "${warn[@]}" -fopenmp -o "$bin/gcc-c" $from/team.c "$work/work.o" "${link[@]}"
    g++ "${warn[@]}" -fopenmp -o "$bin/gcc-c++" -x c++ $from/team.c -x none "$work/work.o" "${link[@]}"
    clang "${warn[@]}" -fopenmp -o "$bin/llvm-c" $from/team.c "$work/work.o" "${link[@]}"
    clang++ "${warn[@]}" -fopenmp -o "$bin/llvm-c++" -x c++ $from/team.c -x none "$work/work.o" "${link[@]}"
    gfortran "${warn[@]}" -fopenmp -J "$work" -c -o "$work/team.o" $from/team.F90
    gfortran -fopenmp -o "$bin/gcc-f" "$work"/{team,work}.o "${link[@]}"
    # Links GCC's object files: LLVM's runtime implements GCC's entry points, too.
    clang -fopenmp -o "$bin/llvm-f" "$work"/{team,work}.o "${link[@]}" -lgfortran
    gcc "${warn[@]}" -o "$bin/overlap" $from/overlap.c "${link[@]}"
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local machine status

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    build_all
    awk 'NF {$2 = ""; print}' <<< "$table" > "$work/bin/table"
    cp tests/vm/library/dense.sh tests/vm/threads/guest.sh "$work/bin"
    for machine in $machines; do
        status=0
        boot_machine "$machine" --module "$(module_of "$machine")" --put "$work/bin:/root/bin" \
            --get "/root/out:$work/$machine" --log "$work/$machine.log" -- \
            sh /root/bin/guest.sh /root/bin /root/out > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
        echo "$status" > "$work/$machine.status"
    done
}

# holds PATTERN COUNT: checks that exactly COUNT rows have names that match PATTERN, and that their checks hold on each machine.
holds() {
    local machine name check rest count=0

    while read -r name check rest; do
        # shellcheck disable=SC2053  # a pattern
        [[ $name == $1 ]] || continue
        count=$((count + 1))
        for machine in $machines; do
            echo "machine $machine, $name ($rest)"
            python3 "$top/tests/vm/threads/check.py" "$check" "$name" "$work/$machine" || return
        done
    done <<< "$table"
    [ "$count" -eq "$2" ]
}

@test "the kernels log no complaint" {
    all_ended_well
}

@test "POSIX threads in C and threads of the C++ library are sampled before, in and after the caliper, and have their last name" {
    holds pthread-c 1
    holds std-c++ 1
}

@test "threads of clone() in C and C++, unknown to the C library, are sampled" {
    holds 'clone-*' 2
}

@test "threads that existed before the library was loaded are sampled" {
    holds loaded-late 1
}

@test "in OpenMP teams of GCC in C, C++ and Fortran, the threads that open a caliper have their numbers" {
    holds 'gcc-*-one' 3
    holds 'gcc-*-each' 3
}

@test "in OpenMP teams of LLVM in C, C++ and Fortran, all threads have their numbers" {
    holds 'llvm-*-one' 3
    holds 'llvm-*-each' 3
}

@test "in nested teams, threads have the numbers of the outer team" {
    holds '*-nested' 2
}

@test "with overlapping calipers of one thread or several, each sample is in the region of the open ones" {
    holds overlap 1
}
