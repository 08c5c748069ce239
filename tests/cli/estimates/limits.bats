#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# If these tests fail, a phase at the limit of the memory is not reported as such, or one that is far from it is.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# one_process PID HOST READ WRITTEN: two seconds in TimeLoop, in which node 0 reads and writes so many bytes, then two seconds in Output.
one_process()
{
    cat <<TEXT
process $1
setting host $2
setting command ./model
setting active_first_ns ${5:-1000000000}
setting active_ns 4000000000
setting hardware ibs
setting period 1000
region 1 0 TimeLoop
region 2 0 Output
metric 1 uncore host counter 0 bytes imc cas_count_read
metric 2 uncore host counter 0 bytes imc cas_count_write
metric 3 uncore host counter 1 bytes imc cas_count_read
metric 4 io process counter 0 bytes read
mark 1000000000 1
mark 3000000000 2
reading 1000000000 10 1 0
reading 1000000000 10 2 0
reading 1000000000 10 3 0
reading 1000000000 10 4 0
reading 3000000000 10 1 $3
reading 3000000000 10 2 $4
reading 3000000000 10 3 2000000000
reading 3000000000 10 4 99000000000
reading 5000000000 10 1 $(($3 + 100000000))
reading 5000000000 10 2 $(($4 + 100000000))
reading 5000000000 10 3 4000000000
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread $(($1 + 1))
repeat 500 8 sample 1400000000 0x401000 0x1000000 dram LR 0 1 1 300
repeat 100 8 sample 1400000000 0x401000 0x1000000 dram L 0 0 1 100
repeat 100 8 sample 1400000000 0x401000 0x1000000 peer-cache LR 0 1 1 100
books 700 700 0
TEXT
}

# Node 0: 12 GB/s of reads alone, 11 with one write in four, 10.5 with one in three, and 10 with one in two.
speeds()
{
    printf '%s\n' 'memphis-node 1' 'host amber' 'class one of many' 'huge_pages yes' 'nodes 0 1' 'latency_ns 0 0 100' 'latency_ns 0 1 180' \
        'read_gb 0 0 12' 'bandwidth_gb 0 0 8.25' 'copy_gb 0 0 7' 'write_gb 0 0 5' 'read_gb 1 1 10' "read_gb 0 1 $1"
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    mkdir one two without
    one_process 100 amber 18000000000 2000000000 | samples one
    speeds 0.01 > one/amber.node
    one_process 100 amber 6000000000 2000000000 | samples two/a
    one_process 200 basil 18000000000 2000000000 | samples two/b
    speeds 0.01 > saved
    grep -v '^metric\|^mark\|^reading' <(one_process 100 amber 0 0) | samples without
}

bandwidth() {
    "$memphis" report --full "$@" | sed -n '/^MEMORY BANDWIDTH/,/^$/p'
}

@test "a phase at the limit of a node's memory is a finding, with the other nodes' share and what to do" {
    expect "$(cat <<'TEXT'
MEMORY BANDWIDTH
saturated-memory: memory of node 0
   what:     TimeLoop: the memory of node 0 is used to 86 % of what this machine can do: 9 GB/s read
             and 1 GB/s written of 11.6 GB/s at this mix, as memphis node measured on amber
   try:      spread the data over the nodes (first touch in parallel, or interleaved pages): the
             memory of the other nodes is used to 10 % at most
    share          95 % CI     read/s  written/s    limit/s  of
   86.2 %                -       9 GB       1 GB    11.6 GB  memory of node 0, TimeLoop
   54.4 %     31.0 to 81.8    5.44 MB          -      10 MB  link from node 0 to memory of node 1, (all that is selected)
   10.0 %                -       1 GB        0 B      10 GB  memory of node 1, Output
   10.0 %                -       1 GB        0 B      10 GB  memory of node 1, TimeLoop
    1.0 %                -      50 MB      50 MB      10 GB  memory of node 0, Output
TEXT
)" "$(bandwidth one)"
    expect "bandwidth:   86 % of what the memory of node 0 can do, in TimeLoop: saturated, see MEMORY BANDWIDTH" "$("$memphis" report --full one | grep '^bandwidth')"
}

@test "the head has words for a place that is no caliper" {
    one_process 100 amber 18000000000 2000000000 | sed '/^mark/s/ 1$/ 0/' | samples outside
    cp saved outside/amber.node
    expect 'bandwidth:   86 % of what the memory of node 0 can do, outside any caliper: saturated, see MEMORY' \
        "$("$memphis" report --full outside | grep '^bandwidth')"
    cp saved without/amber.node
    expect 'bandwidth:   54 % (95 % CI 31 to 82) of what the link from node 0 to memory of node 1 can do' "$("$memphis" report --full without | grep '^bandwidth')"
    rm without/amber.node
}

@test "of several hosts the one with the largest share is named" {
    bandwidth --node-baseline saved two/* > found
    expect '   86.2 %                -       9 GB       1 GB    11.6 GB  memory of node 0, TimeLoop, host basil of 2' "$(grep 'node 0, TimeLoop' found)"
    [[ $(tr -s '\n ' ' ' < found) == *'as memphis node measured on amber; host basil, the highest of 2 try:'* ]]
}

@test "the limits of a host are those of its own file, wherever it is among the inputs" {
    rm -rf hosts
    mkdir hosts
    one_process 100 amber 18000000000 2000000000 | samples hosts/a
    one_process 200 basil 18000000000 2000000000 | samples hosts/b
    one_process 300 coral 0 0 | samples hosts/c
    speeds 0.01 > hosts/amber.node
    speeds 0.01 | sed 's/^host.*/host basil/; s/_gb 0 0 .*/_gb 0 0 20/' > hosts/basil.node
    # 100 % of 10 GB/s at a tenth of writes, and 86 % of amber's, although basil is as busy.
    bandwidth hosts/* > found
    expect '   86.2 %                -       9 GB       1 GB    11.6 GB  memory of node 0, TimeLoop, host amber of 2' "$(grep 'node 0, TimeLoop' found)"
    [[ $(tr -s '\n ' ' ' < found) == *'as memphis node measured on amber; host amber, the highest of 2 try:'* ]]
    expect '1 host has no measurement (HOST.node); its limits are those of amber' "$(tail -1 <(grep . found))"
    expect '44.1 % basil' "$("$memphis" report --format json --node-baseline hosts hosts/b | jq -r '.limits.rows[] | select(.host == "basil" and .node == 0 and .region == "TimeLoop") | "\(.share * 1000 | round / 10) % \(.measured_on)"')"
    # The page draws the mean, times the number of hosts: of 12, 20 and 12 GB/s.
    expect '14666666666 2 1' "$("$memphis" report --format json hosts/* | jq -r '.limits | "\(.nodes[0].by_tenths_of_writes[0] | floor) \(.hosts_measured) \(.hosts_not_measured)"')"
    # A file for all hosts.
    bandwidth --node-baseline hosts/basil.node hosts/* > found
    [[ $(tr -s '\n ' ' ' < found) != *'has no measurement'* ]]
    expect '22.7 GB' "$(grep 'node 0, TimeLoop' found | grep -o '22.7 GB')"
    # The first host has none.
    rm hosts/amber.node
    expect '2 hosts have no measurement (HOST.node); their limits are those of basil' "$(bandwidth hosts/* | grep measurement)"
    # The mean of a node is that of the hosts that have it: 10 and 40 GB/s of reads, amber has no node 1.
    speeds 0.01 | sed '/_.* [01] 1 /d; s/^nodes.*/nodes 0/' > hosts/amber.node
    speeds 0.01 | sed 's/^host.*/host coral/; s/read_gb 1 1 .*/read_gb 1 1 40/' > hosts/coral.node
    expect '25000000000 3 0' "$("$memphis" report --format json hosts/* | jq -r '.limits | "\(.nodes[1].by_tenths_of_writes[0] | floor) \(.hosts_measured) \(.hosts_not_measured)"')"
}

@test "measurements alone are no input, and a directory without one of these hosts is named" {
    run -1 "$memphis" report --full two/a/../../one/amber.node
    expect 'memphis report: two/a/../../one/amber.node: a measurement of a machine; add the directory of the samples' "$output"
    run -1 "$memphis" report --full --node-baseline two two/a
    expect 'memphis report: two: no HOST.node of a host of this run' "$output"
}

@test "the limit is that of the mix of reads and writes" {
    local written share
    # Of 20 GB: a quarter, a third, a half and all of it are written.
    while read -r written share; do
        one_process 100 amber $((20000000000 - written)) "$written" | samples mix
        cp saved mix/amber.node
        expect "$share" "$("$memphis" report --format json mix | jq -r '.limits.rows[] | select(.node == 0 and .region == "TimeLoop") | "\(.limit_per_second) \(.share)"')"
        rm -r mix
    done <<'TEXT'
0 12000000000 0.833333
5000000000 11000000000 0.909091
6666666666 10500000000.2 0.952381
10000000000 10000000000 1
20000000000 10000000000 1
TEXT
}

@test "a phase below 80 %, a short one, and one whose traffic may be that of another phase are no findings" {
    one_process 100 amber 15800000000 2000000000 | samples below
    cp saved below/amber.node
    expect '77.1 % 0' "$("$memphis" report --full below | awk '/memory of node 0, TimeLoop/ { printf "%s %%", $1 } /saturated/ { found++ } END { print " " found + 0 }')"
    # Output lasts 50 ms.
    one_process 100 amber 1000000000 1000000000 | sed 's/^reading 5000000000 10 1 .*/reading 3050000000 10 1 2000000000/; /^reading 5/d; s/^map .*/mark 3050000000 0\n&/' | samples short
    cp saved short/amber.node
    expect 'true false' "$("$memphis" report --format json short | jq -r '.limits.rows[] | select(.node == 0 and .region == "Output") | "\(.share > 1) \(has("sentence"))"')"
    # No reading when Output begins, so that the increase is shared by both calipers.
    one_process 100 amber 30000000000 14000000000 | sed '/^reading 3000000000/d' | samples shared
    cp saved shared/amber.node
    expect 'true false' "$("$memphis" report --format json shared | jq -r '.limits.rows[] | select(.node == 0 and .region == "TimeLoop") | "\(.share > 1) \(has("sentence"))"')"
}

@test "without counters the memory and the links are estimated from loads, with an interval, and are findings if its lower end is" {
    # 100 samples x 680 loads x 64 bytes in 4 s; caches of other nodes do not count.
    cp saved without/amber.node
    expect '[["link",0,1,"samples",5440000,0.544],["memory",null,1,"samples",5440000,0.000544],["memory",null,0,"samples",1088000,9.1e-05]]' \
        "$("$memphis" report --format json without | jq -c '[.limits.rows[] | [.of, .from, .node, .by, .read_per_second, .share]]')"
    speeds 0.003 > without/amber.node
    bandwidth without > found
    expect "$(cat <<'TEXT'
saturated-link: link from node 0 to memory of node 1
   what:     (all that is selected): the link from node 0 to memory of node 1 is used to 181 % (95 %
             CI 103 to 273) of what this machine can do: 5.44 MB/s read of 3 MB/s, as memphis node
             measured on amber; estimated from loads alone, so it is at least that
   try:      move the data to node 0, or the threads that use it to node 1: the link carries no
             more, whatever the threads do
TEXT
)" "$(sed -n '2,7p' found)"
    speeds 0.006 > without/amber.node
    [[ $(bandwidth without) != *saturated* ]]
}

@test "the time of processes that run one after the other is added, and that of processes at the same time is not" {
    local first
    for first in 1000000000 3000000000 9000000000; do
        mkdir "at$first"
        { one_process 100 amber 0 0; } | grep -v '^metric\|^mark\|^reading' | samples "at$first/a"
        { one_process 200 amber 0 0 "$first"; } | grep -v '^metric\|^mark\|^reading' | samples "at$first/b"
    done
    expect '4 6 8 ' "$(for first in 1000000000 3000000000 9000000000; do
        "$memphis" report --format json --node-baseline saved "at$first"/* | jq -j '.limits.rows[0].seconds, " "'
    done)"
}

@test "the time of a selected caliper is that of the caliper, wherever it was opened" {
    {
        one_process 100 amber 0 0 | sed '/^metric\|^mark\|^reading/d; s/^region 2 .*/region 2 1 Write\nregion 3 0 Output\nregion 4 3 Write/'
        printf 'repeat 10 8 sample 1400000000 0x401000 0x1000000 dram LR 0 1 %s 300\n' 2 4
        # The times are exclusive.
        printf 'time %s\n' '1 1 3000000000' '2 1 700000000' '3 1 1000000000' '4 1 300000000'
    } | samples nested
    expect '3.7 1 1.3 ' "$(for region in TimeLoop Write Output; do
        "$memphis" report --format json --node-baseline saved --region "$region" nested | jq -j '.limits.rows[0].seconds, " "'
    done)"
    [ "$("$memphis" report --format json --node-baseline saved --region Write nested | jq -c '[.limits.rows[].region] | unique')" = '["Write"]' ]
    [[ $(bandwidth --node-baseline saved --region Write nested) == *'link from node 0 to memory of node 1, Write'* ]]
    [[ $(bandwidth --node-baseline saved --region Write nested) != *'--region NAME'* ]]
    [[ $(bandwidth --node-baseline saved nested) == *'estimates from samples are of all that is selected; on the sample files, --region NAME estimates a caliper alone'* ]]
}

@test "reads and writes have times of their own, so that a gap of one counter does not make it small" {
    # 9 GB in the second that was read, of the two seconds of TimeLoop.
    one_process 100 amber 18000000000 2000000000 | sed '/^reading 3000000000 10 1 /s/.*/reading 1500000000 10 1 4500000000\nreading 2500000000 10 1 99000000000 gap\nreading 3000000000 10 1 103500000000/
        /^reading 5000000000 10 1 /d' | samples gap
    expect '[9000000000,1000000000,0.862069]' "$("$memphis" report --format json --node-baseline saved gap |
        jq -c '.limits.rows[] | select(.node == 0 and .region == "TimeLoop") | [.read_per_second, .written_per_second, .share]')"
}

# advice DIRECTORY...: prints the advice of the finding about node 0.
advice() {
    "$memphis" report --format json --node-baseline "$@" | jq -r '.limits.rows[] | select(.node == 0 and .advice) | .advice'
}

@test "the other nodes of the same host decide whether the data should be spread, and those without traffic have room" {
    # Node 1 was not used at all.
    one_process 100 amber 18000000000 2000000000 | sed '/^reading .* 10 3 /s/ [0-9]*$/ 0/' | samples unused
    [[ $(advice saved unused) == 'spread the data'*'used to 0 % at most' ]]
    # Each host uses another one of its nodes.
    rm -rf mirrored
    mkdir mirrored
    one_process 100 amber 18000000000 2000000000 | sed '/^reading .* 10 3 /s/ [0-9]*$/ 0/' | samples mirrored/a
    one_process 200 basil 1000000000 0 | sed '/^reading [35].* 10 3 /s/ [0-9]*$/ 18000000000/' | samples mirrored/b
    [[ $(advice saved mirrored/*) == 'spread the data'*'used to 0 % at most' ]]
    # Both nodes of one host are used, or there is only one.
    one_process 100 amber 18000000000 2000000000 | sed '/^reading [35].* 10 3 /s/ [0-9]*$/ 18000000000/' | samples both
    [[ $(advice saved both) == 'move fewer bytes'* ]]
    sed 's/^nodes.*/nodes 0/; / [01] 1 /d' saved > single
    [[ $(advice single unused) == 'move fewer bytes'* ]]
    # All loads are from node 0.
    sed '/^metric\|^mark\|^reading/d; /^repeat 500/d; s/^repeat 100 8 \(.*dram\)/repeat 20000 8 \1/; s/^books.*/books 20100 20100 0/' <(one_process 100 amber 0 0) | samples loads
    sed 's/^read_gb 0 0 .*/read_gb 0 0 0.15/' saved > slow
    [[ $(advice slow loads) == 'spread the data'*'used to 0 % at most, as far as samples show' ]]
}

@test "traffic above the limit says that the limit was measured too low" {
    one_process 100 amber 18000000000 2000000000 | samples above
    # 10 of 9.3 GB/s, which may be noise, and of 5.8.
    sed 's/_gb 0 0 .*/_gb 0 0 9/' saved > near
    [[ $(advice near above) != *'measured'* ]]
    sed 's/_gb 0 0 .*/_gb 0 0 5/' saved > low
    [[ $(advice low above) == *"; but more than was measured can't be: measure the machine again, while it is idle and with all its cores" ]]
}

@test "nobody is to move threads to a node without CPUs" {
    grep -v '_gb 1 1' saved | sed 's/^read_gb 0 1 .*/read_gb 0 1 0.003/' > expander
    [[ $("$memphis" report --format json --node-baseline expander without | jq -r '.limits.rows[] | select(.of == "link") | .advice') == \
        'move the data to node 0: the link carries no more, whatever the threads do, and node 1 has no CPUs' ]]
}

@test "without a measurement there are no shares; with counters the report says how to get them" {
    rm -f without/amber.node
    expect '' "$(bandwidth without)"
    [ "$("$memphis" report --format json without | jq 'has("limits")')" = false ]
    expect 'MEMORY BANDWIDTH
what the machine can do is not known: memphis node --measure --save HOST.node measures it (--node-baseline)' "$(bandwidth two/*)"
    # A file with latencies alone.
    grep -v _gb saved > latencies
    expect 'latencies has no bandwidth of these nodes: memphis node --measure --save HOST.node measures it (--node-baseline)' "$(bandwidth --node-baseline latencies two/* | sed -n 2p)"
}

@test "a host without counters has estimates, beside hosts with counters" {
    one_process 200 basil 0 0 | grep -v '^metric\|^mark\|^reading' | samples apart
    expect 'amber counters memory
amber samples link
basil samples memory' "$("$memphis" report --format json --node-baseline saved one apart/ | jq -r '.limits.rows[] | "\(.host) \(.by) \(.of)"' | sort -u)"
}

@test "a measurement of other nodes, or without bandwidths, is named; one without a host is named by its file" {
    sed 's/^nodes 0 1/nodes 4 5/; s/ 0 0 / 4 4 /; s/ 1 1 / 5 5 /; s/ 0 1 / 4 5 /' saved > others
    expect 'MEMORY BANDWIDTH
others has no bandwidth of these nodes: memphis node --measure --save HOST.node measures it (--node-baseline)' "$(bandwidth --node-baseline others one)"
    grep -v '^host' saved > nameless
    [[ $(bandwidth --node-baseline nameless one) == *'as memphis node measured on nameless'* ]]
    echo 'read_gb 0 0 1e300' > line
    cat saved line > large
    run -1 "$memphis" report --full --node-baseline large one
    expect 'memphis report: large, line 14: not what memphis node --save writes' "$output"
}

@test "controllers that several nodes share have the limit of these nodes together" {
    one_process 100 amber 18000000000 2000000000 | sed -E 's/^(metric [12] uncore host counter) 0 (.*)/\1 - \2 (nodes 0-1,7)/; s/^(metric 3 uncore host counter) 1 (.*)/\1 - \2 (nodes 2)/' | samples socket
    sed 's/^nodes 0 1/nodes 0 1 2/' saved > three
    echo 'read_gb 2 2 4' >> three
    # At a tenth of writes: 11.6 and 10 GB/s, of which the second has no measured writes.
    bandwidth --node-baseline three socket > found
    expect '   46.3 %                -       9 GB       1 GB    21.6 GB  memory of nodes 0-1,7 together, TimeLoop
   25.0 %                -       1 GB        0 B       4 GB  memory of nodes 2 together, TimeLoop' "$(grep 'together, TimeLoop' found)"
    # A list from a damaged file ends before what is none.
    one_process 100 amber 18000000000 2000000000 | sed -E 's/^(metric [12] uncore host counter) 0 (.*)/\1 - \2 (nodes 0-1\x1b[31m)/' | samples odd
    expect '"0-1"' "$("$memphis" report --format json --node-baseline three odd | jq -c '[.limits.rows[] | select(.nodes).nodes] | unique[]')"
    expect 'null "0-1,7"' "$("$memphis" report --format json --node-baseline three socket | jq -r '[.limits.rows[] | select(.region == "TimeLoop")][0] | "\(.node) \(.nodes | tojson)"')"
}

@test "a profile has the same shares as its sample files" {
    "$memphis" reduce one -o one.mprof
    expect "$(bandwidth --node-baseline saved one)" "$(bandwidth --node-baseline saved one.mprof)"
}

@test "loads from memory behind CXL are traffic of its node" {
    one_process 100 amber 0 0 | sed '/^metric\|^mark\|^reading/d; s/ dram LR / extension LR /' | samples cxl
    expect '["link",0,1,5440000] ["memory",null,1,5440000] ["memory",null,0,1088000]' \
        "$("$memphis" report --format json --node-baseline saved cxl | jq -c '.limits.rows[] | [.of, .from, .node, .read_per_second]' | paste -sd ' ')"
}

@test "--top limits findings and rows, the largest shares come first" {
    local i
    {
        printf '%s\n' 'process 100' 'setting host amber' 'metric 1 uncore host counter 0 bytes imc cas_count_read' 'reading 1000000000 10 1 0'
        for i in {1..9}; do printf '%s\n' "region $i 0 Phase$i" "mark ${i}000000000 $i" "reading $((i + 1))000000000 10 1 $((i * 11900000000))"; done
        echo end
    } | samples phases
    bandwidth --node-baseline saved --top 2 phases > found
    expect '2 ... and 7 more from 80 % on; and 7 more, up to 99.2 %' "$(grep -c saturated- found) $(grep '^\.\.\. and' found);$(tr -s ' ' < found | grep '^ and')"
    [ "$("$memphis" report --node-baseline saved --top 0 phases | grep -c saturated-)" -eq 9 ]
}
