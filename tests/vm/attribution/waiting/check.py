#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the estimated waiting in a report with the machine's exact counts and its configured latencies.

usage: check.py TRUTH.tsv RUN REPORT.json
RUN is the directory of the sample files. REPORT.json was made with --select loads.

The exact waiting of an instruction is the sum over levels of its eligible loads times the mean latency of the level: misses take up
to 1/8 more than configured, uniformly. A row of the report is compared if all its instructions access this variable alone on
this node, and its exact waiting is that of at least ROW_SAMPLES samples. Each interval shall contain the exact value with a
probability of 95 %; as many may fail as a binomial variable exceeds with a probability of CHANCE. None may fail at FAR times the distance from
the estimate: 5.9 standard errors, which chance exceeds once in 200 million times.
"""

import collections
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "library"))
import files  # noqa: E402  # pylint: disable=wrong-import-position

LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")
WAITS = ("l3", "peer", "rpeer", "ldram", "rdram")
ELIGIBLE = 5 + 2 * len(LEVELS)
ROW_SAMPLES = 8
CHANCE = 5e-7
FAR = 3


class Judge:
    def __init__(self):
        self.failures = 0

    def check(self, good, text):
        self.failures += not good
        print(f"{'ok' if good else 'BAD'} {text}")


def objects_of(run, program, libraries=False):
    """The executable address ranges of the program, also of its libraries on request, and its run-time address minus its link-time address."""
    ranges, bias = [], None
    for line in next(file["maps"] for file in files.load(run) if file["kind"] == "process"):
        low, high, permissions, offset, _, *path = line.split(" ")
        own = bool(path) and os.path.basename(path[0]) == program
        if own and int(offset, 16) == 0 and bias is None:
            bias = int(low, 16)
        if "x" in permissions and (own or libraries):
            ranges.append((int(low, 16), int(high, 16)))
    return ranges, bias


def allowed(n):
    """The least number of failures that more than CHANCE of all tests of n correct intervals of 95 % do not exceed."""
    left = 1.0
    for k in range(n + 1):
        left -= math.comb(n, k) * 0.05 ** k * 0.95 ** (n - k)
        if left < CHANCE:
            return k
    return n


def contains(estimate, exact, reach=1.0):
    """Whether the interval, with its ends at so many times the distance from the estimate, contains the exact value."""
    cycles = estimate["cycles"]
    return cycles - reach * (cycles - estimate["low"]) <= exact <= cycles + reach * (estimate["high"] - cycles)


def instructions(path):
    """Of each instruction on each CPU: node, address, exact waiting of its eligible loads, their number, and the address space."""
    means, last = {}, None
    with open(path, encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] == "latency":
                means = {name: int(value) + int(value) // 8 / 2 for name, value in zip(last[1::2], last[2::2])}
            if last[0] != "pc":
                continue
            counts = {level: int(last[ELIGIBLE + 2 * LEVELS.index(level)]) for level in WAITS}
            yield (int(last[2]), int(last[4], 16), sum(loads * means[level] for level, loads in counts.items()), sum(counts.values()), last[3])
    if last != ["end"]:
        sys.exit(f"{path}: does not end with `end`")


def read_truth(path, ranges, bias):
    """Exact waiting and number of loads: {(node, link-time pc): [waiting, loads]}, in the address space with the most loads."""
    spaces = collections.defaultdict(lambda: collections.defaultdict(lambda: [0.0, 0]))
    for node, pc, waiting, loads, space in instructions(path):
        if any(low <= pc < high for low, high in ranges):
            row = spaces[space][(node, pc - bias)]
            row[0] += waiting
            row[1] += loads
    return max(spaces.values(), key=lambda rows: sum(loads for _, loads in rows.values()))


def rows_of(report, program):
    """Rows of variables and of instructions: (name, node, pcs, waiting or None)."""
    for node in report["nodes"]:
        users = collections.Counter(int(i["pc"], 16) for v in node["variables"] for i in v["instructions"]
                                    if i["object"] and os.path.basename(i["object"]) == program)
        for variable in node["variables"]:
            pcs = [int(i["pc"], 16) for i in variable["instructions"]
                   if i["object"] and os.path.basename(i["object"]) == program]
            if len(pcs) == len(variable["instructions"]) and all(users[pc] == 1 for pc in pcs):
                yield variable["name"], node["node"], pcs, variable["waiting"]
            for place in variable["instructions"]:
                if int(place["pc"], 16) in pcs and users[int(place["pc"], 16)] == 1:
                    yield f"{variable['name']} {place['file']}:{place['line']}", node["node"], [int(place["pc"], 16)], place["waiting"]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program = os.path.basename(sys.argv[2])
    with open(sys.argv[3], encoding="utf-8") as stream:
        report = json.load(stream)
    truth = read_truth(sys.argv[1], *objects_of(sys.argv[2], program))
    period = int(report["processes"][0]["settings"]["period"])
    judge = Judge()
    count = {"variables": 0, "lines": 0}
    missed = {"variables": 0, "lines": 0}
    far = {"variables": 0, "lines": 0}
    for name, node, pcs, waiting in rows_of(report, program):
        exact = sum(truth[(node, pc)][0] for pc in pcs if (node, pc) in truth)
        loads = sum(truth[(node, pc)][1] for pc in pcs if (node, pc) in truth)
        if loads < ROW_SAMPLES * period or not waiting:
            continue
        kind = "lines" if " " in name else "variables"
        waited, inside = waiting["waited"], contains(waiting["waited"], exact)
        count[kind] += 1
        missed[kind] += not inside
        far[kind] += not contains(waited, exact, FAR)
        print(f"{'  ' if inside else '! '}{name}, node {node}: {exact:.0f} cycles of {loads} loads; {waited['low']:.0f} to {waited['high']:.0f}")
    for kind in count:
        judge.check(count[kind] >= 3 and missed[kind] <= allowed(count[kind]) and not far[kind],
                    f"{kind}: {missed[kind]} of {count[kind]} intervals do not contain the exact waiting, {allowed(count[kind])} may; {far[kind]} are far off")
    of_program = sum(waiting for waiting, _ in truth.values())
    waited = report["waiting"]["waited"]
    # Libraries and the C library wait besides, a little.
    judge.check(contains(waited, of_program, FAR) or contains(waited, of_program * 1.05, FAR),
                f"all: {of_program:.0f} cycles in the program; {waited['low']:.0f} to {waited['high']:.0f}")
    verdict = report["waiting"]["verdict"]
    print(f"verdict {verdict['worth']} {verdict['lpi']} {verdict['why_not']}")
    sys.exit(judge.failures != 0)


if __name__ == "__main__":
    main()
