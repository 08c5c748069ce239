#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Tests of tests/run and tests/suites, which count the results, and of the selection of machines. If these tests fail, a change that
# breaks something may be called good.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_TMPDIR"
    suites=$BATS_TEST_DIRNAME/../suites
}

# suite NAME KIND: appends a suite to ./table for tests/suites; its command is read from stdin.
suite() {
    local file=$PWD/${1//\//-}.sh

    { echo '#!/bin/bash'; cat; } > "$file"
    chmod +x "$file"
    printf '%s\t%s\t%s\n' "$1" "$2" "$file" >> table
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
CPU time: native 0:00
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
    [[ "$text" == "2 suites, 1 at a time
ok 1 a # skip needs root to look
unexpected skip: ok 2 b in 3ms # skip no tool
one: 1 passed, 1 failed, 1 skipped
unexpected skip: ok 1 a # skip needs root to look
unexpected skip: ok 2 b # SKIP
two: 0 passed, 2 failed, 0 skipped
all done
skipped: one: ok 1 a # skip needs root to look
slowest tests, in seconds:"*"1 passed, 3 failed, 1 skipped" ]]
    echo 'one needs root' > expected
    run_suites 1
    [ "$status" -eq 1 ]
    [[ "$text" == *$'expected: not SUITE, tab, REASON: one needs root\n0 passed, 1 failed, 0 skipped' ]]
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
    [ "${lines[-1]}" = "2 passed, 2 failed, 0 skipped" ]
}

@test "when the machine can't be prepared, this and each of its suites count as failures, and the others are still counted" {
    suite machine prepare <<< "echo no such kernel >&2; exit 3"
    suite guest prepared <<< "echo 1..1; echo ok 1 a"
    suite other alone <<< "echo 1..1; echo ok 1 a"
    run_suites 2
    [ "$status" -eq 1 ]
    [[ "$text" == *"machine: failed with status 3"*"no such kernel"*"not run: guest"* ]]
    [ "${lines[-1]}" = "1 passed, 2 failed, 0 skipped" ]
    [ ! -e logs/guest.tap ]
}

@test "the CPU time is divided by kind, with the starts of guests, and a line says what is left to another command" {
    suite setup prepare <<< "mkdir -p logs; printf 'booted\t6.5\t8\nresumed\t0.5\t1\nresumed\t1.5\t2\n' > logs/guests.tsv"
    suite vm/guest prepared <<< "echo 1..1; echo ok 1 a"
    suite native alone <<< "echo 1..1; echo ok 1 a"
    run -0 "$suites" --jobs 2 --left 'left to make more: vm/other' logs < table
    [ "${lines[-3]}" = 'CPU time: set-up 0:00, native 0:00, guests 0:00 (1 booted in 6.5 s each, 2 resumed in 1.0 s each)' ]
    [ "${lines[-2]}" = 'left to make more: vm/other' ]
    [ "${lines[-1]}" = '2 passed, 0 failed, 0 skipped' ]
}

@test "seconds of each suite and test are recorded, and the ten slowest tests are printed before the totals" {
    suite slow alone <<< "echo 1..12; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo ok \$i test \$i in \${i}000000ms; done; echo 'not ok 12 last in 12ms # timeout'"
    suite untimed alone <<< "echo 1..1; echo ok 1 a"
    run_suites 1
    [[ "$text" == *"all done
slowest tests, in seconds:
11000.0 slow: test 11
10000.0 slow: test 10
 9000.0 slow: test 9
 8000.0 slow: test 8
 7000.0 slow: test 7
 6000.0 slow: test 6
 5000.0 slow: test 5
 4000.0 slow: test 4
 3000.0 slow: test 3
 2000.0 slow: test 2
CPU time: native 0:00
12 passed, 1 failed, 0 skipped" ]]
    run -0 awk -F '\t' '{ print NF, $3 ": " $4, $2 == "" }' logs/times.tsv
    [ "$output" = "4 slow:  0
$(printf '4 slow: test %s 1\n' {1..11})
4 slow: last 1
4 slow: (set-up, and tests without times) 1
4 untimed:  0" ]
}

# hanging FILE TEST...: writes a file of bats with tests that succeed, and one named `hangs` that loops forever. Each has a child process.
hanging() {
    local file=$1 name

    shift
    for name in "$@"; do
        case $name in
        hangs) printf '@test "hangs" {\n\techo words > console\n\t(echo before; exec sleep %s.1) >> console &\n\twhile :; do sleep %s.2; done\n}\n' "$word" "$word" ;;
        setup_file) printf 'setup_file() {\n\tsleep %s.3 | cat\n\tsleep %s.4\n}\n' "$word" "$word" ;;
        *) printf '@test "%s" {\n\ttrue\n}\n' "$name" ;;
        esac
    done > "$file"
}

@test "a test that hangs is ended with all its processes, is shown with what it was doing, and the next test runs" {
    word=83$BASHPID
    hanging hang.bats first hangs last
    suite bats alone <<< "exec bats --tap --timing $PWD/hang.bats"
    touch expected
    run "$suites" --jobs 1 --test-limit 20 logs < table
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"bats: a test is ended, because no result has come for 20 s (--test-limit):
    process state CPU seconds command
"*" sleep $word."*"    ok 1 first in "*"    ---- the end of $PWD/console
    words
    before
not ok 2 hangs in "*"bats: 2 passed, 1 failed, 0 skipped ("* ]]
    [ "${lines[-1]}" = "2 passed, 1 failed, 0 skipped" ]
    grep -q '^ok 3 last' logs/bats.tap
    run pgrep -fa "sleep $word"
    [ "$output" = "" ]
}

@test "the set-up of a file that hangs, and a program without bats, are ended, and what follows runs" {
    word=84$BASHPID
    mkdir files
    hanging files/a.bats setup_file never
    hanging files/b.bats last
    suite files alone <<< "exec bats --tap $PWD/files"
    suite programs alone <<< "for seconds in 0 $word.5; do sleep \$seconds && echo 1..1 && echo ok 1 a; done; echo 1..1; echo ok 1 b; (setsid sleep $word.6 &)"
    run "$suites" --jobs 2 --test-limit 20 logs < table
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"not ok 1 setup_file failed"* ]]
    [ "$(grep -c '^ok .* last' logs/files.tap)" -eq 1 ]
    # What a program printed before it was ended counts, and its suite has failed, although each of its results is a success.
    [ "$(cat logs/programs.tap)" = $'1..1\nok 1 a\n1..1\nok 1 b' ]
    [[ "$output" == *"programs: 2 passed, 1 failed, 0 skipped"* ]]
    run pgrep -fa "sleep $word"
    [ "$output" = "" ]
}

@test "at the limit of the run everything is ended, is shown with what it was doing, and counts as failed like what was not run" {
    word=85$BASHPID
    suite endless alone <<< "sleep $word.1"
    suite waiting alone <<< "echo 1..1; echo ok 1 a"
    suite guest prepared <<< "echo 1..1; echo ok 1 a"
    # It began long ago, so the limit is reached as soon as the first suite runs.
    run "$suites" --jobs 1 --begun 0 --limit 60 logs < table
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"the limit of the run is reached: 60 minutes; --limit raises it
endless was running:
    process state CPU seconds command
"*"not run: waiting guest"*"    endless: exit status -15, 0 of 0 planned tests ran"* ]]
    [ "${lines[-1]}" = "0 passed, 3 failed, 0 skipped" ]
    run pgrep -fa "sleep $word"
    [ "$output" = "" ]
}

@test "after the last time to start a suite, the tests of those that wait are skipped, and shown with their numbers" {
    printf '@test "%s" { true; }\n' a b c > three.bats
    printf '%s\n' $'early\talone\tbats three.bats' $'guest\tprepared\tenv WORD=1 bats --timing three.bats' $'units\talone\tmake tap' > table
    run "$suites" --begun 0 --limit 1e9 --last-start 60 logs < table
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"
skipped: early: 3 tests, since none is started after 60 minutes (--last-start)
skipped: guest: 3 tests, since none is started after 60 minutes (--last-start)
skipped: units: 1 tests, since none is started after 60 minutes (--last-start)
0 passed, 0 failed, 7 skipped" ]]
    head -n 1 table > only
    run "$suites" --last-start 60 logs < only
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "3 passed, 0 failed, 0 skipped" ]
}

@test "an error of tests/suites itself counts as a failure, and the totals are still printed" {
    word=88$BASHPID
    suite endless alone <<< "sleep $word.1"
    # When this suite ends, tests/suites finds a directory in place of its results.
    suite spoiler alone <<< "ln -s / $PWD/link; mv -T $PWD/link $PWD/logs/spoiler.tap"
    run "$suites" --jobs 2 logs < table
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"IsADirectoryError: "* ]]
    [ "${lines[-1]}" = "0 passed, 2 failed, 0 skipped" ]
    run pgrep -fa "sleep $word"
    [ "$output" = "" ]
}

# ended SIGNAL N FAILED: sends SIGNAL to tests/suites once N processes sleep; tests/suites and all of these must end, and the totals are printed.
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
    run -0 cat out
    [[ "$output" == *"ended by SIG$1"*" sleep $word."* ]]
    [ "${lines[-1]}" = "0 passed, $3 failed, 0 skipped" ]
}

@test "an interrupt ends running tests, including processes that were re-parented" {
    word=86$BASHPID
    suite bats alone <<< "exec bats --tap $PWD/sleeper.bats"
    printf '@test "a" {\n\tsleep %s.1\n}\n' "$word" > sleeper.bats
    suite astray alone <<< "setsid sleep $word.2 & (sleep $word.3 &); wait"
    suite waiting alone <<< "echo 1..1; echo ok 1 a"
    ended INT 3 3
}

@test "processes that ignore the request to end are killed" {
    word=87$BASHPID
    suite deaf alone <<< "trap '' TERM; sleep $word.1 & sleep $word.2 & sleep $word.3"
    suite idle alone <<< "exec sleep $word.4"
    ended TERM 4 2
}

@test "SIGHUP does not end tests that nohup has started" {
    suite slow alone <<< "until [ -e hung-up ]; do sleep 0.05; done; echo 1..1; echo ok 1 a"
    (trap '' HUP; exec "$suites" --jobs 1 logs < table > out 2>&1) &
    until [ -e logs/slow.tap ]; do sleep 0.05; done
    kill -HUP $!
    touch hung-up
    wait $!
    [ "$(tail -n 1 out)" = '1 passed, 0 failed, 0 skipped' ]
}

@test "a suite that cannot be started is lost alone; without a place for the logs there are totals, too" {
    printf 'gone\talone\t%s\n' "$PWD/gone" > table
    suite other alone <<< "echo 1..1; echo ok 1 a"
    run_suites 1
    [ "${lines[-1]}" = '1 passed, 1 failed, 0 skipped' ]
    grep -qx "gone: can't be started: .*No such file.*" <<< "$text"
    rm -r logs
    mkdir -p logs/times.tsv
    run_suites 1
    [ "${lines[-1]}" = '0 passed, 1 failed, 0 skipped' ]
}

@test "a suite that hangs itself, without another process, is ended at the limit of a test" {
    printf 'a\talone\tsleep 1%s\n' "$BASHPID" > table
    run "$suites" --test-limit 1 logs < table
    [ "$status" -eq 1 ]
    [ "${lines[-1]}" = '0 passed, 1 failed, 0 skipped' ]
    [ "$(grep -c 'a test is ended' <<< "$output")" -eq 1 ]
}

# column N: prints SUITE MACHINE for each machine in a column of tests/machines.
column() {
    awk -v n="$1" '/^every=/ { every = substr($0, 7); next } !/^#/ && $n != "-" && $n != "own" { sub(/every/, every, $n); count = split($n, machine, ","); for (i = 1; i <= count; i++) print $1, machine[i] }' "$BATS_TEST_DIRNAME/../machines"
}

@test "the table of machines has a row for each suite, every kernel and CPU in each run, and the device on all machines" {
    local top=$BATS_TEST_DIRNAME/../..

    expected=$(find "$top/tests/vm" "$top/tests/machine" -name '*.bats' -exec basename -s .bats {} + | sort)
    [ "$(wc -l <<< "$expected")" -gt 40 ]
    [ "$(awk '!/^#|^every=/ { print $1 }' "$top/tests/machines" | sort)" = "$expected" ]
    # Those that load checks.bash have machines, the others choose them.
    [ "$(awk '!/^#|^every=/ && $2 != "own" && $3 != "own" { print $1 }' "$top/tests/machines" | sort)" = \
        "$(grep -rl --include='*.bats' '^load \(\.\./\)\?checks$' "$top/tests/vm" | sed 's,.*/,,; s,\.bats$,,' | sort)" ]
    [ "$(awk '!/^#|^every=/ && $2 == "-" && $3 == "-"' "$top/tests/machines")" = '' ]
    # A test that is left to test-more runs there.
    grep -rlE --include='*.bats' '^# bats (test|file)_tags=more$' "$top/tests/vm" "$top/tests/machine" | sed 's,.*/,,; s,\.bats$,,' > tagged
    [ -s tagged ]
    [ "$(awk 'NR == FNR { tagged[$1]; next } $1 in tagged && $3 == "-"' tagged "$top/tests/machines")" = '' ]
    [ "$({ column 2; column 3; } | sed 's/.* //; s/@.*//' | sort -u)" = "$("$top/machine/kernel" --list | sort)" ]
    [ "$({ column 2; column 3; } | sed -n 's/.*@//p' | sort -u)" = $'genoa\ngraniterapids\nskylake\nturin' ]
    # shellcheck source=../vm/checks.bash
    all=$(MEMPHIS_TEST_MACHINES=all BATS_TEST_FILENAME=device.bats bash -c '. "$1" && echo "$machines"' - "$top/tests/vm/checks.bash")
    [ "$(wc -w <<< "$all")" -eq 19 ]
    [ "$(column 4 | sed -n 's/^device //p' | sort)" = "$(printf '%s\n' $all | sort)" ]
    [ "$("$top/tests/run" --list | sed -n 's,^kernels/,,p')" = "$(column 4 | tr ' ' -)" ]
}

@test "a suite of both levels runs on other machines at each, one of a single level on its machines at both" {
    local row level machines top=$BATS_TEST_DIRNAME/../..

    for row in 'counters test 6.12' 'counters more 6.12@skylake' 'perf more 6.12 6.12@skylake' 'messages more 6.12' 'messages test 6.12' 'device more 6.12'; do
        read -r suite level machines <<< "$row"
        [ "$(MEMPHIS_TEST_LEVEL=${level#test} BATS_TEST_FILENAME=$suite.bats bash -c '. "$1" && echo "$machines"' - "$top/tests/vm/checks.bash")" = "$machines" ]
    done
}

@test "make test and make test-more together have each test once" {
    local top=$BATS_TEST_DIRNAME/../..

    cd "$top"
    [ "$(tests/run --list | grep -c '^more/')" -gt 10 ]
    [ "$(tests/run --list | sort | uniq -d)" = '' ]
    # A tag that no level knows would leave a test out.
    [ "$(grep -rhE '^# bats (test|file)_tags=' tests --include='*.bats' | sort -u)" = $'# bats file_tags=more\n# bats test_tags=more' ]
    tests/run --list | grep -qx more/browser
    tests/run --list | grep -qx browser && return 1
    [ "$(tests/run --list | grep -x -e cli -e more/cli | paste -sd ' ')" = 'cli more/cli' ]
}

@test "tests that select no machine, or one that does not exist, fail" {
    mkdir -p tests/vm
    cp "$BATS_TEST_DIRNAME"/../{machines,environment.bash} tests
    cp "$BATS_TEST_DIRNAME/../vm/checks.bash" tests/vm
    printf 'load environment\nload vm/checks\n@test "a" {\n\t[ "$machines" = "$EXPECTED" ]\n}\n' > tests/device.bats
    cp tests/device.bats tests/rowless.bats
    run -0 env -u memphis_environment EXPECTED=6.12 bats --tap tests/device.bats
    run -0 env -u memphis_environment MEMPHIS_TEST_MACHINES='5.10 7.2@skylake' EXPECTED='5.10 7.2@skylake' bats --tap tests/device.bats
    for machines in 4.19 '6.1 6.12@milan' ' '; do
        run ! env -u memphis_environment MEMPHIS_TEST_MACHINES="$machines" EXPECTED="$machines" bats --tap tests/device.bats
        [[ "$output" == *"no such machine: "* || "$output" == *"no machine is selected for device "* ]]
    done
    run ! env -u memphis_environment EXPECTED= bats --tap tests/rowless.bats
    [[ "$output" == *"no machine is selected for rowless "* ]]
}
