#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How the library finds the program's threads, and what its own threads are. If these fail, threads are missing in reports, or
# the library takes time and cores that are the program's.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-threads
    local flags=(-std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -pthread -I"$top/include") program

    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs" || exit
    gcc "${flags[@]}" -shared -fPIC -o "$work/idle.so" idle_device.c -ldl
    for program in crowd; do
        gcc "${flags[@]}" -o "$work/$program" "$program.c" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    done
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# sampled COMMAND...: with the library and a device that takes no samples.
sampled() {
    run -0 --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$@"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ]
}

@test "calipers don't list the threads again and again" {
    sampled "$work/crowd" pairs
    # Once in ten seconds; and where other processes make tasks by the hundred meanwhile.
    [ "$output" -lt 500 ]
    # It does list them: the first time.
    [ "$output" -gt 0 ]
}

@test "a thread of clone() that takes another one's place is attached by the next caliper" {
    sampled "$work/crowd" replaced
    [ "$output" = 0 ]
    sampled "$work/crowd" blind
    [ "$output" = 0 ]
}
