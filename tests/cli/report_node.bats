#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What a report says of the machines on which was sampled. If these fail, a difference between machines passes for one between programs.

bats_require_minimum_version 1.5.0
load ../environment

# process DIRECTORY NUMBER HOST LINE...: sample files of a process; the lines are of its process file.
process() {
    local directory=$1 number=$2 host=$3

    shift 3
    {
        printf '%s\n' "process $number" 'setting command ./model' "setting host $host" 'setting alloc_min_bytes 4096' "$@"
        cat <<TEXT
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread $number
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
malloc 1002 0x1010000 8192 0
name 1003 0x1010000 8192 ty
books 17 17 0
repeat 4 8 sample 2000 0x401000 0x1000000 unknown S 0 1
repeat 10 8 sample 2000 0x401000 0x1000000 unknown S 0 0
repeat 3 8 sample 2000 0x401000 0x1010000 unknown S 1 0
end
TEXT
    } | "$BATS_FILE_TMPDIR/make_samples" "$directory"
}

setup_file() {
    load helper
    build_tools
}

setup() {
    load helper
    cd -P "$BATS_TEST_TMPDIR"
    mkdir run
}

@test "how a machine was set up is noted where it makes runs differ, once for each host" {
    process run 100 amber 'setting numa_balancing 1' 'setting huge_pages never' 'setting smt 1' 'setting governor powersave' \
        'setting boost 1' 'setting no_turbo 0' 'setting clocksource hpet'
    process run 101 amber 'setting numa_balancing 1'
    process run 102 basil 'setting numa_balancing 0' 'setting huge_pages madvise' 'setting smt 0' 'setting governor performance' \
        'setting boost 0' 'setting no_turbo 1' 'setting clocksource tsc'
    process run 103 coral 'setting numa_balancing 2'
    run "$memphis" report run
    [ "$status" -eq 0 ]
    expect 'note: machine amber: the kernel moved pages (NUMA balancing), there were no transparent huge pages, cores had several threads, frequencies followed the load, turbo frequencies were on, time was read from the HPET; memphis node says what to do
note: machine coral: the kernel moved pages between tiers of memory (NUMA balancing); memphis node says what to do' "$(grep 'note: machine' <<< "$output")"
    "$memphis" report --format json run > all.json
    expect '"powersave"' "$(jq '.processes[] | select(.pid == 100).settings.governor' all.json)"
}
