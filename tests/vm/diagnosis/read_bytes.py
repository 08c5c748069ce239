#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the bytes that the loads of a function read of each cache line that they fetched, and the number of these lines, from exact counts.

usage: read_bytes.py TRUTH.tsv PROGRAM FUNCTION BYTES-OF-A-LOAD
"""

import subprocess
import sys

FIRST = 5  # the column of the first level's loads; stores and loads alternate
LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")

truth, program, function, size = sys.argv[1:]
symbols = [line.split() for line in subprocess.check_output(["nm", "-S", program], text=True).splitlines()]
low, length = next((int(row[0], 16), int(row[1], 16)) for row in symbols if row[-1] == function)
loads = dict.fromkeys(LEVELS, 0)
with open(truth, encoding="ascii") as lines:
    for fields in (line.split("\t") for line in lines):
        if fields[0] == "pc" and low <= int(fields[4], 16) < low + length:
            for number, level in enumerate(LEVELS):
                loads[level] += int(fields[FIRST + 2 * number])
fetched = loads["l3"] + loads["ldram"] + loads["rdram"]
print(int(size) * sum(loads.values()) / fetched, fetched)
