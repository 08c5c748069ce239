#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reads archives of memphis export --format otf2 with otf2-print. If these tests fail, Vampir and others show something else than what was recorded.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    # Two ranks on one host, whose clock was set by 0.2 s between their starts, and one on another.
    samples run <<'TEXT'
process 100 a
setting host near
setting rank 0
setting start_time_ns 5000
setting start_realtime_ns 1700000000000005000
setting stop_time_ns 9000
region 1 0 TimeLoop
region 2 1 Bound
metric 1 numastat process counter 1 pages numa_miss
metric 0 pcp host refused - - none: no such metric
metric 2 vmstat host gauge - kB free
reading 5500 10 1 0
reading 6500 10 1 12
reading 6500 10 2 99.5
end
thread 100
fact name model
repeat 2 8 sample 6150 0x401000 0x1000000 dram LR 0 1 1 700
sample 6600 0x401000 0x1000000 l2 L 0 0 1 14
sample 9500 0x401000 0x1000000 unknown S 1
books 4 4 0
span 6100 6400 2
span 6000 7000 1
span 7000 7300 1
span 8000 0 1
span 8100 8200 2
end
thread 101
books 0 0 0
end
process 101 a
setting host near
setting rank 1
setting start_time_ns 5500
setting start_realtime_ns 1700000000200005500
region 1 0 Other
region 2 1 Bound
end
thread 101
span 5600 5700 2
span 5600 5800 1
end
process 100 b
setting host far
setting start_time_ns 70000
setting start_realtime_ns 1700000000000005300
end
thread 100
sample 70200 0x401000 0x1000000 dram L 0 0 0 300
books 1 1 0
end
TEXT
}

# events OUT: prints the events of an archive, with single spaces. The reader finds nothing to complain about.
events() {
    otf2-print "$1/traces.otf2" 2> "$BATS_TEST_TMPDIR/complaints" > "$BATS_TEST_TMPDIR/printed"
    [ ! -s "$BATS_TEST_TMPDIR/complaints" ] || return
    grep -E '^(ENTER|LEAVE|METRIC)' "$BATS_TEST_TMPDIR/printed" | tr -s ' '
}

@test "regions, samples and counters are events of their locations on one axis of time" {
    "$memphis" export --format otf2 run -o "$BATS_TEST_TMPDIR/out"
    # Of events at the same time, the order between locations is that of the reader.
    expect 'ENTER 3 600 Region: "Other" <2>
ENTER 3 600 Region: "Bound" <1>
LEAVE 3 700 Region: "Bound" <1>
LEAVE 3 800 Region: "Other" <2>
METRIC 2 500 Metric: 1, 1 Value: ("numastat numa_miss on node 1" <5>; DOUBLE; 0)
METRIC 2 1500 Metric: 1, 1 Value: ("numastat numa_miss on node 1" <5>; DOUBLE; 12)
METRIC 2 1500 Metric: 2, 1 Value: ("vmstat free" <6>; DOUBLE; 99.5)
METRIC 4 500 Metric: 0, 5 Values: ("latency" <0>; INT64; 300), ("source" <1>; INT64; 5), ("remote" <2>; INT64; 0), ("node" <3>; INT64; 0), ("home" <4>; INT64; 0)
ENTER 0 1000 Region: "TimeLoop" <0>
ENTER 0 1100 Region: "Bound" <1>
METRIC 0 1150 Metric: 0, 5 Values: ("latency" <0>; INT64; 700), ("source" <1>; INT64; 5), ("remote" <2>; INT64; 1), ("node" <3>; INT64; 0), ("home" <4>; INT64; 1)
METRIC 0 1151 Metric: 0, 5 Values: ("latency" <0>; INT64; 700), ("source" <1>; INT64; 5), ("remote" <2>; INT64; 1), ("node" <3>; INT64; 0), ("home" <4>; INT64; 1)
LEAVE 0 1400 Region: "Bound" <1>
METRIC 0 1600 Metric: 0, 5 Values: ("latency" <0>; INT64; 14), ("source" <1>; INT64; 2), ("remote" <2>; INT64; 0), ("node" <3>; INT64; 0), ("home" <4>; INT64; 0)
LEAVE 0 2000 Region: "TimeLoop" <0>
ENTER 0 2000 Region: "TimeLoop" <0>
LEAVE 0 2300 Region: "TimeLoop" <0>
ENTER 0 3000 Region: "TimeLoop" <0>
ENTER 0 3100 Region: "Bound" <1>
LEAVE 0 3200 Region: "Bound" <1>
LEAVE 0 4000 Region: "TimeLoop" <0>
METRIC 0 4500 Metric: 0, 5 Values: ("latency" <0>; INT64; 0), ("source" <1>; INT64; 0), ("remote" <2>; INT64; 0), ("node" <3>; INT64; 1), ("home" <4>; INT64; -1)' "$(events "$BATS_TEST_TMPDIR/out" | awk '{ print ($2 != 3) + ($2 == 4) + 2 * ($2 == 0), $0 }' | sort -s -k1,1n | cut -d' ' -f2-)"
}

@test "the definitions have the clock, the hosts, processes and threads, regions once, and metrics with units" {
    "$memphis" export --format otf2 run -o "$BATS_TEST_TMPDIR/out"
    TZ=UTC otf2-print -G "$BATS_TEST_TMPDIR/out/traces.otf2" | grep -E '^(CLOCK|SYSTEM|LOC|REGION|METRIC)' | tr -s ' ' | sed -E 's/ (<[0-9]+>|[^:]*UNDEFINED,?)//g; s/ Descr\.: "[^"]*",//' > "$BATS_TEST_TMPDIR/definitions"
    diff "$BATS_TEST_TMPDIR/definitions" - <<'TEXT'
CLOCK_PROPERTIES Ticks per Seconds: 1000000000, Global Offset: 0, Length: 4501, Date: 2023-11-14 22:13:20.000005000 +0000
SYSTEM_TREE_NODE 0 Name: "machine", Class: "machine", Parent:
REGION 0 Name: "TimeLoop" (Aka. "TimeLoop"), Descr.: Role: CODE, Paradigm: USER, Flags: NONE, File: Begin: 0, End: 0
REGION 1 Name: "Bound" (Aka. "Bound"), Descr.: Role: CODE, Paradigm: USER, Flags: NONE, File: Begin: 0, End: 0
REGION 2 Name: "Other" (Aka. "Other"), Descr.: Role: CODE, Paradigm: USER, Flags: NONE, File: Begin: 0, End: 0
METRIC_MEMBER 0 Name: "latency", Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: INT64, Base: DECIMAL, Exponent: 0, Unit: "cycles"
METRIC_MEMBER 1 Name: "source", Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: INT64, Base: DECIMAL, Exponent: 0, Unit: "#"
METRIC_MEMBER 2 Name: "remote", Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: INT64, Base: DECIMAL, Exponent: 0, Unit: "#"
METRIC_MEMBER 3 Name: "node", Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: INT64, Base: DECIMAL, Exponent: 0, Unit: "#"
METRIC_MEMBER 4 Name: "home", Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: INT64, Base: DECIMAL, Exponent: 0, Unit: "#"
METRIC_CLASS 0 Occurrence: ASYNCHRONOUS, Kind: CPU, 5 Members: "latency", "source", "remote", "node", "home"
SYSTEM_TREE_NODE 1 Name: "near", Class: "node", Parent: "machine::machine"
SYSTEM_TREE_NODE_DOMAIN System Tree Node: "node::near", Domain: SHARED_MEMORY
LOCATION_GROUP 0 Name: "rank 0", Type: PROCESS, Parent: "node::near", Creator:
LOCATION 0 Name: "thread 100 (model)", Type: CPU_THREAD, # Events: 14, Group: "rank 0"
LOCATION 1 Name: "thread 101", Type: CPU_THREAD, # Events: 0, Group: "rank 0"
METRIC_MEMBER 5 Name: "numastat numa_miss on node 1", Type: OTHER, Mode: ACCUMULATED_START, Value Type: DOUBLE, Base: DECIMAL, Exponent: 0, Unit: "pages"
METRIC_CLASS 1 Occurrence: ASYNCHRONOUS, Kind: UNKNOWN, 1 Member: "numastat numa_miss on node 1"
METRIC_MEMBER 6 Name: "vmstat free", Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: DOUBLE, Base: DECIMAL, Exponent: 0, Unit: "kB"
METRIC_CLASS 2 Occurrence: ASYNCHRONOUS, Kind: UNKNOWN, 1 Member: "vmstat free"
LOCATION 2 Name: "counters", Type: METRIC, # Events: 3, Group: "rank 0"
LOCATION_GROUP 1 Name: "rank 1", Type: PROCESS, Parent: "node::near", Creator:
LOCATION 3 Name: "thread 101", Type: CPU_THREAD, # Events: 4, Group: "rank 1"
SYSTEM_TREE_NODE 2 Name: "far", Class: "node", Parent: "machine::machine"
SYSTEM_TREE_NODE_DOMAIN System Tree Node: "node::far", Domain: SHARED_MEMORY
LOCATION_GROUP 2 Name: "process 100", Type: PROCESS, Parent: "node::far", Creator:
LOCATION 4 Name: "thread 100", Type: CPU_THREAD, # Events: 1, Group: "process 100"
TEXT
}

@test "the selection applies to samples" {
    "$memphis" export --format otf2 --select remote-dram run -o "$BATS_TEST_TMPDIR/out"
    [ "$(events "$BATS_TEST_TMPDIR/out" | awk '$1 == "METRIC" && $2 == 0 { print $3 }' | paste -sd' ')" = '1150 1151' ]
    [ "$(events "$BATS_TEST_TMPDIR/out" | grep -c ENTER)" = 7 ]
}

@test "many events of a thread are all there, in order" {
    # The events do not fit into one buffer of the library.
    {
        printf '%s\n' 'process 1' 'region 1 0 Run' 'region 2 1 Step' end 'thread 1' 'span 1000 10000000 1'
        seq 2000 10 902000 | awk '{ print "span", $1, $1 + 5, 2 }'
        printf '%s\n' 'repeat 40000 8 sample 3000 0x401000 0x1000000 dram LR 0 1 1 700' 'books 40000 40000 0' end
    } | samples many
    "$memphis" export --format otf2 many -o "$BATS_TEST_TMPDIR/out"
    otf2-print "$BATS_TEST_TMPDIR/out/traces.otf2" | awk '$1 ~ "^(ENTER|LEAVE|METRIC|BUFFER_FLUSH)$" { count[$1]++; bad += $3 < last; last = $3 }
        END { for (kind in count) print kind, count[kind]; exit bad > 0 }' | sort | paste -sd' ' > "$BATS_TEST_TMPDIR/counts"
    [ "$(cat "$BATS_TEST_TMPDIR/counts")" = 'ENTER 90002 LEAVE 90002 METRIC 40000' ]
}

@test "an existing archive, a profile or a damaged file is refused, and nothing is left" {
    local into=$BATS_TEST_TMPDIR/into

    mkdir "$into"
    "$memphis" export --format otf2 run -o "$into/out/"
    run -1 --separate-stderr "$memphis" export --format otf2 run -o "$into/out"
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "memphis export: $into/out: cannot write: Directory not empty" ]
    [ "$(ls "$into")" = out ]
    "$memphis" reduce -o "$BATS_TEST_TMPDIR/run.mprof" run
    run -1 --separate-stderr "$memphis" export --format otf2 "$BATS_TEST_TMPDIR/run.mprof" -o "$into/other"
    [ "$stderr" = 'memphis export: profiles (.mprof) contain no samples over time, which OTF2 needs; give the sample files' ]
    printf '%s\n' 'process 1' 'region 1 0 Run' end 'thread 1' 'span 5 4 1' end | samples damaged
    run -1 --separate-stderr "$memphis" export --format otf2 damaged -o "$into/other"
    [ "$stderr" = "memphis export: damaged/host.1.1.thread.memphis: offset 0x40: the spans chunk is malformed; the file is damaged, or its writer has a defect: please report it" ]
    [ "$(ls "$into")" = out ]
}

# job NAME RANK...: a process with the pid 100 + RANK for each rank of a job of eight, which sends 10 bytes to rank 7.
job() {
    local rank
    for rank in "${@:2}"; do
        printf '%s\n' "process $((100 + rank)) ${rank}x" 'setting host near' 'setting start_time_ns 100' 'setting start_realtime_ns 1700000000000000100' \
            "setting mpi_rank $rank" 'setting mpi_world 171' 'region 1 0 MPI_Send' end "thread $((100 + rank))" 'event 1 1000 1200 0xab 10 0 1 7 5' \
            'event 1 1300 1400 0 10 0 1 7 5' 'event 2 1500 1600 0xab 0 10 1 -2 5' end
    done | samples "$1"
}

@test "ranks whose files were not given are members of the communicators; messages without a partner are left out, and counted" {
    job some 0 1
    run -0 --separate-stderr "$memphis" export --format otf2 some -o "$BATS_TEST_TMPDIR/out"
    [ "$stderr" = "memphis export: 4 messages are left out: the partner or the communicator is unknown" ]
    [ "$(otf2-print "$BATS_TEST_TMPDIR/out/traces.otf2" | grep -c '^MPI_SEND .*Receiver: 7 .*Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 10')" = 2 ]
    run ! grep -q INVALID <(otf2-print "$BATS_TEST_TMPDIR/out/traces.otf2")
    [ "$(otf2-print -G "$BATS_TEST_TMPDIR/out/traces.otf2" | grep -c '^GROUP .*8 Members')" = 2 ]
}

@test "messages of two runs, ranks that are none and damaged messages are refused with the file" {
    job first 0
    printf '%s\n' 'process 1' 'setting mpi_rank 0' 'region 1 0 MPI_Send' end 'thread 1' 'event 1 1000 1200 0xab 10 0 1 7 5' end | samples second
    run -1 --separate-stderr "$memphis" export --format otf2 first second -o "$BATS_TEST_TMPDIR/out"
    [ "$stderr" = "memphis export: first/0x.100.process.memphis, second/host.1.process.memphis: both are MPI rank 0; export the messages of one run at a time" ]
    job none 0
    printf '%s\n' 'process 1' 'setting mpi_rank 4294967295' 'region 1 0 MPI_Send' end 'thread 1' 'event 1 1000 1200 0xab 10 0 1 7 5' end | samples none
    run -1 --separate-stderr "$memphis" export --format otf2 none/host.1.* -o "$BATS_TEST_TMPDIR/out"
    [ "$stderr" = "memphis export: none/host.1.process.memphis: mpi_rank 4294967295 is no rank; the file is damaged" ]
    printf '%s\n' 'process 1' 'region 1 0 MPI_Send' end 'thread 1' 'event 4 1000 1200 0xab 10 0 1 7 5' end | samples bad
    run -1 --separate-stderr "$memphis" export --format otf2 bad -o "$BATS_TEST_TMPDIR/out"
    [ "$stderr" = "memphis export: bad/host.1.1.thread.memphis: offset 0x40: the mpi-events chunk is malformed; the file is damaged, or its writer has a defect: please report it" ]
    [ ! -e "$BATS_TEST_TMPDIR/out" ]
}
