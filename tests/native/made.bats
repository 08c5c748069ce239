#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Code that compilers make at run time, described as for perf. If these tests fail, such code has no names, or wrong ones.

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

setup_file()
{
	begin
	link=("${plain[@]}")
	build made "$root/tests/native/programs/made.c" -O1
}

setup()
{
	again
}

# functions RUN [ARGUMENT...]: records the program, and prints functions, files and lines of its instructions. When the report is made, the files
# that described them are gone.
functions()
{
	local run=$1
	shift

	mkdir -p "$work/$run"
	recorded "$run" made "$work/$run" "$@"
	rm "$work/$run"/jit-*.dump /tmp/perf-"$(basename "$work/out/$run"/*.process.memphis | cut -d . -f 2)".map
	report "$run"
	jq -r '.nodes[].variables[].instructions[] | "\(.function) \(.file):\(.line)"' "$work/out/$run.json" | sort
}

@test "code made at run time has the functions and lines of its descriptions, which are kept with the run" {
	run -0 functions map
	[ "$output" = 'after [jit]:0
before [jit]:0
first|second [jit]:0
in_dump kernel.jl:7
in_dump kernel.jl:7
in_map [jit]:0
null [jit]:0' ]
	[ "$("$memphis" report --full --select all "$work/out/map" | tr -s ' \n' ' ' | grep -o 'note: [0-9]* samples are in code of no file')" = 'note: 64 samples are in code of no file' ]
	[ "$(jq -c '.binaries[] | select(.path == "[jit]") | [.state, .found]' "$work/out/map.json")" = '["jit",null]' ]
}

@test "a description that is a link is not read" {
	run -0 functions link link
	[ "$(grep -c '^null ' <<< "$output")" -eq 3 ]
}

@test "a profile has the functions, too, and dump shows the descriptions" {
	run -0 functions profile
	"$memphis" reduce --select all -o "$work/made.mprof" "$work/out/profile"
	run -0 "$memphis" report --select all --format json "$work/made.mprof"
	[ "$(jq -r '[.nodes[].variables[].instructions[].function // "?"] | sort | join(" ")' <<< "$output")" = "after before first|second in_dump in_dump in_map" ]
	run -0 "$memphis" dump "$work/out/profile"/*.process.memphis
	[[ "$output" = *' in_map'* ]]
}

@test "what a process has described before it forks is kept once, not with each child" {
	cat > "$work/forks.py" <<-'TEXT'
	import mmap, os, time
	name = f'jit-{os.getpid()}.dump'
	with open(name, 'wb+') as dump:
	    dump.write(bytes(3 << 20))
	    dump.flush()
	    kept = mmap.mmap(dump.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
	for _ in range(3):
	    if not os.fork():
	        time.sleep(0.2)
	        os._exit(0)
	for _ in range(3):
	    os.wait()
	TEXT
	(cd "$work" && "$memphis" record -q --backend none -o out/forks -- /usr/bin/python3 forks.py)
	[ "$(find "$work/out/forks" -name '*.process.memphis' | wc -l)" -eq 4 ]
	run -0 "$memphis" dump "$work/out/forks"/*.process.memphis
	# Of at most 1 MiB each.
	[ "$(grep -c 'chunk type=jitdump ' <<< "$output")" -eq 3 ]
}

@test "a process that fails to execute a program keeps its descriptions once" {
	cat > "$work/fails.py" <<-'TEXT'
	import mmap, os, time
	name = f'jit-{os.getpid()}.dump'
	with open(name, 'wb+') as dump:
	    dump.write(bytes(3 << 20))
	    dump.flush()
	    kept = mmap.mmap(dump.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
	for _ in range(4):
	    try:
	        os.execv('/nonexistent', ['nonexistent'])
	    except OSError:
	        pass
	TEXT
	(cd "$work" && "$memphis" record -q --backend none -o out/fails -- /usr/bin/python3 fails.py)
	run -0 "$memphis" dump "$work/out/fails"/*.process.memphis
	[ "$(grep -c 'chunk type=jitdump ' <<< "$output")" -eq 3 ]
}
