#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Loads that contradict the home node of their page. If these tests fail, the report trusts wrong homes, or distrusts right ones.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# homes DIRECTORY PID INTERRUPTS < SAMPLES: writes sample files of a process on two nodes.
homes()
{
    {
        printf '%s\n' "process $2" 'setting command ./model' 'node 0 1024 0-1 10,21' 'node 1 1024 2-3 21,10' \
            'region 1 0 Loop' 'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 100' 'end' "thread $2" "books $3 $3 0"
        cat
        echo end
    } | samples "$1"
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    # Samples that do not depend on the home of a page: stores, cache hits, extension memory, and samples without home or node.
    homes silent 100 700 <<'TEXT'
repeat 100 8 sample 2000 0x401000 0x1000000 unknown S 0 1
repeat 100 8 sample 2000 0x401000 0x1000000 peer-cache LR 0 0
repeat 100 8 sample 2000 0x401000 0x1000000 peer-cache L 0 1
repeat 100 8 sample 2000 0x401000 0x1000000 extension LR 0 0
repeat 100 8 sample 2000 0x401000 0x1000000 l3 L 0 1
repeat 100 8 sample 2000 0x401000 0x1000000 dram LR 0 65535
repeat 100 8 sample 2000 0x401000 0x1000000 dram L 65535 1
TEXT
    homes right 200 200 <<'TEXT'
repeat 98 8 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 100 8 sample 2000 0x401000 0x1000000 dram L 1 1
sample 2000 0x401000 0x1000000 dram LR 0 0
sample 2000 0x401000 0x1000000 dram L 0 1
TEXT
    homes wrong 300 400 <<'TEXT'
repeat 395 8 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 1 1
repeat 2 8 sample 2000 0x401000 0x1000000 dram LS 0 1
TEXT
}

told()
{
    grep -E '^homes:|^note: homes' <<< "$1"
}

@test "loads from DRAM that contradict the home of their page are counted below the accounting" {
    run paper right
    [ "$status" -eq 0 ]
    expect 'books: 200 interrupts = 200 kept + 0 lost + 0 filtered
homes: 2 of 200 loads from DRAM (1.0 %) contradict the home of their page: 1 remote loads of pages of the own node, 1 local loads of pages of another node' \
        "$(tail -2 <<< "$output")"
    # The counts do not depend on the selection: a selection of remote samples has no local ones.
    run paper --select stores right
    grep -q '^homes: 2 of 200 ' <<< "$output"
}

@test "above 1 % a note reports that homes are unreliable, and possible reasons" {
    run paper wrong
    [ "$status" -eq 0 ]
    expect "homes: 5 of 400 loads from DRAM (1.2 %) contradict the home of their page: 3 remote loads of pages of the own node, 2 local loads of pages of another node
note: homes of pages are unreliable here: 1.2 % of the loads from DRAM contradict them; use what loads report (--select remote-dram), not pairs, homes and findings of placement. Kernels from 6.15 on withhold physical addresses from samples of unprivileged users, and a module that is older than the report then assumes node 0: update it; or pages were migrated while the program ran (NUMA balancing, move_pages); or nodes of the hardware differ from those of the kernel (sub-NUMA clusters, NPS, numa=fake)" \
        "$(told "$output")"
}

@test "stores, caches, extension memory and unknown homes contradict nothing" {
    run paper silent
    [ "$status" -eq 0 ]
    [ "$(told "$output")" = '' ]
    run "$memphis" report --format json silent
    [ "$(jq -c .accounting.homes <<< "$output")" = '{"told":0,"remote_at_home":0,"local_away":0}' ]
}

@test "JSON has the counts of all selected processes and of each thread" {
    run "$memphis" report --format json right wrong
    [ "$(jq -c '.accounting | [.homes, (.threads[] | .homes)] | map([.told, .remote_at_home, .local_away])' <<< "$output")" = \
        '[[600,4,3],[200,1,1],[400,3,2]]' ]
    run paper --process 200 right wrong
    grep -q '^homes: 2 of 200 ' <<< "$output"
}

@test "all samples are counted, for any selected region" {
    homes regions 400 3 <<'TEXT'
sample 2000 0x401000 0x1000000 dram L 0 1 1
sample 2000 0x401000 0x1000000 dram LR 0 0 0
sample 2000 0x401000 0x1000000 dram LR 0 1 1
TEXT
    run paper --region Loop regions
    [ "$status" -eq 0 ]
    grep -q '^samples: 1 of 3 are remote-dram, in region Loop$' <<< "$output"
    grep -q '^homes: 2 of 3 ' <<< "$output"
}

@test "profiles store the counts, and merge adds them" {
    "$memphis" reduce -o right.mprof right
    "$memphis" reduce -o wrong.mprof wrong
    "$memphis" merge -o both.mprof right.mprof wrong.mprof
    run paper both.mprof
    [ "$status" -eq 0 ]
    grep -q '^homes: 7 of 600 loads from DRAM (1.2 %) .*: 4 remote loads of .*, 3 local loads ' <<< "$output"
    grep -q '^note: homes of pages .*: 1.2 % ' <<< "$output"
}
