#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a sample has to be, by the words that perf script prints of its data source. docs/hardware.md says where both differ.

usage: words.py RECORDS     prints source, flags and latency of each line of RECORDS (tests/records/records)"""

import sys

LEVELS = {"L1": "l1", "LFB/MAB": "fill-buffer", "L2": "l2", "L3": "l3", "RAM": "dram", "Local": "dram", "Remote": "dram", "Any": "peer-cache"}
TLB = {"L2 miss": ["l1-tlb-miss", "l2-tlb-miss"], "L2 hit": ["l1-tlb-miss"]}


def sample(words, weight):
    """Source, flags and latency of a sample; words: |OP LOAD|LVL L1 hit|SNP None|..."""
    parts = dict(part.split(" ", 1) for part in words.strip("|").split("|"))
    level = parts["LVL"]
    load = parts["OP"] == "LOAD"
    flags = [parts["OP"].lower()] + (["remote"] if level.startswith("Remote") else []) + (["hitm"] if parts.get("SNP") == "HitM" else [])
    flags += (["locked"] if parts.get("LCK") == "Yes" else []) + TLB.get(parts.get("TLB"), [])
    return LEVELS[level.split()[0]] if load else "unknown", ",".join(flags), weight if load else 0


def main():
    with open(sys.argv[1], encoding="utf-8") as records:
        for line in records:
            if not line.startswith("#"):
                _, _, weight, words, _ = line.split("\t")
                print(*sample(words, 0 if weight == "-" else int(weight)))


if __name__ == "__main__":
    main()
