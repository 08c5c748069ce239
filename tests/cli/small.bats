#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Samples in small blocks, of which a random sample is recorded. If these tests fail, estimates are mixed with exact rows, or their
# certainty is lost or too large.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR" || return
    cat > graph.c <<'TEXT'
#include <stdlib.h>
struct node { struct node *next; char *text; } *nodes;
int main(void)
{
    nodes = malloc(sizeof(*nodes));
    nodes->text = malloc(40);
    return nodes->next != 0;
}
TEXT
    gcc -g -O0 -no-pie -Wno-use-after-free -o graph graph.c
}

# describe FILE: the process file and the beginning of the thread file; stack 1 allocates nodes, stack 2 text.
describe() {
    printf '%s\n' 'process 100' 'setting command ./graph' 'setting alloc_min_bytes 4096' 'setting small_bytes 2048' \
        'node 0 1024 0-1 10,21' 'node 1 1024 2-3 21,10' "object graph $PWD/graph 0" "$@" \
        'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 100' 'end' 'thread 100' 'stack 1 graph^graph.c:5#1' 'stack 2 graph^graph.c:6#1'
}

# taken STACK ADDRESS COUNT STRIDE [TIME]: records of blocks of 48 bytes.
taken() {
    local i
    for ((i = 0; i < $3; i++)); do
        printf 'small %d %#x 48 %d 2048\n' "${5:-1000}" $(($2 + i * $4)) "$1"
    done
}

variables() {
    "$memphis" report --format json "$@" | jq -r '.nodes[].variables[] | "\(.segment):\(.name) \(.site) \(.how) \(.count) \(.certainty // "-") \(.reason)"'
}

@test "a sample in a recorded small block has its exact site, from the allocation to the release" {
    samples exact < <(describe
        echo 'small 1000 0x1000010 16 1 2048'
        echo 'free 3000 0x1000010'
        echo 'small 1000 0x1080010 40 2 2048'
        echo 'books 4 4 0'
        echo 'sample 2000 graph@graph.c:7 0x1000018 dram LR 0 1'
        echo 'sample 2000 graph@graph.c:7 0x1080030 dram LR 0 1'
        echo 'sample 4000 graph@graph.c:7 0x1000018 dram LR 0 1'
        echo 'sample 900 graph@graph.c:7 0x1000018 dram LR 0 1'
        echo end)
    run variables exact
    expect 'heap:<not-found> null none 2 - block-too-small
heap:nodes graph.c:5 assigned 1 - null
heap:nodes->text graph.c:6 assigned 1 - null' "$(sort <<< "$output")"
}

@test "recorded blocks around a sample estimate its site, and the row says so" {
    samples near < <(describe
        taken 1 0x1000010 30 2000
        taken 2 0x1040010 30 2000
        echo 'books 60 60 0'
        echo 'repeat 40 800 sample 2000 graph@graph.c:7 0x1000410 dram LR 0 1'
        echo 'repeat 20 800 sample 2000 graph@graph.c:8 0x1040410 dram LR 0 1'
        echo end)
    run variables near
    expect 'heap:~nodes graph.c:5 estimated 40
heap:~nodes->text graph.c:6 estimated 20' "$(cut -d' ' -f1-4 <<< "$output")"
    # 30 blocks of one site: about 29.5 of 31, and 60.5 of 61 for sites without any recorded block.
    run "$memphis" report --format json near
    expect '[true,true,60]' "$(jq -c '[(.nodes[0].variables[].certainty | . > 0.95 and . < 0.99), .accounting.estimated]' <<< "$output")"
    run -0 "$memphis" report --full near
    [[ "$output" == *'[heap]:~nodes (site graph.c:5), 9'[5-8]' %'* ]]
    [[ "$output" == *'attributed: 60 of 60 (100.0 %) to a variable
    estimated 60: names with ~; '* ]]
    run -0 paper near
    [[ "$output" == *'000) [heap]:~nodes (site graph.c:5), 9'[5-8]' % [ 0x1000410 - '* ]]
    run -0 "$memphis" report --format csv near
    [[ "${lines[0]}" == *,certainty,type,member,shown,declared$'\r' ]]
    [[ "${lines[1]}" == *,~nodes,*,estimated,*,0.9[5-8]*$'\r' ]]
    # The live view does not estimate.
    run -0 "$memphis" top --once --interval 0.1 near
    [ "${lines[-1]}" = '     100.0 %  [heap]:<not-found>' ]
    "$memphis" report --full near > direct
    "$memphis" reduce --select all -o near.mprof near
    "$memphis" report --full near.mprof > saved
    diff <(grep -E 'estimated|~nodes' direct) <(grep -E 'estimated|~nodes' saved)
}

@test "exact and estimated samples of a variable are one finding, with its certainty" {
    samples found < <(describe 'setting hardware ibs' 'setting count ops' 'setting period 10064'
        taken 1 0x1000010 30 2000
        echo 'books 60 60 0'
        echo 'repeat 40 1100 sample 2000 graph@graph.c:7 0x1000410 dram L 0 0 0 100'
        # In recorded blocks.
        echo 'repeat 20 2000 sample 2000 graph@graph.c:7 0x1000018 l2 L 0 0 0 10'
        echo 'end'
        echo 'thread 101'
        echo 'books 60 60 0'
        echo 'repeat 40 1100 sample 2000 graph@graph.c:7 0x1000410 dram LR 1 0 0 300'
        echo 'repeat 20 2000 sample 2000 graph@graph.c:7 0x1000018 dram LR 1 0 0 300'
        echo end)
    run -0 "$memphis" report --format json found
    # Most of the samples are estimated.
    expect '["first-touch","nodes",60,true]' "$(jq -c '.findings[] | [.pattern, .variable, .samples, (.certainty | . > 0.98 and . < 0.995)]' <<< "$output")"
    # 60 samples that stand for 9744 loads each could take 200 cycles less.
    expect '116928000' "$(jq '.findings[0].gain.cycles | round' <<< "$output")"
    expect '["nodes",22] ["~nodes",38]' "$(jq -c '.nodes[0].variables[] | [.name, .count]' <<< "$output" | sort | paste -sd ' ')"
    run -0 "$memphis" report --full found
    [[ "$(tr -s ' \n' ' ' <<< "$output")" == *"evidence: 60 samples, 100.0 % of the loads from other nodes' memory (95 % CI 9"*'), partly estimated, 99 % right'* ]]
    run -0 "$memphis" report found
    [[ "$output" == *'first-touch: '* && "$output" != *'No pattern fits'* ]]
    "$memphis" reduce --select all -o found.mprof found
    cmp <("$memphis" report --full found) <("$memphis" report --full found.mprof)
}

@test "exact samples and estimates of one site are in different rows" {
    samples both < <(describe
        taken 1 0x1000010 30 2000
        echo 'books 12 12 0'
        echo 'repeat 2 2000 sample 2000 graph@graph.c:7 0x1000010 dram LR 0 1'
        echo 'repeat 10 2000 sample 2000 graph@graph.c:7 0x1000410 dram LR 0 1'
        echo end)
    run variables both
    expect 'heap:~nodes graph.c:5 estimated 10
heap:nodes graph.c:5 assigned 2' "$(cut -d' ' -f1-4 <<< "$output")"
    # Comparisons do not take one for the other, either.
    run -0 "$memphis" compare --format json both both
    [[ "$output" == *'"~nodes"'* && "$output" == *'"nodes"'* ]]
}

@test "among blocks of two sites, nothing is estimated, unless recorded blocks show what the instruction accesses" {
    samples mixed < <(describe
        taken 1 0x1000010 15 4000
        taken 2 0x1000810 15 4000
        echo 'books 75 75 0'
        echo 'repeat 20 1200 sample 2000 graph@graph.c:7 0x1000410 dram LR 0 1'
        echo 'repeat 25 1200 sample 2000 graph@graph.c:8 0x1000420 dram LR 0 1'
        # The second instruction was sampled in recorded blocks of nodes, 15 times, and a third one in those of text.
        echo 'repeat 15 4000 sample 2000 graph@graph.c:6 0x1000810 dram LR 0 1'
        echo 'repeat 15 4000 sample 2000 graph@graph.c:8 0x1000010 dram LR 0 1'
        echo end)
    run variables mixed
    expect 'heap:<not-found> null none 20
heap:nodes graph.c:5 assigned 15
heap:nodes->text graph.c:6 assigned 15
heap:~nodes graph.c:5 estimated 25' "$(cut -d' ' -f1-4 <<< "$output" | sort)"
}

@test "sites of one name and line need not be told apart: two call stacks led to the same allocation" {
    samples stacks < <(describe
        echo 'stack 3 graph^graph.c:5#1 graph^graph.c:6#1'
        taken 1 0x1000010 15 4000
        taken 3 0x1001010 15 4000
        echo 'books 40 40 0'
        echo 'repeat 40 800 sample 2000 graph@graph.c:7 0x1000410 dram LR 0 1'
        echo end)
    run variables stacks
    expect 'heap:~nodes graph.c:5 estimated 40' "$(cut -d' ' -f1-4 <<< "$output")"
}

@test "no site is estimated without a recorded block nearby, before it, after it, or once records were lost" {
    samples none < <(describe 'loss small_blocks_left_out 7' 'loss small_blocks_lost_ns 5000'
        taken 1 0x1000010 30 2000
        taken 2 0x1020010 30 2000 3000
        echo 'free 4000 0x1000010'
        echo 'books 40 40 0'
        echo 'repeat 10 800 sample 2000 graph@graph.c:7 0x1090410 dram LR 0 1'
        echo 'repeat 10 800 sample 2000 graph@graph.c:7 0x1020410 dram LR 0 1'
        echo 'repeat 10 800 sample 6000 graph@graph.c:7 0x1000410 dram LR 0 1'
        echo 'repeat 10 800 sample 4500 graph@graph.c:7 0x1000410 dram LR 0 1'
        echo end)
    run variables none
    expect 'heap:<not-found> null none 30
heap:~nodes graph.c:5 estimated 10' "$(cut -d' ' -f1-4 <<< "$output" | sort)"
    run -0 "$memphis" report --full none
    [[ "$output" == *'7 small blocks were not recorded: '* ]]
}
