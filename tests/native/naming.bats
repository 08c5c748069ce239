#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of variables in programs that know nothing of Memphis and are recorded from start to end. Each program of tests/native/naming states at its
# lines what they access, see check.py; another program needs no more than its file there. If these tests fail, a report gives memory the name of
# another variable, or a sample another line.

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

setup_file()
{
	begin
}

setup()
{
	again
	link=("${plain[@]}")
	naming=$root/tests/native/naming
}

# holds LANGUAGE [OPTION...]: builds, records and compares all programs of the folder; on a failure, goes on with the others.
holds()
{
	local language=$1 source name failed=''
	shift

	for source in "$naming/$language"/*; do
		name=$(basename "${source%.*}")$*
		build "$name" "$source" "$@"
		recorded "$name" "$name"
		agrees "$name" "$source" || failed+=" $name"
	done
	[ "$failed" = '' ]
}

@test "C: memory has the name of its variable, and accesses have their lines" {
	holds c -O0
	holds c -O2
}

@test "C++: memory has the name of its variable, and accesses have their lines" {
	holds c++ -O0
	holds c++ -O2
}

@test "Fortran: memory has the name of its variable, and accesses have their lines" {
	holds fortran -O0
	holds fortran -O2
}

@test "Rust: memory has the name of its variable, and accesses have their lines" {
	holds rust
}

@test "each language has a test here, and a name, a line and a count that differ are noticed" {
	local folder source=$naming/c/statics.c

	for folder in "$naming"/*; do
		grep -qF "	holds $(basename "$folder")" "$BATS_TEST_FILENAME"
	done
	build statics "$source" -O1
	recorded statics statics
	agrees statics "$source"
	run -1 agrees statics <(sed 's/expect: bss:zeroed/expect: bss:other/' "$source")
	run -1 agrees statics <(sed '1i //' "$source")
	sed -i 's/^bss:zeroed .*/bss:zeroed 7/' "$work/out/statics.made"
	run -1 agrees statics "$source"
	[ "$(grep -c 'bss:zeroed: .* samples in the report, 7 accesses' <<< "$output")" -eq 1 ]
}
