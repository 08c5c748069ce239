#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the exact remote accesses of messages, by line of the messages, and the share of remote loads of the ranks, both in percent.

A line is moved by a load or a store of an instruction that copies messages, which is user code, or kernel code that also accesses user memory.
Instructions with few accesses move other things.

usage: check.py TRUTH.tsv LINES
"""

import collections
import sys

USER_END = 1 << 47
COLUMNS = {"load": 7, "store": 8, "eligible load": 9}


def main():
    lines = int(sys.argv[2])
    counts = collections.defaultdict(collections.Counter)
    touches_user = set()
    last = None
    with open(sys.argv[1], encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] != "page":
                continue
            pc = int(last[4], 16)
            if int(last[5], 16) < USER_END:
                touches_user.add(pc)
            for kind, column in COLUMNS.items():
                counts[pc][kind, last[2] != last[6]] += int(last[column])
    if last != ["end"]:
        sys.exit(f"{sys.argv[1]}: does not end with `end`")
    moved = sum(
        of["load", True] + of["store", True]
        for pc, of in counts.items()
        if pc in touches_user and max(of[kind, away] for kind in ("load", "store") for away in (False, True)) > lines / 10
    )
    loads = {away: sum(of["eligible load", away] for pc, of in counts.items() if pc < USER_END) for away in (False, True)}
    print(f"{100 * moved / lines:.3f} {100 * loads[True] / (loads[False] + loads[True]):.3f}")


if __name__ == "__main__":
    main()
