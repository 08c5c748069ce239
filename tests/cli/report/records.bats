#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Data sources of samples of real CPUs, as perf took them. If these tests fail, the tool says something else of them than perf.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

@test "the source, flags and latency of each listed sample of real CPUs are those that perf says" {
    local cpu value weight says source

    # The level, the words for another node, modified lines and locks, and misses of the TLB, as perf prints them.
    python3 - "$root/tests/records/records" > expected <<'PY'
import sys
LEVELS = {"L1": "l1", "LFB/MAB": "fill-buffer", "L2": "l2", "L3": "l3", "RAM": "dram", "Local": "dram", "Remote": "dram", "Any": "peer-cache"}
for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith("#"):
        continue
    _, _, weight, says, _ = line.rstrip("\n").split("\t")
    parts = dict(part.split(" ", 1) for part in says.strip("|").split("|"))
    flags = ["load"] + (["remote"] if "Remote" in parts["LVL"] else []) + (["hitm"] if parts["SNP"] == "HitM" else [])
    flags += (["locked"] if parts["LCK"] == "Yes" else []) + (["l1-tlb-miss", "l2-tlb-miss"] if parts["TLB"] == "L2 miss" else [])
    print(LEVELS[parts["LVL"].split()[0]], ",".join(flags), weight)
PY
    {
        echo 'event 4 0x1cd 1000 ip,tid,time,addr,weight,data_src'
        while IFS=$'\t' read -r cpu value weight says source; do
            [[ $cpu == '#'* ]] || echo "sample 0 ip=0x400000 tid=40 time=$((++time)) addr=0x500000 weight=$weight data_src=$value"
        done < "$root/tests/records/records"
    } | python3 "$root/tests/cli/perfdata/recording.py" records.data
    "$memphis" dump --format json records.data | python3 -c '
import json, sys
for line in sys.stdin:
    item = json.loads(line)
    if item["what"] == "sample":
        flags = item["flags"]
        print(item["source"], flags if isinstance(flags, str) else ",".join(flags), item["latency_cycles"])' > found
    [ "$(wc -l < expected)" -ge 44 ]
    diff expected found
}
