#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What adds up the tests. If these fail, a change that breaks something may be called good.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_TMPDIR"
    suites=$BATS_TEST_DIRNAME/../suites
}

# suite NAME KIND: stdin is its command; the line for tests/suites goes to ./table.
suite() {
    { echo '#!/bin/bash'; cat; } > "$1.sh"
    chmod +x "$1.sh"
    printf '%s\t%s\t%s\n' "$1" "$2" "$PWD/$1.sh" >> table
}

# The times at the lines' beginnings and ends vary.
run_suites() {
    touch expected
    run "$suites" --jobs "$1" --expected expected logs < table
    echo "$output"
    text=$(sed -E 's/^\[ *[0-9]+:[0-9]{2}\] //; s/ \([0-9]+:[0-9]{2}\)$//' <<< "$output")
}

@test "passed, failed and skipped tests are counted, failures shown whole, and the status tells" {
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
    # Nothing but passed tests is success; no test at all is none.
    head -n 1 table > only && mv only table
    run_suites 1
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "1 passed, 0 failed, 1 skipped" ]
    : > table
    run_suites 1
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = "0 passed, 0 failed, 0 skipped" ]
}

@test "a skip that is not in the list of expected ones, with its suite and its reason, is a failure" {
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

@test "a suite that dies, runs less or more than it planned, plans nothing or bails out has failed" {
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

@test "suites run side by side, as many as asked for, in their order" {
    # Each ends when the other has begun.
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

@test "what needs the machine waits until it is prepared, other suites don't" {
    suite machine prepare <<< "until [ -e other.ended ]; do sleep 0.1; done; touch machine.ended"
    suite guest prepared <<< "[ -e machine.ended ] && echo 1..1 && echo ok 1 a"
    suite other alone <<< "echo 1..1; echo ok 1 a; touch other.ended"
    run_suites 3
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "2 passed, 0 failed, 0 skipped" ]
}

@test "without the machine, what needs it is a failure, and the rest is counted" {
    suite machine prepare <<< "echo no such kernel >&2; exit 3"
    suite guest prepared <<< "echo 1..1; echo ok 1 a"
    suite other alone <<< "echo 1..1; echo ok 1 a"
    run_suites 2
    [ "$status" -eq 1 ]
    [[ "$text" == *"machine: failed with status 3"*"no such kernel"*"not run: guest"* ]]
    [ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
    [ ! -e logs/guest.tap ]
}

# ended SIGNAL N: sent to tests/suites once N processes sleep, it ends, and so have they.
ended() {
    local pid
    # A shell's background jobs ignore SIGINT, and what they start.
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

@test "an interrupt ends tests in their middle, and what has left its parents" {
    word=86$BASHPID
    suite bats alone <<< "exec bats --tap $PWD/sleeper.bats"
    printf '@test "a" {\n\tsleep %s.1\n}\n' "$word" > sleeper.bats
    suite astray alone <<< "setsid sleep $word.2 & (sleep $word.3 &); wait"
    ended INT 3
}

@test "what won't hear is made to end" {
    word=87$BASHPID
    suite deaf alone <<< "trap '' TERM; sleep $word.1 & sleep $word.2 & sleep $word.3"
    suite idle alone <<< "exec sleep $word.4"
    ended TERM 4
}
