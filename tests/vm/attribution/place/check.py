#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the exact share of remote loads from DRAM in percent, inside calipers, of the address space with most of them.

usage: check.py TRUTH.tsv
"""

import collections
import sys

LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")
ELIGIBLE = 5 + 2 * len(LEVELS)


def main():
    spaces = collections.defaultdict(collections.Counter)
    last = None
    with open(sys.argv[1], encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] == "pc" and int(last[4], 16) < 1 << 47:
                for level in ("ldram", "rdram"):
                    spaces[last[3]][level] += int(last[ELIGIBLE + 2 * LEVELS.index(level)])
    if last != ["end"]:
        sys.exit(f"{sys.argv[1]}: does not end with `end`")
    counts = max(spaces.values(), key=lambda counts: sum(counts.values()))
    print(f"{100 * counts['rdram'] / (counts['ldram'] + counts['rdram']):.3f}")


if __name__ == "__main__":
    main()
