#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# If these tests fail, the counters that accompany the samples are missing from reports, or are attributed to the wrong caliper.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# Prints a process with its region ids and its readings; $5: the time of the last reading.
one_process()
{
    cat <<TEXT
process $1
setting host $2
setting command ./model
setting start_time_ns 1000000000
setting start_realtime_ns 1700000000000000000
region $3 0 TimeLoop
region $4 0 Halo
metric 1 numastat host counter 0 bytes other_node
metric 2 vmstat host gauge 1 bytes nr_free
metric 3 io process counter - ns read
metric 4 net host counter - bytes eth0 in
metric 0 uncore host refused 0 - cas_count_read: Permission denied
metric 0 pcp host lost - - pcp: local: Connection refused
metric 0 uncore host refused - - uncore: the kernel shows none
mark 1300000000 $3
mark 2000000000 $4
mark 3000000000 0
reading 1000000000 10 1 0
reading 1000000000 10 2 1000
reading 1000000000 10 4 5
reading 1500000000 10 3 0
reading 2000000000 10 1 1000
reading 2000000000 10 2 3000
reading 2000000000 10 4 5
reading 3000000000 10 1 1500
reading 3000000000 10 3 300
reading 4000000000 200000000 1 9000 gap
reading $5 10 1 9100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread $(($1 + 1))
sample 1400000000 0x401000 0x1000000 dram LR 0 1 $3 300
books 1 1 0
TEXT
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    one_process 100 alpha 1 2 5000000000 | samples one
    mkdir all
    one_process 200 alpha 2 1 6000000000 | samples all/200
    one_process 300 alpha 1 2 5000000000 | samples all/300
    one_process 400 beta 5 9 5000000000 | samples all/400
    for run in all/*; do
        "$memphis" reduce "$run" -o "${run##*/}.mprof"
    done
}

counters() {
    paper "$@" | sed -n '/^COUNTERS/,/^note/p' | grep -v '^note'
}

@test "each outermost caliper has its counts, per second, and the part that is shared with other calipers" {
    expect "$(cat <<'TEXT'
COUNTERS: Halo 1 s
           total          per s   shared  node
          200 ns         200 ns  100.0 %     -  io read
           500 B          500 B    0.0 %     0  numastat other_node (host)
  and 2 more: zero, or not read

COUNTERS: TimeLoop 700 ms
           total          per s   shared  node
          100 ns         200 ns  100.0 %     -  io read
           700 B        1.00 kB  100.0 %     0  numastat other_node (host)
         2.30 kB              -        -     1  vmstat nr_free, mean: 1.60 kB to 3 kB (host)
  and 1 more: zero, or not read

COUNTERS: (outside any caliper) 1.30 s
           total          per s   shared  node
           400 B          308 B   75.0 %     0  numastat other_node (host)
         1.30 kB              -        -     1  vmstat nr_free, mean: 1 kB to 1.60 kB (host)
  and 2 more: zero, or not read
TEXT
)" "$(counters one)"
}

@test "failed reads, counts in gaps and slow answers are reported, with the remedy" {
    expect "$(cat <<'TEXT'
note: counters: no more answers: pcp: local: Connection refused; later values are not known; systemctl status pmcd shows whether it runs
note: counters: not read: uncore cas_count_read: Permission denied; counters of the memory controllers need kernel.perf_event_paranoid = 0 or less, or CAP_PERFMON; the source pcp needs neither
note: counters: not read: uncore: the kernel shows none
note: counters: numastat: the counts of 1 of 1 metrics in up to 1 s are in no row
note: counters: numastat took up to 200 ms for a reading, which limits the time resolution; read fewer of its metrics, or at longer intervals
TEXT
)" "$(paper one | grep '^note: counters')"
}

@test "the report of a run without counters does not mention them" {
    one_process 100 alpha 1 2 5000000000 | grep -vE '^(metric|reading|mark)' | samples none
    run paper none
    [ "$status" -eq 0 ]
    [[ "$output" != *[Cc]ounters* && "$output" != *COUNTERS* ]]
    [ "$("$memphis" report --format json none | jq 'has("counters")')" = false ]
}

@test "JSON has the same values, and values over time" {
    "$memphis" report --format json one > one.json
    expect '[["io","read","ns","counter","process",null,1,2],["net","eth0 in","bytes","counter","host",null,1,2],["numastat","other_node","bytes","counter","host",0,1,5],["vmstat","nr_free","bytes","gauge","host",1,1,2]]' \
        "$(jq -c '[.counters.metrics[] | [.source, .name, .unit, .kind, .scope, .node, .processes, .readings]]' one.json)"
    expect '{"gaps":1,"gap_seconds":1,"backwards":0,"took_most_seconds":0.2,"seconds":3,"total":1600,"per_second":533.333333,"shared":1000}' \
        "$(jq -c '.counters.metrics[2] | {gaps, gap_seconds, backwards, took_most_seconds, seconds, total, per_second, shared}' one.json)"
    expect '[["Halo","caliper",1],["TimeLoop","caliper",0.7],[null,"outside",1.3]]' \
        "$(jq -c '[.counters.regions[] | [.region, .place, .seconds]]' one.json)"
    expect '[{"metric":0,"seconds":0.5,"total":100,"per_second":200,"shared":100},{"metric":1,"seconds":0.7,"total":0,"per_second":0,"shared":0},{"metric":2,"seconds":0.7,"total":700,"per_second":1000,"shared":700},{"metric":3,"seconds":0.7,"mean":2300,"low":1600,"high":3000}]' \
        "$(jq -c '.counters.regions[1].metrics' one.json)"
    # Steps of 16.8 ms: io from 0.5 to 2 s, numastat from 0 to 2 s and, after the gap, from 3 to 4 s.
    expect '[16777216,[0,29,91,300],[1,0,60,0],[2,0,239,1600]]' \
        "$(jq -c '[.counters.series.width_ns, (.counters.series.list[:3][] | [.metric, .first, (.values | length), (.values | add | . * 1000 | round / 1000)])]' one.json)"
    expect '[0,58,0]' "$(jq -c '.counters.series.list[2].values | [(map(. == null) | index(true) - 120), (map(select(. == null)) | length), (.[60] - .[100] | fabs)]' one.json)"
    expect '[{"kind":"lost","source":"pcp","text":"pcp: local: Connection refused"},{"kind":"refused","source":"uncore","text":"cas_count_read: Permission denied"},{"kind":"refused","source":"uncore","text":"uncore: the kernel shows none"}]' \
        "$(jq -c .counters.problems one.json)"
}

# active FIRST LAST: when it was sampled; one counter of the host is enough.
active()
{
    sed "/^metric [24]/d; /^reading .* [24] [0-9]*\$/d; s/^setting start_time_ns.*/&\nsetting active_first_ns $1\nsetting active_last_ns $2/"
}

@test "processes that ran before or after the one that keeps the host's counters are named" {
    local note='note: process 600 on host alpha: counters of the host, and its memory bandwidth, are those of another process, which did not run at the same time; report steps that follow each other one by one'
    rm -rf steps
    mkdir steps
    # 500 covers a second more. 600 ran before it, 700 at the same time, and 800 on another host.
    one_process 500 alpha 1 2 6000000000 | active 3000 5000 | samples steps/500
    one_process 600 alpha 1 2 5000000000 | active 1000 2000 | samples steps/600
    one_process 700 alpha 1 2 5000000000 | active 1000 4000 | samples steps/700
    one_process 800 beta 1 2 5000000000 | active 1000 2000 | samples steps/800
    expect "$note" "$("$memphis" report --format paper steps/* | grep 'counters of the host')"
    "$memphis" reduce steps/* -o steps.mprof
    expect "$note" "$("$memphis" report --format paper steps.mprof | grep 'counters of the host')"
    expect '' "$("$memphis" report --format paper steps/600 | grep 'counters of the host')"
    # When it ended is not known of a killed process.
    one_process 600 alpha 1 2 5000000000 | active 0 0 | samples steps/600
    expect '' "$("$memphis" report --format paper steps/* | grep 'counters of the host')"
}

@test "processes add up; a host's counters come from the process that was read longest; hosts add up" {
    "$memphis" report --format json all/* > all.json
    # io: three times 300; numastat: process 200 of host alpha, which covers a second more, and host beta.
    expect '[["io","read",3,900],["net","eth0 in",2,0],["numastat","other_node",2,3200],["vmstat","nr_free",2,null]]' \
        "$(jq -c '[.counters.metrics[] | [.source, .name, .processes, .total]]' all.json)"
    expect '[["Halo",[3,600,600]],["Halo",[2,1000,500]]]' \
        "$(jq -c '[.counters as $c | $c.regions[] | .region as $r | .metrics[] | select($r == "Halo" and (.metric == 0 or .metric == 2)) | [$r, [$c.metrics[.metric].processes, .total, .per_second / (if .metric == 0 then 1 else 2 end)]]]' all.json)"
    [ "$(jq '.counters.metrics[2].seconds' all.json)" = 4 ]
}

@test "merged profiles, in any order, equal the profile of all sample files" {
    "$memphis" reduce all/* -o together.mprof
    "$memphis" merge 200.mprof 300.mprof 400.mprof -o forward.mprof
    "$memphis" merge 400.mprof 200.mprof -o some.mprof
    "$memphis" merge some.mprof 300.mprof -o other.mprof
    "$memphis" merge 400.mprof 300.mprof -o late.mprof
    "$memphis" merge late.mprof 200.mprof -o last.mprof
    cmp together.mprof forward.mprof
    cmp together.mprof other.mprof
    cmp together.mprof last.mprof
    cmp <("$memphis" report --format json all/* | jq .counters) <("$memphis" report --format json together.mprof | jq .counters)
    cmp <(paper all/*) <(paper last.mprof)
}

@test "invalid readings are an error with the file and the offset" {
    for wrong in 'reading 1500000000 10 3 nan' 'reading 1500000000 10 3 inf' 'reading 1500000000 10 9 0' 'reading 1500000000 10 0 0'; do
        one_process 100 alpha 1 2 5000000000 | sed "s/^reading 1500000000 10 3 0/$wrong/" | samples wrong
        run paper wrong
        [ "$status" -eq 1 ]
        expect "memphis report: wrong/host.100.process.memphis: offset 0x*: the counters chunk is malformed: a value of an unknown metric, out of time order, or not a number; the file is damaged, or its writer has a defect: please report it" \
            "$(masked <<< "$output")"
    done
    one_process 100 alpha 1 2 2999999999 | samples wrong
    run paper wrong
    [[ "$status" -eq 1 && "$output" == *': the counters chunk is malformed: a value of an unknown metric, out of'* ]]
    one_process 100 alpha 1 2 5000000000 | sed 's/^mark 3000000000/mark 1999999999/' | samples wrong
    run paper wrong
    [[ "$status" -eq 1 && "$output" == *': the counter-marks chunk is malformed; '* ]]
    one_process 100 alpha 1 2 5000000000 | sed 's/^metric 2 vmstat/metric 1 vmstat/' | samples wrong
    run paper wrong
    [[ "$status" -eq 1 && "$output" == *': the counter-metrics chunk is malformed; '* ]]
}

@test "a counter that decreases subtracts nothing" {
    one_process 100 alpha 1 2 5000000000 | sed 's/^reading 3000000000 10 1 1500/reading 3000000000 10 1 900/' | samples fallen
    [ "$("$memphis" report --format json fallen | jq -c '.counters.metrics[2] | [.total, .gaps, .backwards]')" = '[1100,2,1]' ]
    paper fallen | grep -Fx 'note: counters: numastat: the counts of 1 of 1 metrics in up to 2 s are in no row; 1 times a counter decreased: it was reset, or is a gauge'
}

@test "a database has the counters by caliper and over time, and a trace has a track for each counter" {
    "$memphis" export --format sqlite one -o one.db
    expect "$(cat <<'TEXT'
io|read|ns|counter|process||caliper|TimeLoop|500000000|100.0|100.0||
io|read|ns|counter|process||caliper|Halo|1000000000|200.0|200.0||
vmstat|nr_free|bytes|gauge|host|1|outside||300000000|||1300.0|1600.0
vmstat|nr_free|bytes|gauge|host|1|caliper|TimeLoop|700000000|||2300.0|3000.0
TEXT
)" "$(sqlite3 one.db "SELECT source, name, unit, kind, scope, node, place, region, covered_ns, round(total, 6), round(shared, 6), round(mean, 6), round(high, 6) FROM counters
        WHERE source IN ('io', 'vmstat') ORDER BY source, CASE WHEN region IS NULL THEN 0 WHEN region = 'TimeLoop' THEN 1 ELSE 2 END")"
    expect '300.0|1500000000|486539264' "$(sqlite3 one.db "SELECT round(sum(total), 6), sum(covered_ns), min(start_ns) FROM counters_ticks WHERE source = 'io'")"
    "$memphis" export --format trace one -o one.json
    expect '["io read","net eth0 in","numastat other_node on node 0","samples on node 0","vmstat nr_free on node 1"]' \
        "$(jq -c '[.traceEvents[] | select(.ph == "C") | .name] | unique' one.json)"
    # 1000 bytes in the first second, 500 in the second one, unknown in the third one, 100 in the last one.
    expect '[1000,500,0,100]' \
        "$(jq -c '[.traceEvents[] | select(.name == "numastat other_node on node 0")] | [0.5e6, 1.5e6, 2.5e6, 3.5e6] as $at | [$at[] as $t | (map(select(.ts <= $t)) | last.args["per second"] | round)]' one.json)"
}

@test "a comparison of runs has rates per caliper, and levels" {
    one_process 100 alpha 1 2 5000000000 | sed -E 's/^(reading 3000000000 10 3) 300/\1 600/; s/^(reading 2000000000 10 2) 3000/\1 1000/; /^reading.* 1 /d' | samples other
    expect "$(cat <<'TEXT'
counters: Halo: io read, per s: 200 ns -> 400 ns (+100.0 %)
counters: Halo: numastat other_node on node 0, per s: 500 B -> -
counters: TimeLoop: io read, per s: 200 ns -> 400 ns (+100.0 %)
counters: TimeLoop: numastat other_node on node 0, per s: 1.00 kB -> -
counters: TimeLoop: vmstat nr_free on node 1, mean: 2.30 kB -> 1 kB (-56.5 %)
counters: (outside any caliper): numastat other_node on node 0, per s: 308 B -> -
counters: (outside any caliper): vmstat nr_free on node 1, mean: 1.30 kB -> 1 kB (-23.1 %)
TEXT
)" "$("$memphis" compare --full one other | grep '^counters')"
    expect '[7,{"region":"Halo","place":"caliper","source":"io","name":"read","unit":"ns","kind":"counter","node":null,"values":[200,400]}]' \
        "$("$memphis" compare --format json one other | jq -c '.counters | [length, .[0]]')"
    [ "$("$memphis" compare --full other one | grep -c '^counters')" = 7 ]
}
