#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reports on the machines of a run. If these tests fail, a difference between machines is reported as one between programs.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# process DIRECTORY NUMBER HOST LINE...: writes sample files of a process; the lines go into its process file.
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
    } | "$root/build/cli/make_samples" "$directory"
}

setup() {
    cd -P "$BATS_TEST_TMPDIR"
    mkdir run
}

@test "machine settings that make runs differ are noted, once for each host" {
    process run 100 amber 'setting numa_balancing 1' 'setting huge_pages never' 'setting smt 1' 'setting governor powersave' \
        'setting boost 1' 'setting no_turbo 0' 'setting clocksource hpet'
    process run 101 amber 'setting numa_balancing 1'
    process run 102 basil 'setting numa_balancing 0' 'setting huge_pages madvise' 'setting smt 0' 'setting governor performance' \
        'setting boost 0' 'setting no_turbo 1' 'setting clocksource tsc'
    process run 103 coral 'setting numa_balancing 2'
    run paper run
    [ "$status" -eq 0 ]
    expect 'note: host amber: the kernel moved pages (NUMA balancing), there were no transparent huge pages, cores had several threads, frequencies followed the load, turbo frequencies were on, time was read from the HPET; run memphis node on that host for advice
note: host coral: the kernel moved pages between tiers of memory (NUMA balancing); run memphis node on that host for advice' "$(grep 'note: host' <<< "$output")"
    "$memphis" report --format json run > all.json
    expect '"powersave"' "$(jq '.processes[] | select(.pid == 100).settings.governor' all.json)"
}

# Latencies 100 and 180 from node 0, 120 and 300 from node 1.
latencies() {
    printf '%s\n' 'memphis-node 1' "host $1" 'class one of many' 'huge_pages yes' 'nodes 0 1' 'latency_ns 0 0 100' 'latency_ns 0 1 180' \
        'latency_ns 1 0 300' 'latency_ns 1 1 120' 'bandwidth_gb 0 0 10'
}

@test "remote samples are weighted by relative latency, and the weights are marked as estimates" {
    process run 100 amber
    latencies amber > saved
    run paper --select all --node-baseline saved run
    [ "$status" -eq 0 ]
    # Expected weights: 4 * 1.8 + 10 and 3 * 2.5.
    expect 'NODE: 0 total: 14
000) [heap]:tx [ 0x1000000 - 0x1000048 ] 14 weight 17.2 (estimated)
NODE: 1 total: 3
000) [heap]:ty [ 0x1010000 - 0x1010010 ] 3 weight 7.5 (estimated)' "$(grep -E '^(NODE|0)' <<< "$output")"
    expect 'pair: node 0 to memory of node 0: each as long as 1.00 local ones (estimated)
pair: node 0 to memory of node 1: each as long as 1.80 local ones (estimated)
pair: node 1 to memory of node 0: each as long as 2.50 local ones (estimated)' "$(sed -n 's/^\(pair: [^:]*: \).*, \(each.*\)/\1\2/p' <<< "$output")"
    expect 'note: weights are estimates: samples, each weighted by its latency relative to a local access of the same node, as measured on amber (saved)' \
        "$(grep 'note: weights' <<< "$output")"
    run "$memphis" report --select all --node-baseline saved --format json run
    expect '["tx",17.2]
["ty",7.5]' "$(jq -c '.nodes[].variables[] | [.name, .estimated_weight]' <<< "$output")"
    expect '[0,0,1]
[0,1,1.8]
[1,0,2.5]' "$(jq -c '.matrix[] | [.node, .home, .estimated_latency_ratio]' <<< "$output")"
}

@test "a host's latencies are read from the directory of its samples, and not used if the hardware measured any" {
    process run 100 amber
    latencies amber > run/amber.node
    run paper --select all run
    [[ $output == *'14 weight 17.2 (estimated)'* ]]
    [[ $output == *'as measured on amber (run/amber.node)'* ]]
    # Latencies of another host are not used.
    mv run/amber.node run/basil.node
    run paper --select all run
    [ "$status" -eq 0 ]
    [[ $output != *weight* ]]
    run "$memphis" report --select all --format json run
    expect '[null,null]' "$(jq -c '[.nodes[0].variables[0].estimated_weight, .matrix[0].estimated_latency_ratio]' <<< "$output")"
    mv run/basil.node run/amber.node
    samples told <<'TEXT'
process 100
setting command ./model
setting host amber
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
books 1 1 0
sample 2000 0x401000 0x1000000 dram LR 0 1 0 700
end
TEXT
    cp run/amber.node told
    run paper told
    [ "$status" -eq 0 ]
    [[ $output != *weight* ]]
    run paper --node-baseline run/amber.node told
    [[ $output == *' 1 weight 1.8 (estimated)'* ]]
}

@test "unmeasured nodes count as local; a foreign file is an error" {
    process run 100 amber
    latencies amber | sed '/ 0 1 180/d' > saved
    run paper --select all --node-baseline saved run
    [[ $output == *'[heap]:tx [ 0x1000000 - 0x1000048 ] 14 weight 14.0 (estimated)'* ]]
    echo nothing > saved
    run paper --node-baseline saved run
    [ "$status" -eq 1 ]
    expect 'memphis report: saved: not a file of memphis node --save' "$output"
    run paper --node-baseline none run
    [ "$status" -eq 1 ]
    expect 'memphis report: none: No such file or directory' "$output"
}
