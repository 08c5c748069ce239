#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis report --by sharing. If these tests fail, threads that share memory are not reported, or under a wrong variable.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# process PID RANK: lines of a process with two nodes, on host n0.
process()
{
    cat << TEXT
process $1 n0
setting host n0
setting rank $2
setting period 1000
setting alloc_min_bytes 4096
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
TEXT
}

# thread TID NODE BLOCK [COUNT OTHER SOURCE FLAGS HOME]...: a thread on NODE that allocates block BLOCK, of 8 KiB, and loads COUNT times from each page of other blocks.
thread()
{
    local node=$2 total=0 at block=$3
    printf 'thread %d\nfact name model\nmalloc 1000 %d 8192 0\nname 1001 %d 8192 block%d\n' "$1" $((0x1000000 + 0x10000 * block)) $((0x1000000 + 0x10000 * block)) "$block"
    shift 3
    for ((at = 1; at <= $#; at += 5)); do
        total=$((total + ${!at}))
    done
    echo "books $total $total 0"
    while [ $# -gt 0 ]; do
        # At a distance of 64 bytes: 64 samples fill a page.
        echo "repeat $1 64 sample 2000 0x401000 $((0x1000000 + 0x10000 * $2)) $3 $4 $node $5 0 700"
        shift 5
    done
    echo end
}

# One process: 100 and 102 load from each other's blocks, 101 from that of 102 and its own one. Node 0 runs 100 and 101, node 1 runs 102.
four()
{
    samples one < <(process 100 0
        thread 100 0 0 128 2 dram LR 1
        thread 101 0 1 64 2 dram LR 1 100 1 dram L 0
        thread 102 1 2 50 0 dram LR 0 40 2 dram L 1)
}

@test "by sharing: pairs of threads with their loads, pages and variables, the strongest first" {
    four
    run -0 "$memphis" report --by sharing --select all one
    expect "$(cat << 'TEXT'
SHARING
2 pairs of threads share memory; of 382 sampled loads from DRAM, 63.4 % are from pages that another
thread placed, 36.6 % from own ones, 0.0 % from pages that no sampled thread placed
    loads   remote modified     pages  threads, below them the variables that they share
      178      178        0   12.3 kB  100 and 102
      128      128        0   8.19 kB    [heap]:block2
       50       50        0   4.10 kB    [heap]:block0
       64       64        0   4.10 kB  101 and 102
       64       64        0   4.10 kB    [heap]:block2
TEXT
)" "$(sed -n '/^SHARING/,/^$/p' <<< "$output")"
    # Options leave out pairs and variables, and say so.
    expect '      178      178        0   12.3 kB  100 and 102
      128      128        0   8.19 kB    [heap]:block2
                                         ... 1 more variable
                                       ... 1 more pair' "$("$memphis" report --by sharing --select all --top 1 --instructions 1 one | sed -n '/^    loads /,/^$/p' | sed '1d;$d')"
    # Of the selected kind, only variables with such samples.
    "$memphis" report --by sharing one | tr '\n' ' ' | grep -qF 'placed. Only variables with remote-dram samples; --select all has all'
    [[ "$("$memphis" report --full --select all one)" != *SHARING* ]]
}

@test "by sharing: JSON has the matrix, and the matrix of memphis place has the same sums" {
    four
    "$memphis" report --by sharing --select all --format json one | jq .sharing > one.json
    expect '{"loads":382,"own":140,"unowned":0,"thread_count":3,"pair_count":2}
[0,2,128,50,178,0,12288,2] [["heap","block2",128,0,8192],["heap","block0",0,50,4096]]
[1,2,64,0,64,0,4096,1] [["heap","block2",64,0,4096]]
100,101,102' "$(jq -c 'del(.threads, .pairs)' one.json
        jq -r '.pairs[] | "\([.a, .b, .a_loads, .b_loads, .remote, .modified, .bytes, .variable_count]) \([.variables[] | [.segment, .name, .a_loads, .b_loads, .bytes]])"' one.json
        jq -r '[.threads[].tid] | join(",")' one.json)"
    expect '[100,102,1,128,128] [101,101,0,100,0] [101,102,1,64,64] [102,100,0,50,50] [102,102,1,40,0]' \
        "$("$memphis" place --format json one | jq -c '.[0].sharing[] | [.tid, .with, .home, .loads, .remote]' | paste -sd ' ')"
    [ "$("$memphis" report --select all --format json one | jq 'has("sharing")')" = false ]
}

@test "by sharing: lines that another thread had modified count for the thread that used the page most" {
    samples modified < <(process 100 0
        thread 100 0 0 30 0 dram L 0
        thread 101 1 1 20 0 peer-cache LRH 0)
    run -0 "$memphis" report --by sharing --select all modified
    expect '        0        0       20   4.10 kB  100 and 101' "$(grep "100 and 101" <<< "$output")"
}

@test "by sharing: pairs of several ranks have the rank, a selected rank is alone, a profile does not know" {
    samples two < <(process 100 0; thread 100 0 0 64 1 dram LR 1; thread 101 1 1 1 1 dram L 1
        process 200 1; thread 200 0 0 128 1 dram LR 1; thread 201 1 1 1 1 dram L 1)
    expect '      128      128        0   8.19 kB  rank 1 on host n0: 200 and 201
       64       64        0   4.10 kB  rank 0 on host n0: 100 and 101' "$("$memphis" report --by sharing --select all two | grep ' and 2\| and 1')"
    [ "$("$memphis" report --by sharing --process 'rank 0' --select all --format json two | jq -c '.sharing | [.loads, .pair_count]')" = '[65,1]' ]
    "$memphis" reduce --select all two -o two.mprof
    [[ "$("$memphis" report --by sharing --select all two.mprof)" == *'SHARING
not known: no load from DRAM and no modified line was sampled, or the input is a profile, which does not have it'* ]]
}

@test "by sharing: the page has the 32 threads that share most, and three variables of each pair" {
    samples many < <(process 100 0
        for ((number = 0; number < 40; number++)); do
            thread $((100 + number)) $((number % 2)) "$number" $((20 + number)) $((number ^ 1)) dram LR $((1 - number % 2))
        done)
    "$memphis" report --select all --format html many > page.html
    expect '40 20 32 32' "$(grep -o '{"answer":.*' page.html | sed 's,</script>.*,,' | jq -r '.sharing | "\(.thread_count) \(.pair_count) \(.threads | length) \([.pairs[] | .a, .b] | unique | length)"')"
}
