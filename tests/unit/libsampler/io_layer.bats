#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The I/O layer: calls, bytes, files and times beside what the program has done itself, and the finding of a single writer with MPICH and Open MPI. If
# these tests fail, the report has I/O that the program did not do, misses some, or the layer disturbs the program.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/io-layer
    export programs=$BATS_TEST_DIRNAME/programs
    local mpi

    rm -rf "$work"
    mkdir -p "$work"
    gcc -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -I"$top/include" -pthread -o "$work/io" "$programs/io.c" \
        -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 -I"$top/include" -pthread -o "$work/fortified" "$programs/io.c" \
        -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    for mpi in openmpi mpich; do
        "mpicc.$mpi" -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE -I"$top/include" -o "$work/writer.$mpi" \
            "$programs/mpi/writer.c" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    done
}

setup() {
    unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}" PBS_JOBID LSB_JOBID JOB_ID
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    out=$BATS_TEST_TMPDIR/out
    mkdir "$BATS_TEST_TMPDIR/in"
    cd "$BATS_TEST_TMPDIR/in" || exit
}

# recorded PROGRAM ARGUMENT...: runs a program with the layer; its output is in $out.txt, the report in $out.json.
recorded() {
    "$build/bin/memphis" record -q --backend none --io -o "$out" "$work/$1" "${@:2}" > "$out.txt"
    "$build/bin/memphis" report --format json "$out" > "$out.json"
}

# functions: one line for each I/O function: region, function, calls, bytes written and read.
functions() {
    jq -r '.mpi.io_calls | sort_by(.function)[] | "\(.region) \(.function) \(.io_calls) \(.written_bytes) \(.read_bytes)"' "$out.json"
}

# files: one line for each file in the program's directory: its name, calls, bytes written and read.
files() {
    jq -r --arg in "$PWD/" '.mpi.files | sort_by(.file)[] | select(.file) | select(.file | startswith($in)) |
        "\(.file[($in | length):]) \(.io_calls) \(.written_bytes) \(.read_bytes)"' "$out.json"
}

@test "each function is counted with its bytes, by region and by file; checked variants of the C library count as the plain ones" {
    local program
    for program in io fortified; do
        rm -rf "$out" data text
        recorded $program calls
        functions
        diff <(functions) - <<'TEXT'
Work close 2 0 0
Work fclose 1 0 0
Work fdatasync 1 0 0
Work fflush 1 0 0
Work fgets 1 0 8
Work fopen 1 0 0
Work fprintf 1 4 0
Work fputs 1 4 0
Work fread 1 0 50
Work fsync 1 0 0
Work ftruncate 1 0 0
Work fwrite 1 50 0
Work open 1 0 0
Work openat 1 0 0
Work pread 3 0 115
Work preadv 1 0 1024
Work pwrite 2 23 0
Work pwritev 1 1000 0
Work read 2 0 4001
Work readv 1 0 1024
Work write 2 4196 0
Work writev 1 1024 0
TEXT
        [ "$(files)" = "$(printf 'data 18 6243 6164\ntext 7 58 58')" ]
        # Nothing of the library itself.
        [ "$(jq -r '[.mpi.files[] | select(.file) | .file] | length' "$out.json")" = 2 ]
        [ "$(stat -c %a data)" = 640 ]
        [ "$(jq -c '.mpi.ranks | map([.calls, .io_calls, .written_bytes, .read_bytes, .io_ns > 0])' "$out.json")" = '[[0,28,6301,6222,true]]' ]
    done
}

@test "sockets, pipes and memory are no files; a descriptor that is used again has its new file" {
    recorded io others
    [ "$(functions | grep -v ' open ')" = 'Work write 2 16 0' ]
    [ "$(files)" = 'data 2 16 0' ]
}

@test "descriptors that the C library closed itself, and those that a child of vfork() used, have their new files" {
    recorded io reused
    [ "$(files)" = "$(printf '%s\n' 'one 1 10 0' 'three 3 110 0' 'two 1 10 0')" ]
}

@test "results and errno are those of the C library; calls that fail transfer nothing" {
    recorded io errors
    [ "$(stat -c %a data)" = 604 ]
    [ "$(functions)" = "$(printf 'Work close 2 0 0\nWork fopen 1 0 0\nWork fsync 1 0 0\nWork open 3 0 0\nWork write 2 10 0')" ]
}

@test "calls in signal handlers count, also when they interrupt the library; after siglongjmp() out of a call, the next ones count" {
    recorded io handlers
    local handlers writes missing
    read -r _ writes _ handlers < "$out.txt"
    [ "$(stat -c %s data)" = $((10 * writes)) ]
    [ "$(stat -c %s log)" = $((3 * handlers)) ]
    missing=$((10 * writes + 3 * handlers - $(jq '[.mpi.io_calls[] | select(.function == "write" or .function == "(other I/O functions)") | .written_bytes] | add' "$out.json")))
    echo "$handlers handlers, $missing bytes missing"
    [ "$missing" = 0 ]
    [ "$(functions | grep pwrite)" = 'Work pwrite 5 5 0' ]
}

@test "a thread can be cancelled in a call" {
    recorded io cancelled
    [ "$(functions)" = 'Work open 1 0 0' ]
}

@test "a forked child has its own sums" {
    recorded io forked
    [ "$(jq -c '.mpi.ranks | map([.io_calls, .written_bytes]) | sort' "$out.json")" = '[[4,30],[5,500]]' ]
}

@test "threads have their own sums; with more files than have names, calls and bytes are complete" {
    recorded io threads
    [ "$(functions | grep pwrite)" = 'Thread pwrite 20000 40000 0' ]
    [ "$(files)" = "$(printf 'one 10000 20000 0\ntwo 10000 20000 0')" ]
    rm -rf "$out"
    recorded io many
    [ "$(functions)" = "$(printf 'Work close 2000 0 0\nWork open 2000 0 0\nWork write 2000 2000 0')" ]
    [ "$(files | wc -l)" = 1023 ]
}

@test "each transfer belongs to its file, also when threads need names for files at the same time" {
    local i
    for i in 1 2 3 4 5; do
        rm -rf "$out"
        recorded io crowd
        [ "$(files | cut -d' ' -f2- | sort | uniq -c | tr -s ' ')" = ' 800 2 1 0' ]
    done
}

@test "the time of calls is that of the program's own clock" {
    recorded io timed
    # Each call lies between two readings of the program's clock. Between a reading and the library's own the thread may lose its CPU, for longer than the
    # calls take if the host is busy: of 20 times, not for most of them.
    jq -e --argjson own "$(sed 's/ns //' "$out.txt")" '[.mpi.io_calls[] | select(.function == "pwrite") | .io_ns] |
        .[0] <= 1.001 * $own and .[0] >= 0.5 * $own' "$out.json"
}

@test "the time of a call in a signal handler is not that of the interrupted call, too" {
    recorded io interrupted
    local own called
    read -r _ own _ called < "$out.txt"
    # The handler takes half a second, most of it in its calls. The times of both calls together are within that of the program.
    jq -e --argjson own "$own" --argjson called "$called" '
        def time(name): [.mpi.io_calls[] | select(.function == name).io_ns] | if length == 1 then .[0] else error("no time") end;
        time("pread") <= 1.001 * $called and time("pread") >= 0.5 * $called and time("read") > 0 and time("pread") + time("read") <= 1.001 * $own' "$out.json"
}

@test "a program of Fortran, and one of Python, which call the C library themselves" {
    cat > write.f90 <<'TEXT'
program write
    integer :: unit, i
    real(8) :: field(1000)
    field = 1
    open (newunit=unit, file='field', form='unformatted', access='stream')
    do i = 1, 100
        write (unit) field
    end do
    close (unit)
end program
TEXT
    gfortran -o "$work/fortran" write.f90
    recorded fortran
    [ "$(files | cut -d ' ' -f 1,3)" = 'field 800000' ]
    rm -rf "$out"
    "$build/bin/memphis" record -q --backend none --io -o "$out" python3 -c '
with open("numbers", "wb", buffering=0) as file:
    for _ in range(10):
        file.write(bytes(1000))'
    "$build/bin/memphis" report --format json "$out" > "$out.json"
    files | grep -q '^numbers [0-9]* 10000 0'
}

# ranks MPI ARGUMENT...: runs the writer with 8 ranks.
ranks() {
    rm -rf "$out"
    timeout 600 "mpirun.$1" -n 8 "$build/bin/memphis" record -q --backend none --mpi -o "$out/%r" "$work/writer.$1" "${@:2}" > "$out.txt"
    "$build/bin/memphis" report --format json "$out"/* > "$out.json"
}

# bats test_tags=more
@test "a single writer is named, with 100 % of the bytes and the waiting that the ranks measure themselves" {
    local mpi way
    for mpi in mpich openmpi; do
        for way in posix stdio mpi; do
            ranks $mpi $way one "$PWD/shared" 500
            echo "$mpi $way"
            jq -c '.mpi.findings[]' "$out.json"
            python3 "$BATS_TEST_DIRNAME/io_layer.py" "$out.txt" "$out.json" 0
            "$build/bin/memphis" report --full "$out"/* | grep -A 2 'single-writer: MPI_Barrier' | tr -s ' \n' ' ' |
                grep -q 'in region Step/Output in MPI_Barrier for rank 0, which writes 100 % of the bytes'
        done
    done
}

# bats test_tags=more
@test "if all ranks write, there is no single writer; bytes of all ranks are known" {
    local mpi way
    for mpi in mpich openmpi; do
        for way in posix stdio mpi; do
            ranks $mpi $way all "$PWD/shared" 40
            python3 "$BATS_TEST_DIRNAME/io_layer.py" "$out.txt" "$out.json"
        done
    done
}

@test "a file that was opened before the first caliper has its name" {
    local mpi
    for mpi in mpich openmpi; do
        rm -rf "$out"
        MEMPHIS_OUTPUT=$out/%r MEMPHIS_BACKEND=none timeout 600 "mpirun.$mpi" -n 8 \
            env "LD_PRELOAD=$build/lib/memphis/libmemphis-mpi-$mpi.so $build/lib/memphis/libmemphis-io.so" \
            "$work/writer.$mpi" mpi all "$PWD/shared" 1 > "$out.txt"
        "$build/bin/memphis" report --format json "$out"/* > "$out.json"
        python3 "$BATS_TEST_DIRNAME/io_layer.py" "$out.txt" "$out.json"
    done
}
