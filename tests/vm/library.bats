#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The library with the device: every thread, every ending, and the accounting compared with the machine's own
# count. If these tests fail, sample files are incomplete, or programs suffer from being sampled.

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local link=(-I"$top/include" -I"$top/build/include" -L"$top/build/lib" -lmemphis -Wl,-rpath,'$ORIGIN')
    local machine status

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/threads" tests/vm/library/threads.c "${link[@]}"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/ending" tests/vm/library/ending.c "${link[@]}"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/races" tests/vm/library/races.c "${link[@]}"
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -pthread -o "$work/bin/times" tests/unit/libsampler/programs/times/times.c "${link[@]}"
    gfortran -O2 -g -fopenmp -J "$work" -o "$work/bin/openmp" tests/vm/library/openmp.F90 "${link[@]}"
    cp tests/vm/library/dense.sh tests/vm/library/guest.sh "$work/bin"
    for machine in $machines; do
        status=0
        boot_machine "$machine" --module "$(module_of "$machine")" --put "$work/bin:/root/bin" \
            --get "/root/out:$work/$machine" --log "$work/$machine.log" -- \
            sh /root/bin/guest.sh /root/bin /root/out > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
        echo "$status" > "$work/$machine.status"
    done
}

# holds NAME: succeeds if check.py NAME finds no deviation, on each machine.
holds() {
    local machine
    for machine in $machines; do
        echo "machine $machine"
        python3 "$top/tests/vm/library/check.py" "$1" "$work/$machine" || return
    done
}

@test "the kernels log no complaint" {
    all_ended_well
}

@test "threads of pthread, C11 and raw clone, from before and after the caliper's begin, are sampled in their region with known data" {
    holds threads
}

@test "every thread of a Fortran OpenMP team is sampled, with nested calipers, arrays found by their descriptors and an explicit name" {
    holds openmp
}

@test "return, fork, exec, SIGKILL, _exit and closing all files leave readable files, and the program keeps its exit status" {
    holds endings
}

@test "calipers that threads open and close at once, or that an ending process or a cancelled thread leaves, are sampled in their region without a crash" {
    holds races
}

@test "calls, times and instructions of regions are those that the program measures around and inside its calipers" {
    holds times
}

@test "MEMPHIS_RECORD=all samples programs without calipers and the programs that they start" {
    holds record
}

@test "no permission, too small a period, too large rings and a full disk cause one line each, and the program goes on" {
    holds trouble
}
