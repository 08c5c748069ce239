#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Calipers that are never ended, or ended in unusual ways. If these tests fail, sampling continues after the region of interest, samples
# are attributed to regions that were left, or open calipers are closed.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-calipers
    local flags=(-std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -pthread -I"$top/include")

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/calipers" || exit
    gcc "${flags[@]}" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc "${flags[@]}" -o "$work/left" left.c -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc "${flags[@]}" -o "$work/interrupted" interrupted.c -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc "${flags[@]}" -I"$top/libsampler" -o "$work/outdated" outdated.c "$build/lib/libmemphis.a" -ldl
    gcc "${flags[@]}" -o "$work/error_number" error_number.c -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc "${flags[@]}" -o "$work/children" children.c -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc "${flags[@]}" -o "$work/pauses" pauses.c -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
    gcc "${flags[@]}" -DSTUB -o "$work/pauses-stub" pauses.c
    # C++ program with calipers that an exception leaves.
    g++ -O2 -g -Wall -Wextra -Werror -I"$top/include" -o "$work/thrown" thrown.cc -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# run_left PROGRAM [WAY]: runs a program that leaves calipers open. Sets $output to its output, $regions
# to the sorted paths of its regions, and $left to the number of calipers that the library closed.
run_left() {
    rm -rf "$MEMPHIS_OUTPUT"
    MEMPHIS_DEVICE=/dev/null run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/$@"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ] || return
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/dump"
    regions=$(awk '$1 == "chunk" { inside = $2 == "type=regions" }
        inside && $1 ~ /^[0-9]+$/ { path[$1] = ($2 ? path[$2] "/" : "") $3; print path[$1] }' "$BATS_TEST_TMPDIR/dump" | sort | paste -sd' ')
    left=$(awk '$1 == "calipers_left" { last = $2 } END { print last + 0 }' "$BATS_TEST_TMPDIR/dump")
}

@test "calipers that longjmp() leaves are closed when they are begun again, with the calipers inside, and counted in the report" {
    run_left left jump
    [ "$output" = '0 ready' ]
    [ "$regions" = 'Loop Loop/Outer Loop/Outer/Inner' ]
    [ "$left" = 2000 ]
    run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
    [[ "$output" == *": 2000 calipers were never ended (longjmp, return or exception), but closed by the next begin of the same one"* ]]
}

@test "calipers that a return or a continue leaves, including the outermost one, are closed when they are begun again" {
    run_left left return
    [ "$output" = '0 ready' ]
    [ "$regions" = Step ]
    [ "$left" = 999 ]
    run_left left continue
    [ "$output" = '0 ready' ]
    [ "$regions" = 'Loop Loop/Step' ]
    [ "$left" = 900 ]
}

@test "calipers that an exception leaves are closed when they are begun again" {
    run_left thrown
    [ "$output" = '0 ready' ]
    [ "$regions" = 'Loop Loop/Outer Loop/Outer/Inner' ]
    [ "$left" = 2000 ]
}

@test "a signal handler that opens and closes a caliper before any instruction of another one changes neither its name nor its end" {
    run_left interrupted
    [ "$output" = 'failed 0, instructions traced' ]
    [ "$regions" = 'Outer Outer/Handler Outer/Inner Outer/Inner/Handler' ]
    [ "$left" = 0 ]
}

@test "samples of other threads get the leader's region within a second, even if it changed while the thread became the leader" {
    run_left outdated
    [ "$output" = 'region 2 of the leader, 2 of other threads' ]
}

@test "a caliper that is ended in another function stays open until then, even if calipers around it are left" {
    run_left left elsewhere
    [ "$output" = '0 ready' ]
    [[ " $regions " == *' Loop/Step/Open '* ]]
    [ "$(tr ' ' '\n' <<< "$regions" | grep -cE 'Open.*Open|Step.*Step')" = 0 ]
    [ "$left" = 900 ]
}

@test "calipers of recursions and of alternating coroutines stay open" {
    run_left left recursion
    [ "$output" = '0 ready' ]
    [ "$(tr ' ' '\n' <<< "$regions" | wc -l)" = 22 ]
    [ "$left" = 0 ]
    run_left left coroutines
    [ "$output" = '0 ready' ]
    [ "$left" = 0 ]
}

@test "of 130 nested calipers, 128 have a region, and the others are counted in the report" {
    run_left left deep
    [ "$output" = '0 ready' ]
    [ "$(wc -w <<< "$regions")" = 128 ]
    [[ " $regions " == *"/126/127 "* ]]
    [ "$left" = 0 ]
    [ "$(awk '$1 == "calipers_too_deep" { last = $2 } END { print last }' "$BATS_TEST_TMPDIR/dump")" = 2 ]
    run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
    [[ "$output" == *": 2 calipers "* ]]
}

@test "an event that the hardware does not have is refused with the remedy, and an unknown one is not used" {
    export MEMPHIS_DEVICE=/dev/null
    MEMPHIS_EVENT=remote-dram,local-dram run --separate-stderr env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ "$stderr" = 'memphis: not sampling: MEMPHIS_EVENT asks for what this CPU or kernel does not offer; leave it out: IBS samples all ops; MEMPHIS_FILTER selects accesses' ]
    MEMPHIS_EVENT=remote-dram,far run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ "$stderr" = 'memphis: MEMPHIS_EVENT=remote-dram,far is invalid, using auto; valid values: auto, or a comma list of load-latency, local-dram, remote-dram, remote-hitm, remote-forward' ]
}

# refused_event EVENTS-OFFERED MESSAGE: checks why the library does not sample with these events of PEBS (1 load-latency, 30 all others).
refused_event() {
    IDLE_EVENTS=$1 run --separate-stderr env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ "$stderr" = "memphis: not sampling: $2" ] || { echo "$stderr"; return 1; }
}

@test "events whose samples a filter drops, all of them, are refused: an empty report would look like a good one" {
    export MEMPHIS_DEVICE=/dev/null
    MEMPHIS_EVENT=local-dram MEMPHIS_FILTER=remote refused_event 30 'MEMPHIS_FILTER drops all loads that MEMPHIS_EVENT samples (local-dram); leave out one of them'
    MEMPHIS_EVENT=remote-dram MEMPHIS_FILTER=stores refused_event 31 'MEMPHIS_FILTER drops all loads that MEMPHIS_EVENT samples (remote-dram); leave out one of them'
    MEMPHIS_EVENT=remote-hitm,remote-forward MEMPHIS_FILTER=dram refused_event 30 'MEMPHIS_FILTER drops all loads that MEMPHIS_EVENT samples (remote-hitm, remote-forward); leave out one of them'
    # One of the events remains, or the event has all sources.
    MEMPHIS_EVENT=local-dram,remote-dram MEMPHIS_FILTER=remote,dram IDLE_EVENTS=30 run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ -z "$stderr" ]
    MEMPHIS_EVENT=load-latency MEMPHIS_FILTER=remote IDLE_EVENTS=31 run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ -z "$stderr" ]
}

@test "where the module has no load latency, the message says that perf may have it" {
    export MEMPHIS_DEVICE=/dev/null
    MEMPHIS_EVENT=load-latency refused_event 30 'MEMPHIS_EVENT asks for what this CPU or kernel does not offer; use one or several of local-dram, remote-dram, remote-hitm, remote-forward; load latency may be possible by perf (MEMPHIS_BACKEND=perf)'
    MEMPHIS_MIN_LATENCY=50 refused_event 30 'MEMPHIS_MIN_LATENCY: samples of events of loads by source have no latency; leave it out; load latency may be possible by perf (MEMPHIS_BACKEND=perf)'
}

# refused FILTER FILTERS-OFFERED MESSAGE: checks why the library does not sample with a filter of the hardware.
refused() {
    IDLE_FILTERS=$2 MEMPHIS_HARDWARE_FILTER=$1 run --separate-stderr env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ "$stderr" = "memphis: not sampling: $3" ] || { echo "$stderr"; return 1; }
}

@test "a filter of the hardware is refused with the remedy where it is not offered, or would leave nothing" {
    export MEMPHIS_DEVICE=/dev/null
    refused l3-miss 1 'MEMPHIS_HARDWARE_FILTER=l3-miss: this CPU or kernel does not offer it; leave it out; l3-miss needs Zen 4 and Linux 5.19, latency Zen 5 and Linux 6.15'
    refused latency 3 'MEMPHIS_HARDWARE_FILTER=latency: this CPU or kernel does not offer it; use l3-miss; latency needs Zen 5 and Linux 6.15'
    refused latency 7 'MEMPHIS_HARDWARE_FILTER=latency: the threshold of the hardware is at least 128 cycles; set MEMPHIS_MIN_LATENCY to 128 or more, or use l3-miss'
    MEMPHIS_MIN_LATENCY=127 refused latency 7 'MEMPHIS_HARDWARE_FILTER=latency: the threshold of the hardware is at least 128 cycles; set MEMPHIS_MIN_LATENCY to 128 or more, or use l3-miss'
    MEMPHIS_FILTER=stores refused l3-miss 7 'MEMPHIS_HARDWARE_FILTER=l3-miss drops all stores; leave it out, or MEMPHIS_FILTER=stores'
}

@test "the library samples with an older and with a newer module that knows one of its versions, and refuses others with both ranges" {
    export MEMPHIS_DEVICE=/dev/null
    local range

    for range in '1 1' '1 2' '2 3'; do
        IDLE_ABI=$range run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" jump
        [ -z "$stderr" ] || { echo "$range: $stderr"; return 1; }
    done
    # A module that does not know the request for its versions, and of which the library knows none.
    IDLE_ABI='1 1' IDLE_QUERY_ABI=9 run --separate-stderr env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [[ "$stderr" = "memphis: not sampling: the module has ABI 9 to 9, library "* ]]
    IDLE_ABI='3 4' run --separate-stderr env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ "$stderr" = "memphis: not sampling: the module has ABI 3 to 4, library $(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' "$top/include/memphis/version.h") has 1 to 2; install module and library of one version" ]
}

@test "where the site forbids filters of the hardware, the message names the parameter of the module" {
    export MEMPHIS_DEVICE=/dev/null IDLE_FORBIDS=1
    refused l3-miss 3 'MEMPHIS_HARDWARE_FILTER=l3-miss: the module on this node allows no filter of the hardware (its parameter hardware_filters is N); leave it out, or ask the site to load the module with hardware_filters=Y'
    IDLE_FILTERS=3 run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ -z "$stderr" ]
}

@test "with a filter of the hardware the files name it and its sampler, whose shortest period applies" {
    export MEMPHIS_DEVICE=/dev/null IDLE_FILTERS=7 MEMPHIS_PERIOD=1024
    MEMPHIS_HARDWARE_FILTER=latency MEMPHIS_MIN_LATENCY=128 run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ "$stderr" = 'memphis: MEMPHIS_PERIOD=1024 is ignored, 4096 is used: idle takes 4096 to 67108864 here' ]
    "$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT" > "$BATS_TEST_TMPDIR/report"
    [ "$(jq -c '.processes[0].settings | [.hardware_filter, .sampler, .period, .period_min, .min_latency]' "$BATS_TEST_TMPDIR/report")" = '["latency","cpu","4096","4096","128"]' ]
    rm -r "$MEMPHIS_OUTPUT"
    run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" jump
    [ -z "$stderr" ]
    "$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT" > "$BATS_TEST_TMPDIR/report"
    [ "$(jq -c '.processes[0].settings | [.hardware_filter, .sampler, .period]' "$BATS_TEST_TMPDIR/report")" = '["none","task","1024"]' ]
}

@test "the files have the command line as a shell reads it" {
    local command arguments=(jump "it's" 'two words' '' '$HOME' 'a;b' '*' '~' '#' 'a=1&b|c' '(x)' '<y>' '{1,2}' '!' '[z]' '"' "\\" $'line\nbreak' plain-1.2_/:%+,=@)
    MEMPHIS_DEVICE=/dev/null run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/left" "${arguments[@]}"
    "$build/bin/memphis" report --format json "$MEMPHIS_OUTPUT" > "$BATS_TEST_TMPDIR/report"
    command=$(jq -r '.processes[0].settings.command' "$BATS_TEST_TMPDIR/report")
    echo "$command"
    eval "set -- $command"
    [ "$#" -eq 20 ]
    [ "$1" = "$work/left" ]
    shift
    diff <(printf '<%s>\n' "${arguments[@]}") <(printf '<%s>\n' "$@")
    # Ordinary arguments are not quoted.
    [[ "$command" == "$work/left jump "* ]]
    [[ "$command" == *" plain-1.2_/:%+,=@" ]]
}

@test "several calipers of one name that one call opens: each end succeeds, and after the first end all stay open" {
    run_left left several
    [ "$output" = '0 ready' ]
    [ "$regions" = 'Loop Loop/Same Loop/Same/Same Loop/Same/Same/Same' ]
    [ "$left" = 0 ]
}

@test "sampling is paused and resumed whatever calipers are open, and calipers by registered names are those by name" {
    run_left pauses
    [ "$output" = 'at the begin: 0 0
paused before the first caliper: 0 0
resumed: 1 1
paused twice: 0 0
a caliper opened in a pause: 0 0
resumed once: 1 1
end: Invalid argument
resumed without a caliper: 0 0
a second run: 1 1
at the end: 0 0
begin nothing: Invalid argument' ]
    [ "$regions" = 'Run Run/Step' ]
    [ "$left" = 0 ]
    [ "$(awk '$1 == "pauses" { count = $2 } END { print count }' "$BATS_TEST_TMPDIR/dump")" = 3 ]
}

@test "children register regions whatever threads of their parent did at the time of the fork" {
    run -0 "$work/children"
    [ "$output" = '20 of 20 children' ]
}

@test "without sampling, and with the header for builds without the library, the calls say so and do nothing else" {
    MEMPHIS_DISABLE=1 run -0 "$work/pauses"
    [ "$(grep -c ': No such device$' <<< "$output")" = 15 ]
    [ "$(grep -c '^resumed: -19 -1$' <<< "$output")" = 1 ]
    run -0 "$work/pauses-stub"
    [ "$(grep -c ': No such device$' <<< "$output")" = 17 ]
    [ "$(grep -c '^resumed: -19 -1$' <<< "$output")" = 1 ]
    [ ! -e "$MEMPHIS_OUTPUT" ]
    run -0 ldd "$work/pauses-stub"
    [[ "$output" != *memphis* ]]
}

@test "no caliper changes errno, also if the program has closed the library's descriptors, which is reported in one line" {
    MEMPHIS_DEVICE=/dev/null run --separate-stderr -0 env LD_PRELOAD="$work/idle.so" "$work/error_number"
    [ "$output" = '2 of 5' ]
    [ "${#stderr_lines[@]}" = 1 ]
    [[ $stderr == 'memphis: sampling could not be switched on again: Bad file descriptor; '* ]]
}
