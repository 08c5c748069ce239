#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# File descriptors of the library. If these tests fail, a program that relies on the
# lowest free descriptor gets another number, or a limit that the program sets is changed.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-descriptors
    local flags=(-std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -pthread -I"$top/include")

    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/descriptors" || exit
    gcc "${flags[@]}" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc "${flags[@]}" -o "$work/lowest" lowest.c -I"$build/include" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc "${flags[@]}" -o "$work/table" table.c -I"$build/include" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc "${flags[@]}" -o "$work/limits" limits.c -I"$build/include" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

@test "once threads are attached and their files are created, the library uses no low descriptor, not even briefly" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_COUNTERS="numastat vmstat net io" MEMPHIS_COUNTERS_INTERVAL_MS=20 LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$work/lowest"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ]
    [[ "$output" =~ ^lowest\ [0-9]+,\ others\ 0$ ]]
    # The library was active meanwhile.
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | grep -c 'type=counters ')" -gt 1 ]
}

@test "the program has no descriptor of the files that the library writes and reads" {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$work/idle.so" "$work/table"
    [ "$stderr" = "" ]
    [ "$output" = '0 0' ]
    run -0 "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.thread.memphis
    [[ "$output" == *"type=end"* ]]
}

# limits HOW SOFT HARD: runs the program with these limits; the program prints the limit that it set, and the limit at its end.
limits() {
    # shellcheck disable=SC2016 # the inner shell's
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" bash -c 'ulimit -Sn "$2"; ulimit -Hn "$3"; exec "$0" "$1"' "$work/limits" "$@"
    [ "$stderr" = "" ]
}

@test "a limit that the program sets while the library creates a descriptor stays" {
    limits low 256 2048
    [ "$output" = '777 777' ]
    limits hard 256 2048
    [ "$output" = '2048 2048' ]
}

@test "the library waits for work, and does not spin, while a limit is lower than the number of its descriptors" {
    limits none 256 2048
    [ "$output" = '1 0' ]
}
