#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Builds with the compilers of distributions, and runs there; docs/installing.md has the matrix. If these tests fail, `make lib tool` dies on a system
# that sites have.

bats_require_minimum_version 1.5.0
load ../environment

builds_on() {
    run -0 "$BATS_TEST_DIRNAME/distributions" "$1"
    echo "$output"
    [[ "$output" == "ok - $1: "* ]]
    run ! grep '^not ok' <<< "$output"
}

@test "library, tool and kernel module are built with all compilers of Debian 11, and work" {
    builds_on bullseye
}

@test "library, tool and kernel module are built with all compilers of Debian 12, and work" {
    builds_on bookworm
}

@test "library, tool and kernel module are built with all compilers of Debian 13, and work" {
    builds_on trixie
}

@test "library, tool and kernel module are built with all compilers of Debian unstable, and work" {
    builds_on sid
}
