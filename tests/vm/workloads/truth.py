#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the report of one workload with the machine's exact counts and with the addresses that the program printed.

usage: truth.py TRUTH.tsv RUN SOURCE REPORT.json SELECTION ROW...
RUN is the directory of the sample files; RUN.out is the program's output. SOURCE contains the marked lines (`LINE: NAME`).
REPORT.json was made with --select SELECTION. A ROW is SEGMENT:VARIABLE=PRINTED@MARK: samples of the memory that was printed
under the name PRINTED, taken at the line with the mark MARK, must be in the report under this segment and variable, at this
line. Without @MARK, the mark is PRINTED.

1. Of the samples in the files that belong to a row, at least 99 % are in that row of the report, and at most 1 % too many.
2. Each line has as many samples as its exactly counted accesses make likely. What DRAM served of these accesses lies in the
   printed memory, except for at most 1 of 10,000: the loads of pointers before a loop. Where only loads or only stores are
   selected, 99 % of the samples lie there, too.
3. Every sample of the report has a variable or a reason.
"""

import bisect
import collections
import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "library"))
import files  # noqa: E402  # pylint: disable=wrong-import-position

PERIOD = 32768
# Significance level of each count, both tails together; see tests/vm/sources/truth.py.
CHANCE = 1e-7
PAGE = 4096
USER_END = 1 << 47
LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")
ELIGIBLE = 5 + 2 * len(LEVELS)
DRAM, PEER_CACHE = 5, 4  # include/memphis/sample.h
STORE, REMOTE = 2, 4
NODE_UNKNOWN = 0xffff


def of_levels(row, *levels):
    """Eligible loads that these levels served."""
    return sum(row[ELIGIBLE + 2 * LEVELS.index(level)] for level in levels)


def all_accesses(row):
    """Number of memory operations: a read-modify-write counts as a load and as a store, but is one operation."""
    return max(sum(row[ELIGIBLE::2]), sum(row[ELIGIBLE + 1::2]))


def is_away(sample):
    return sample["home"] not in (sample["node"], NODE_UNKNOWN)


# For each selection: which samples are selected, how many selected accesses an instruction made, and which columns of its pages
# (loads, stores) show where these went. The workloads that use `away` access memory of one node only, and each of their
# operations is one access or a read-modify-write.
LOADS, STORES = 9, 10
SELECTIONS = {
    "remote-dram": (lambda s: s["source"] == DRAM and s["flags"] & REMOTE, lambda row: of_levels(row, "rdram"), (LOADS,)),
    "remote-cache": (lambda s: s["source"] == PEER_CACHE and s["flags"] & REMOTE, lambda row: of_levels(row, "rpeer"), (LOADS,)),
    "away-stores": (lambda s: is_away(s) and s["flags"] & STORE, lambda row: sum(row[ELIGIBLE + 1::2]), (STORES,)),
    "away": (is_away, all_accesses, (LOADS, STORES)),
    "all": (lambda s: True, all_accesses, (LOADS, STORES)),
}


class Program:
    """What the program printed, and the source lines that addr2line finds for its code."""

    def __init__(self, run):
        self.memory = collections.defaultdict(list)
        self.objects = []
        self.lines = {}
        self.folder = os.path.join(os.path.dirname(run), "..", "bin")
        with open(run + ".out", encoding="utf-8") as stream:
            for words in map(str.split, stream):
                if words[0] == "variable":
                    self.memory[words[1]].append((int(words[2], 16), int(words[2], 16) + int(words[3])))
                elif words[0] == "object":
                    self.objects.append((int(words[2], 16), int(words[3], 16), int(words[1], 16), words[4]))
        self.objects.sort()
        if not self.memory or not self.objects:
            sys.exit(f"{run}.out: no variable or no object")

    def object_of(self, pc):
        at = bisect.bisect_right(self.objects, (pc, USER_END)) - 1
        return self.objects[at] if at >= 0 and pc < self.objects[at][1] else None

    def is_library(self, address):
        found = self.object_of(address)
        return bool(found) and os.path.basename(found[3]).startswith("libmemphis.so")

    def learn(self, pcs):
        """Look up the source lines of these instructions."""
        of_object = collections.defaultdict(list)
        for pc in set(pcs):
            found = self.object_of(pc)
            if found:
                of_object[found].append(pc)
        for (_, _, bias, path), mine in of_object.items():
            binary = os.path.join(self.folder, os.path.basename(path))
            if not os.path.exists(binary):
                continue
            answer = subprocess.run(["addr2line", "-e", binary], input="".join(f"{pc - bias:#x}\n" for pc in mine),
                                    stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
            self.lines.update((pc, os.path.basename(line.split(" ")[0])) for pc, line in zip(mine, answer))

    def line(self, pc):
        return self.lines.get(pc)


def read_truth(path, program):
    """Rows `pc` and `page` of the program with fields as numbers. Addresses tell its instructions from those of other programs."""
    rows = {"pc": [], "page": []}
    last = None
    with open(path, encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] in rows and program.object_of(int(last[4], 16)):
                rows[last[0]].append([last[0], *map(int, last[1:3]), *(int(word, 16) for word in last[3:5]),
                                      *(int(word, 0) for word in last[5:])])
    if last != ["end"]:
        sys.exit(f"{path}: does not end with `end`")
    return rows


def marked(source, mark):
    """FILE:LINE of the only line with this mark; any other number of such lines ends the program."""
    found = []
    with open(source, encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if line.rstrip(" */\n").endswith("LINE: " + mark):
                found.append(f"{os.path.basename(source)}:{number}")
    if len(found) != 1:
        sys.exit(f"{source}: {len(found)} lines are marked {mark}")
    return found[0]


def reported(report):
    """Samples by (SEGMENT:VARIABLE, FILE:LINE)."""
    counts = collections.Counter()
    for node in report["nodes"]:
        for variable in node["variables"]:
            for place in variable["instructions"]:
                line = f"{os.path.basename(place.get('file') or '?')}:{place.get('line')}"
                counts[(f"{variable['segment']}:{variable['name']}", line)] += place["count"]
    return counts


def poisson(count, expected):
    return math.exp(count * math.log(expected) - expected - math.lgamma(count + 1))


def tail(count, expected):
    """Probability of at most `count`, or of at least `count`, whichever is smaller."""
    fewer = sum(poisson(k, expected) for k in range(count + 1))
    return min(fewer, 1 - fewer + poisson(count, expected))


class Judge:
    def __init__(self):
        self.failures = 0

    def check(self, good, text):
        self.failures += not good
        print(f"{'ok ' if good else 'BAD'} {text}")


def inside(ranges, address):
    return any(low <= address < high for low, high in ranges)


def touches(ranges, page):
    return any(low < page + PAGE and page < high for low, high in ranges)


def check_rows(judge, rows, program, samples, counts):
    for name, ranges, line in rows:
        placed = sum(program.line(s["pc"]) == line and inside(ranges, s["address"]) for s in samples)
        there = counts[(name, line)]
        judge.check(placed > 0 and abs(there - placed) * 100 <= placed, f"{name} {line}: {there} samples in the report, {placed} belong there")


def check_lines(judge, rows, program, samples, truth, accesses, columns):
    for line in sorted({line for _, _, line in rows}):
        memory = [part for _, ranges, where in rows if where == line for part in ranges]
        exact = sum(accesses(row) for row in truth["pc"] if program.line(row[4]) == line)
        count = sum(program.line(s["pc"]) == line for s in samples)
        expected = exact / (PERIOD - 63.5)
        judge.check(expected > 40 and tail(count, expected) > CHANCE / 2,
                   f"{line}: {count} samples, {exact} accesses, {expected:.1f} expected,"
                   f" {(count - expected) / math.sqrt(max(expected, 1)):+.2f} standard errors")
        pages = [(touches(memory, row[5]), sum(row[column] for column in columns)) for row in truth["page"] if program.line(row[4]) == line]
        served, elsewhere = sum(n for _, n in pages), sum(n for good, n in pages if not good)
        judge.check(elsewhere * 10000 <= served, f"{line}: {served} accesses were served by DRAM, {elsewhere} of them elsewhere")
        if len(columns) == 1:
            astray = sum(program.line(s["pc"]) == line and not inside(memory, s["address"]) for s in samples)
            judge.check(astray * 100 <= count, f"{line}: {count} samples, {astray} of them elsewhere")


def check_reasons(judge, report):
    books = report["accounting"]
    explained = books["attributed"] + sum(books["unattributed"].values())
    judge.check(explained == books["selected"], f"{books['selected']} samples, {explained} with a variable or a reason")
    silent = sum(v["count"] for node in report["nodes"] for v in node["variables"] if v["name"].startswith("<") and not v["reason"])
    judge.check(silent == 0, f"{silent} samples in rows with neither")


def main():
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    truth_path, run, source, report_path, selection = sys.argv[1:6]
    selected, accesses, columns = SELECTIONS[selection]
    program = Program(run)
    rows = []
    for argument in sys.argv[6:]:
        name, _, place = argument.rpartition("=")
        printed, _, mark = place.partition("@")
        rows.append((name, program.memory[printed], marked(source, mark or printed)))
    truth = read_truth(truth_path, program)
    # Reports leave out the accesses of the library itself.
    samples = [s for file in files.load(run) for s in file.get("samples", [])
               if selected(s) and not any(program.is_library(s[key]) for key in ("pc", "address"))]
    program.learn([row[4] for kind in truth.values() for row in kind] + [s["pc"] for s in samples])
    with open(report_path, encoding="utf-8") as stream:
        report = json.load(stream)

    judge = Judge()
    judge.check(len(samples) == report["accounting"]["selected"], f"{report['accounting']['selected']} samples of {len(samples)} in the files")
    check_rows(judge, rows, program, samples, reported(report))
    check_lines(judge, rows, program, samples, truth, accesses, columns)
    check_reasons(judge, report)
    sys.exit(judge.failures != 0)


if __name__ == "__main__":
    main()
