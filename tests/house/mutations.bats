#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tests of tests/mutations/run, in a small project with one program and one test. If these tests fail, a defect that no test
# catches may be called caught.

bats_require_minimum_version 1.5.0
load ../environment

@test "every mutation fits the sources" {
    run -0 "$BATS_TEST_DIRNAME/../mutations/run" --check
    [[ "$output" =~ ^[0-9]+\ mutations\ fit\ the\ sources$ ]]
    [ "${output%% *}" -ge 40 ]
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tests/mutations/part tests/cli
    cp "$BATS_TEST_DIRNAME/../mutations/run" tests/mutations
    cp "$BATS_TEST_DIRNAME/../environment.bash" tests
    printf 'lib tool examples: build/answer\nbuild/answer: answer.c\n\t@mkdir -p build\n\t@gcc -o $@ $<\n' > Makefile
    printf '#include <stdio.h>\n\nint main(void)\n{\n\tputs("right");\n\tputs("left");\n\tputs("back");\n\treturn 0;\n}\n' > answer.c
    # bats would take a test in a here-document for one of this file.
    printf '%s {\n    [ "$(build/answer | head -n 1)" = right ]\n}\n' '@test "the first answer"' > tests/cli/answer.bats
    printf '# bats test_tags=more\n%s {\n    build/answer | grep -qx -e forward -e back\n}\n' '@test "the last answer"' >> tests/cli/answer.bats
}

# plant NAME OLD NEW: writes a mutation that replaces a line of answer.c.
plant() {
    printf 'SPDX-License-Identifier: BSD-3-Clause\nDefect: %s\nTest: tests/cli/answer.bats\n\n--- answer.c\n-%s\n+%s\n' "a defect" "$2" "$3" \
        > "tests/mutations/part/$1.patch"
}

@test "a mutation that a test catches is taken back, one that no test catches is reported, and the sources are not changed" {
    plant caught $'\tputs("right");' $'\tputs("wrong");'
    plant caught-later $'\tputs("back");' $'\tputs("wrong");'
    plant missed $'\tputs("left");' $'\tputs("wrong");'
    cp answer.c before
    run -1 tests/mutations/run
    [ "${lines[0]%(*}" = 'passes unmutated  test  tests/cli/answer.bats  ' ]
    [ "${lines[1]%(*}" = 'passes unmutated  more  tests/cli/answer.bats  ' ]
    [ "${lines[6]}" = 'caught  test  part/caught                                  tests/cli/answer.bats: the first answer' ]
    [ "${lines[5]}" = 'caught  more  part/caught-later                            tests/cli/answer.bats: the last answer' ]
    [ "${lines[7]}" = 'MISSED  -     part/missed                                  a defect' ]
    [ "${lines[-1]}" = '2 caught, 1 of them by make test alone, 1 missed' ]
    cmp answer.c before
    cmp build/mutations/tree/answer.c before
    run -0 tests/mutations/run part/caught
    [ "${lines[-1]}" = '1 caught, 1 of them by make test alone, 0 missed' ]
}

@test "a mutation that does not compile is an error, and so is a test that fails without one" {
    plant broken $'\tputs("right");' $'\tputs(right);'
    plant caught $'\tputs("right");' $'\tputs("wrong");'
    run -2 tests/mutations/run
    [[ "$output" == *'ERROR   -     part/broken'*'does not compile: '* ]]
    [ "${lines[-1]}" = '1 caught, 1 of them by make test alone, 0 missed, 1 errors' ]
    sed -i 's/"right"/"false"/' answer.c
    plant caught $'\tputs("false");' $'\tputs("wrong");'
    run -2 tests/mutations/run part/caught
    [[ "$output" == *'tests/cli/answer.bats: fails without a mutation: the first answer'* ]]
}

@test "a mutation whose text is missing or occurs twice is an error that names the mutation" {
    plant gone $'\tputs("up");' $'\tputs("down");'
    run -2 tests/mutations/run
    [[ "$output" == *'part/gone: answer.c: the text below occurs 0 times, not once; adapt the mutation'* ]]
    printf '\n' >> answer.c
    plant gone '' 'int unused;'
    run -2 tests/mutations/run --check
    [[ "$output" == *'part/gone: answer.c: the text below occurs '*' times, not once'* ]]
    plant gone $'\tputs("left");' $'\tputs("down");'
    sed -i 's,answer.bats,question.bats,' tests/mutations/part/gone.patch
    run -2 tests/mutations/run --check
    [[ "$output" == *'part/gone: tests/cli/question.bats: no such test'* ]]
    run -2 tests/mutations/run part/unknown
    [[ "$output" == *'no such mutation: part/unknown; --list prints all'* ]]
}
