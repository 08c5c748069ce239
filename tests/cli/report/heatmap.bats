#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Members, pages, threads and cache lines of the leading variables. If these tests fail, the report shows data that were not sampled.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -g -O1 -o particles "$programs/particles.c"
    # Elements have 64 bytes: position at 0, velocity at 24, cell at 48.
    samples heatmap << TEXT
process 100
setting start_time_ns 1000
object p $PWD/particles 0x555500000000
maps 100
end
thread 100
fact name model
books 111 111 0
repeat 30 64 sample 2000 p!main p!particles+24 dram LR 0 1
repeat 20 64 sample 2000 p!main p!particles+32 dram LR 0 1
repeat 40 64 sample 1049600 p!main p!particles+48 dram LR 0 1
repeat 7 64 sample 3000 p!main p!particles+0 l2 S 0 1
repeat 10 8 sample 3000 p!main p!plain dram LR 0 1
flush
repeat 4 0 sample 9000 p!main p!particles+48 peer-cache LRH 0 1
end
thread 101
books 9 9 0
repeat 5 0 sample 9000 p!main p!particles+56 unknown S 1 1
repeat 4 64 sample 2000 p!main p!particles+24 dram LR 1 0
end
TEXT
}

@test "by field: samples are attributed to the members of the elements" {
    run -0 --separate-stderr paper --by field heatmap
    expect 'NODE: 0 total: 100
000) [bss]:particles [ 0x* - 0x* ] 90
    velocity at byte 24 of 64: 50
    cell at byte 48 of 64: 40
001) [bss]:plain [ 0x* - 0x* ] 10
    <members not known> 10

NODE: 1 total: 4
000) [bss]:particles [ 0x* - 0x* ] 4
    velocity at byte 24 of 64: 4
' "$(sed '/^samples:/,$d' <<< "$output" | masked)
"
    "$memphis" report --by field --format json --top 1 heatmap > fields.json
    expect '["particles",2,["velocity",24,64,50],["cell",48,64,40]]' \
        "$(jq -c '.nodes[0].variables[] | [.name, .field_rows, (.fields[] | [.field, .offset, .element_bytes, .count])]' fields.json)"
}

@test "by field: members have the samples of the selection, whatever served them" {
    "$memphis" report --select all --by field --format json heatmap > all.json
    expect '["particles",[["velocity",50],["cell",44],["position",7]]]
["plain",[[null,10]]]
["particles",[["padding",5],["velocity",4]]]' "$(jq -c '.nodes[].variables[] | [.name, [.fields[] | [.field, .count]]]' all.json)"
}

@test "by field as CSV: the member's name, its offset and its counts" {
    "$memphis" report --by field --format csv heatmap | tr -d '\r' > fields.csv
    expect 'node,segment,variable,holder,site,how,member,offset,element_bytes,count,stores,hitm,shown,declared
0,bss,particles,,,debug-info,velocity,24,64,50,0,0,particles,particles.c:10
0,bss,particles,,,debug-info,cell,48,64,40,0,4,particles,particles.c:10
0,bss,plain,,,debug-info,,,,10,0,0,plain,particles.c:11
1,bss,particles,,,debug-info,velocity,24,64,4,0,0,particles,particles.c:10' "$(sed "s:$programs/::" fields.csv)"
}

@test "a heatmap has all samples of the variable, by address, time, thread, node and home" {
    "$memphis" report --format json heatmap > heatmap.json
    expect '["particles",110,94,1,64]
["plain",10,10,1,null]' "$(jq -c '.heatmaps[] | [.name, .samples, .selected, .one_in, .element_bytes]' heatmap.json)"
    # 40 elements of 64 bytes in steps of at least 32 bytes; 1 ms in steps of 2^15 ns.
    jq -e '.heatmaps[0] | .bin_bytes == 32 and .tick_ns == 32768 and .from_ns == 1000 and .to_ns == 1048639' heatmap.json
    expect '[110,94]' "$(jq -c '.heatmaps[0].spots | [(map(.[4]) | add), (map(.[5]) | add)]' heatmap.json)"
    expect '[[0,1,97],[0,1,4],[1,0,4],[1,1,5]]' "$(jq -c '.heatmaps[0].spots | [
        (map(select(.[2] == 0 and .[3] == 1)) | [0, 1, (map(.[4]) | add) - 4]), [0, 1, 4],
        (map(select(.[2] == 1 and .[3] == 0)) | [1, 0, (map(.[4]) | add)]),
        (map(select(.[2] == 1 and .[3] == 1)) | [1, 1, (map(.[4]) | add)])]' heatmap.json)"
    expect '[100,101,7,94,1,5,4]' "$(jq -c '.heatmaps[0].threads | (map(select(.[0] == 100))) as $a | (map(select(.[0] == 101))) as $b |
        [100, ($a | map(.[3]) | add), ($a | map(.[4]) | add), ($a + $b | map(.[5]) | add), 1, ($b | map(.[4]) | add), ($b | map(.[5]) | add)]' heatmap.json)"
}

@test "a heatmap has the lines of its selected samples over time, in a profile too" {
    "$memphis" report --format json heatmap > heatmap.json
    # In the first and the last step of 1 ms, both in main(); 4 samples of node 1.
    expect '[["particles.c:15"],[[0,0,0,50],[0,0,1,4],[0,32,0,40]]]' \
        "$(jq -c '.heatmaps[0].over_time | [(.lines | map((.path | split("/")[-1]) + ":\(.line)")), .samples]' heatmap.json)"
    "$memphis" reduce --select remote-dram -o heatmap.mprof heatmap
    expect "$(jq -c '.heatmaps | map(.over_time)' heatmap.json)" "$("$memphis" report --format json heatmap.mprof | jq -c '.heatmaps | map(.over_time)')"
}

@test "the heatmap of a long run has all samples, too" {
    local chunk
    # A chunk for each time that the library has written the samples of the thread.
    {
        printf '%s\n' 'process 100' "object p $PWD/particles 0x555500000000" 'maps 100' end 'thread 100' 'books 6000 6000 0'
        for ((chunk = 0; chunk < 3000; chunk++)); do
            printf '%s\n' "repeat 2 64 sample $((2000 + chunk)) p!main p!particles+24 dram LR 0 1" flush
        done
        echo end
    } | samples long
    "$memphis" report --format json long > long.json
    [ "$(jq -c '.heatmaps[] | [.name, .samples, .selected, .one_in]' long.json)" = '["particles",6000,6000,1]' ]
    [ "$(jq -c '.heatmaps[0].spots | map(.[4]) | add' long.json)" = 6000 ]
    run -0 paper --by field long
    grep -qx '    velocity at byte 24 of 64: 6000' <<< "$output"
    # Of more samples, the heatmap has a fifth: four fifths of every fourth chunk.
    {
        printf '%s\n' 'process 100' "object p $PWD/particles 0x555500000000" 'maps 100' end 'thread 100' 'books 2100000 2100000 0'
        for ((chunk = 0; chunk < 3000; chunk++)); do
            printf '%s\n' "repeat 700 0 sample $((2000 + chunk)) p!main p!particles+24 dram LR 0 1" flush
        done
        echo end
    } | samples long
    "$memphis" report --format json long > long.json
    [ "$(jq -c '.heatmaps[] | [.name, .samples, .selected, .one_in]' long.json)" = '["particles",420000,420000,5]' ]
}

@test "cache lines that moved between threads have their words and threads" {
    "$memphis" report --select all --format json heatmap > lines.json
    jq -c '.heatmaps[0].lines[] | [.address[-1:], .tid, .loads, .stores, .hitm]' lines.json > lines
    # All samples are in the first element: words 0, 3, 4, 6 and 7 of its line.
    expect '["0",100,0,1,0]
["8",100,1,0,0]
["0",100,1,0,0]
["0",100,5,0,4]
["8",101,1,0,0]
["8",101,0,5,0]' "$(cat lines)"
}

@test "heatmaps are the same for any number of jobs and order of files" {
    "$memphis" report --format json --jobs 1 heatmap | jq .heatmaps > one
    "$memphis" report --format json --jobs 3 heatmap/*.101.* heatmap/*.100.thread* heatmap/*process* | jq .heatmaps | diff one -
}

# initialisation SAMPLE...: prints what is said about the initialisation of a variable that another node reads, with further samples.
initialisation() {
    {
        printf '%s\n' 'process 100' 'node 0 1024 0-1 10,21' 'node 1 1024 2-3 21,10' 'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' \
            'map 0x2000000 0x2100000 rw-p 0x0 - ' 'maps 100' end 'thread 100' 'malloc 1000 0x1000000 65536 0' 'name 1001 0x1000000 65536 tx' \
            "books $((100 + $#)) $((100 + $#)) 0" 'repeat 100 64 sample 2000 0x401000 0x1000000 dram LR 0 1' "$@" end
    } | samples stores
    "$memphis" report --format json stores | jq -r '.findings[].evidence.initialised.known'
}

@test "stores to any memory show that stores are sampled, also if the variable of the finding has none" {
    expect stores-not-sampled "$(initialisation)"
    expect not-sampled "$(initialisation 'sample 2000 0x401000 0x2000000 unknown S 0 0')"
}
