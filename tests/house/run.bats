#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tests of tests/run and tests/suites, which count the results. If these tests fail, a change that breaks something may be
# called good.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_TMPDIR"
    suites=$BATS_TEST_DIRNAME/../suites
}

# suite NAME KIND: appends a suite to ./table for tests/suites; its command is read from stdin.
suite() {
    { echo '#!/bin/bash'; cat; } > "$1.sh"
    chmod +x "$1.sh"
    printf '%s\t%s\t%s\n' "$1" "$2" "$PWD/$1.sh" >> table
}

# Removes the times at the beginning and end of lines, which vary.
run_suites() {
    touch expected
    run "$suites" --jobs "$1" --expected expected logs < table
    echo "$output"
    text=$(sed -E 's/^\[ *[0-9]+:[0-9]{2}\] //; s/ \([0-9]+:[0-9]{2}\)$//' <<< "$output")
}

@test "passed, failed and skipped tests are counted, failures are shown in full, and the exit status shows the result" {
    printf '# a comment\n\ngood\tnot *\n' > expected
    suite good alone <<< "printf '1..2\nok 1 a\nok 2 b # skip not here\n'"
    suite bad alone <<< "printf '1..2\nok 1 c\nnot ok 2 d\n# because\nnot at all TAP\n1..1\nok 1 e\n'; exit 1"
    run_suites 1
    [ "$status" -eq 1 ]
    [ "$text" = "2 suites, 1 at a time
ok 2 b # skip not here
good: 1 passed, 0 failed, 1 skipped
not ok 2 d
# because
not at all TAP
bad: 2 passed, 1 failed, 0 skipped
all done
skipped: good: ok 2 b # skip not here
3 passed, 1 failed, 1 skipped" ]
    # Success needs at least one passed test and no failed one; a run without any test fails.
    head -n 1 table > only && mv only table
    run_suites 1
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "1 passed, 0 failed, 1 skipped" ]
    : > table
    run_suites 1
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "0 passed, 0 failed, 0 skipped" ]
}

@test "a skip fails unless the list of expected skips has its suite and its reason" {
    printf 'one\tneeds root*\n' > expected
    suite one alone <<< "printf '1..3\nok 1 a # skip needs root to look\nok 2 b in 3ms # skip no tool\nok 3 c\n'"
    suite two alone <<< "printf '1..2\nok 1 a # skip needs root to look\nok 2 b # SKIP\n'"
    run_suites 1
    [ "$status" -eq 1 ]
    [ "$text" = "2 suites, 1 at a time
ok 1 a # skip needs root to look
unexpected skip: ok 2 b in 3ms # skip no tool
one: 1 passed, 1 failed, 1 skipped
unexpected skip: ok 1 a # skip needs root to look
unexpected skip: ok 2 b # SKIP
two: 0 passed, 2 failed, 0 skipped
all done
skipped: one: ok 1 a # skip needs root to look
1 passed, 3 failed, 1 skipped" ]
    echo 'one needs root' > expected
    run_suites 1
    [ "$status" -eq 1 ]
    [[ "$text" == *"expected: not SUITE, tab, REASON: one needs root" ]]
}

@test "a suite fails when it dies, runs fewer or more tests than planned, plans none or bails out" {
    suite dies alone <<< "printf '1..1\nok 1 a\n'; echo reason >&2; kill -SEGV \$\$"
    suite less alone <<< "printf '1..3\nok 1 a\n'"
    suite more alone <<< "printf '1..1\nok 1 a\nok 2 b\n'"
    suite silent alone <<< "true"
    suite bails alone <<< "printf '1..1\nok 1 a\nBail out! no more\n'"
    run_suites 1
    [ "$status" -eq 1 ]
    [[ "$text" == *"
    dies: exit status -11, 1 of 1 planned tests ran
reason
dies: 1 passed, 1 failed, 0 skipped
    less: exit status 0, 1 of 3 planned tests ran
less: 1 passed, 1 failed, 0 skipped
    more: exit status 0, 2 of 1 planned tests ran
more: 2 passed, 1 failed, 0 skipped
    silent: exit status 0, 0 of 0 planned tests ran
silent: 0 passed, 1 failed, 0 skipped
Bail out! no more
bails: 1 passed, 1 failed, 0 skipped"* ]]
    [ "${lines[-1]}" = "5 passed, 5 failed, 0 skipped" ]
}

@test "suites run in parallel, up to the requested number, and start in the order of the table" {
    # Each suite ends only after the other has started.
    suite first alone <<< "touch first; until [ -e second ]; do sleep 0.1; done; echo 1..1; echo ok 1 a"
    suite second alone <<< "touch second; until [ -e first ]; do sleep 0.1; done; echo 1..1; echo ok 1 a"
    run_suites 2
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
    rm table
    suite one alone <<< "[ ! -e two.begun ] && echo 1..1 && echo ok 1 a && touch one.ended"
    suite two alone <<< "touch two.begun; [ -e one.ended ] && echo 1..1 && echo ok 1 a"
    run_suites 1
    [ "$status" -eq 0 ]
}

@test "suites that need the machine wait until it is prepared; other suites do not wait" {
    suite machine prepare <<< "until [ -e other.ended ]; do sleep 0.1; done; touch machine.ended"
    suite guest prepared <<< "[ -e machine.ended ] && echo 1..1 && echo ok 1 a"
    suite other alone <<< "echo 1..1; echo ok 1 a; touch other.ended"
    run_suites 3
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
}

@test "a suite that names the steps it needs waits for these, and is lost only with these" {
    suite one prepare <<< "until [ -e other.ended ]; do sleep 0.1; done; touch one.ended"
    suite two prepare <<< "until [ -e second.ended ]; do sleep 0.1; done; exit 1"
    suite both after:one,two <<< "echo 1..1; echo ok 1 a"
    suite first after:one <<< "[ -e one.ended ] && echo 1..1 && echo ok 1 a && touch second.ended"
    suite other alone <<< "echo 1..1; echo ok 1 a; touch other.ended"
    run_suites 4
    [ "$status" -eq 1 ]
    [[ "$text" == *"two: failed with status 1"*"not run: both"* ]]
    [ "${lines[-1]}" = "2 passed, 1 failed, 0 skipped" ]
}

@test "when the machine can't be prepared, its suites count as a failure and the others are still counted" {
    suite machine prepare <<< "echo no such kernel >&2; exit 3"
    suite guest prepared <<< "echo 1..1; echo ok 1 a"
    suite other alone <<< "echo 1..1; echo ok 1 a"
    run_suites 2
    [ "$status" -eq 1 ]
    [[ "$text" == *"machine: failed with status 3"*"no such kernel"*"not run: guest"* ]]
    [ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
    [ ! -e logs/guest.tap ]
}

# ended SIGNAL N: sends SIGNAL to tests/suites once N processes sleep; tests/suites and all of these must end.
ended() {
    local pid
    # A shell's background jobs, and their children, ignore SIGINT.
    setsid "$suites" --jobs 2 logs < table > out 2>&1 3>&- &
    pid=$!
    until [ "$(pgrep -fc "sleep $word")" -eq "$2" ]; do
        kill -0 "$pid" || { cat out; return 1; }
        sleep 0.1
    done
    kill -s "$1" "$pid"
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq $((128 + $(kill -l "$1"))) ]
    run pgrep -fa "sleep $word"
    [ "$output" = "" ]
    run grep 'passed, ' out
    [ "$output" = "" ]
}

@test "an interrupt ends running tests, including processes that were re-parented" {
    word=86$BASHPID
    suite bats alone <<< "exec bats --tap $PWD/sleeper.bats"
    printf '@test "a" {\n\tsleep %s.1\n}\n' "$word" > sleeper.bats
    suite astray alone <<< "setsid sleep $word.2 & (sleep $word.3 &); wait"
    ended INT 3
}

@test "processes that ignore the request to end are killed" {
    word=87$BASHPID
    suite deaf alone <<< "trap '' TERM; sleep $word.1 & sleep $word.2 & sleep $word.3"
    suite idle alone <<< "exec sleep $word.4"
    ended TERM 4
}
