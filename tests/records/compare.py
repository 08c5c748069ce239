#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares samples of memphis dump --format json with what perf script prints of the same recording.

usage: compare.py DUMP SCRIPT   SCRIPT: of perf script -F time,addr,data_src,ip --ns. Each sample of an access to memory in user mode is in both, with
                                        the same time, instruction, address and kind."""

import json
import re
import sys

USER_LIMIT = 1 << 47


def main():
    own, theirs = [], []
    with open(sys.argv[1], encoding="utf-8") as stream:
        for line in stream:
            item = json.loads(line)
            if item.get("what") == "sample":
                pc, address = (int(str(item[key]), 0) for key in ("pc", "address"))
                own.append((item["time_ns"], pc, address, "S" if "store" in str(item["flags"]) and "load" not in str(item["flags"]) else "L"))
    with open(sys.argv[2], encoding="utf-8") as stream:
        for line in stream:
            found = re.match(r"\s*(\d+)\.(\d{9}):\s+([0-9a-f]+)\s+[0-9a-f]+ \|OP (\w+).*?\s([0-9a-f]+)\s*$", line)
            if not found or found[4] not in ("LOAD", "STORE"):
                continue
            address, ip = int(found[3], 16), int(found[5], 16)
            if 0 < address < USER_LIMIT and ip < USER_LIMIT:
                theirs.append((int(found[1]) * 10**9 + int(found[2]), ip, address, found[4][0]))
    print(f"{len(own)} samples, {len(theirs)} by perf script")
    for item in sorted(set(own) ^ set(theirs))[:5]:
        print(item, "only by memphis" if item in own else "only by perf")
    return sorted(own) != sorted(theirs)


sys.exit(main())
