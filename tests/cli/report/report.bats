#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The table of nodes, variables and instructions. If these tests fail, the report has wrong content or a wrong format.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    # Addresses are outside of any program, so every part of a row but its source line is tested.
    samples plain <<'TEXT'
process 100
setting command ./model
setting alloc_min_bytes 4096
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x2000000 0x2100000 rw-p 0x0 - 
map 0x3000000 0x3100000 rw-p 0x0 - 
map 0x4000000 0x4100000 rw-p 0x0 - [stack]
map 0x5000000 0x5100000 r--s 0x0 - /data/ice file.bin
maps 100
region 1 0 TimeLoop
region 2 1 Bound
region 3 0 Output
end
thread 100
fact name model
fact stack 0x4000000-0x4100000
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
malloc 1002 0x1010000 8192 0
name 1003 0x1010000 8192 ty
free 9000 0x1010000
books 50 40 2 1=3 2=5
repeat 12 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1
repeat 3 8 sample 2100 0x401008 0x1000100 dram LR 0 1 2
repeat 2 8 sample 2200 0x401010 0x1000200 dram LR 0 1 2
sample 2300 0x401018 0x1000300 dram LR 0 1 2
repeat 4 8 sample 2400 0x401000 0x1010000 dram LR 0 1 3
repeat 2 8 sample 2500 0x401000 0x3000000 dram LR 0 1
sample 2600 0x401000 0x4000100 dram LR 0 1
sample 2700 0x401000 0x5000100 dram LR 0 1
sample 2800 0x401000 0x1080000 dram LR 0 1
sample 2900 0x401000 0x9000000 dram LR 0 1
repeat 5 8 sample 3000 0x401020 0x1000000 dram L 0 0
repeat 2 8 sample 3100 0x401020 0x1000000 unknown S 0 1
repeat 3 8 sample 3200 0x401020 0x1000000 peer-cache LRH 0 1
sample 9500 0x401000 0x1010010 dram LR 0 1
sample 9501 0x401000 0x1010018 l2 L 0 1
end
thread 101
fact name worker
fact openmp_thread 1
books 6 5 0 4=1
repeat 3 64 sample 2000 0x401000 0x1000000 dram LR 1 0 1
repeat 2 64 sample 2000 0x401000 0x1010000 dram LR 1 0 1
end
TEXT
}

@test "the report has the paper's format, then the accounting and the reasons" {
    run --separate-stderr paper plain
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    expect "$(cat <<'TEXT'
NODE: 0 total: 29
000) [heap]:tx [ 0x1000000 - 0x1000300 ] 18
    ?:0:0x401000 [ 0x1000000 - 0x1000058 ] 12
    ?:0:0x401008 [ 0x1000100 - 0x1000110 ] 3
    ?:0:0x401010 [ 0x1000200 - 0x1000208 ] 2
    ?:0:0x401018 [ 0x1000300 - 0x1000300 ] 1
001) [heap]:ty [ 0x1010000 - 0x1010018 ] 4
    ?:0:0x401000 [ 0x1010000 - 0x1010018 ] 4
002) [heap]:<not-found> [ 0x1010010 - 0x1080000 ] 2
    ?:0:0x401000 [ 0x1010010 - 0x1080000 ] 2
003) [mmap]:<not-found> [ 0x3000000 - 0x3000008 ] 2
    ?:0:0x401000 [ 0x3000000 - 0x3000008 ] 2
004) [ice file.bin]:<not-found> [ 0x5000100 - 0x5000100 ] 1
    ?:0:0x401000 [ 0x5000100 - 0x5000100 ] 1
005) [stack]:<not-found> [ 0x4000100 - 0x4000100 ] 1
    ?:0:0x401000 [ 0x4000100 - 0x4000100 ] 1
006) [unmapped]:<not-found> [ 0x9000000 - 0x9000000 ] 1
    ?:0:0x401000 [ 0x9000000 - 0x9000000 ] 1

NODE: 1 total: 5
000) [heap]:tx [ 0x1000000 - 0x1000080 ] 3
    ?:0:0x401000 [ 0x1000000 - 0x1000080 ] 3
001) [heap]:ty [ 0x1010000 - 0x1010040 ] 2
    ?:0:0x401000 [ 0x1010000 - 0x1010040 ] 2

samples: 34 of 45 are remote-dram
pair: node 0 to memory of node 1: 29 (85.3 %, 95 % CI 69.9 to 93.6)
pair: node 1 to memory of node 0: 5 (14.7 %, 95 % CI 6.4 to 30.1)
attributed: 27 of 34 (79.4 %) to a variable
    block-too-small 2 (5.9 %): allocator memory, but no tracked block: below the size given by --alloc-min-bytes when recording
    stack-frame 1 (2.9 %): a local variable on a thread's stack
    mapped-file 1 (2.9 %): a mapped file that is not a program or library
    anonymous-map 2 (5.9 %): anonymous memory that no recorded allocation covers
    outside-every-map 1 (2.9 %): no recorded list of maps shows this address
books: 56 interrupts = 45 kept + 2 lost + 9 filtered (kernel-pc 3, not-memory 5, kernel-address 1)
TEXT
)" "$output"
}

@test "omitted rows are marked" {
    run paper --top 2 --instructions 2 --node 0 plain
    [ "$status" -eq 0 ]
    expect "$(cat <<'TEXT'
NODE: 0 total: 29
000) [heap]:tx [ 0x1000000 - 0x1000300 ] 18
    ?:0:0x401000 [ 0x1000000 - 0x1000058 ] 12
    ?:0:0x401008 [ 0x1000100 - 0x1000110 ] 3
    ...
001) [heap]:ty [ 0x1010000 - 0x1010018 ] 4
    ?:0:0x401000 [ 0x1010000 - 0x1010018 ] 4
...
TEXT
)" "$(sed '/^$/,$d' <<< "$output")"
}

@test "each kind of selection counts its samples" {
    for kind in remote-dram:34 local-dram:5 dram:39 remote-cache:3 peer-cache:3 remote:37 hitm:3 loads:43 stores:2 \
        away-stores:2 all:45 home:5 away:40 extension:0; do
        run paper --select "${kind%:*}" plain
        [ "$status" -eq 0 ]
        grep -qx "samples: ${kind#*:} of 45 are ${kind%:*}" <<< "$output"
    done
}

@test "a region includes the regions inside it" {
    run paper --region TimeLoop plain
    grep -qx 'samples: 23 of 45 are remote-dram, in region TimeLoop' <<< "$output"
    run paper --region Bound plain
    grep -qx 'samples: 6 of 45 are remote-dram, in region Bound' <<< "$output"
    run paper --region Output plain
    grep -qx 'samples: 4 of 45 are remote-dram, in region Output' <<< "$output"
    run --separate-stderr paper --region Nowhere plain
    [ "$status" -eq 1 ]
    [ "$stderr" = 'memphis report: no region "Nowhere" in these files; memphis report --by region --select all lists them' ]
}

@test "by region, each region has its own totals and table, and the totals of the regions inside it" {
    run --separate-stderr paper --by region --top 1 plain
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    expect "$(cat <<'TEXT'
          exclusive           inclusive    written     node 0     node 1  region
        17   50.0 %         23   67.6 %         17         12          5  TimeLoop
         6   17.6 %          6   17.6 %          6          6          0    Bound
         4   11.8 %          4   11.8 %          4          4          0  Output
         7   20.6 %          7   20.6 %         18          7          0  (outside any caliper)

REGION: TimeLoop total: 17
NODE: 0 total: 12
000) [heap]:tx [ 0x1000000 - 0x1000058 ] 12
    ?:0:0x401000 [ 0x1000000 - 0x1000058 ] 12

NODE: 1 total: 5
000) [heap]:tx [ 0x1000000 - 0x1000080 ] 3
    ?:0:0x401000 [ 0x1000000 - 0x1000080 ] 3
...

REGION: TimeLoop > Bound total: 6
NODE: 0 total: 6
000) [heap]:tx [ 0x1000100 - 0x1000300 ] 6
    ?:0:0x401008 [ 0x1000100 - 0x1000110 ] 3
    ?:0:0x401010 [ 0x1000200 - 0x1000208 ] 2
    ?:0:0x401018 [ 0x1000300 - 0x1000300 ] 1

REGION: Output total: 4
NODE: 0 total: 4
000) [heap]:ty [ 0x1010000 - 0x1010018 ] 4
    ?:0:0x401000 [ 0x1010000 - 0x1010018 ] 4

REGION: (outside any caliper) total: 7
NODE: 0 total: 7
000) [heap]:<not-found> [ 0x1010010 - 0x1080000 ] 2
    ?:0:0x401000 [ 0x1010010 - 0x1080000 ] 2
...

samples: 34 of 45 are remote-dram
pair: node 0 to memory of node 1: 29 (85.3 %, 95 % CI 69.9 to 93.6)
pair: node 1 to memory of node 0: 5 (14.7 %, 95 % CI 6.4 to 30.1)
TEXT
)" "$(sed '/^attributed/,$d' <<< "$output")"
    run paper --by region --region TimeLoop --select local-dram plain
    expect "$(cat <<'TEXT'
          exclusive           inclusive    written  region
         0    0.0 %          0    0.0 %         17  TimeLoop
         0    0.0 %          0    0.0 %          6    Bound

samples: 0 of 45 are local-dram, in region TimeLoop
TEXT
)" "$(sed '/^attributed/,$d' <<< "$output")"
    run --separate-stderr paper --by node plain
    [ "$status" -eq 2 ]
    [ "${stderr_lines[0]}" = 'memphis report: --by: "node" is not one of region, thread, home, process, mpi, io, sharing, type, member, instruction, line, function, field, callers' ]
}

@test "by region in JSON: the tables of the regions add up to the table without regions" {
    "$memphis" report --by region --format json plain > regions.json
    expect '["caliper",["TimeLoop"],17,23,17,23,[0,12],[1,5]]
["caliper",["TimeLoop","Bound"],6,6,6,6,[0,6]]
["caliper",["Output"],4,4,4,4,[0,4]]
["outside",[],7,7,18,18,[0,7]]' "$(jq -c '.regions[] | [.kind, .path, .selected, .selected_inclusive, .written, .written_inclusive,
        (.nodes[] | [.node, .total])]' regions.json)"
    [ "$(jq 'has("nodes")' regions.json)" = false ]
    [ "$(jq '[.regions[].written] | add' regions.json)" = "$(jq .accounting.kept regions.json)" ]
    tables='map(.node as $n | .variables[] | .name as $v | .instructions[] | [$n, $v, .pc, .count]) |
        group_by(.[:3]) | map(.[0][:3] + [map(.[3]) | add]) | .[]'
    expect "$("$memphis" report --format json plain | jq -c "[.nodes[]] | $tables")" \
        "$(jq -c "[.regions[].nodes[]] | $tables" regions.json)"
    "$memphis" report --by region --format json --jobs 2 plain/host.100.101.thread.memphis plain/host.100.process.memphis \
        plain/host.100.100.thread.memphis | jq .regions | diff - <(jq .regions regions.json)
}

@test "regions of the same path are merged over all processes; an undefined number is an unknown region" {
    samples paths <<'TEXT'
process 100
region 1 0 Outer
region 2 1 Step
region 3 2 Step
maps 100
end
thread 100
books 6 6 0
sample 2000 0x401000 0x1000000 dram LR 0 1 1
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1 3
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1 9
end
process 200
region 1 0 Step
region 2 0 Outer
region 3 2 Step
maps 100
end
thread 200
books 10 10 0
repeat 4 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1
repeat 6 8 sample 2000 0x401000 0x1000000 dram LR 1 1 3
end
TEXT
    run -0 paper --by region paths
    expect "$(cat <<'TEXT'
          exclusive           inclusive    written     node 0     node 1  region
         1    6.2 %         10   62.5 %          1          1          0  Outer
         6   37.5 %          9   56.2 %          6          0          6    Step
         3   18.8 %          3   18.8 %          3          3          0      Step
         4   25.0 %          4   25.0 %          4          4          0  Step
         2   12.5 %          2   12.5 %          2          2          0  (unknown region)
TEXT
)" "$(sed '/^$/,$d' <<< "$output")"
    paper --by region paths/host.200.* paths/host.100.* | sed '/^samples/,$d' | diff - <(sed '/^samples/,$d' <<< "$output")
}

@test "JSON has the same rows" {
    run --separate-stderr "$memphis" report --format json plain
    [ "$status" -eq 0 ]
    python3 - "$output" <<'PYTHON'
import json, sys
r = json.loads(sys.argv[1])
assert [(n["node"], n["total"]) for n in r["nodes"]] == [(0, 29), (1, 5)]
v = r["nodes"][0]["variables"]
assert [(x["segment"], x["name"], x["low"], x["high"], x["count"]) for x in v[:3]] == [
    ("heap", "tx", "0x1000000", "0x1000300", 18), ("heap", "ty", "0x1010000", "0x1010018", 4),
    ("heap", "<not-found>", "0x1010010", "0x1080000", 2)], v[:3]
assert v[0]["how"] == "explicit" and v[0]["reasons"] == {}
assert v[2]["reason"] == "block-too-small" and v[0]["reason"] is None
assert v[2]["reasons"] == {"block-too-small": 2}
i = v[0]["instructions"]
assert [(x["file"], x["line"], x["pc"], x["low"], x["high"], x["count"]) for x in i] == [
    ("?", 0, "0x401000", "0x1000000", "0x1000058", 12), ("?", 0, "0x401008", "0x1000100", "0x1000110", 3),
    ("?", 0, "0x401010", "0x1000200", "0x1000208", 2), ("?", 0, "0x401018", "0x1000300", "0x1000300", 1)]
a = r["accounting"]
assert (a["interrupts"], a["kept"], a["lost"], a["written"], a["selected"], a["attributed"]) == (56, 45, 2, 45, 34, 27)
assert a["balanced"] is True
assert {k: n for k, n in a["filtered"].items() if n} == {"kernel-pc": 3, "not-memory": 5, "kernel-address": 1}
assert sum(a["unattributed"].values()) == 7
assert sum(n for n in a["filtered"].values()) + a["kept"] + a["lost"] == a["interrupts"]
assert [(t["tid"], t["interrupts"], t["kept"], t["written"]) for t in a["threads"]] == [(100, 50, 40, 40), (101, 6, 5, 5)]
assert a["threads"][1]["facts"] == {"name": "worker", "openmp_thread": "1"}
p = r["processes"][0]
assert p["settings"]["command"] == "./model" and p["topology"][1] == {
    "node": 1, "memory_bytes": 1024, "cpus": "2-3", "distances": "21,10"}
assert p["regions"] == [{"id": 1, "parent": 0, "name": "TimeLoop"}, {"id": 2, "parent": 1, "name": "Bound"},
                        {"id": 3, "parent": 0, "name": "Output"}]
assert r["selection"] == {"select": "remote-dram", "node": None, "process": None, "rank": None, "host": None, "region": None}
assert r["notes"] == []
PYTHON
}

@test "JSON shows all rows by default" {
    run "$memphis" report --format json --top 1 --instructions 1 plain
    [ "$(jq -c '[.nodes[0].variables | length, .[0].instruction_rows, (.[0].instructions | length)]' <<< "$output")" = '[1,4,1]' ]
    [ "$(jq .nodes[0].variable_rows <<< "$output")" = 7 ]
}

@test "the accounting of each thread is printed on request" {
    run paper --threads plain
    grep -qx '    100.100 model: 50 interrupts = 40 kept + 2 lost + 8 filtered (kernel-pc 3, not-memory 5)' <<< "$output"
    grep -qx '    100.101 worker, OpenMP thread 1: 6 interrupts = 5 kept + 0 lost + 1 filtered (kernel-address 1)' <<< "$output"
}

@test "a report is written to a file" {
    run --separate-stderr paper -o out.txt plain
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
    [ "$(head -1 out.txt)" = 'NODE: 0 total: 29' ]
    run --separate-stderr paper -o /nonexistent/out.txt plain
    [ "$status" -eq 1 ]
    [ "$stderr" = 'memphis report: /nonexistent/out.txt: cannot write: No such file or directory' ]
}

@test "the report does not depend on the number of jobs or the order of files" {
    "$memphis" report --format json --jobs 1 plain > one
    for jobs in 2 7; do
        "$memphis" report --format json --jobs $jobs plain | cmp - one
    done
    paper --jobs 1 plain > one
    paper plain/host.100.101.thread.memphis plain/host.100.process.memphis plain/host.100.100.thread.memphis |
        cmp - one
}

@test "several processes are merged, or one is selected" {
    samples two <<'TEXT'
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
books 3 3 0
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
end
process 200
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 200
malloc 1000 0x1080000 8192 0
name 1001 0x1080000 8192 tx
books 2 2 0
repeat 2 8 sample 2000 0x401000 0x1080000 dram LR 0 1
end
TEXT
    run paper two
    [ "${lines[1]}" = '000) [heap]:tx [ 0x1000000 - 0x1080008 ] 5' ]
    run paper --process 200 two
    [ "${lines[1]}" = '000) [heap]:tx [ 0x1080000 - 0x1080008 ] 2' ]
    grep -qx 'samples: 2 of 2 are remote-dram, process 200' <<< "$output"
    run --separate-stderr paper --process 300 two
    [ "$status" -eq 1 ]
    [ "$stderr" = 'memphis report: no process 300 in these files; memphis report --by process --select all lists them' ]
}

@test "names with any content cause no harm" {
    samples wild <<'TEXT'
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 a\nb"c\\d
books 1 1 0
sample 2000 0x401000 0x1000000 dram LR 65535 1
end
TEXT
    run paper wild
    [ "${lines[0]}" = 'NODE: ? total: 1' ]
    [ "${lines[1]}" = '000) [heap]:a?b"c\d [ 0x1000000 - 0x1000000 ] 1' ]
    run "$memphis" report --format json wild
    [ "$(jq -c '.nodes[0] | [.node, .variables[0].name]' <<< "$output")" = '[null,"a\nb\"c\\d"]' ]
}
