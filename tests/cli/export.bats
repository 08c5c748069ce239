#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Reads the output of memphis export with the tools that it is made for. If these tests fail, other tools show something else than the
# report.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    samples one <<'TEXT'
process 100
setting command ./model, "quoted"
setting host far
setting rank 3
setting period 1000
setting alloc_min_bytes 4096
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x3000000 0x3100000 rw-p 0x0 - 
maps 100
region 1 0 TimeLoop
region 2 1 Bound
end
thread 100
fact name model
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 a,"b"
malloc 1002 0x1010000 8192 0
name 1003 0x1010000 8192 ty
books 11 11 0
repeat 5 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1 700
repeat 3 8 sample 2100 0x401008 0x1000100 l2 L 0 0 2 12
repeat 2 8 sample 3000000 0x401008 0x1010000 dram LR 0 1 2 900
sample 2300 0x401018 0x3000000 dram L 1 1
end
TEXT
}

# Use Debian's interpreter, whose modules are already built.
pprof() {
    HOME=$BATS_TEST_TMPDIR /usr/bin/go tool pprof "$@"
}

@test "pprof shows variables as leaves, with their samples and cycles" {
    "$memphis" export --format pprof one -o one.pb.gz
    pprof -top one.pb.gz > top.txt 2> /dev/null
    grep -qE '^ +8 72\.73% .* \[heap\] a,"b"$' top.txt
    grep -qE '^ +2 18\.18% .* \[heap\] ty$' top.txt
    grep -qE '^ +1 +9\.09% .* \[mmap\] \{not-found\}$' top.txt
    pprof -top -sample_index=latency one.pb.gz > cycles.txt 2> /dev/null
    grep -qE '^ *3536cycles .* \[heap\] a,"b"$' cycles.txt
    pprof -tags one.pb.gz > tags.txt 2> /dev/null
    grep -qE '^ *8\.0 .*: 1$' <(sed -n '/ home:/,/^$/p' tags.txt)
}

@test "the queries of memphis-export(1) return the samples" {
    "$memphis" export --format sqlite one -o one.sqlite
    [ "$(sqlite3 one.sqlite "SELECT segment, variable, sum(count) AS n FROM samples WHERE home <> node
        GROUP BY segment, variable ORDER BY n DESC LIMIT 10;")" = 'heap|a,"b"|5
heap|ty|2' ]
    # A rank without samples has a row, too.
    samples ranks <<'TEXT'
process 100
setting rank 0
end
thread 100
books 2 2 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1
end
process 101
setting rank 1
end
thread 101
books 3 0 0 1=3
end
process 102
setting rank 2
end
TEXT
    "$memphis" export --format sqlite ranks -o ranks.sqlite
    expect '0|2|2
1|0|0
2|0|0' "$(sqlite3 ranks.sqlite 'SELECT rank, count, away FROM by_process ORDER BY rank;')"
    [ "$(sqlite3 one.sqlite "SELECT rank, host, round(100.0 * away / count, 1) AS share FROM by_process ORDER BY share DESC, rank LIMIT 10;")" = '3|far|63.6' ]
    [ "$(sqlite3 one.sqlite "SELECT path, line, variable, sum(latency_cycles) AS cycles FROM samples WHERE region = 'Bound'
        GROUP BY path, line, variable ORDER BY cycles DESC LIMIT 10;")" = '||ty|1800
||a,"b"|36' ]
    # Bytes and waiting are sums, as in CSV.
    expect '0|a,"b"|320000|3500000
0|ty|128000|1800000' "$(sqlite3 one.sqlite "SELECT node, variable, sum(bytes), round(sum(waited_cycles)) FROM samples
        WHERE source = 'dram' AND home <> node GROUP BY node, variable;" | sed 's/\.0$//')"
    # Samples whose home node is unknown are not away.
    samples nowhere <<'TEXT'
process 100
setting rank 0
end
thread 100
books 5 5 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 3 8 sample 2000 0x401000 0x1000000 dram L 0
end
TEXT
    "$memphis" export --format sqlite nowhere -o nowhere.sqlite
    [ "$(sqlite3 nowhere.sqlite 'SELECT count, away FROM by_process;')" = '5|2' ]
    run "$memphis" export --format sqlite one -o /dev/full
    [ "$status" -eq 1 ]
    [ "$output" = "memphis export: /dev/full: a database has to be a file" ]
}

@test "CSV has one line for each node, variable and instruction, with quotes where necessary" {
    "$memphis" export --format csv --select remote-dram one -o one.csv
    expect "$(printf '%s\r\n' 'node,segment,variable,holder,site,how,path,function,object,line,pc,low,high,count,accesses,bytes,stores,hitm,latency_cycles,latency_max_cycles,waited_cycles,waited_low,waited_high,gain_cycles,gain_low,gain_high,type,member,waited_share,shown,declared' \
        '0,heap,"a,""b""",,,explicit,,,,,0x401000,0x1000000,0x1000020,5,5000,320000,0,0,3500,700,3500000,1136440,8581151,,,,,,0.6604,"a,""b""",' \
        '0,heap,ty,,,explicit,,,,,0x401008,0x1010000,0x1010008,2,2000,128000,0,0,1800,900,1800000,217988,6502219,,,,,,0.3396,ty,')" "$(cat one.csv)"
    # A carriage return is a part of a line end in CSV.
    printf '%s\n' 'process 100' 'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 100' end 'thread 100' \
        'malloc 1000 0x1000000 8192 0' $'name 1001 0x1000000 8192 a\rb' 'books 1 1 0' \
        'sample 2000 0x401000 0x1000000 dram LR 0 1' end | samples return
    "$memphis" export --format csv return -o return.csv
    [ "$(sed -n '2s/^0,heap,//; 2s/,,,explicit,.*//p' return.csv)" = $'"a\rb"' ]
}

@test "the trace has the process, its settings and the counters of each node" {
    "$memphis" export --format trace one -o one.json
    [ "$(jq -c '[.traceEvents[] | .ph] | unique' one.json)" = '["C","M","X"]' ]
    [ "$(jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' one.json)" = "rank 3, process 100 on far" ]
    [ "$(jq -c '[.traceEvents[] | select(.ph == "C")] | all(has("ts") and has("pid") and (.args | length > 0))' one.json)" = true ]
    [ "$(jq -c '[.traceEvents[] | select(.name == "samples on node 0") | .args["data on node 1"]]' one.json)" = '[5,0,2,0,0]' ]
}

# A process with all that may happen to spans: nested ones, an end that was lost, and a caliper that was open when the file ended.
spans_of_two() {
    cat <<'TEXT'
process 100
setting host far
setting rank 0
setting start_time_ns 5000
setting start_realtime_ns 1700000000000005000
setting stop_time_ns 9000
loss spans_lost 3
region 1 0 TimeLoop
region 2 1 Bound
region 3 2 Pack
end
thread 100
fact name model
span 6200 6300 3
span 6100 6400 2
span 6000 7000 1
span 7000 0 1
span 7100 7200 2
flush
span 7000 7300 1
span 7400 0 1
span 7500 7600 2
span 8000 0 1
span 8100 8200 2
span 8300 0 2
span 8350 8360 60000
books 0 0 0
end
thread 101
span 6500 6600 1
end
process 101
setting host far
setting rank 1
setting start_time_ns 5500
setting start_realtime_ns 1700000000200005500
setting stop_time_ns 9000
region 1 0 Other
end
thread 101
span 5600 5700 1
books 0 0 0
end
TEXT
}

@test "the trace has the spans of calipers in the tracks of their threads" {
    spans_of_two | samples spans
    "$memphis" export --format trace spans -o spans.json
    jq -r '.traceEvents[] | select(.ph == "X" and .name != "sampled") | "\(.pid) \(.tid) \(.name) \(.ts) \(.dur) \(.args.end)"' spans.json | tee spans.txt
    # The clock was set by 0.2 s between the two starts: the processes of one host have the same time nevertheless.
    diff spans.txt - <<'TEXT'
1 100 TimeLoop 1 1 null
1 100 Bound 1.1 0.3 null
1 100 Pack 1.2 0.1 null
1 100 TimeLoop 2 0.3 null
1 100 Bound 2.1 0.1 null
1 100 TimeLoop 2.4 0.6 unknown
1 100 Bound 2.5 0.1 null
1 100 TimeLoop 3 1 unknown
1 100 Bound 3.1 0.1 null
1 100 Bound 3.3 0.7 unknown
1 101 TimeLoop 1.5 0.1 null
2 101 Other 0.6 0.1 null
TEXT
    jq -e '[.traceEvents[] | select(.name == "sampled") | [.ts, .args.spans_lost]] == [[0, 3], [0.5, null]]' spans.json
    # Profiles have no spans.
    "$memphis" reduce -o spans.mprof spans
    "$memphis" export --format trace spans.mprof -o profile.json
    jq -e '[.traceEvents[] | select(.ph == "X") | .name] == ["sampled", "sampled"]' profile.json
}

@test "damaged spans are refused with the place" {
    local bad

    for bad in '10 9 1' '10 20 0' '10 20 65536'; do
        rm -rf damaged
        printf '%s\n' 'process 1' 'region 1 0 Run' end 'thread 1' 'span 5 6 1' "span $bad" end | samples damaged
        run -1 --separate-stderr "$memphis" export --format trace damaged -o damaged.json
        # shellcheck disable=SC2154 # set by run
        [ "$stderr" = "memphis export: damaged/host.1.1.thread.memphis: offset 0x40: the spans chunk is malformed; the file is damaged, or its writer has a defect: please report it" ]
        [ ! -e damaged.json ]
    done
}

@test "of several processes, pprof and the trace have the time from the first start to the last end" {
    # The process that is listed first starts second and ends first.
    samples two <<'TEXT'
process 100
setting rank 0
setting start_realtime_ns 1700000002000000000
setting stop_realtime_ns 1700000003000000000
end
thread 100
books 1 1 0
sample 2000 0x401000 0x1000000 dram LR 0 1
end
process 101
setting rank 1
setting start_realtime_ns 1700000001000000000
setting stop_realtime_ns 1700000005000000000
end
thread 101
end
TEXT
    "$memphis" export --format pprof two -o two.pb.gz
    TZ=UTC pprof -top two.pb.gz > top.txt 2> /dev/null
    cat top.txt
    grep -qx 'Time: .*2023 at 10:13pm (UTC)' top.txt
    grep -q '^Duration: 4s, ' top.txt
    "$memphis" export --format trace two -o two.json
    [ "$(jq -c '[.traceEvents[] | select(.name == "sampled") | [.pid, .ts]]' two.json)" = '[[1,1000000],[2,0]]' ]
}

@test "an export without a format says which there are" {
    run -2 --separate-stderr "$memphis" export one -o one.out
    [ "${stderr_lines[0]}" = "memphis export: no format; give --format pprof, trace, otf2, sqlite or csv" ]
    [ ! -e one.out ]
}
