#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Comparison of runs. If these tests fail, an improvement is overlooked, or noise is reported as a change.

bats_require_minimum_version 1.5.0
load ../environment
load helper

# run NAME PERIOD ACTIVE_NS INTERRUPTS < the samples of thread 100 (node 0) and 101 (node 1)
one_run()
{
    {
        cat << TEXT
process 100
setting period $2
setting count ops
setting active_ns $3
object heap $PWD/heap 0x555500000000
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x2000000 8192 0
name 1001 0x2000000 8192 tx
malloc 1000 0x2010000 8192 0
name 1001 0x2010000 8192 ty
malloc 1000 0x2020000 8192 0
name 1001 0x2020000 8192 tc
TEXT
        cat
        echo end
    } | samples "$1"
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -g -O1 -o heap "$programs/heap.c"
    one_run base 1000 4000000000 1000 << 'TEXT'
books 1000 460 0 1=540
repeat 300 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 100 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 60 8 sample 2000 heap!main 0x2010000 dram LR 1 0
TEXT
    one_run mod 1000 2000000000 1000 << 'TEXT'
books 1000 244 0 1=756
repeat 30 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 104 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 60 8 sample 2000 heap!main 0x2010000 dram LR 1 0
repeat 50 8 sample 2000 heap!main 0x2020000 dram LR 1 0
TEXT
    # The same program with half the period: twice the samples of the same accesses.
    one_run dense 500 4000000000 2000 << 'TEXT'
books 2000 920 0 1=1080
repeat 600 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 200 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 120 8 sample 2000 heap!main 0x2010000 dram LR 1 0
TEXT
}

@test "changes come first, and changes within the noise are marked" {
    run -0 --separate-stderr "$memphis" compare base mod
    expect 'run 0: base: 460 samples, each of 1000 accesses, 4.000 s, 1e+06 operations
run 1: mod: 244 samples, each of 1000 accesses, 2.000 s (-50.0 %), 1e+06 operations (+0.0 %)

NODE: 0 total: 400 -> 134 (-66.5 %, 95 % CI -72.4 to -59.3)
000) [heap]:tx 300 -> 30 (-90.0 %, 95 % CI -93.1 to -85.5)
    heap.c:N 300 -> 30 (-90.0 %, 95 % CI -93.1 to -85.5)
001) [heap]:ty 100 -> 104 (+4.0 %, 95 % CI -20.9 to +36.7; within the noise)
    heap.c:N 100 -> 104 (+4.0 %, 95 % CI -20.9 to +36.7; within the noise)

NODE: 1 total: 60 -> 110 (+83.3 %, 95 % CI +34.0 to +150.8)
000) [heap]:tc 0 -> 50 (new)
    heap.c:N 0 -> 50 (new)
001) [heap]:ty 60 -> 60 (+0.0 %, 95 % CI -29.9 to +42.8; within the noise)
    heap.c:N 60 -> 60 (+0.0 %, 95 % CI -29.9 to +42.8; within the noise)

all remote-dram, per run: 460 -> 244 (-47.0 %, 95 % CI -54.6 to -38.1)
note: intervals and noise cover sampling alone, not other differences between runs' "$(sed -E 's/heap\.c:[0-9]+/heap.c:N/' <<< "$output")"
}

@test "with another period, each sample represents another number of accesses" {
    run -0 "$memphis" compare base dense
    grep -q '^all remote-dram, per run: 460 -> 920 (+0.0 %, 95 % CI -10.6 to +11.8; within the noise)$' <<< "$output"
    run -0 "$memphis" compare --per operation base dense
    grep -q '^all remote-dram, per operation: 460 -> 920 (+0.0 %' <<< "$output"
    run -0 "$memphis" compare --per second base mod
    grep -q '^001) \[heap\]:ty 60 -> 60 (+100.0 %, 95 % CI +40.1 to +185.5)$' <<< "$output"
}

@test "each further run is compared with the first; JSON has the same numbers" {
    run -0 "$memphis" compare --top 1 --lines 0 --node 0 base mod dense
    grep -q '^000) \[heap\]:tx 300 -> 30 (-90.0 %, 95 % CI -93.1 to -85.5) -> 600 (+0.0 %, .*; within the noise)$' <<< "$output"
    "$memphis" compare --format json base mod dense > compare.json
    expect '["tx",[300,30,600],[0.1,true,false],[1,true,true]]
["ty",[100,104,200],[1.04,true,true],[1,true,true]]' "$(jq -c '.nodes[0].variables[] |
        [.name, .counts, (.changes[] | [.ratio, (.ratio_low < .ratio and .ratio < .ratio_high), .noise])]' compare.json)"
    expect '[["base",4,1000000,1000],["mod",2,1000000,1000],["dense",4,1000000,500]]' \
        "$(jq -c '.runs | map([.name, .seconds, .operations, .accesses_per_sample])' compare.json)"
    [ "$(jq -c '.nodes[1].variables[0].changes[0] | [.ratio, .noise]' compare.json)" = '[null,false]' ]
}

@test "the n-th change of a number of changes is corrected for the number of those from it on" {
    # The p-values of 10 -> 0, 9 -> 1 and 10 -> 10 are 2/1024, 22/1024 and 1 (binomial distribution): 3 * 2/1024 and 2 * 22/1024
    # are below 0.05.
    one_run three 1000 4000000000 1000 << 'TEXT'
repeat 10 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 9 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    one_run three-mod 1000 4000000000 1000 << 'TEXT'
sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    "$memphis" compare --format json three three-mod > three.json
    expect '["tc",[10,10],true]
["tx",[10,0],false]
["ty",[9,1],false]' "$(jq -c '[.nodes[].variables[]] | sort_by(.name)[] | [.name, .counts, .changes[0].noise]' three.json)"
    # 3 * 22/1024 is above 0.05, and what follows is noise, too.
    one_run equal 1000 4000000000 1000 << 'TEXT'
repeat 9 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 9 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    one_run equal-mod 1000 4000000000 1000 << 'TEXT'
sample 2000 heap!main 0x2000000 dram LR 0 1
sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    "$memphis" compare --format json equal equal-mod > equal.json
    [ "$(jq -c '[.nodes[].variables[].changes[0].noise]' equal.json)" = '[true,true,true]' ]
}

@test "a comparison that is impossible is refused, with the remedy" {
    run -2 --separate-stderr "$memphis" compare base
    [ "${stderr_lines[0]}" = 'memphis compare: fewer than two runs; give two or more directories of sample files' ]
    run -2 --separate-stderr "$memphis" compare --per hour base mod
    [ "${stderr_lines[0]}" = 'memphis compare: --per: "hour" is not one of run, second, operation' ]
    one_run timeless 1000 0 1 <<< 'books 0 0 0'
    run -1 --separate-stderr "$memphis" compare --per second base timeless
    [ "$stderr" = 'memphis compare: timeless: it is not known how long sampling was on; compare per run' ]
    run -1 --separate-stderr "$memphis" compare base nothing
    [ "$stderr" = 'memphis compare: nothing: cannot open: No such file or directory' ]
}

@test "the waiting of runs, variables and lines is compared, where latencies are known" {
    one_run slow 1064 4000000000 1000 << 'TEXT'
books 1000 40 0 2=960
repeat 40 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 400
TEXT
    one_run fast 1064 4000000000 1000 << 'TEXT'
books 1000 20 0 2=980
repeat 20 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 200
TEXT
    run -0 "$memphis" compare slow fast
    # 1064 x 40 x 400, and 1064 x 20 x 200: these files do not name the hardware.
    grep -q '^000) \[heap\]:tx 40 -> 20 (.*); waited 17\.0 M -> 4\.26 M cycles$' <<< "$output"
    [ "$("$memphis" compare --format json slow fast | jq -c '[.nodes[0].variables[0].waited[].cycles]')" = '[17024000,4256000]' ]
    # Without latencies in one run
    run -0 "$memphis" compare slow mod
    grep -q '^00.) \[heap\]:tx 40 -> 30 (.*); waited 17\.0 M -> ? cycles$' <<< "$output"
}
