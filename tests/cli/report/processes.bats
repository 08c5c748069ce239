#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Comparison of ranks. If these tests fail, the slow rank is not reported, or a normal rank is reported.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# ranks DIRECTORY COUNT...: writes one process for each COUNT, with COUNT remote samples (COUNT/PERIOD: with another period).
ranks()
{
    local directory=$1 rank=0 count
    shift
    {
        for count; do
            cat << TEXT
process $((200 + rank))
setting host n$rank
setting rank $rank
setting period $([[ $count == */* ]] && echo "${count#*/}" || echo 1000)
setting count ops
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
end
thread $((200 + rank))
books $((${count%/*} + 1)) $((${count%/*} + 1)) 0
repeat ${count%/*} 8 sample 2000 0x401000 0x2000000 dram LR 0 1
sample 2000 0x401000 0x2000000 dram L 0 0
end
TEXT
            rank=$((rank + 1))
        done
    } | samples "$directory"
}

@test "by process: only the rank that differs is reported" {
    # Median 102; absolute deviations 2 0 2 4 4 898: median 3, so the spread is due to chance: sqrt(102.5) = 10.1.
    ranks six 100 102 105 98 1000 103
    run -0 --separate-stderr paper --by process --top 3 six
    expect '  rank    process      samples       away  deviation host
     4        204         1000    100.0 %      +88.6 n4, 64.0 MB moved, OUTLIER
     3        203           98    100.0 %       -0.4 n3, 6.27 MB moved
     0        200          100    100.0 %       -0.2 n0, 6.40 MB moved
...
6 processes, 1 outlier; median 102 samples, spread 10.1; an outlier is more than 3.5 spreads away' "$(sed '/^$/,$d' <<< "$output")"
    grep -qx 'NODE: 0 total: 1508' <<< "$output"
    "$memphis" report --by process --format json six > six.json
    expect '[204,"4","n4",1000,1000,1000000,64000000,true]
[203,"3","n3",98,98,98000,6272000,false]' "$(jq -c '.process_table.list[:2][] |
        [.pid, .rank, .host, .count, .away, .accesses, .bytes, .outlier]' six.json)"
    [ "$(jq -c '.process_table | [.median, .outliers]' six.json)" = '[102.5,1]' ]
    [ "$("$memphis" report --format json six | jq 'has("process_table")')" = false ]
}

@test "if all ranks differ, the spread is large; a rank without samples can be an outlier" {
    ranks wide 1000 2000 3000 4000 5000
    run -0 paper --by process wide
    grep -q '^5 processes, 0 outliers; median 3000 samples, spread 1482.6;' <<< "$output"
    ranks idle 1000 1010 990 1005 0
    run -0 paper --by process idle
    grep -q '^     4        204            0      0.0 %      -31.6 n4, OUTLIER$' <<< "$output"
}

@test "cycles waited are listed by process, and are the order with --sort latency" {
    local rank

    for rank in 0 1; do
        printf '%s\n' "process $((300 + rank))" "setting host n$rank" "setting rank $rank" 'setting period 1000' 'setting hardware pebs' \
            'map 0x2000000 0x2100000 rw-p 0x0 - [heap]' 'maps 100' end "thread $((300 + rank))" "books $((40 - 10 * rank)) $((40 - 10 * rank)) 0" \
            "repeat $((40 - 10 * rank)) 8 sample 2000 0x401000 0x2000000 dram LR 0 1 0 $((300 + 600 * rank))" end
    done | samples waits
    run -0 "$memphis" report --by process --sort latency waits
    expect '     1        301           30    100.0 %          - n1, 27.0 M cycles waited, 1.92 MB moved
     0        300           40    100.0 %          - n0, 12.0 M cycles waited, 2.56 MB moved' "$(grep moved <<< "$output" | grep ' n[01],')"
    # An outlier that waits least is listed, even if it is not among the first ones.
    local count
    rank=0
    for count in 100 102 105 98 10 103; do
        printf '%s\n' "process $((400 + rank))" "setting host n$rank" "setting rank $rank" 'setting period 1000' 'setting hardware pebs' \
            'map 0x2000000 0x2100000 rw-p 0x0 - [heap]' 'maps 100' end "thread $((400 + rank))" "books $count $count 0" \
            "repeat $count 8 sample 2000 0x401000 0x2000000 dram LR 0 1 0 300" end
        rank=$((rank + 1))
    done | samples short
    run -0 "$memphis" report --by process --sort latency --top 1 short
    expect '2 402
4 404' "$(sed -nE 's/^ +([0-9]) +(40[0-9]) .*/\1 \2/p' <<< "$output")"
    grep -qx '\.\.\.' <<< "$output"
    run -0 "$memphis" report --by process --format json waits
    [ "$(jq -c '[.process_table.list[] | [.rank, .waited_cycles]]' <<< "$output")" = '[["0",12000000],["1",27000000]]' ]
}

@test "a different period is not a deviation" {
    ranks periods 1000 1000 1000 1000 2000/500
    run -0 paper --by process periods
    grep -q '^5 processes, 0 outliers;' <<< "$output"
}

@test "a few processes have no outliers; for one process or another selection, samples are still counted" {
    ranks few 10 5000 10
    run -0 paper --by process few
    [[ $output != *OUTLIER* && $output != *outliers* ]]
    grep -q '^     1        201         5000    100.0 %          - n1, 320 MB moved$' <<< "$output"
    run -0 paper --by process --process 201 --select local-dram few
    expect '     1        201            1      0.0 %          - n1, 64.0 kB moved' "$(sed -n 2p <<< "$output")"
}

@test "as CSV: the same rows as export" {
    "$memphis" report --format csv six > report.csv
    "$memphis" export --format csv --select remote-dram -o export.csv six
    cmp report.csv export.csv
    expect '1508' "$(python3 -c 'import csv, sys; print(sum(int(row["count"]) for row in csv.DictReader(open("report.csv", newline=""))))')"
}

# Three hosts, two of which assigned the same pid.
hosts()
{
    local host
    {
        for host in n1:0:200 n2:1:200 n3:2:201; do
            cat << TEXT
process ${host##*:} ${host%%:*}
setting host ${host%%:*}
setting rank ${host:3:1}
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
end
thread ${host##*:}
fact name model
books ${host:1:1} ${host:1:1} 0
repeat ${host:1:1} 8 sample 2000 0x401000 0x2000000 dram LR 0 1
end
TEXT
        done
    } | samples hosts
}

@test "a pid of several hosts is selected by host or rank, in samples and profiles" {
    hosts
    "$memphis" reduce --by thread -o hosts.mprof hosts
    for input in hosts hosts.mprof; do
        run -1 --separate-stderr "$memphis" report --full --process 200 $input
        expect 'memphis report: --process: "200" is on several hosts: rank 0 on host n1, rank 1 on host n2; give one as HOST:PID or "rank N"' "$stderr"
        for which in n2:200 'rank 1' 'rank 1 on host n2' 'process 200 on host n2'; do
            run -0 paper --process "$which" $input
            grep -q '^samples: 2 of 2 are remote-dram, ' <<< "$output"
        done
        grep -qx 'samples: 2 of 2 are remote-dram, process 200 on host n2' <<< "$output"
        run -0 paper --process 201 $input
        grep -qx 'samples: 3 of 3 are remote-dram, process 201' <<< "$output"
        run -1 --separate-stderr "$memphis" report --full --process 'rank 7' $input
        expect 'memphis report: no rank 7 in these files; memphis report --by process --select all lists them' "$stderr"
    done
    for which in x rank n1: :5 'rank -1' '1 on n2'; do
        run -2 "$memphis" report --full --process "$which" hosts
    done
    expect '[null,1,"n2"]' "$("$memphis" report --format json --process 'rank 1 on host n2' hosts |
        jq -c '.selection | [.process, .rank, .host]')"
    # JSON has the same number for a process everywhere.
    expect '[[1],[1],[1]]' "$("$memphis" report --format json --by thread --process 'rank 1' hosts |
        jq -c '[.processes, .groups, .threads] | map(map(.process) | unique)')"
}

@test "with several hosts, threads are named with their rank and host" {
    hosts
    expect 'THREAD: 200.200 model (rank 0 on host n1) total: 1
THREAD: 200.200 model (rank 1 on host n2) total: 2
THREAD: 201.201 model (rank 2 on host n3) total: 3' "$(paper --by thread hosts | grep ^THREAD)"
    expect 'rank 0 on host n1: 200.200
rank 1 on host n2: 200.200
rank 2 on host n3: 201.201' "$("$memphis" report --by thread --format csv hosts | tail -n +2 | cut -d , -f 1 | tr -d '\r')"
}

@test "ranks with equal counts are in the order of ranks" {
    for rank in 10 2 1; do
        printf 'process %s\nsetting rank %s\nmaps 100\nend\nthread %s\nbooks 1 1 0\nsample 2000 0x401000 0x2000000 dram LR 0 1\nend\n' \
            $((310 - rank)) $rank $((310 - rank))
    done | samples same
    expect '1 2 10' "$(paper --by process same | sed -n 2,4p | awk '{print $1}' | paste -sd ' ')"
}

@test "a note that applies to several processes or machines is one line" {
    local rank host

    for rank in {0..5}; do
        host=n$((rank / 2))
        cat << TEXT
process $((200 + rank))
setting host $host
setting rank $rank
setting huge_pages $([ "$rank" -lt 4 ] && echo never || echo always)
setting smt $([ "$rank" -lt 4 ] && echo 1 || echo 0)
loss $([ "$rank" -eq 1 ] && echo 'write_errors 3' || echo "names_left_out $rank")
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
$([ "$rank" -gt 2 ] || echo end)
thread $((200 + rank))
books 1 1 0
sample 2000 0x401000 0x2000000 dram LR 0 1
end
TEXT
    done | samples noted
    run -0 paper noted
    expect 'note: 3 processes (rank 3 on host n1, rank 4 on host n2, rank 5 on host n2) were killed or still run: 3 process files were not closed; the contents of their rings are missing
note: 4 processes (rank 2 on host n1, rank 3 on host n1, rank 4 on host n2, ...): 14 explicit names were not recorded
note: rank 1 on host n0: 3 files were abandoned because a write failed
note: 2 hosts (n0, n1): there were no transparent huge pages, cores had several threads; run memphis node on those hosts for advice' "$(grep '^note: ' <<< "$output")"
}
