#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Blocks that are released and allocated again. If these tests fail, new pages are reported as moved ones.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# life DIRECTORY [LINE]: writes samples of 64 pages on node 0 and later on node 1, which node 0 uses all the time; LINE: an event in
# between.
life()
{
    local page

    {
        printf '%s\n' 'process 100' 'setting command ./model' 'setting alloc_min_bytes 1' 'node 0 1024 0-1 10,21' 'node 1 1024 2-3 21,10' \
            'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 100' 'end' 'thread 100' 'malloc 1000 0x1000000 262144 0' \
            'name 1001 0x1000000 262144 field'
        [ "$#" -lt 2 ] || printf '%b\n' "$2"
        echo 'books 3840 3840 0'
        for ((page = 0; page < 64; page++)); do
            echo "repeat 30 64 sample 200000 0x401000 $((0x1000000 + 4096 * page)) dram L 0 0"
        done
        for ((page = 0; page < 64; page++)); do
            echo "repeat 30 64 sample 900000000 0x401000 $((0x1000000 + 4096 * page)) dram LR 0 1"
        done
        echo end
    } | samples "$1"
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    life moved
    life renewed 'free 500000000 0x1000000\nmalloc 500000100 0x1000000 262144 0\nname 500000200 0x1000000 262144 field'
}

findings() {
    paper "$1" | sed -n 's/^finding: \(.*\): [0-9]* samples.*/\1/p'
}

@test "pages of a block that change their node are reported as moved" {
    run -0 findings moved
    [ "$output" = '[heap]:field was moved away from node 0, whose threads go on using it' ]
}

@test "pages of a block that was released and allocated again are not, nor in a profile" {
    run -0 findings renewed
    [[ "$output" != *moved* ]]
    "$memphis" reduce -o renewed.mprof renewed
    run -0 findings renewed.mprof
    [[ "$output" != *moved* ]]
    grep -q '^000) \[heap\]:field .* 1920$' <(paper renewed.mprof)
}

# reuse DIRECTORY MAP [BESIDE]: writes samples of 64 pages on node 0 that `old` had first, then `field`, whose threads use them from both nodes; MAP: the
# map of the memory; BESIDE: a variable that is used more in the same way, and whose pages no other had.
reuse()
{
    local page start starts=(0x1000000)

    [ -z "${3:-}" ] || starts+=(0x1040000 0x1040000)
    {
        printf '%s\n' 'process 100' 'setting command ./model' 'setting alloc_min_bytes 1' 'node 0 1024 0-1 10,21' 'node 1 1024 2-3 21,10' \
            "map 0x1000000 0x1100000 rw-p 0x0 - $2" 'maps 100' 'end' 'thread 100' 'malloc 1000 0x1000000 262144 0' \
            'name 1001 0x1000000 262144 old' 'free 500000000 0x1000000' 'malloc 500000100 0x1000000 262144 0' 'name 500000200 0x1000000 262144 field' \
            ${3:+"malloc 500000300 0x1040000 262144 0" "name 500000400 0x1040000 262144 $3"}
        echo "books $((1280 + 1920 * ${#starts[@]})) $((1280 + 1920 * ${#starts[@]})) 0"
        for ((page = 0; page < 64; page++)); do
            echo "repeat 20 64 sample 200000 0x401000 $((0x1000000 + 4096 * page)) dram L 0 0"
            for start in "${starts[@]}"; do
                [ "$page" -ge 32 ] || echo "repeat 60 64 sample 900000000 0x401000 $((start + 4096 * page)) dram L 0 0"
            done
        done
        printf '%s\n' end 'thread 101' "books $((1920 * ${#starts[@]})) $((1920 * ${#starts[@]})) 0"
        for ((page = 32; page < 64; page++)); do
            for start in "${starts[@]}"; do
                echo "repeat 60 64 sample 900000000 0x401000 $((start + 4096 * page)) dram LR 1 0"
            done
        done
        echo end
    } | samples "$1"
}

@test "memory that another variable had before keeps its pages, and the advice says so" {
    reuse kept '[heap]'
    run -0 --separate-stderr "$memphis" report --format json kept
    words=', which does not move pages that malloc kept of [heap]:old, which had the memory of [heap]:field before: initialise the first blocks there so, or allocate it by mmap(2); or interleave its pages: '
    expect 'first-touch true old true' "$(jq -r --arg words "$words" '.findings[0] | "\(.pattern) \(.evidence.reused) \(.evidence.reused_of) \(.advice | contains($words))"' <<< "$output")"
    "$memphis" reduce -o kept.mprof kept
    expect 'true old' "$("$memphis" report --format json kept.mprof | jq -r '.findings[0].evidence | "\(.reused) \(.reused_of)"')"
}

@test "if several variables have one cause, the advice names the one whose pages another variable had before" {
    reuse beside '[heap]' lead
    run -0 --separate-stderr "$memphis" report --format json beside
    words=', which does not move pages that malloc kept of [heap]:old, which had the memory of [heap]:field before: initialise the first blocks there so, or allocate it by mmap(2); or interleave their pages: '
    expect 'first-touch lead,field true' "$(jq -r --arg words "$words" '.findings[0] | "\(.pattern) \([.variables[].variable] | join(",")) \(.advice | contains($words))"' <<< "$output")"
}

@test "pages of blocks that may have been maps of their own are not said to be kept" {
    reuse mapped -
    expect 'first-touch false null' "$("$memphis" report --format json mapped | jq -r '.findings[0] | "\(.pattern) \(.evidence.reused) \(.evidence.reused_of)"')"
}

# rows DIRECTORY BYTES: 64 pages that the first thread fills with blocks of this size, and writes; then each thread reads its half.
rows()
{
    local page at

    {
        printf '%s\n' 'process 100' 'setting command ./model' 'setting alloc_min_bytes 1' 'node 0 1024 0-1 10,21' 'node 1 1024 2-3 21,10' \
            'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 100' 'end' 'thread 100'
        for ((at = 0; at < 64 * 4096; at += $2)); do
            printf 'malloc 1000 0x%x %d 0\nname 1001 0x%x %d rows\n' $((0x1000000 + at)) "$2" $((0x1000000 + at)) "$2"
        done
        echo 'books 3200 3200 0'
        for ((page = 0; page < 64; page++)); do
            echo "repeat 20 64 sample 200000 0x401000 $((0x1000000 + 4096 * page)) dram L 0 0"
            [ "$page" -ge 32 ] || echo "repeat 60 64 sample 900000000 0x401000 $((0x1000000 + 4096 * page)) dram L 0 0"
        done
        printf '%s\n' end 'thread 101' 'books 1920 1920 0'
        for ((page = 32; page < 64; page++)); do
            echo "repeat 60 64 sample 900000000 0x401000 $((0x1000000 + 4096 * page)) dram LR 1 0"
        done
        echo end
    } | samples "$1"
}

@test "blocks smaller than a page are to be allocated, too, by the threads that use them" {
    rows small 2048
    run -0 --separate-stderr "$memphis" report --format json small
    words=', as malloc writes in front of each block, which is smaller than a page, and so places it; or allocate one large block, and initialise that so; or interleave '
    expect 'first-touch true allocate true' "$(jq -r --arg words "$words" '.findings[0] | "\(.pattern) \(.evidence.small_blocks) \(.advice | split(" ")[0]) \(.advice | contains($words))"' <<< "$output")"
    rows large 4096
    expect 'first-touch false initialise' "$("$memphis" report --format json large | jq -r '.findings[0] | "\(.pattern) \(.evidence.small_blocks) \(.advice | split(" ")[0])"')"
}
