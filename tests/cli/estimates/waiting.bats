#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How long threads wait for data, what local memory would save, and whether it is worth it. If these tests fail, a reader spends time on
# what costs none, or misses what does.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# process HARDWARE PERIOD [SETTING]...: prints the begin of a process.
process()
{
    printf 'process 100\nsetting command ./model\nsetting hardware %s\nsetting period %s\nsetting count ops\n' "$1" "$2"
    shift 2
    [ $# -eq 0 ] || printf 'setting %s\n' "$@"
    cat << 'TEXT'
node 0 1073741824 0-1 10,21
node 1 1073741824 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
malloc 1002 0x1010000 65536 0
name 1003 0x1010000 65536 ty
TEXT
}

# With IBS and a period of 10064, each sample stands for at most 10064 - 63.5 loads, and at least for 512 less (docs/hardware.md): the middle is
# 9744, and the ends of intervals are multiplied by 9488.5 / 9744 and 10000.5 / 9744.
# Remote DRAM: tx 40 x 300 and 40 x 320, ty 20 x 500; local DRAM 20 x 100; L3 10 x 40; stores, L1 and L2 hits do not wait.
loads()
{
    cat << 'TEXT'
repeat 40 64 sample 2000 0x401000 0x1000000 dram LR 0 1 0 300
repeat 40 64 sample 2001 0x401000 0x1000000 dram LR 0 1 0 320
repeat 20 64 sample 2002 0x401008 0x1010000 dram LR 0 1 0 500
repeat 20 64 sample 2003 0x401010 0x1000000 dram L 0 0 0 100
repeat 10 64 sample 2004 0x401018 0x1000000 l3 L 0 0 0 40
repeat 30 64 sample 2005 0x401020 0x1000000 l2 L 0 0 0 14
repeat 30 64 sample 2006 0x401028 0x1000000 l1 L 0 0 0 0
repeat 10 64 sample 2007 0x401030 0x1000000 unknown S 0 1 0 0
end
TEXT
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    # 200 samples of 100200 interrupts, of which 200 in the kernel: 100000 ops of the program.
    { process ibs 10064; echo 'books 100200 200 0 1=200 2=99800'; loads; } | samples ibs
    { process pebs 1000 'min_latency 30'; echo 'books 200 200 0'; loads; } | samples pebs
    # Half of the samples were lost.
    { process ibs 10064 'drop stores,local'; echo 'books 100000 200 200 2=99600'; loads; } | samples lost
    { process ibs 10064 'min_latency 30'; echo 'books 10000000 200 0 2=9999800'; loads; } | samples fast
    { process ibs 10064; echo 'books 340200 200 0 2=340000'; loads; } | samples between
    { process ibs 10064; echo 'books 3400200 200 0 2=3400000'; loads; } | samples idle
}

# json FILTER OPTION...: prints what the filter finds in the report.
json()
{
    local filter=$1

    shift
    "$memphis" report --format json "$@" | jq -c "$filter"
}

@test "the head has all waiting, what local memory would save, and the verdict" {
    run -0 "$memphis" report --full ibs
    # 10000.5 x (12000 + 12800 + 10000 + 2000 + 400) = 37.2 M; 10000.5 x (34800 - 100 x 100) = 248.0 M; 34800 / 100000.
    expect 'waiting:     362 M cycles (95 % CI 289 M to 451 M) beyond the L2: remote-dram 93.5 %, local-dram
             5.4 %, l3 1.1 %
could gain:  at most 242 M cycles (95 % CI 190 M to 307 M) if remote DRAM were local
verdict:     placing memory better is worth it: 0.348 cycles of remote latency per op (95 % CI 0.282
             to 0.427), above the limit of 0.1' "$(sed -n '/^waiting: /,/^$/p' <<< "$output" | sed '/^$/,$d')"
}

# With what it is a share of; `unequal` has a thread whose cycles were not counted.
@test "what local memory would save is a share of the cycles in calipers, if these were counted" {
    local times=(1500000000 0)

    for run in counted unequal; do
        {
            process ibs 10064 | sed 's/^maps/region 1 0 TimeLoop\nregion 2 1 Halo\n&/'
            printf '%s\n' 'time 1 1 800000000 800000000 1200000000 9000000' 'time 2 9 100000000 0 300000000 1000000' 'books 100200 200 0 1=200 2=99800'
            loads
            printf '%s\n' 'thread 101' "time 1 1 900000000 900000000 ${times[0]} ${times[0]}" end
        } | samples "$run"
        times=("${times[@]:1}")
    done
    run -0 "$memphis" report --full counted
    expect "could gain:  at most 242 M cycles (95 % CI 190 M to 307 M) if remote DRAM were local: 8.1 % of the
             threads' cycles in calipers (6.3 to 10.2)" "$(sed -n '/^could gain: /,/^verdict: /p' <<< "$output" | sed '/^verdict: /d')"
    expect 3000000000 "$(json .waiting.cycles_in_calipers counted)"
    expect 300000000 "$(json .waiting.cycles_in_calipers --region Halo counted)"
    run -0 "$memphis" report --full unequal
    expect 'could gain:  at most 242 M cycles (95 % CI 190 M to 307 M) if remote DRAM were local' "$(grep '^could gain: ' <<< "$output")"
    expect null "$(json .waiting.cycles_in_calipers unequal)"
    # A worker waits while the caliper of another thread is open.
    {
        process ibs 10064 | sed 's/^maps/region 1 0 TimeLoop\n&/'
        printf '%s\n' 'time 1 1 800000000 800000000 1200000000 9000000' 'books 100200 200 0 1=200 2=99800'
        loads
        printf '%s\n' 'thread 101' 'repeat 1 8 sample 2001 0x401000 0x1000000 dram L 0 0 0 100' 'books 1 1 0' end
    } | samples worker
    expect null "$(json .waiting.cycles_in_calipers worker)"
    # Times are not those of one node.
    expect null "$(json .waiting.cycles_in_calipers --node 0 counted)"
}

@test "the share of remote DRAM is that of the selected processes, region or node" {
    {
        process ibs 10064 | sed 's/^maps/region 1 0 TimeLoop\n&/'
        printf '%s\n' 'repeat 30 64 sample 2000 0x401000 0x1000000 dram LR 0 1 1 300' 'repeat 10 64 sample 2001 0x401000 0x1000000 dram L 0 0 1 100' \
            'repeat 60 64 sample 2002 0x401000 0x1000000 dram L 1 1 0 100' 'books 100 100 0' end
        process ibs 10064 | sed 's/^\(process\|thread\) 100/\1 200/'
        printf '%s\n' 'repeat 20 64 sample 2000 0x401000 0x1000000 dram LR 0 1 0 300' 'books 20 20 0' end
    } | samples parts
    head_of()
    {
        "$memphis" report --full "$@" parts | sed -n 's/^remote DRAM: *//p'
    }
    expect '41.7 % of the loads from DRAM (95 % CI 33.2 to 50.6; 50 of 120), 41.7 % of the samples' "$(head_of)"
    expect '30.0 % of the loads from DRAM (95 % CI 21.9 to 39.6; 30 of 100), 30.0 % of the samples' "$(head_of --process 100)"
    expect '75.0 % of the loads from DRAM (95 % CI 59.8 to 85.8; 30 of 40)' "$(head_of --region TimeLoop)"
    expect '0.0 % of the loads from DRAM (95 % CI 0.0 to 6.0; 0 of 60)' "$(head_of --node 1)"
}

# The other thread makes as many ops again, or 63 of them do, without any load from memory.
@test "the verdict names the thread with most of the latency, also if others that spin hide it" {
    local count tid

    for count in 1 63; do
        {
            process ibs 10064
            echo 'books 100200 200 0 1=200 2=99800'
            loads
            for ((tid = 101; tid <= 100 + count; tid++)); do
                printf '%s\n' "thread $tid" 'books 100000 0 0 2=100000' end
            done
        } | samples "spin$count"
    done
    # 34800 / 200000, and 34800 / 6400000, but 34800 / 100000 for the thread.
    run -0 "$memphis" report --full spin1
    expect 'verdict:     placing memory better is worth it: 0.174 cycles of remote latency per op (95 % CI 0.141
             to 0.213), above the limit of 0.1; thread 100 has 100 % of them' "$(sed -n '/^verdict: /,/^$/p' <<< "$output" | sed '/^$/d')"
    run -0 "$memphis" report --full spin63
    expect 'verdict:     placing memory better is not worth it: 0.00544 cycles of remote latency per op (95 % CI
             0.00440 to 0.00667), below the limit of 0.1; but it is if the others wait for thread
             100, which has 100 % of them, 0.348 cycles of remote latency per op (95 % CI 0.282 to
             0.427)' "$(sed -n '/^verdict: /,/^$/p' <<< "$output" | sed '/^$/d')"
    expect '{"tid":100,"share":1,"worth":"yes"}' "$(json '.waiting.verdict.most | {tid, share, worth}' spin63)"
    expect null "$(json .waiting.verdict.most ibs)"
}

# two NAME FIRST SECOND: samples of two threads with these numbers of remote loads.
two()
{
    {
        process ibs 10064
        printf '%s\n' "books 100000 $2 0 2=$((100000 - $2))" "repeat $2 64 sample 2000 0x401000 0x1000000 dram LR 0 1 0 300" end \
            'thread 101' "books 100000 $3 0 2=$((100000 - $3))" "repeat $3 64 sample 2000 0x401000 0x1000000 dram LR 0 1 0 300" end
    } | samples "$1"
    "$memphis" report --full "$1" | sed -n 's/.*\(; thread .*\)/\1/p'
}

@test "a thread is named if it has twice the latency of the others, by 20 loads or more" {
    expect '' "$(two even 79 40)"
    [ "$(json .waiting.verdict.most.named even)" = false ]
    expect '; thread 100 has 67 % of them' "$(two most 80 40)"
    [ "$(json .waiting.verdict.most.named most)" = true ]
    expect '' "$(two few 19 9)"
}

@test "if placing memory is not worth it, too few samples for a finding are enough" {
    { process ibs 10064; printf 'books 10000000 9 0 2=9999991\nrepeat 9 64 sample 2000 0x401000 0x1000000 dram LR 0 1 0 300\nend\n'; } | samples fine
    run -0 "$memphis" report fine
    expect 'No findings: too few samples, a finding needs 20 of one variable, and no variable has more than 9;
    by the verdict, none is needed' "$(sed -n '/^No findings/,/^$/p' <<< "$output")"
}

@test "tables show the waiting of variables, lines, pairs of nodes and sources" {
    run -0 "$memphis" report --full ibs
    expect "$(cat <<'TEXT'
NODE 0: 100 samples, 100.0 % of those selected
  samples    share   waited  variable, below it its instructions  code      addresses
       80   80.0 %    242 M  [heap]:tx                                      0x1000000-0x10009c0
       80   80.0 %    242 M    ?                                  0x401000  0x1000000-0x10009c0
       20   20.0 %   97.4 M  [heap]:ty                                      0x1010000-0x10104c0
       20   20.0 %   97.4 M    ?                                  0x401008  0x1010000-0x10104c0

ACCESSES BETWEEN NODES
  samples    share          95 % CI    accesses     moved   waited    from  memory of
      100  100.0 %    96.3 to 100.0       974 k   62.4 MB    339 M       0       1

WAITING BEYOND THE L2
  samples     mean    cycles              95 % CI    share  data from
       10       40    3.90 M     1.82 M to 7.36 M    1.1 %  l3
       20      100    19.5 M     11.6 M to 30.9 M    5.4 %  local-dram
      100      348     339 M       267 M to 427 M   93.5 %  remote-dram
TEXT
)" "$(sed -n '/^NODE/,/^ACCOUNTING/p' <<< "$output" | sed '/^ACCOUNTING/d' | sed '$d')"
}

@test "sorted by latency, tables also show what local memory would save" {
    run -0 "$memphis" report --sort latency ibs
    # 10000.5 x (24800 - 80 x 100), and 10000.5 x (10000 - 20 x 100)
    grep -Eq '^ +80 +80\.0 % +242 M +164 M +24800 +310 +320  \[heap\]:tx' <<< "$output"
    grep -Eq '^ +20 +20\.0 % +97\.4 M +78\.0 M +10000 +500 +500  \[heap\]:ty' <<< "$output"
}

@test "one line says what the estimate contains: the hardware's latency, filters, lost samples" {
    run -0 "$memphis" report --full ibs
    grep -Fq 'waiting: latencies from the miss in the L1 to the data (IBS) of sampled loads beyond the L2' <<< "$output"
    run -0 json .waiting.contains lost
    [[ $output = *'loads from the L1 and L2, accesses that the filter drops, lost samples (50 % of those that passed the filters); '* ]]
    run -0 json .waiting.contains pebs
    [[ $output = *'from dispatch to the data (PEBS)'*'loads that the CPU did not pick for this event'*'loads faster than the least latency; '* ]]
}

@test "JSON has the estimates of rows by source, of threads and of pairs of nodes" {
    run -0 json '.nodes[0].variables[] | [.name, (.waiting.waited.cycles, .waiting.gain.cycles | round)], (.waiting.sources[] | [.source, .samples, .latency_cycles])' ibs
    expect '["tx",241651200,163699200]
["remote-dram",80,24800]
["ty",97440000,77952000]
["remote-dram",20,10000]' "$output"
    run -0 json '.waiting | [(.waited.cycles | round), .why_not], [.sources[].source], (.threads[] | [.tid, (.waited.cycles | round)]), (.pairs[] | [.node, .home, (.waited.cycles | round)])' ibs
    expect '[362476800,null]
["l3","local-dram","remote-dram"]
[100,362476800]
[0,0,23385600]
[0,1,339091200]' "$output"
    # All kinds are told apart if all are selected.
    run -0 json '.nodes[0].variables[0] | [.name, .count], (.waiting.sources[] | [.source, .samples])' --select all ibs
    expect '["tx",180]
["l3",10]
["local-dram",20]
["remote-dram",80]' "$output"
    # A row without waiting
    run -0 json '.nodes[0].variables[0].waiting' --select stores ibs
    [ "$output" = null ]
}

@test "CSV has waiting and gain with their intervals" {
    run -0 "$memphis" report --format csv ibs
    expect 'waited_cycles,waited_low,waited_high,gain_cycles,gain_low,gain_high,type,member,waited_share,shown,declared' "$(head -1 <<< "$output" | cut -d, -f21- | tr -d '\r')"
    [[ "$(sed -n 2p <<< "$output")" = *,241651200,* ]]
}

@test "findings show what a fix could save, and the one that saves most is first" {
    run -0 "$memphis" report --full ibs
    grep -Eq '^   gain:     at most 164 M cycles \(95 % CI [0-9.]+ M to [0-9.]+ M\), 45\.2 % of all waiting$' <<< "$output"
    run -0 json '.findings[] | [.variable, (.gain.cycles | round)]' ibs
    [ "$(head -1 <<< "$output")" = '["tx",163699200]' ]
}

@test "a finding with fewer samples that cost more precedes one with more samples" {
    {
        process ibs 10064
        echo 'books 100000 100 0 2=99900'
        cat << 'TEXT'
repeat 40 64 sample 2000 0x401000 0x1000000 dram LR 0 1 0 150
repeat 30 64 sample 2002 0x401008 0x1010000 dram LR 0 1 0 500
repeat 30 64 sample 2003 0x401010 0x1000000 dram L 1 1 0 100
end
TEXT
    } | samples costly
    run -0 json '[.findings[] | [.variable, .samples]]' costly
    [ "$output" = '[["ty",30],["tx",40]]' ]
}

@test "the verdict: worth it, not worth it, undecided, and not given" {
    run -0 json '.waiting.verdict | [.worth, .lpi]' ibs
    [ "$output" = '["yes",0.348]' ]
    run -0 json '.waiting.verdict | [.worth, (.lpi * 1000 | round)]' idle
    [ "$output" = '["no",10]' ]
    run -0 json '.waiting.verdict | [.worth, (.lpi * 1000 | round)]' between
    [ "$output" = '["undecided",102]' ]
    # Remote loads that are faster than the least latency are not known: there is no upper limit.
    run -0 json '.waiting.verdict | [.worth, .lpi_high]' fast
    [ "$output" = '["undecided",null]' ]
    run -0 json '.waiting.verdict | [.worth, .why_not, .lpi]' pebs
    [ "$output" = '[null,"these samples do not count instructions",null]' ]
    run -0 json '.waiting.verdict | [.worth, .why_not]' --node 0 ibs
    [ "$output" = '[null,"instructions of a region or node are not counted apart"]' ]
}

@test "lost samples count as many cycles as those that were kept" {
    # 100000 ops; 2 x 348 cycles for each 1000
    run -0 json '.waiting | .lost_share, (.verdict.lpi * 1000 | round)' lost
    expect '0.5
696' "$output"
}

@test "without latencies, without samples and with a period of cycles, nothing is estimated, and the report says why" {
    {
        process pebs 100 'event remote-dram'
        printf 'books 4 4 0\nrepeat 4 8 sample 2000 0x401000 0x1000000 dram LRB 0 1\nend\n'
    } | samples by-source
    run -0 "$memphis" report --full by-source
    grep -Fxq 'waiting:     not estimated: the sampled loads have no latency' <<< "$output"
    [[ $output != *waited* ]]
    [[ $output != *verdict:* ]]
    run -0 json '.waiting | .waited.cycles, .gain, .contains' by-source
    expect '0
null
null' "$output"
    { process ibs 10064; printf 'books 9 0 0 2=9\nend\n'; } | samples none
    run -0 "$memphis" report --full none
    grep -Fxq 'waiting:     not estimated: no load from beyond the L2 was sampled' <<< "$output"
    { process ibs 10064 'backend none'; printf 'books 0 0 0\nend\n'; } | samples without
    run -0 "$memphis" report --full without
    grep -Fxq 'waiting:     not estimated: this run took no samples (--backend none)' <<< "$output"
    { process ibs 10064 'count cycles'; echo 'books 200 200 0'; loads; } | sed '/^setting count ops/d' | samples cycles
    run -0 "$memphis" report --full cycles
    grep -Fxq 'waiting:     not estimated: the period counts cycles, so that the number of loads is not known' <<< "$output"
}

@test "latency of data in caches of other nodes is no reason to place memory" {
    # 100 of 120 remote loads are served by caches, and take 40000 of 43000 cycles.
    {
        process ibs 10064
        printf '%s\n' 'books 10160 160 0 2=10000' 'repeat 100 64 sample 2000 0x401000 0x1000000 peer-cache LR 0 1 0 400' \
            'repeat 40 64 sample 2001 0x401000 0x1000000 dram L 0 0 0 200' 'repeat 20 64 sample 2002 0x401000 0x1000000 dram LR 0 1 0 150' end
    } | samples shared
    run -0 "$memphis" report --full shared
    expect 'could gain:  at most 0 cycles (95 % CI 0 to 9.36 M) if remote DRAM were local
verdict:     sharing less data between nodes is worth it, more than placing memory: 4.23 cycles of
             remote latency per op (95 % CI 3.49 to 5.09), above the limit of 0.1; 93 % of them for
             data in caches of other nodes' "$(sed -n '/^could gain: /,/^$/p' <<< "$output" | sed '/^$/,$d')"
    run -0 json '.waiting.verdict | [.worth, (.remote_cache_share * 1000 | round)]' shared
    expect '["yes",930]' "$output"
    run -0 json '.waiting.verdict.remote_cache_share' ibs
    expect 0 "$output"
}

@test "with fewer than 10 loads from local memory, the gain is not known" {
    few | samples few
    run -0 json '.waiting.gain, .waiting.local_latency, .findings[0].gain' few
    expect 'null
null
null' "$output"
    run -0 "$memphis" report --full few
    expect 'could gain:  not known: fewer than 10 loads from local DRAM were sampled; memphis node --measure
             measures their latency (--node-baseline)' "$(sed -n '/^could gain: /,/^verdict: /p' <<< "$output" | sed '/^verdict: /d')"
}

# few: prints samples with 9 loads from local memory.
few()
{
    { process ibs 10064 'host amber'; echo 'books 189 189 0'; loads; } | sed 's/^repeat 20 64 sample 2003/repeat 9 64 sample 2003/'
}

# measured LINE...: prints a file of memphis node --measure --save, in which local memory takes two fifths less than remote memory.
measured()
{
    printf '%s\n' 'memphis-node 1' 'host amber' 'class one of many' 'huge_pages yes' 'nodes 0 1' 'latency_ns 0 0 90' "$@"
}

@test "with few loads from local memory, the gain follows from latencies that memphis node measured, and the report says so" {
    few | samples measured
    measured 'latency_ns 0 1 150' > amber.node
    # Two fifths of the waiting for remote DRAM: 40 x 300, 40 x 320, 20 x 500 cycles, times 9744
    run -0 json '.waiting | (.gain.cycles | round), .local_latency, (.sources[] | select(.source == "remote-dram").waited.cycles * 0.4 | round)' \
        --node-baseline amber.node measured
    expect '135636480
"measured"
135636480' "$output"
    run -0 json '.findings[0] | [.variable, (.gain.cycles | round)]' --node-baseline amber.node measured
    expect '["tx",96660480]' "$output"
    run -0 "$memphis" report --full --node-baseline amber.node measured
    grep -Eq '^could gain:  at most 136 M cycles \(95 % CI [0-9.]+ M to [0-9.]+ M\) if remote DRAM were local, by the$' <<< "$output"
    grep -Fq 'latencies that memphis node measured on amber' <<< "$output"
    tr -s '\n ' ' ' <<< "$output" | grep -Fq 'the gain of 100 % of the samples of remote DRAM is their latency times the part that local memory takes less, as measured on amber (amber.node) without other load'
    # A file in the directory of the samples is found; it does not weight samples with latencies.
    mv amber.node measured
    run -0 json '.waiting.local_latency, .nodes[0].variables[0].estimated_weight' measured
    expect '"measured"
null' "$output"
}

@test "measured latencies are not used where local loads were sampled, nor for pairs of nodes without a measurement" {
    measured 'latency_ns 0 1 150' > amber.node
    run -0 json '.waiting | (.gain.cycles | round), .local_latency' ibs
    local sampled=$output
    run -0 json '.waiting | (.gain.cycles | round), .local_latency' --node-baseline amber.node ibs
    expect "$sampled" "$output"
    [ "${lines[1]}" = '"sampled"' ]
    few | samples pair
    measured 'latency_ns 1 0 150' > other.node
    run -0 json '.waiting.gain, .waiting.local_latency' --node-baseline other.node pair
    expect 'null
null' "$output"
    run -0 "$memphis" report --full --node-baseline other.node pair
    tr -s '\n ' ' ' <<< "$output" | grep -Fq 'fewer than 10 loads from local DRAM were sampled, and the latency between these nodes was not measured'
}

@test "saved profiles have the same estimates, of any kind of samples, also if they were reduced for one kind" {
    local select

    "$memphis" reduce -o all.mprof ibs
    "$memphis" reduce --select remote-dram -o remote.mprof ibs
    for select in remote-dram dram all; do
        json '.waiting, [.nodes[].variables[].waiting]' --select "$select" ibs > direct
        json '.waiting, [.nodes[].variables[].waiting]' --select "$select" all.mprof > saved
        diff direct saved
    done
    diff <(json .waiting ibs) <(json .waiting remote.mprof)
}

@test "latencies of a leading variable have bins by source, with the peaks of local and of remote memory" {
    run -0 json '.heatmaps[0] | .name, (.latencies[] | [.source, .low, .below, .count, .cycles, .peak])' ibs
    expect '"tx"
["l3",40,48,10,400,false]
["local-dram",96,112,20,2000,true]
["remote-dram",256,320,40,12000,true]
["remote-dram",320,384,40,12800,false]' "$output"
}
