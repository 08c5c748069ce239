#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The library, built with the oldest and the newest C library of the Debian releases on whose kernels it is tested. If these tests fail, programs that it is
# preloaded into die at their start.

bats_require_minimum_version 1.5.0
load ../environment

# The first program needs nothing; the second one allocates, the third one forks and has threads of the library.
runs_on() {
    # shellcheck disable=SC2016 # expanded in the other system
    run -0 "$BATS_TEST_DIRNAME/../other-glibc" "$1" '
        export LD_PRELOAD=$PWD/libmemphis.so.0 MEMPHIS_BACKEND=none MEMPHIS_RECORD=1 MEMPHIS_OUTPUT=$PWD/out
        true; echo "true: $?"
        ls > /dev/null; echo "ls: $?"
        sh -c "ls | sort > /dev/null; exit 7"; echo "sh: $?"
        unset LD_PRELOAD
        ldd --version | head -n 1'
    echo "$output"
    [[ $output == *"true: 0"$'\n'"ls: 0"$'\n'"sh: 7"$'\n'*" $2" ]]
}

@test "programs survive the library with glibc 2.31 of Debian 11" {
    runs_on bullseye 2.31
}

@test "programs survive the library with glibc 2.41 of Debian 13" {
    runs_on trixie 2.41
}
