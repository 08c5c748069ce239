#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Parts of blocks that a program's own pools hand out: which are recorded, and what they are called. The stand-in for the device takes no samples;
# the program makes them. If these tests fail, arrays in an arena have the name of the arena, or of another array.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-parts

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/allocations" || exit
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I"$top/include" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror -pthread -I"$top/include" -o "$work/parts" parts.c \
        -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib" "$work/idle.so" -Wl,-rpath,"$work"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# record ARGUMENT...: runs the program with the library.
record() {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/parts" "$@"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ]
}

# names: prints "NAME SAMPLES" of each variable.
names() {
    "$build/bin/memphis" report --format paper --top 0 --select all "$MEMPHIS_OUTPUT" > "$BATS_TEST_TMPDIR/report"
    sed -En 's/^[0-9]+\) (.*) \[ .* \] ([0-9]+)$/\1 \2/p' "$BATS_TEST_TMPDIR/report" | LC_ALL=C sort
}

# of_process KEY: prints the number of the last line with that key in the process file.
of_process() {
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | awk -v key="$1" '$1 == key { last = $2 } END { print last + 0 }'
}

# Each part has one sample, the child's and the parent's samples of `flux` included; what no part contains belongs to the block.
@test "parts are named by their holder, the assigned variable, the caller's name or the line, in all threads and in a child" {
    record
    names > "$BATS_TEST_TMPDIR/names"
    diff -u - "$BATS_TEST_TMPDIR/names" << 'END'
[arena]:<run:129> 1
[arena]:counter 1
[arena]:elsewhere 1
[arena]:flux 3
[arena]:given 1
[arena]:later 1
[arena]:mesh->nodes 1
[arena]:next 1
[arena]:own 1
[arena]:scratch 2
[arena]:soil 1
[arena]:tx 1
[bss]:corner 1
[bss]:from_corner 1
[heap]:arena.base 2
[inner]:first 1
END
}

@test "pools that threads empty again and again leave no records, and each part is counted" {
    record 4
    records=$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis | grep -c '^part ' || true)
    unsampled=$(of_process allocations_unsampled)
    echo "$output made, $records recorded, $unsampled unsampled"
    # Each pass of the library's thread finds the parts of that moment; on a busy machine, there are more passes.
    [ "$records" -lt 200000 ]
    [ $((records + unsampled + $(of_process allocations_left_out))) = "$output" ]
}

@test "the number of records is bounded, with a record of each reset that ends a recorded part" {
    MEMPHIS_ALLOC_MAX_RECORDS=6 record
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis > "$BATS_TEST_TMPDIR/dump"
    [ "$(grep -c '^part ' "$BATS_TEST_TMPDIR/dump")" -le 6 ]
    [ "$(of_process allocations_left_out)" -ge 5 ]
    names | grep -qx '\[heap\]:arena.base .*'
}

@test "wrong calls do no harm, also in signal handlers, and leave no names" {
    record misuse
    [ "$output" = 0 ]
    names > "$BATS_TEST_TMPDIR/names"
    diff -u - "$BATS_TEST_TMPDIR/names" << 'END'
[bss]:misuse::memory 2
[pool]:a 1
[pool]:over 1
END
}

@test "without tracking, and without a device, the calls do nothing" {
    MEMPHIS_ALLOC_MIN_BYTES=off record
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis | grep -Ec '^(part|pool)')" = 0 ]
    MEMPHIS_DISABLE=1 run -0 --separate-stderr "$work/parts" 2
    [ "$output$stderr" = 200000 ]
    MEMPHIS_DISABLE=1 run -0 --separate-stderr timeout 300 "$work/parts" misuse
    [ "$stderr" = "" ]
}
