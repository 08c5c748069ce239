#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs without build-id that were built again after they were recorded. If these tests fail, variables and lines of the new program are
# taken for those of the recorded one, or a program that was not changed has no names.

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

setup_file()
{
	begin
	local source=$root/tests/native/naming/c/statics.c

	link=("${plain[@]}")
	build statics "$source" -O1 -Wl,--build-id=none
	# One of more than a megabyte, of which only a part of the contents is known.
	head -c 2000000 /dev/zero > "$bin/zeros"
	build large "$source" -O1 -Wl,--build-id=none
	objcopy --add-section zeros="$bin/zeros" "$bin/large"
	recorded small statics
	recorded large large
}

setup()
{
	again
}

# names RUN [OPTION...]: prints the variables of the report, and the program's state in it.
names()
{
	report "$@"
	jq -r '([.nodes[].variables[].name] | sort | join(" ")), (.binaries[] | select(.path | contains("/bin/")) | "\(.state) \(.build_id) \(.unverified)")' "$work/out/$1.json"
}

@test "a program without build-id that was not changed has its names, also if it is a copy" {
	run -0 names small
	[ "$output" = 'shared sum_of::seen zeroed
ok null false' ]
	touch -d '+1 minute' "$bin/statics"
	run -0 names small
	[ "${lines[1]}" = 'ok null false' ]
	run -0 names large
	[ "$output" = 'shared sum_of::seen zeroed
ok null false' ]
}

@test "a large program that was changed in its place is refused, and its copy in a directory of its own is not" {
	mkdir -p "$work/kept"
	cp "$bin/large" "$work/kept"
	touch -d '+1 minute' "$bin/large"
	run -0 names large
	[[ "${lines[1]}" = 'changed null false' && "${lines[0]}" != *seen* ]]
	run -0 names large --binaries "$work/kept"
	[ "$output" = 'shared sum_of::seen zeroed
ok null false' ]
}

@test "a program that was built again from another source is refused, with a note" {
	local other=$work/other.c

	sed 's/zeroed/filled/g' "$root/tests/native/naming/c/statics.c" > "$other"
	link=("${plain[@]}")
	build statics "$other" -O1 -Wl,--build-id=none
	run -0 names small
	[[ "${lines[1]}" = 'changed null false' && "${lines[0]}" != *filled* ]]
	run -0 "$memphis" report --format paper --select all "$work/out/small"
	grep -qxF "note: $bin/statics is not the recorded file any more (without build-id; by its size, time or contents): its instructions have no lines; give the directory of the recorded file with --binaries DIR" <<< "$output"
}
