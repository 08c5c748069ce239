#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The Debian packages on fresh systems. If these tests fail, `apt install ./*.deb` does not give a user all that is needed.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.."
    make deb
}

# Shows what each step checked, also if all is well.
installs_on() {
    run tests/vm/site/install/fresh "$1"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^ok - ' <<< "$output")" -ge 10 ]
}

@test "the packages are installed, work on the machine and are removed without a trace on Debian 12" {
    installs_on bookworm
}

@test "the packages are installed, work on the machine and are removed without a trace on Debian 13" {
    installs_on trixie
}
