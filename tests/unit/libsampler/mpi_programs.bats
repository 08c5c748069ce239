#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs that use MPI in unusual ways have the same output and status with the MPI layer as without it. If these tests fail, the layer breaks
# programs.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/mpi-programs
    local mpi flags=(-O2 -g -Wall -Wextra -Werror -Wno-stringop-overflow)

    rm -rf "$work"
    mkdir -p "$work"
    for mpi in openmpi mpich; do
        "mpicc.$mpi" "${flags[@]}" -o "$work/odd.$mpi" "$BATS_TEST_DIRNAME/programs/mpi/odd.c"
        "mpicc.$mpi" "${flags[@]}" -fPIC -shared -o "$work/odd.$mpi.so" "$BATS_TEST_DIRNAME/programs/mpi/odd.c"
    done
    gcc "${flags[@]}" -o "$work/host" "$BATS_TEST_DIRNAME/programs/mpi/host.c" -ldl
}

setup() {
    unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" PBS_JOBID LSB_JOBID JOB_ID
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    out=$BATS_TEST_TMPDIR/out
}

# same MPI COMMAND...: three ranks, with and without the layer; `plain` has the output.
same() {
    local mpi=$1
    shift
    export ODD_OUTPUT=$out.$mpi.plain
    timeout 300 "mpirun.$mpi" -n 3 "$@"
    plain=$(cat "$ODD_OUTPUT".[012])
    export ODD_OUTPUT=$out.$mpi.layered
    MEMPHIS_BACKEND=none MEMPHIS_RECORD=at-once MEMPHIS_OUTPUT=$out.$mpi/%r timeout 300 "mpirun.$mpi" -n 3 \
        env LD_PRELOAD="$build/lib/memphis/libmemphis-mpi-$mpi.so:$build/lib/libmemphis.so.0" "$@"
    diff <(echo "$plain") <(cat "$ODD_OUTPUT".[012])
    [ "$("$build/bin/memphis" report --format json "$out.$mpi"/* | jq '.mpi.ranks | length')" = 3 ]
}

@test "callbacks of MPI_COMM_SELF communicate in MPI_Finalize()" {
    local mpi
    for mpi in mpich openmpi; do
        same $mpi "$work/odd.$mpi" attribute
        [ "$plain" = "$(printf 'rank %d farewell 3\n' 0 1 2)" ]
    done
}

@test "null requests, MPI_PROC_NULL, inactive requests and ranks without a communicator" {
    local mpi
    for mpi in mpich openmpi; do
        same $mpi "$work/odd.$mpi" nothing
        [ "$(grep -c 'wait: source 1 count 0$' <<< "$plain")" = 3 ]
        [ "$(grep 'split: 1' <<< "$plain")" = 'rank 0 split: 1' ]
    done
}

@test "calls that fail return their errors, and a cancelled receive is cancelled" {
    local mpi
    for mpi in mpich openmpi; do
        same $mpi "$work/odd.$mpi" errors
        [ "$(grep -c 'send to nobody: rank$' <<< "$plain")" = 3 ]
        [ "$(grep 'after that' <<< "$plain")" = "$(printf '%s\n' 'rank 0 after that: 2' 'rank 1 after that: 0' 'rank 2 after that: 1')" ]
    done
}

# bats test_tags=more
@test "handles of communicators are used again, and a group sends to another one" {
    local mpi
    for mpi in mpich openmpi; do
        same $mpi "$work/odd.$mpi" reuse
        [ "$(grep got <<< "$plain")" = "$(printf '%s\n' 'rank 0 got -1' 'rank 1 got 100' 'rank 2 got -1')" ]
        run -0 "$build/bin/memphis" report --format json "$out.$mpi"/*
        [ "$(jq -r '.mpi.calls[] | select(.function == "MPI_Sendrecv_replace") | [.calls, .waits, .known] | join(" ")' <<< "$output")" = "1200 1200 1200" ]
    done
}

@test "a program without MPI loads a library that uses it, with RTLD_LOCAL" {
    local mpi
    for mpi in mpich openmpi; do
        same $mpi "$work/host" "$work/odd.$mpi.so" attribute
        [ "$plain" = "$(printf 'rank %d farewell 3\n' 0 1 2)" ]
    done
}
