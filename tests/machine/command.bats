#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command in the guest: its output, its exit status, its surroundings. If one fails, no test on the machine means anything.

load common

@test "the command's output, errors and exit status arrive, each on its own way" {
	guest -- sh -c 'echo to stdout; echo to stderr >&2; exit 7'
	[ "$status" -eq 7 ]
	[ "$output" = "to stdout" ]
	[ "${stderr_lines[-1]}" = "to stderr" ]
	[[ "$output" != *"to stderr"* ]]
}

@test "a command that dies by a signal ends as in a shell" {
	guest -- sh -c 'kill -SEGV $$'
	[ "$status" -eq 139 ]
}

@test "a command that does not exist is status 127, and named" {
	guest -- no-such-command
	[ "$status" -eq 127 ]
	[[ "$stderr" == *"no-such-command"* ]]
}

@test "long output arrives whole, with its last byte" {
	guest -- seq 1 400000
	[ "$status" -eq 0 ]
	[ "$(sha256sum <<< "$output")" = "$(seq 1 400000 | sha256sum)" ]
}

@test "arguments and environment arrive unchanged, whatever is in them" {
	guest --env 'TEXT=a "quoted" $HOME; `x`' --cwd /tmp -- sh -c 'printf "%s\n" "$1" "$2" "$TEXT" "$PWD"' - "two  words" "it's *"
	[ "$status" -eq 0 ]
	[ "$output" = "two  words
it's *
a \"quoted\" \$HOME; \`x\`
/tmp" ]
}

@test "a host program is put with its shared libraries and runs at the same path" {
	cp /bin/dash "$BATS_TEST_TMPDIR/shell"
	[[ "$(ldd "$BATS_TEST_TMPDIR/shell")" == *libc.so.6* ]]
	guest -- "$BATS_TEST_TMPDIR/shell" -c 'readlink /proc/$$/exe'
	[ "$status" -eq 0 ]
	[ "$output" = "$BATS_TEST_TMPDIR/shell" ]
}

@test "an ordinary user is there to run as, with bash, /dev/shm and /tmp to write to" {
	guest -- su user -c 'id -u && bash -c "echo \$BASH_VERSION | cut -d. -f1" && echo a > /tmp/a && echo b > /dev/shm/b && cat /tmp/a /dev/shm/b'
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 1000 ]
	[ "${lines[1]}" -ge 5 ]
	[ "${lines[2]}" = a ]
	[ "${lines[3]}" = b ]
}

@test "the time limit ends the run with status 124 and says what the guest was doing" {
	guest --timeout 25 -- sleep 100000
	[ "$status" -eq 124 ]
	[[ "$stderr" == *"time limit of 25 s reached: "* ]]
}

@test "nothing is left behind when the runner is interrupted, killed, or done" {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
	local signal emulator pid
	for signal in INT TERM KILL; do
		# In a job of its own, as a shell's background jobs ignore SIGINT.
		setsid "$machine/run" --log "$BATS_TEST_TMPDIR/log" -- sh -c 'echo running; sleep 100000' > "$BATS_TEST_TMPDIR/out-$signal" 2>&1 &
		pid=$!
		until grep -q running "$BATS_TEST_TMPDIR/out-$signal"; do
			kill -0 "$pid" || { cat "$BATS_TEST_TMPDIR/out-$signal" "$BATS_TEST_TMPDIR/log"; return 1; }
			sleep 0.2
		done
		emulator=$(pgrep -P "$pid")
		kill -s "$signal" "$pid"
		wait "$pid" || true
		while kill -0 "$emulator" 2>/dev/null; do sleep 0.1; done
		# Nobody can clear up after SIGKILL; but the emulator must be gone.
		[ "$signal" = KILL ] || [ -z "$(ls "$TMPDIR")" ]
		rm -rf "$TMPDIR"/*
	done
	run "$machine/run" -- true
	[ "$status" -eq 0 ]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "wrong usage is status 2 and names what is wrong" {
	run "$machine/run"
	[ "$status" -eq 2 ]
	[[ "$output" == *"a command is needed"* ]]
	run "$machine/run" --get relative:/tmp/x -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"relative:/tmp/x"* ]]
	run "$machine/run" --distances "10,20;20" -- true
	[ "$status" -eq 2 ]
	[[ "$output" == *"2 rows of 2 numbers"* ]]
	run "$machine/run" --kernel 1.0 -- true
	[ "$status" -eq 97 ]
	[[ "$output" == *"kernel 1.0 is not known"* ]]
	run "$machine/run" --put /no/such/file -- true
	[ "$status" -eq 97 ]
	[[ "$output" == *"/no/such/file: no such file"* ]]
}
