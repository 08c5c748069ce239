#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Other views of the same samples. If these tests fail, a view shows other samples than the table, or none.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -g -O1 -o heap "$programs/heap.c"
    samples views << TEXT
process 100
setting period 1000
setting count ops
setting start_time_ns 1000
object heap $PWD/heap 0x555500000000
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
region 1 0 Loop
end
thread 100
fact name model
malloc 1000 0x2000000 8192 0
name 1001 0x2000000 8192 tx
malloc 1000 0x2010000 8192 0
name 1001 0x2010000 8192 ty
books 100 100 0
repeat 40 8 sample 2000 heap!main 0x2000000 dram LR 0 1 1 100
repeat 10 8 sample 2000 heap!main+4 0x2000000 dram LRH 0 1 1 3000
repeat 30 8 sample 200000000 heap!main 0x2010000 dram LR 0 2 0 2000
repeat 20 8 sample 2000 heap!main 0x2010000 l2 L 0 1 1 10
end
thread 101
books 7 7 0
repeat 7 8 sample 2000 heap!main 0x2000000 dram LR 1 0 1 50
end
TEXT
}

# Prints only the tables of the nodes.
table()
{
    sed '/^samples:/,$d' | masked | sed -E 's/heap\.c:[0-9]+/heap.c:N/'
}

@test "each pair of nodes has its share with an interval, and an estimate of accesses and bytes" {
    run -0 --separate-stderr paper views
    expect 'pair: node 0 to memory of node 1: 50 (57.5 %, 95 % CI 47.0 to 67.3), about 50.0 k accesses and 3.20 MB moved
pair: node 0 to memory of node 2: 30 (34.5 %, 95 % CI 25.3 to 44.9), about 30.0 k accesses and 1.92 MB moved
pair: node 1 to memory of node 0: 7 (8.0 %, 95 % CI 4.0 to 15.7), about 7.00 k accesses and 448 kB moved' "$(grep ^pair: <<< "$output")"
    run -0 "$memphis" report --select all --format json views
    expect '[0,1,70,70000,3200000,34200,3000,10]
[0,2,30,30000,1920000,60000,2000,0]
[1,0,7,7000,448000,350,50,0]' "$(jq -c '.matrix[] | [.node, .home, .count, .accesses, .bytes, .latency_cycles, .latency_max_cycles, .hitm]' <<< "$output")"
    [ "$(jq -c '.matrix[1] | [.share, .share_low, .share_high]' <<< "$output")" = '[0.280374,0.204018,0.371953]' ]
}

@test "a period in cycles does not count accesses" {
    samples cycles << 'TEXT'
process 100
setting period 1000
setting count cycles
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
books 1 1 0
sample 2000 0x401000 0x2000000 dram LR 0 1
end
TEXT
    run -0 paper cycles
    expect 'pair: node 0 to memory of node 1: 1 (100.0 %, 95 % CI 20.7 to 100.0)' "$(grep ^pair: <<< "$output")"
}

@test "by line and by function the instructions are added up" {
    run -0 paper --by line --node 0 views
    expect 'NODE: 0 total: 80
000) [heap]:tx [ 0x* - 0x* ] 50
    heap.c:N [ 0x* - 0x* ] 50
001) [heap]:ty [ 0x* - 0x* ] 30
    heap.c:N [ 0x* - 0x* ] 30' "$(table <<< "$output")"
    run -0 paper --by function --node 0 views
    expect 'NODE: 0 total: 80
000) [heap]:tx [ 0x* - 0x* ] 50
    main heap.c [ 0x* - 0x* ] 50
001) [heap]:ty [ 0x* - 0x* ] 30
    main heap.c [ 0x* - 0x* ] 30' "$(table <<< "$output")"
}

@test "by home node and by thread: one table for each" {
    run -0 paper --by home --instructions 1 views
    expect 'HOME: 0 total: 7
NODE: 1 total: 7
000) [heap]:tx [ 0x* - 0x* ] 7
    heap.c:N:0x* [ 0x* - 0x* ] 7

HOME: 1 total: 50
NODE: 0 total: 50
000) [heap]:tx [ 0x* - 0x* ] 50
    heap.c:N:0x* [ 0x* - 0x* ] 40
    ...

HOME: 2 total: 30
NODE: 0 total: 30
000) [heap]:ty [ 0x* - 0x* ] 30
    heap.c:N:0x* [ 0x* - 0x* ] 30' "$(table <<< "$output")"
    run -0 paper --by thread --by function views
    expect 'THREAD: 100.100 model total: 80
NODE: 0 total: 80
000) [heap]:tx [ 0x* - 0x* ] 50
    main heap.c [ 0x* - 0x* ] 50
001) [heap]:ty [ 0x* - 0x* ] 30
    main heap.c [ 0x* - 0x* ] 30

THREAD: 100.101 total: 7
NODE: 1 total: 7
000) [heap]:tx [ 0x* - 0x* ] 7
    main heap.c [ 0x* - 0x* ] 7' "$(table <<< "$output")"
    "$memphis" report --by thread --format json views > threads.json
    expect '["thread",100,100,"model",80,[0,80]]
["thread",100,101,null,7,[1,7]]' "$(jq -c '.groups[] | [.kind, .pid, .tid, .name, .selected, (.nodes[] | [.node, .total])]' threads.json)"
    "$memphis" report --by home --format json views > homes.json
    expect '["home",0,7]
["home",1,50]
["home",2,30]' "$(jq -c '.groups[] | [.kind, .home, .selected]' homes.json)"
    expect '[{"home":1,"count":50}]' "$("$memphis" report --format json views | jq -c '.nodes[0].variables[0].homes')"
}

@test "by latency: the variable with the highest latency is first" {
    run -0 paper --sort latency --node 0 views
    expect 'NODE: 0 total: 80
000) [heap]:ty [ 0x* - 0x* ] 30 latency 60000 (mean 2000, most 2000)
    heap.c:N:0x* [ 0x* - 0x* ] 30 latency 60000 (mean 2000, most 2000)
001) [heap]:tx [ 0x* - 0x* ] 50 latency 34000 (mean 680, most 3000)
    heap.c:N:0x* [ 0x* - 0x* ] 10 latency 30000 (mean 3000, most 3000)
    heap.c:N:0x* [ 0x* - 0x* ] 40 latency 4000 (mean 100, most 100)' "$(table <<< "$output")"
    run --separate-stderr paper --sort name views
    [ "$status" -eq 2 ]
    [ "${stderr_lines[0]}" = 'memphis report: --sort: "name" is neither count nor latency' ]
}

@test "by thread: each thread has its own latencies, also if all threads execute the same instruction" {
    samples alike << TEXT
process 100
object heap $PWD/heap 0x555500000000
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x2000000 8192 0
name 1001 0x2000000 8192 tx
books 2 2 0
repeat 2 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 100
end
thread 101
books 3 3 0
repeat 3 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 40
end
thread 102
books 4 4 0
repeat 4 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 7
end
TEXT
    "$memphis" report --by thread --format json --jobs 1 alike > alike.json
    expect '[100,2,200,100]
[101,3,120,40]
[102,4,28,7]' "$(jq -c '.groups | sort_by(.tid)[] | .tid as $tid | .nodes[].variables[].instructions[] |
        [$tid, .count, .latency_cycles, .latency_max_cycles]' alike.json)"
}

@test "JSON has the totals of each thread and the samples over time" {
    "$memphis" report --format json views > times.json
    expect '[0,100,0,1,"dram",40,4000]
[0,100,0,1,"dram",10,30000]
[0,100,0,2,"dram",30,60000]
[0,101,1,0,"dram",7,350]' "$(jq -c '.threads | sort_by(.tid, .home, -.count) | .[] | [.process, .tid, .node, .home, .source, .count, .latency_cycles]' times.json)"
    # 200 ms after the start, in steps of 2^20 ns.
    expect '[1048576,[0,1,1,50],[0,2,191,30],[1,0,1,7]]' \
        "$(jq -c '.timeline[] | [.width_ns, (.series[] | [.node, .home, (.ticks | length), .ticks[-1]])]' times.json)"
    # Threads, and loads that waited, in steps of 2^23 ns.
    expect '[8388608,[100,0,1,1,50],[100,0,2,24,30],[101,1,0,1,7]]' \
        "$(jq -c '.timeline[] | [.step_ns, (.threads[] | [.tid, .node, .home, (.steps | length), .steps[-1]])]' times.json)"
    expect '[0,"remote-dram",24,50,30,34000,60000]
[1,"remote-dram",1,7,7,350,350]' \
        "$(jq -c '.timeline[].waiting[] | [.node, .source, (.samples | length), .samples[0], .samples[-1], .latency_cycles[0], .latency_cycles[-1]]' times.json)"
    # Loads wait also if they are not selected.
    expect '[[],[],[[1,"remote-dram",[7]]]]' \
        "$("$memphis" report --select hitm --node 1 --format json views | jq -c '[.timeline[] | .series, .threads, [.waiting[] | [.node, .source, .samples]]]')"
    expect "$(jq -S -c '[.matrix, .timeline, .nodes, (.threads | sort)]' times.json)" \
        "$("$memphis" report --format json --jobs 1 views | jq -S -c '[.matrix, .timeline, .nodes, (.threads | sort)]')"
}

@test "a node that no machine has is noted, unlike a node without samples" {
    samples nodes << TEXT
process 100
setting period 1000
object heap $PWD/heap 0x555500000000
node 0 1000000 0-1 10,20
node 1 1000000 2-3 20,10
end
thread 100
books 1 1 0
sample 2000 heap!main 0x2000000 dram LR 0 1 1 100
end
TEXT
    run -0 paper --node 1 nodes
    expect 'samples: 0 of 1 are remote-dram, node 1
attributed: 0 of 0 to a variable' "$(head -2 <<< "$output")"
    [[ "$output" != *"no machine"* ]]
    run -0 paper --node 2 nodes
    [ "$(grep -c '^note: no machine of these files has a node 2; the highest is 1$' <<< "$output")" -eq 1 ]
    run -0 paper nodes
    [[ "$output" != *"no machine"* ]]
}

@test "an object that a list of maps contains in part is not noted if the next list contains all of it" {
    samples partly << TEXT
process 100
maps 100
map 0x555500000000 0x555500400000 r--p 0x0 - $PWD/heap
maps 1000
forget
object heap $PWD/heap 0x555500000000
maps 3000
end
thread 100
books 2 2 0
sample 1500 heap!main 0x2000000 dram LR 0 1
sample 4000 heap!main 0x2000000 dram LR 0 1
end
TEXT
    run -0 paper --by line partly
    [[ "$output" == *' heap.c:'*' 2'* && "$output" != *build-id* ]]
}
