#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the reports of two recordings of one program, as JSON: the same variables with the same shares of the samples, and the same lines.

usage: check.py REPORT REPORT HEAP    HEAP: 0 if the first one does not know allocations"""

import json
import math
import sys

SHARE_MIN = 0.05
# Chance exceeds 5.5 standard errors once in 20 million comparisons, of which a run of the suite has ten.
ERRORS_MAX = 5.5


def shares(path):
    """Of each variable of the program: samples and lines; and the number of all samples of its named lines."""
    with open(path, encoding="utf-8") as stream:
        report = json.load(stream)
    found = {}
    for node in report["nodes"]:
        for variable in node["variables"]:
            key = f'[{variable["segment"]}]:{variable["name"]}'
            count, lines = found.setdefault(key, [0, set()])
            for instruction in variable["instructions"]:
                lines.add(f'{instruction.get("file")}:{instruction.get("line")}')
            found[key][0] = count + variable["count"]
    return found


def variables(first, second, heap):
    one, two = shares(first), shares(second)
    names = ["[bss]:field", "[bss]:halo"] + (["[heap]:flux"] if heap else [])
    totals = [sum(found[name][0] for name in names) for found in (one, two)]
    failed = False
    for name in names:
        counts = [found[name][0] for found in (one, two)]
        parts = [count / total for count, total in zip(counts, totals)]
        deviation = math.sqrt(sum(part * (1 - part) / total for part, total in zip(parts, totals)))
        print(f"{name}: {counts[0]} of {totals[0]}, {counts[1]} of {totals[1]}; {abs(parts[0] - parts[1]) / deviation:.1f} standard errors")
        failed |= abs(parts[0] - parts[1]) > ERRORS_MAX * deviation or min(parts) < SHARE_MIN
        failed |= min(counts) < 100
        lines = [{line for line in found[name][1] if "program.c" in line} for found in (one, two)]
        print(f"{name}: lines {sorted(lines[0])} and {sorted(lines[1])}")
        failed |= not lines[0] or lines[0] != lines[1]
    if not heap:
        failed |= "[heap]:flux" in one
    return failed


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    return variables(sys.argv[1], sys.argv[2], sys.argv[3] != "0")


sys.exit(main())
