#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis report --explain: examples of samples without a variable. If these tests fail, users can't find out why a name is missing.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    samples unnamed <<'TEXT'
process 100
setting alloc_min_bytes 4096
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x2000000 0x2100000 rw-p 0x0 - 
map 0x4000000 0x4100000 rw-p 0x0 - [stack]
maps 100
end
thread 100
fact name model
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
books 12 12 0
sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 4 8 sample 5000 0x401010 0x1080000 dram LR 0 1
sample 6000 0x401020 0x1080100 dram LR 0 1
sample 7000 0x401030 0x1080200 dram LR 0 1
repeat 2 8 sample 8000 0x401040 0x1080300 dram LR 0 1
repeat 3 8 sample 9000 0x401000 0x2000000 dram LR 0 1
end
thread 101
books 3 3 0
sample 4000 0x401010 0x1080400 dram LR 1 0
sample 5500 0x401020 0x1080500 dram LR 1 0
sample 5600 0x401050 0x2000500 dram LR 1 0
end
TEXT
}

@test "each reason has its remedy, and its earliest samples, each of a different instruction" {
    run paper --explain unnamed
    [ "$status" -eq 0 ]
    expect '    block-too-small 10 (66.7 %): allocator memory, but no tracked block: below the size given by --alloc-min-bytes when recording
        to do: record again without --small-bytes 0 (default: 2048), or with a smaller --small-bytes or --alloc-min-bytes
        0x1080400 in [heap] by ?:0:0x401010, thread 100.101, after 0.000004 s
        0x1080500 in [heap] by ?:0:0x401020, thread 100.101, after 0.000005 s
        0x1080200 in [heap] by ?:0:0x401030, thread 100.100 model, after 0.000007 s
    anonymous-map 4 (26.7 %): anonymous memory that no recorded allocation covers
        to do: name it by memphis_name(): an allocator that the library does not see has it from the kernel
        0x2000500 in [mmap] by ?:0:0x401050, thread 100.101, after 0.000006 s
        0x2000000 in [mmap] by ?:0:0x401000, thread 100.100 model, after 0.000009 s' \
        "$(sed -n '/^attributed/,/^books/p' <<< "$output" | sed '1d;$d')"
}

@test "without --explain, there are no examples" {
    run paper unnamed
    [[ "$output" == *block-too-small* ]]
    [[ "$output" != *"to do"* ]]
    [[ "$("$memphis" report --format json unnamed)" != *'"explained'* ]]
}

@test "the examples do not depend on the number of files that are read at a time" {
    for jobs in 1 2; do
        "$memphis" report --explain --jobs "$jobs" --format json unnamed > "$jobs.json"
    done
    cmp 1.json 2.json
}

@test "JSON has the same examples" {
    "$memphis" report --explain --format json unnamed > report.json
    run -0 python3 -c '
import json
for r in json.load(open("report.json"))["explained"]:
    print(r["reason"], r["count"], bool(r["help"]), bool(r["advice"]), [(e["address"], e["segment"], e["pc"], e["pid"], e["tid"], e["since_ns"]) for e in r["examples"]])'
    expect "block-too-small 10 True True [('0x1080400', 'heap', '0x401010', 100, 101, 4000), ('0x1080500', 'heap', '0x401020', 100, 101, 5500), ('0x1080200', 'heap', '0x401030', 100, 100, 7000)]
anonymous-map 4 True True [('0x2000500', 'mmap', '0x401050', 100, 101, 5600), ('0x2000000', 'mmap', '0x401000', 100, 100, 9000)]" "$output"
}


@test "blocks without the name of one variable have the reason and the remedy" {
    samples place <<'TEXT'
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 0x401000
malloc 1000 0x1000000 8192 1
malloc 1000 0x1010000 8192 0
books 5 5 0
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 2 8 sample 2000 0x401000 0x1010000 dram LR 0 1
end
TEXT
    run paper --explain place
    expect 'attributed: 5 of 5 (100.0 %) to a variable
blocks without the name of one variable:
    no-line-in-stack 3 (60.0 %): no function in the call stack of the allocation has debug information
        to do: compile with -g
    no-stack 2 (40.0 %): the call stack of the allocation was not recorded
        to do: name the block by memphis_name()' "$(sed -n '/^attributed/,/^books/p' <<< "$output" | sed '$d')"
    [ "$("$memphis" report --explain --format json place | jq -c '[.explained_names[] | [.reason, .count]]')" = '[["no-line-in-stack",3],["no-stack",2]]' ]
    run paper place
    [[ "$output" != *'without the name'* ]]
}
