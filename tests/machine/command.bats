#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Running a command in the guest: its output, exit status and environment. If these tests fail, all other tests on the machine
# are meaningless.

load common

@test "the command's standard output, standard error and exit status arrive separately" {
	guest -- sh -c 'echo to stdout; echo to stderr >&2; exit 7'
	[ "$status" -eq 7 ]
	[ "$output" = "to stdout" ]
	[ "${stderr_lines[-1]}" = "to stderr" ]
	[[ "$output" != *"to stderr"* ]]
}

@test "a command that a signal kills has the exit status that a shell would report" {
	guest -- sh -c 'kill -SEGV $$'
	[ "$status" -eq 139 ]
}

@test "a command that does not exist ends with status 127 and is named" {
	guest -- no-such-command
	[ "$status" -eq 127 ]
	[[ "$stderr" == *"no-such-command"* ]]
}

@test "long output arrives complete to its last byte" {
	guest -- seq 1 400000
	[ "$status" -eq 0 ]
	[ "$(sha256sum <<< "$output")" = "$(seq 1 400000 | sha256sum)" ]
}

@test "a host program runs at the same path with its shared libraries, and gets any arguments and environment unchanged" {
	local shell
	# The kernel reports the path without symbolic links.
	shell=$(realpath "$BATS_TEST_TMPDIR")/shell
	cp /bin/dash "$shell"
	[[ "$(ldd "$shell")" == *libc.so.6* ]]
	guest --env 'TEXT=a "quoted" $HOME; `x`' --cwd /tmp -- "$shell" -c 'printf "%s\n" "$1" "$2" "$TEXT" "$PWD"; readlink /proc/$$/exe' - \
		"two  words" "it's *"
	[ "$status" -eq 0 ]
	[ "$output" = "two  words
it's *
a \"quoted\" \$HOME; \`x\`
/tmp
$shell" ]
}

@test "the guest has an ordinary user with bash and with /dev/shm and /tmp to write to" {
	guest -- su user -c 'id -u && bash -c "echo \$BASH_VERSION | cut -d. -f1" && echo a > /tmp/a && echo b > /dev/shm/b && cat /tmp/a /dev/shm/b'
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = 1000 ]
	[ "${lines[1]}" -ge 5 ]
	[ "${lines[2]}" = a ]
	[ "${lines[3]}" = b ]
}

# bats test_tags=more
@test "the time limit ends the run with status 124, and the message contains the state of the guest and the file with the state of its CPUs" {
	guest --timeout 25 -- sleep 100000
	[ "$status" -eq 124 ]
	[[ "$stderr" == *"time limit of 25 s reached: "*"; state of its CPUs: $log.state"* ]]
	cat "$log.state"
	grep -q '^query-status: .*"running": true' "$log.state"
	[ "$(grep -c '^CPU#[0-3]' "$log.state")" -eq 8 ]
	[ "$(grep -c '^[RE]IP=' "$log.state")" -eq 8 ]
}

# bats test_tags=more
@test "a guest that does not come up is restarted once, then given up with status 97, and both are reported" {
	# Waits for input of the console.
	guest --boot-limit 4 --append rdinit=/bin/cat -- echo not reached
	[ "$status" -eq 97 ]
	[ "$output" = "" ]
	[ "$(grep -c 'the guest was not up, and its kernel had printed nothing for 4 s' <<< "$stderr")" -eq 2 ]
	[ "$(grep -c 'restarting the machine' <<< "$stderr")" -eq 1 ]
	grep -q '^CPU#3' "$log.state"
}

@test "if the emulator cannot start, the status is 97 and its message is printed" {
	printf '#!/bin/sh\necho "no such machine" >&2\nexit 3\n' > "$BATS_TEST_TMPDIR/qemu"
	sed -i '2i case "$*" in *,help) echo "  model-l3=<int>"; exit 0;; esac' "$BATS_TEST_TMPDIR/qemu"
	chmod +x "$BATS_TEST_TMPDIR/qemu"
	guest --qemu "$BATS_TEST_TMPDIR/qemu" -- true
	[ "$status" -eq 97 ]
	[[ "$stderr" == *"the emulator ended with status 3 before the guest was up:"*"no such machine"* ]]
}

@test "nothing is left behind when the runner is interrupted, killed or done" {
	# A path that is longer than the limit for sockets.
	TMPDIR=$(realpath "$BATS_TEST_TMPDIR")/$(printf 'long-%.0s' {1..25})
	export TMPDIR
	mkdir "$TMPDIR"
	local signal emulator pid file
	for signal in INT TERM KILL; do
		# Runs as a separate job, because a shell's background jobs ignore SIGINT.
		file=$BATS_TEST_TMPDIR/out-$signal
		setsid "$machine/run" --log "$log" -- sh -c 'echo running; sleep 100000' > "$file" 2>&1 &
		pid=$!
		until grep -q running "$file"; do
			kill -0 "$pid" || { cat "$file" "$log"; return 1; }
			sleep 0.2
		done
		emulator=$(pgrep -P "$pid")
		kill -s "$signal" "$pid"
		wait "$pid" || true
		# Without an init that reaps orphans, the process remains as a zombie.
		while grep -q '^State:[[:space:]]*[^ZX]' "/proc/$emulator/status" 2> /dev/null; do sleep 0.1; done
		# After SIGKILL the runner cannot remove its files, but the emulator must have ended.
		[ "$signal" = KILL ] || [ -z "$(ls "$TMPDIR")" ]
		rm -rf "$TMPDIR"/*
	done
	guest -- true
	[ "$status" -eq 0 ]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "invalid usage ends with status 2 and a message that names the mistake" {
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
	run "$machine/run" --put "$BATS_TEST_FILENAME:/dev/shm/x" -- true
	[ "$status" -eq 97 ]
	[[ "$output" == *"/dev/shm/x: the guest mounts its own file system there"* ]]
}
