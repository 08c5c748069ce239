#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The commands of docs/tutorial.md, run as they stand there, print what the page shows. If these tests fail, new users do not get from a compile
# line to a finding.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    export work=$top/build/test/tutorial

    rm -rf "$work" build/tutorial-test
    mkdir -p "$work"
}

@test "a page with another word, line or number than the output is detected" {
    local page=$BATS_TEST_TMPDIR/page printed=$BATS_TEST_TMPDIR/printed

    # compared EXPECTED ACTUAL: the exit status of the comparison.
    compared() {
        printf '%s\n' "$1" > "$page"
        printf '%s\n' "$2" > "$printed"
        python3 "$top/tests/vm/tutorial/page.py" --compare "$page" "$printed"
    }
    compared $'30.0 % at a.F90:58\n...\nthread 7 on nodes 0 and 1, end' $'24.5 % at a.F90:58\nmore\n  thread 9 on nodes 2 and 3, end'
    # 8 samples and 22, or none, are of equal runs once in a hundred times; 120 never.
    compared 'samples: 244 -> 8' 'samples: 180 -> 22'
    compared 'samples: 244 -> 8' 'samples: 180 -> 0'
    run -1 compared 'samples: 244 -> 8' 'samples: 244 -> 120'
    run -1 compared '30.0 % at a.F90:58' '30.0 % at a.F90:59'
    run -1 compared '30.0 % at a.F90:58' '12.0 % at a.F90:58'
    run -1 compared 'worth it' 'not worth it'
    run -1 compared $'one\n...\ntwo' $'one\ntwo\nthree'
    run -1 compared 'one' $'one\ntwo'
    run -1 compared $'one\ntwo' 'one'
}

@test "the commands of the tutorial succeed and print what the page shows" {
    cd "$top"
    COLUMNS=80 run -0 python3 tests/vm/tutorial/page.py docs/tutorial.md "$top" "$work" build/tutorial=build/tutorial-test
    echo "$output"
    [ "$output" = "" ]
    [[ "$(head -c 15 build/tutorial-test/page.html)" = '<!DOCTYPE html>' ]]
}
