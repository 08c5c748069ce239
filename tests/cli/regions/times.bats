#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# If these tests fail, calls and times of regions are missing from reports, or are those of other regions or threads.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# one_run PID RANK FACTOR: a process whose times are FACTOR times those of the first one.
one_run()
{
    cat <<TEXT
process $1
setting command ./model
setting active_ns 9000000000
setting rank $2
region 1 0 TimeLoop
region 2 1 Bound
region 3 0 Part
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread $1
time 1 1 1000
flush
time 1 1 ${3}000000000 $((3 * $3))500000000 8000000000 6000000000
time 2 300 ${3}20000000
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1 2
repeat 1 8 sample 3000 0x401000 0x1000000 dram L 0 0 1
books 4 4 0
end
thread $(($1 + 1))
time 3 10 ${3}00
end
thread $(($1 + 2))
time 3 30 ${3}50
end
TEXT
}

# counted_run PID FIRST SECOND: two threads count loads, in the region inside, and branch misses.
counted_run()
{
    cat <<TEXT
process $1
setting command ./model
setting region_counters cycles,instructions
setting region_events cpu/event=0x29,umask=0x1/ branch-misses
region 1 0 TimeLoop
region 2 1 Bound
maps 100
end
thread $1
time 1 1 1000 2000 4000000 1000000 0 500
flush
time 2 2 3000 0 4000000 1000000 $2
flush
time 1 1 1000 2000 4000000 1000000 0 1000
end
thread $(($1 + 1))
time 2 2 3000 0 4000000 2000000 $3 7
end
TEXT
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    one_run 100 0 2 | samples both
    one_run 200 1 3 | samples both/200
    one_run 100 0 2 | samples one
    one_run 300 0 1 | samples faster
    counted_run 400 600000 300000 | samples counted
    counted_run 500 300000 300000 | samples fewer
    printf '%s\n' 'process 1' 'maps 5' end 'thread 1' 'time 1 1 5' 'time 1 1 6' end | samples twice
    printf '%s\n' 'process 1' 'maps 5' end 'thread 1' 'time 0 1 5' end | samples zero
    printf '%s\n' 'process 1' 'setting region_counters_refused absent' 'region 1 0 Run' 'maps 5' end 'thread 1' 'time 1 1 5' end | samples refused
}

setup() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
}

@test "the table of regions has sums, the spread over threads, and the share of the samples" {
    "$memphis" report --by region both both/200 > "$BATS_TEST_TMPDIR/report"
    sed -n '/^TIME IN REGIONS/,/^$/p' "$BATS_TEST_TMPDIR/report" | sed '$d' | tee "$BATS_TEST_TMPDIR/table"
    diff "$BATS_TEST_TMPDIR/table" - <<'TEXT'
TIME IN REGIONS
                             summed over threads                 of one thread
     calls threads inclusive exclusive       CPU     least    median      most  most in          cycles   IPC  remote-dram  region
         2       2    5.54 s       5 s      16 s    2.22 s    2.22 s    3.32 s  rank 1             16 G  0.75       75.0 %  TimeLoop
       600       2    540 ms    540 ms         -    220 ms    220 ms    320 ms  rank 1                -     -      100.0 %    Bound
        80       4   1.10 us   1.10 us         -    200 ns    250 ns    350 ns  rank 1                -     -            -  Part
TEXT
}

@test "JSON has the numbers in ns without any option, the same from profiles, and of one rank if it is selected" {
    "$memphis" report --format json both both/200 | jq -c '.region_times' > "$BATS_TEST_TMPDIR/json"
    [ "$(jq -c '.[1] | [.path, .calls, .threads, .ns, .ns_exclusive, .cpu_ns, .most]' "$BATS_TEST_TMPDIR/json")" = \
        '[["TimeLoop","Bound"],600,2,540000000,540000000,null,{"ns":320000000,"process":200,"tid":200,"rank":1}]' ]
    [ "$(jq -c '.[0] | [.ns, .ns_exclusive, .cpu_ns, .cycles, .cycles_exclusive, .instructions, .median.ns]' "$BATS_TEST_TMPDIR/json")" = \
        '[5540000000,5000000000,16000000000,16000000000,16000000000,12000000000,2220000000]' ]
    "$memphis" reduce -o "$BATS_TEST_TMPDIR/1.mprof" both/200
    "$memphis" reduce -o "$BATS_TEST_TMPDIR/0.mprof" one
    "$memphis" merge -o "$BATS_TEST_TMPDIR/all.mprof" "$BATS_TEST_TMPDIR/1.mprof" "$BATS_TEST_TMPDIR/0.mprof"
    diff "$BATS_TEST_TMPDIR/json" <("$memphis" report --format json "$BATS_TEST_TMPDIR/all.mprof" | jq -c '.region_times')
    [ "$("$memphis" report --format json --process 'rank 0' both both/200 | jq -c '[.region_times[].ns]')" = '[2220000000,220000000,450]' ]
    [ "$("$memphis" report --format json --region Bound both both/200 | jq -c '[.region_times[] | .path | join("/")]')" = '["TimeLoop/Bound"]' ]
}

@test "a comparison has calls and times side by side, also of regions that one run lacks" {
    run -0 --separate-stderr "$memphis" compare --full --per run one faster refused
    grep '^region: ' <<< "$output" > "$BATS_TEST_TMPDIR/lines"
    diff "$BATS_TEST_TMPDIR/lines" - <<'TEXT'
region: TimeLoop: calls: 1 -> 1 (+0.0 %) -> -; time: 2.22 s -> 1.12 s (-49.5 %) -> -; of the longest thread: 2.22 s -> 1.12 s (-49.5 %) -> -
region: TimeLoop > Bound: calls: 300 -> 300 (+0.0 %) -> -; time: 220 ms -> 120 ms (-45.5 %) -> -; of the longest thread: 220 ms -> 120 ms (-45.5 %) -> -
region: Part: calls: 40 -> 40 (+0.0 %) -> -; time: 450 ns -> 250 ns (-44.4 %) -> -; of the longest thread: 250 ns -> 150 ns (-40.0 %) -> -
region: Run: calls: - -> - -> 1; time: - -> - -> 5 ns; of the longest thread: - -> - -> 5 ns
TEXT
    [ "$("$memphis" compare --format json --per run one faster refused | jq -c '.regions[2]')" = '{"path":["Part"],"calls":[40,40,null],"ns":[450,250,null],"most_ns":[250,150,null]}' ]
    run -0 --separate-stderr "$memphis" compare --per run --top 1 one faster
    [ "$(grep -c '^region: ' <<< "$output")" = 1 ]
}

@test "each counted event has a table with its sums, its number per 1000 instructions, and its spread over threads" {
    "$memphis" report --by region counted > "$BATS_TEST_TMPDIR/report"
    sed -n '/^COUNTS IN REGIONS/,/^$/p' "$BATS_TEST_TMPDIR/report" | tee "$BATS_TEST_TMPDIR/table"
    diff "$BATS_TEST_TMPDIR/table" - <<'TEXT'
COUNTS IN REGIONS: cpu/event=0x29,umask=0x1/
               summed over threads                 of one thread
 inclusive exclusive / 1000 instr.     least    median      most  most in         region
     900 k         0       225.000     300 k     300 k     600 k  400.400         TimeLoop
     900 k     900 k       300.000     300 k     300 k     600 k  400.400           Bound

COUNTS IN REGIONS: branch-misses
               summed over threads                 of one thread
 inclusive exclusive / 1000 instr.     least    median      most  most in         region
    1.01 k       1 k         0.252         7         7       1 k  400.400         TimeLoop
         7         7         0.002         0         0         7  400.401           Bound

TEXT
    run -0 "$memphis" report --by region one
    [[ "$output" != *"COUNTS IN REGIONS"* ]]
}

@test "JSON has the events, the same from profiles; a comparison has the counts of both runs, also of an event that one lacks" {
    "$memphis" report --format json counted | jq -c '.region_times' > "$BATS_TEST_TMPDIR/json"
    [ "$(jq -c '.[0].events' "$BATS_TEST_TMPDIR/json")" = '[{"name":"cpu/event=0x29,umask=0x1/","count":900000,"count_exclusive":0,"threads":2,"least":{"count":300000,"process":400,"tid":401,"rank":null},"median":{"count":300000,"process":400,"tid":401,"rank":null},"most":{"count":600000,"process":400,"tid":400,"rank":null}},{"name":"branch-misses","count":1007,"count_exclusive":1000,"threads":2,"least":{"count":7,"process":400,"tid":401,"rank":null},"median":{"count":7,"process":400,"tid":401,"rank":null},"most":{"count":1000,"process":400,"tid":400,"rank":null}}]' ]
    "$memphis" reduce -o "$BATS_TEST_TMPDIR/counted.mprof" counted
    diff "$BATS_TEST_TMPDIR/json" <("$memphis" report --format json "$BATS_TEST_TMPDIR/counted.mprof" | jq -c '.region_times')
    [ "$("$memphis" report --format json one | jq -c '[.region_times[] | has("events")] | any')" = false ]
    run -0 --separate-stderr "$memphis" compare --full --per run counted fewer one
    grep -q '^region: TimeLoop > Bound: .*; cpu/event=0x29,umask=0x1/: 900 k -> 600 k (-33.3 %) -> -; branch-misses: 7 -> 7 (+0.0 %) -> -$' <<< "$output"
    [ "$("$memphis" compare --format json --per run counted fewer one | jq -c '.regions[1].events[0]')" = '{"name":"cpu/event=0x29,umask=0x1/","counts":[900000,600000,null]}' ]
}

@test "the report says why cycles and instructions are missing" {
    run -0 "$memphis" report --full refused
    [[ "$(tr -s ' \n' ' ' <<< "$output")" == *'note: process 1: cycles and instructions of regions were not counted, or not in all threads: the machine, or its hypervisor, offers no counters of them'* ]]
    run -0 "$memphis" report --by region refused
    [[ "$output" != *IPC* ]]
}

@test "damaged times are refused with the place" {
    local name

    for name in twice zero; do
        run -1 --separate-stderr "$memphis" report --full "$name"
        # shellcheck disable=SC2154 # set by run
        [ "$stderr" = "memphis report: $name/host.1.1.thread.memphis: offset 0x40: the region-times chunk is malformed; the file is damaged, or its writer has a defect: please report it" ]
    done
}

@test "the chunks are listed, with the events that were counted" {
    run -0 "$memphis" dump counted/host.400.401.thread.memphis
    [[ "$output" == *'chunk type=region-times offset=0x40 bytes=96 count=1
region-time region=2 calls=2 ns=3000 cpu_ns=0 cycles=4000000 instructions=2000000 event1=300000 event2=7'* ]]
    run -0 "$memphis" dump one/host.100.100.thread.memphis
    [[ "$output" == *'chunk type=region-times offset=0x40 bytes=96 count=1
region-time region=1 calls=1 ns=1000 cpu_ns=0 cycles=0 instructions=0'* ]]
    [[ "$output" == *'region-time region=1 calls=1 ns=2000000000 cpu_ns=6500000000 cycles=8000000000 instructions=6000000000'* ]]
}
