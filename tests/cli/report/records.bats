#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Data sources of samples of real CPUs, as perf took them. If these tests fail, the tool says something else of them than perf.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

@test "the source, flags and latency of each listed sample of real CPUs are those that perf says" {
    local cpu value weight says source

    python3 "$root/tests/records/words.py" "$root/tests/records/records" > expected
    {
        echo 'event 4 0x1cd 1000 ip,tid,time,addr,weight,data_src'
        while IFS=$'\t' read -r cpu value weight says source; do
            [[ $cpu == '#'* ]] || echo "sample 0 ip=0x400000 tid=40 time=$((++time)) addr=0x500000 weight=${weight/#-/0} data_src=$value"
        done < "$root/tests/records/records"
    } | python3 "$root/tests/cli/perfdata/recording.py" records.data
    "$memphis" dump --format json records.data | python3 -c '
import json, sys
for line in sys.stdin:
    item = json.loads(line)
    if item["what"] == "sample":
        flags = item["flags"]
        print(item["source"], flags if isinstance(flags, str) else ",".join(flags), item["latency_cycles"])' > found
    [ "$(wc -l < expected)" -ge 126 ]
    diff expected found
}

@test "ops of family 17h in a recording with registers: as many of each kind as AMD's toolkit counts" {
    local cpu capabilities data data2 data3 rest

    {
        printf '%s\n' 'cpuid AuthenticAMD,23,49,0' 'pmu 11 ibs_op' 'event 11 0 1000 ip,tid,time,addr,cpu,raw'
        while read -r cpu capabilities data data2 data3 rest; do
            [[ $cpu != '~23-49' ]] || echo "sample 0 ip=0x400000 tid=40 time=$((++time)) addr=0x500000 cpu=0" \
                "raw=$capabilities,0x40000,0x400000,$data,$data2,$data3,0x500000,0x10000000"
        done < "$root/tests/records/registers"
    } | python3 "$root/tests/cli/perfdata/recording.py" registers.data
    "$memphis" dump --format json registers.data | python3 -c '
import json, sys
for line in sys.stdin:
    item = json.loads(line)
    if item["what"] == "sample":
        flags = item["flags"]
        print(item["source"], flags if isinstance(flags, str) else ",".join(flags))' | sort | uniq -c > found
    diff - found <<'END'
    100 l1 load
      3 l1 load,l1-tlb-miss
      4 l1 load,store
      5 l2 load
     60 unknown store
      1 unknown store,l1-tlb-miss
      2 unknown store,l1-tlb-miss,l2-tlb-miss
END
    run -0 "$memphis" report --full registers.data
    grep -q 'books: 185 interrupts = 175 kept + 0 lost + 10 filtered (not-memory 3, no-address 7)' <<< "$(tr -s ' \n' '  ' <<< "$output")"
}
