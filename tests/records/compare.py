#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares samples of memphis dump --format json with what perf script prints of the same recording.

usage: compare.py DUMP SCRIPT   SCRIPT: of perf script -F time,addr,data_src,ip --ns. Each sample of an access to memory in user mode is in both, with
                                        the same time, instruction, address and kind; with -F weight also the same source, flags and latency."""

import json
import re
import sys

import words

USER_LIMIT = 1 << 47
LINE = re.compile(r"\s*(\d+)\.(\d{9}):\s+([0-9a-f]+)\s+[0-9a-f]+ (\|OP .*?)\s+(?:(\d+)\s+)?([0-9a-f]+)\s*$")


def main():
    own, theirs = {}, {}
    with open(sys.argv[1], encoding="utf-8") as stream:
        for line in stream:
            item = json.loads(line)
            if item.get("what") == "sample":
                pc, address = (int(str(item[key]), 0) for key in ("pc", "address"))
                flags = item["flags"] if isinstance(item["flags"], str) else ",".join(item["flags"])
                key = (item["time_ns"], pc, address, "S" if "store" in flags and "load" not in flags else "L")
                own.setdefault(key, []).append((item["source"], flags, item["latency_cycles"]))
    with open(sys.argv[2], encoding="utf-8") as stream:
        for line in stream:
            found = LINE.match(line)
            if not found or found[4].split("|")[1] not in ("OP LOAD", "OP STORE"):
                continue
            address, ip = int(found[3], 16), int(found[6], 16)
            if 0 < address < USER_LIMIT and ip < USER_LIMIT:
                key = (int(found[1]) * 10**9 + int(found[2]), ip, address, found[4][4])
                theirs.setdefault(key, []).append(words.sample(found[4], int(found[5])) if found[5] else None)
    print(f"{sum(map(len, own.values()))} samples, {sum(map(len, theirs.values()))} by perf script")
    differ = [key for key in {**own, **theirs} if len(own.get(key, [])) != len(theirs.get(key, []))
              or None not in theirs[key] and sorted(own[key]) != sorted(theirs[key])]
    for key in sorted(differ)[:5]:
        print(key, own.get(key), "perf:", theirs.get(key))
    return differ != []


sys.exit(main())
