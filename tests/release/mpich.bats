#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The MPI layers with MPICH 5, which pip has: that for MPICH, as built with its headers and with those of the system's MPICH, and that for the binary
# interface of MPI's standard (libmpi_abi). If these tests fail, programs with a newer MPICH than Debian's are not measured, or not rightly.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    export systems=${BUILD:-$top/build}
    make -s lib tool
    cd -P "$BATS_FILE_TMPDIR" || exit
    /usr/bin/python3 -m venv mpich
    mpich/bin/pip install -q 'mpich==5.*'
    export bin=$PWD/mpich/bin build=$PWD/build
    make -s -j2 -C "$top" lib BUILD="$build" WITH_FORTRAN=no WITH_OPENMPI=no WITH_ABI=yes WITH_MPICH=yes MPICC_mpich="$bin/mpicc" MPICC_abi="$bin/mpicc_abi"
    local programs=$top/tests/unit/libsampler/programs family
    gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared -I"$top/include" -o idle_device.so "$programs/idle_device.c" -ldl
    ln -s mpicc "$bin/mpicc_mpich"
    for family in mpich abi; do
        "$bin/mpicc_$family" -O2 -g -Wno-stringop-overflow -D_GNU_SOURCE -I"$top/include" -o "waits.$family" "$programs/mpi/waits.c" \
            -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    done
}

setup() {
    cd -P "$BATS_FILE_TMPDIR" || exit
    unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" PBS_JOBID LSB_JOBID JOB_ID
    out=$BATS_TEST_TMPDIR/out
    export MEETINGS=$BATS_TEST_TMPDIR/meetings
}

# ranks N FAMILY SCENARIO: runs the program with the layer; its output is in $out.txt, the report in $out.json.
ranks() {
    echo "$2 $3"
    rm -rf "$out"
    : > "$MEETINGS"
    MEMPHIS_DEVICE=/dev/null MEMPHIS_BACKEND=device MEMPHIS_OUTPUT=$out/%r timeout 600 "$bin/mpirun" -n "$1" \
        env LD_PRELOAD="$PWD/idle_device.so:$layer" "./waits.$2" "$3" > "$out.txt"
    "$systems/bin/memphis" report --format json "$out"/* > "$out.json"
}

compare() {
    python3 "$top/tests/unit/libsampler/mpi_layer.py" "$out.txt" "$out.json" "$@"
}

findings() {
    jq -r '.mpi.findings[] | "\(.pattern) \(.function) \(.region) \(.late) \(.ranks | map(tostring) | join(","))"' "$out.json"
}

# measures FAMILY: calls, bytes, times and waits are those that the program counted itself, and the findings are right.
measures() {
    ranks 8 "$1" late-sender
    compare ns waited_ns
    [ "$(findings)" = "late-sender MPI_Recv Work 3 2,4" ]
    ranks 8 "$1" late-rank
    compare ns
    [ "$(findings | grep -v Root)" = "late-rank MPI_Allreduce Work 5 0,1,2,3,4,6,7" ]
    ranks 4 "$1" balanced
    compare ns
    [ "$(findings)" = "" ]
    ranks 2 "$1" order
    compare ns waited_ns
    ranks 2 "$1" large
    compare ns waited_ns
    ranks 8 "$1" collectives
    compare
    ranks 2 "$1" threads
    compare
}

@test "programs with MPICH 5 are measured by the layer that its headers made" {
    layer=$build/lib/memphis/libmemphis-mpi-mpich.so
    measures mpich
}

@test "programs with MPICH 5 are measured by the layer that the headers of the system's MPICH made" {
    layer=$systems/lib/memphis/libmemphis-mpi-mpich.so
    measures mpich
}

@test "programs with the binary interface of MPI's standard are measured by its layer" {
    ldd waits.abi | grep -q libmpi_abi.so.1
    layer=$build/lib/memphis/libmemphis-mpi-abi.so
    measures abi
}

@test "memphis --version names the layers, and memphis record takes that of the program" {
    local family
    export MEMPHIS_LIB=$build/lib/libmemphis.so.0
    run -0 "$systems/bin/memphis" --version
    [[ "$output" == *$'\nlibrary with: abi,mpich,'* ]]
    for family in mpich abi; do
        rm -rf "$out"
        : > "$MEETINGS"
        timeout 600 "$bin/mpirun" -n 2 "$systems/bin/memphis" record -q --backend none --mpi -o "$out/%r" "./waits.$family" threads > "$out.txt"
        "$systems/bin/memphis" report --format json "$out"/* > "$out.json"
        [ "$(jq -r '.mpi.calls[] | select(.function == "MPI_Recv") | [.region, .calls, .ranks, .received_bytes, .known] | join(" ")' "$out.json")" = "Thread 800 2 3200 800" ]
    done
}
