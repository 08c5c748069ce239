#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts how often the intervals of estimated waiting contain the exact waiting, over many runs.

usage: coverage.py HARDWARE MEMPHIS BINARIES ROUND...
HARDWARE is ibs or pebs. Each ROUND is a directory of runs, one of each workload, and ROUND.tsv has the machine's exact counts for it. MEMPHIS
is the tool, BINARIES the directory of the programs.

A row is a workload as a whole, or one of its variables on one node. A variable is compared if its exact waiting is that of at least
ROW_SAMPLES samples in all runs, and its instructions access nothing else. An interval shall contain the exact value with a
probability of at least 95 %. Of n runs of a row, as many may fail as a binomial variable of 5 % exceeds with a probability of CHANCE, and so
for all workloads together. Prints a table and the share of runs of whole workloads in which the interval contains the exact value.
"""

import bisect
import collections
import json
import os
import subprocess
import sys

import check

ROW_SAMPLES = 12
MAIN_SHARE = 0.1


class Row:
    """The runs of one row: how many, in how many the interval contains the exact value, and sums of estimate / exact and width / exact."""

    def __init__(self):
        self.runs = self.hits = self.least = 0
        self.value = self.width = 0.0

    def add(self, exact, waited, samples):
        self.least = min(self.least, samples) if self.runs else samples
        self.runs += 1
        self.hits += waited["low"] <= exact <= waited["high"]
        self.value += waited["cycles"] / exact
        self.width += (waited["high"] - waited["low"]) / exact

    def is_good(self):
        return self.runs - self.hits <= check.allowed(self.runs)

    def text(self):
        return (f"{self.hits:5} of {self.runs:3}   {self.value / self.runs:8.3f} {self.width / self.runs:8.2f} {self.least:8.0f}"
                f"{'' if self.hits >= 0.95 * self.runs else '   below 95 %' if self.is_good() else '   BAD'}")


class Run:
    """The exact waiting of one run, by instruction, and as a whole."""

    def __init__(self, path, program):
        self.path, self.program = path, program
        self.ranges, self.bias = check.objects_of(path, self.program, True)
        self.by_pc = collections.defaultdict(lambda: [0.0, 0])
        self.waiting, self.loads = 0.0, 0

    def add(self, node, pc, waiting, loads):
        row = self.by_pc[(node, pc - self.bias)]
        row[0] += waiting
        row[1] += loads
        self.waiting += waiting
        self.loads += loads


def read_truth(path, runs):
    """Distributes the machine's counts to the runs. Address spaces are used again, and executable ranges of processes are not."""
    places = sorted((low, high, run) for run in runs for low, high in run.ranges)
    lows = [low for low, _, _ in places]
    for node, pc, waiting, loads, _ in check.instructions(path):
        found = bisect.bisect(lows, pc) - 1
        if found >= 0 and pc < places[found][1]:
            places[found][2].add(node, pc, waiting, loads)


def report_of(memphis, binaries, run):
    answer = subprocess.run([memphis, "report", "--select", "loads", "--binaries", binaries, "--format", "json", run.path],
                            stdout=subprocess.PIPE, check=True)
    return json.loads(answer.stdout)


def compare(run, report, rows):
    period = int(report["processes"][0]["settings"]["period"])
    name = os.path.basename(run.path)
    rows[(name, "", 0)].add(run.waiting, report["waiting"]["waited"], run.loads / period)
    for variable, node, pcs, waiting in check.rows_of(report, run.program):
        exact = sum(run.by_pc[(node, pc)][0] for pc in pcs)
        loads = sum(run.by_pc[(node, pc)][1] for pc in pcs)
        if " " not in variable and waiting and exact > MAIN_SHARE * run.waiting:
            rows[(name, variable, node)].add(exact, waiting["waited"], loads / period)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    hardware, memphis, binaries, *rounds = sys.argv[1:]
    rows = collections.defaultdict(Row)
    for directory in rounds:
        names = [name for name in sorted(os.listdir(directory)) if os.path.isdir(os.path.join(directory, name))]
        runs = [Run(os.path.join(directory, name), name if os.path.exists(os.path.join(binaries, name)) else "patterns") for name in names]
        read_truth(directory + ".tsv", runs)
        for run in runs:
            compare(run, report_of(memphis, binaries, run), rows)
    wholes = Row()
    failures = shown = full = 0
    print(f"{'workload or variable':32} {'contained':>12}   {'estimate':>8} {'interval':>8} {'samples':>8}")
    for (name, variable, node), row in sorted(rows.items()):
        if not variable:
            wholes.runs += row.runs
            wholes.hits += row.hits
        elif row.least < ROW_SAMPLES or row.runs < len(rounds):
            continue
        failures += not row.is_good()
        shown += 1
        full += row.hits >= 0.95 * row.runs
        print(f"{f'  {variable}, node {node}' if variable else name:32} {row.text()}")
    failures += not wholes.is_good()
    print(f"{full} of {shown} rows contained in at least 95 % of the runs; of a row, at most {check.allowed(len(rounds))} runs may fail")
    print(f"all workloads: {wholes.hits} of {wholes.runs}; at most {check.allowed(wholes.runs)} may fail")
    print(f"figure waiting.coverage_{hardware} {100 * wholes.hits / max(wholes.runs, 1):.1f} %")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
