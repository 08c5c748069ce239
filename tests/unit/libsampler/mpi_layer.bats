#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The MPI layer, with MPICH and Open MPI: calls, messages, bytes, times and waits of ranks beside what the program has counted and timed itself,
# and the findings. If these tests fail, the report blames the wrong rank, or the layer disturbs the program.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/mpi-layer
    export programs=$BATS_TEST_DIRNAME/programs
    local mpi

    rm -rf "$work"
    mkdir -p "$work"
    for mpi in openmpi mpich; do
        # The header of MPICH lets GCC believe that MPI_STATUSES_IGNORE is an array.
        "mpicc.$mpi" -O2 -g -Wall -Wextra -Werror -Wno-stringop-overflow -D_GNU_SOURCE -I"$top/include" -o "$work/waits.$mpi" \
            "$programs/mpi/waits.c" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
        "mpifort.$mpi" -O2 -g -I"$build/include" -J"$work" -o "$work/fortran.$mpi" "$programs/mpi/waits.F90" \
            -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
        "mpifort.$mpi" -O2 -g -DF08 -I"$build/include" -J"$work" -o "$work/fortran2008.$mpi" "$programs/mpi/waits.F90" \
            -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    done
    gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared -I"$top/include" -o "$work/idle_device.so" "$programs/idle_device.c" -ldl
}

setup() {
    unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" PBS_JOBID LSB_JOBID JOB_ID
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export MEMPHIS_DEVICE=/dev/null MEMPHIS_BACKEND=device
    out=$BATS_TEST_TMPDIR/out
    export MEETINGS=$BATS_TEST_TMPDIR/meetings
    : > "$MEETINGS"
}

# ranks MPI N PROGRAM [ARGUMENT]: runs the program with N ranks and the layer; its output is in $out.txt, the report in $out.json.
ranks() {
    rm -rf "$out"
    : > "$MEETINGS"
    MEMPHIS_OUTPUT=$out/%r timeout 600 "mpirun.$1" -n "$2" env LD_PRELOAD="$work/idle_device.so:$build/lib/memphis/libmemphis-mpi-$1.so" \
        "$work/$3.$1" "${@:4}" > "$out.txt"
    report
}

report() {
    "$build/bin/memphis" report --format json "$out"/* > "$out.json"
}

# findings: one line for each finding: pattern, function, the late rank, the waiting ranks.
findings() {
    jq -r '.mpi.findings[] | "\(.pattern) \(.function) \(.region) \(.late) \(.ranks | map(tostring) | join(","))"' "$out.json"
}

compare() {
    python3 "$BATS_TEST_DIRNAME/mpi_layer.py" "$out.txt" "$out.json" "$@"
}

@test "a late sender is named, with the ranks that wait for it; times and waits are those of the program's own clock" {
    local mpi
    for mpi in mpich openmpi; do
        ranks $mpi 8 waits late-sender
        compare ns waited_ns
        [ "$(findings)" = "late-sender MPI_Recv Work 3 2,4" ]
        run -0 "$build/bin/memphis" report --by mpi "$out"/*
        echo "$output"
        grep -q 'ranks 2, 4 wait [0-9.]* % of their time in region Work in MPI_Recv for messages that rank' <<< "$output"
        grep -q 'known of 8 of 8 messages' <<< "$output"
        [ "$(jq -r '[.mpi.ranks[] | select(.rank == 2)][0] | [.waits, .known, .compared] | join(" ")' "$out.json")" = "4 4 true" ]
    done
}

@test "a rank that comes late to a collective call is named; in a call with a root, only the root waits" {
    local mpi
    for mpi in mpich openmpi; do
        ranks $mpi 8 waits late-rank
        compare ns
        [ "$(findings | grep -v Root)" = "late-rank MPI_Allreduce Work 5 0,1,2,3,4,6,7" ]
        [ "$(jq -r '.mpi.calls[] | select(.function == "MPI_Reduce") | [.calls, .waits, .known] | join(" ")' "$out.json")" = "8 1 1" ]
    done
}

@test "a balanced program has no findings" {
    local mpi
    for mpi in mpich openmpi; do
        ranks $mpi 4 waits balanced
        compare ns
        [ "$(findings)" = "" ]
        [ "$(jq '[.mpi.ranks[] | .known] | add' "$out.json")" = 24 ]
    done
}

@test "wildcards, several communicators, requests in any order, persistent requests and probes: each receive is compared with its own send" {
    local mpi
    for mpi in mpich openmpi; do
        ranks $mpi 2 waits order
        compare ns waited_ns
        [ "$(jq -r '[.mpi.ranks[] | select(.rank == 0)][0] | [.waits, .known] | join(" ")' "$out.json")" = "12 12" ]
    done
}

@test "functions of MPI 4, with large counts and for sending and receiving at a time, are matched with the others" {
    # Open MPI has MPI 3.1.
    ranks mpich 2 waits large
    compare ns waited_ns
    [ "$(jq -r '[.mpi.ranks[] | .calls, .known] | map(tostring) | join(" ")' "$out.json")" = "6 3 6 3" ]
}

@test "bytes of collective calls are what each rank contributes and gets; what MPI_Exscan() waits for is not known" {
    local mpi
    for mpi in mpich openmpi; do
        ranks $mpi 8 waits collectives
        compare
        [ "$(jq -r '.mpi.calls[] | select(.waits != .known) | .function' "$out.json")" = MPI_Exscan ]
    done
}

@test "with MPI_THREAD_MULTIPLE, the messages of all threads are counted" {
    local mpi
    for mpi in mpich openmpi; do
        ranks $mpi 2 waits threads
        compare
    done
}

@test "messages beyond the limit of the log are counted, their waits are not known, and the report says so" {
    ranks mpich 2 waits many
    compare
    [ "$(jq -r '[.mpi.ranks[] | select(.rank == 1)][0] | [.waits, .known] | join(" ")' "$out.json")" = "300300 262444" ]
    [ "$(jq .mpi.left_out "$out.json")" = $((2 * (300000 - 262144))) ]
    run -0 "$build/bin/memphis" report --full "$out"/*
    grep -q '^waits: 37856 of 300600 messages and collective calls are not known: beyond the limit of the log' <<< "$output"
}

@test "a job that aborts has the same exit status; its calls are counted, and its waits are not known" {
    local mpi
    for mpi in mpich openmpi; do
        rm -rf "$out"
        : > "$MEETINGS"
        MEMPHIS_OUTPUT=$out/%r run -7 timeout 600 "mpirun.$mpi" -n 8 env \
            LD_PRELOAD="$work/idle_device.so:$build/lib/memphis/libmemphis-mpi-$mpi.so" "$work/waits.$mpi" aborted
        report
        [ "$(jq -r '.mpi.calls[] | select(.function == "MPI_Recv") | [.calls, .received_bytes, .waits, .known] | join(" ")' "$out.json")" = "8 128 8 0" ]
        run -0 "$build/bin/memphis" report --full "$out"/*
        [[ "$output" == *"are not known: ranks ended without MPI_Finalize()"* ]]
    done
}

@test "Fortran, with mpi and mpi_f08: each call is counted once, and the late sender is named" {
    local mpi program
    for mpi in mpich openmpi; do
        for program in fortran fortran2008; do
            ranks $mpi 4 $program
            [ "$(< "$out.txt")" = "total 6" ]
            # Ranks 2 and 3 do little but wait for each other.
            [ "$(findings | head -n 1)" = "late-sender MPI_Recv Work 0 1" ]
            [ "$(jq -r '.mpi.ranks | sort_by(.rank)[] | [.calls, .sent_bytes, .received_bytes, .waits, .known] | join(" ")' "$out.json")" = "$(
                printf '%s\n' '4 48 0 0 0' '4 0 48 4 4' '12 16 48 4 4' '16 48 16 4 4')" ]
        done
    done
}

@test "ranks of different clocks: the difference is measured, and its error is reported" {
    local shift
    shift="unshare --user --map-root-user --fork --time --monotonic 5000"
    $shift true || skip "no time namespaces here"
    rm -rf "$out"
    # The ranks don't share memory with one in another user namespace.
    MEMPHIS_OUTPUT=$out/%r OMPI_MCA_btl=self,tcp timeout 600 mpirun.openmpi \
        -n 3 env LD_PRELOAD="$work/idle_device.so:$build/lib/memphis/libmemphis-mpi-openmpi.so" "$work/waits.openmpi" late-sender : \
        -n 5 $shift env LD_PRELOAD="$work/idle_device.so:$build/lib/memphis/libmemphis-mpi-openmpi.so" "$work/waits.openmpi" late-sender > "$out.txt"
    report
    compare ns
    [ "$(findings)" = "late-sender MPI_Recv Work 3 2,4" ]
    [ "$(jq '.mpi.clock_error_ns > 0' "$out.json")" = true ]
    run -0 "$build/bin/memphis" report --full "$out"/*
    [[ "$output" == *"clocks: times of different machines may be wrong by "* ]]
}

@test "memphis record --mpi finds the MPI library of a program, and refuses a program without one" {
    local mpi
    for mpi in mpich openmpi; do
        rm -rf "$out"
        : > "$MEETINGS"
        timeout 600 "mpirun.$mpi" -n 8 env LD_PRELOAD="$work/idle_device.so" "$build/bin/memphis" record -q -o "$out/%r" --mpi \
            "$work/waits.$mpi" late-sender > "$out.txt"
        report
        [ "$(findings)" = "late-sender MPI_Recv Work 3 2,4" ]
        [ "$(jq -r '.mpi.calls[] | select(.function == "MPI_Init_thread") | [.region, .ranks, .sampled] | join(" ")' "$out.json")" = " 8 true" ]
    done
    LD_PRELOAD="$work/idle_device.so" run -1 "$build/bin/memphis" record --mpi /bin/true
    [[ "$output" == "memphis record: --mpi: /bin/true is linked neither with MPICH nor with Open MPI;"* ]]
}

# renamed NAME: a copy of the program for MPICH, and of the library, which has this name there (14 characters at most).
renamed() {
    mkdir -p "$BATS_TEST_TMPDIR/$1"
    python3 - "$1" "$BATS_TEST_TMPDIR/$1" "$work/waits.mpich" "$(ldconfig -p | sed -n 's/.*libmpich.so.12 .*=> //p' | head -n 1)" <<'TEXT'
import os, sys
name, folder, program, library = sys.argv[1:]
for file, to in (program, "waits"), (library, name):
    data = open(file, "rb").read().replace(b"libmpich.so.12\0", name.encode().ljust(15, b"\0"))
    open(os.path.join(folder, to), "wb").write(data)
    os.chmod(os.path.join(folder, to), 0o755)
TEXT
}

@test "MPI is known by what its library exports, whatever its name; the standard's binary interface has its own layer, and MEMPHIS_MPI decides" {
    unset MEMPHIS_DEVICE MEMPHIS_BACKEND
    renamed libmpi_g.so.12
    rm -rf "$out"
    LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/libmpi_g.so.12 timeout 600 mpirun.mpich -n 2 \
        "$build/bin/memphis" record -q --backend none -o "$out/%r" --mpi "$BATS_TEST_TMPDIR/libmpi_g.so.12/waits" threads > "$out.txt"
    report
    [ "$(jq -r '.mpi.calls[] | select(.function == "MPI_Recv") | [.region, .calls, .ranks] | join(" ")' "$out.json")" = "Thread 800 2" ]
    # A build without the layer for it, as of most systems.
    mkdir -p "$work/few/lib"
    cp "$build/lib/libmemphis.so.0" "$work/few/lib/"
    renamed libmpi_abi.so
    LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/libmpi_abi.so MEMPHIS_LIB=$work/few/lib/libmemphis.so.0 run -1 "$build/bin/memphis" record --backend none --mpi "$BATS_TEST_TMPDIR/libmpi_abi.so/waits" threads
    echo "$output"
    [ "$output" = "memphis record: --mpi: $work/few/lib/memphis/libmemphis-mpi-abi.so: No such file or directory; build Memphis where the compiler of this MPI library is installed" ]
    # sh prints which layer is preloaded.
    local given layer
    for given in mpich openmpi "$build/lib/memphis/../memphis/libmemphis-mpi-mpich.so"; do
        layer=${given##*/libmemphis-mpi-}
        layer=${layer%.so}
        run -0 env MEMPHIS_MPI="$given" "$build/bin/memphis" record -q --backend none -o "$BATS_TEST_TMPDIR/given" --mpi sh -c 'echo "$LD_PRELOAD"'
        [[ "$output" == *"$build/lib/memphis/libmemphis-mpi-$layer.so"* ]]
    done
    run -1 env MEMPHIS_MPI=intel "$build/bin/memphis" record --backend none --mpi sh -c true
    [ "$output" = "memphis record: MEMPHIS_MPI=intel: must be mpich, openmpi, abi, or the path of a layer for MPI" ]
}

@test "without hardware that can be sampled, --backend none measures the same, and all files are closed" {
    unset MEMPHIS_DEVICE MEMPHIS_BACKEND
    rm -rf "$out"
    timeout 600 mpirun.mpich -n 2 "$build/bin/memphis" record -q --backend none -o "$out/%r" --mpi "$work/waits.mpich" threads > "$out.txt"
    report
    [ "$(jq -r '.mpi.calls[] | select(.function == "MPI_Recv") | [.region, .calls, .ranks, .received_bytes, .known] | join(" ")' "$out.json")" = "Thread 800 2 3200 800" ]
    [ "$(python3 "$top/tests/vm/library/files.py" "$out/0" | jq -r '[.[] | .closed] | map(tostring) | unique | join(" ")')" = true ]
    [ "$(python3 "$top/tests/vm/library/files.py" "$out/0" | jq -r '.[] | select(.kind == "process") | [.settings.backend, .settings.hardware] | map(tostring) | join(" ")')" = "none null" ]
    run -0 "$build/bin/memphis" report --full "$out"/*
    [[ "$output" == *"sampled:     backend none, from start to end"*"No findings: no samples were taken"* ]]
}

@test "a program without MPI, such as a shell or mpirun itself, runs with the layer preloaded" {
    local mpi
    # Of a program that ends at once, MPICH's mpirun dies of SIGPIPE in one of fifteen runs, without the layer as well.
    for mpi in mpich openmpi; do
        LD_PRELOAD=$build/lib/memphis/libmemphis-mpi-$mpi.so run -0 sh -c 'echo good'
        [ "$output" = good ]
        LD_PRELOAD=$build/lib/memphis/libmemphis-mpi-$mpi.so run -0 "mpirun.$mpi" -n 2 sh -c 'sleep 0.3; echo good'
        [ "$output" = "$(printf 'good\ngood')" ]
    done
}
