#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs of several ranks, started by Open MPI and by MPICH: rank numbers, output directories, the choice of ranks, and which rank
# prints messages. If these tests fail, the files of a parallel job can't be distinguished, or thousands of ranks print the same message.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/mpi-native
    local mpi

    rm -rf "$work"
    mkdir -p "$work"
    for mpi in openmpi mpich; do
        "mpicc.$mpi" -O2 -g -Wall -Wextra -Werror -I"$top/include" -o "$work/c.$mpi" "$BATS_TEST_DIRNAME/programs/mpi/ranks.c" \
            -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
        "mpifort.$mpi" -O2 -g -I"$build/include" -o "$work/fortran.$mpi" "$BATS_TEST_DIRNAME/programs/mpi/ranks.F90" \
            -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    done
    gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared -I"$top/include" -o "$work/idle_device.so" \
        "$BATS_TEST_DIRNAME/programs/idle_device.c" -ldl
}

setup() {
    unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" PBS_JOBID LSB_JOBID JOB_ID
    # Allow Open MPI to start more ranks than there are cores, and to run as root if the tests do.
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    # The stand-in device takes no samples; the library nevertheless writes its files.
    export MEMPHIS_DEVICE=/dev/null MEMPHIS_BACKEND=device
    out=$BATS_TEST_TMPDIR/out
}

# ranks LANGUAGE.MPI [PRELOAD]: runs the program with four ranks.
ranks() {
    timeout 600 "mpirun.${1#*.}" -n 4 env LD_PRELOAD="${2-$work/idle_device.so}" "$work/$1"
}

# facts DIRECTORY: prints rank, number of ranks, local rank and job of each process file.
facts() {
    python3 "$top/tests/vm/library/files.py" "$1" | python3 -c '
import json, sys
for file in json.load(sys.stdin):
    if file["kind"] == "process":
        print(*(file["settings"].get(key, "-") for key in ("rank", "ranks", "local_rank", "job_id")))'
}

@test "Open MPI and MPICH, C and Fortran: each rank has its own directory by %r and %j, and its numbers in its files" {
    local program rank
    export SLURM_JOB_ID=77
    for program in c.openmpi fortran.openmpi c.mpich fortran.mpich; do
        rm -rf "$out"
        MEMPHIS_OUTPUT=$out/%j/rank-%r run --separate-stderr -0 ranks "$program"
        echo "$program: $output $stderr"
        [ "$output" = "4 ranks, sum 6" ]
        [ "$stderr" = "" ]
        [ "$(cd "$out/77" && echo *)" = "rank-0 rank-1 rank-2 rank-3" ]
        for rank in 0 1 2 3; do
            [ "$(facts "$out/77/rank-$rank")" = "$rank 4 $rank 77" ]
        done
    done
}

@test "%h, %p and %% are expanded for each rank; in a common directory, files of ranks have different names" {
    local mpi
    for mpi in openmpi mpich; do
        rm -rf "$out"
        MEMPHIS_OUTPUT=$out/%h-%p-%j-100%% ranks "c.$mpi"
        [ "$(find "$out" -mindepth 1 -maxdepth 1 -name "$(hostname)-[0-9]*-nojob-100%" | wc -l)" = 4 ]
        rm -rf "$out"
        MEMPHIS_OUTPUT=$out ranks "c.$mpi"
        [ "$(facts "$out" | sort)" = "$(printf '%s\n' '0 4 0 -' '1 4 1 -' '2 4 2 -' '3 4 3 -')" ]
        run -0 "$build/bin/memphis" report --format paper "$out"
        [[ "$output" == *"samples: 0 of 0 are remote-dram"* ]]
    done
}

@test "MEMPHIS_RANKS chooses ranks; the others run as without the library, and print nothing" {
    local mpi
    for mpi in openmpi mpich; do
        rm -rf "$out"
        MEMPHIS_RANKS=0,2-3 MEMPHIS_OUTPUT=$out/%r run --separate-stderr -0 ranks "c.$mpi"
        [ "$output" = "4 ranks, sum 6" ]
        [ "$stderr" = "" ]
        [ "$(cd "$out" && echo *)" = "0 2 3" ]
        run -0 "$build/bin/memphis" report --format paper "$out"/*
        [[ "$output" == *"note: ranks 0,2-3 of 4; the others have no files here" ]]
    done
}

@test "without a device, or with a wrong setting, the first rank prints the message for all" {
    local mpi
    export MEMPHIS_DEVICE=/nonexistent/memphis MEMPHIS_OUTPUT=$out
    for mpi in openmpi mpich; do
        MEMPHIS_PERIOD=often run --separate-stderr -0 ranks "c.$mpi" ''
        echo "$stderr"
        [ "$output" = "4 ranks, sum 6" ]
        [ "${#stderr_lines[@]}" = 2 ]
        [[ "${stderr_lines[0]}" == "memphis: MEMPHIS_PERIOD=often is invalid, "* ]]
        [[ "${stderr_lines[1]}" == "memphis: not sampling: /nonexistent/memphis: "* ]]
        MEMPHIS_VERBOSE=1 run --separate-stderr -0 ranks "c.$mpi" ''
        [ "${#stderr_lines[@]}" = 4 ]
        [ ! -e "$out" ]
    done
}
