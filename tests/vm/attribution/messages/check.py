#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the exact remote accesses of messages, by line of the messages, and the share of remote loads from DRAM, both in percent.

A line is moved by a load or a store of an instruction that copies messages, which accesses many lines of user memory: of the program, or of the
kernel. The second share is that of user code while it was sampled. Programs that are not sampled are left out. The kernel's instructions have one row for all processes, of
which the others copy little.

usage: check.py TRUTH.tsv LINES
"""

import collections
import sys

USER_END = 1 << 47
KERNEL = "0x0"  # its address space
RPEER = 13  # of `pc`: loads of lines that another node's cache had modified; their stores follow


class Instruction:
    """Counts of an instruction: loads and stores served by DRAM, by whether it was another node's."""

    def __init__(self):
        self.loads = [0, 0]
        self.stores = [0, 0]
        self.eligible_loads = [0, 0]
        self.modified = 0
        self.of_users = 0


def sampled(space):
    """Loads from DRAM by user code that could be sampled: local, remote."""
    return [sum(of.eligible_loads[away] for pc, of in space.items() if pc < USER_END) for away in (0, 1)]


def main():
    lines = int(sys.argv[2])
    spaces = collections.defaultdict(lambda: collections.defaultdict(Instruction))
    last = None
    with open(sys.argv[1], encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] == "pc":
                modified = int(last[RPEER]) + int(last[RPEER + 1])
                if modified:
                    spaces[last[3]][int(last[4], 16)].modified += modified
            elif last[0] == "page":
                instruction = spaces[last[3]][int(last[4], 16)]
                away = last[2] != last[6]
                instruction.loads[away] += int(last[7])
                instruction.stores[away] += int(last[8])
                instruction.eligible_loads[away] += int(last[9])
                if int(last[5], 16) < USER_END:
                    instruction.of_users += int(last[7]) + int(last[8])
    if last != ["end"]:
        sys.exit(f"{sys.argv[1]}: does not end with `end`")
    ranks = [of for of in spaces.values() if sampled(of)[0] or sampled(of)[1]]
    moved = sum(of.loads[1] + of.stores[1] + of.modified for space in [*ranks, spaces[KERNEL]] for of in space.values() if of.of_users > lines / len(ranks) / 2)
    loads = [sum(sampled(rank)[away] for rank in ranks) for away in (0, 1)]
    print(f"{100 * moved / lines:.3f} {100 * loads[1] / sum(loads):.3f}")


if __name__ == "__main__":
    main()
