#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds a report of cice_halo against the machine's exact counts of the same run: shares of variables, top variables and lines.

usage: demo_truth.py TRUTH.tsv RUN.txt PROGRAM REPORT.json
RUN.txt is what `cice_halo --addresses` printed: which field lies where comes from the program itself, not from the tool under test.
"""

import bisect
import collections
import json
import math
import os
import subprocess
import sys

TOP = 4
STANDARD_ERRORS = 3
USER_END = 1 << 47
ANCHOR_FIELD, ANCHOR_SYMBOL = "trcrn", "__ice_state_MOD_trcrn"


def read_fields(path):
    """Sorted list of (start, end, name)."""
    fields = []
    with open(path, encoding="ascii") as stream:
        for line in stream:
            words = line.split()
            if words[:1] == ["field"]:
                start = int(words[2], 16)
                fields.append((start, start + int(words[3], 16), words[1]))
    return sorted(fields)


def load_bias(program, fields):
    """Run-time address minus link-time address of the program."""
    symbols = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    link_time = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" " + ANCHOR_SYMBOL))
    return next(start for start, _, name in fields if name == ANCHOR_FIELD) - link_time


def field_of(fields, page):
    at = bisect.bisect_right(fields, (page + 4095, USER_END, "")) - 1
    return fields[at][2] if at >= 0 and page < fields[at][1] else "<other>"


def read_truth(path, fields):
    """(node, field, run-time pc) -> eligible remote DRAM loads, of the address space that has most of them in the fields."""
    spaces = collections.defaultdict(collections.Counter)
    complete = False
    with open(path, encoding="ascii") as stream:
        for line in stream:
            words = line.rstrip("\n").split("\t")
            complete = words[0] == "end"
            if words[0] != "page":
                continue
            node, space, pc, page, home, loads = int(words[2]), words[3], int(words[4], 16), int(words[5], 16), int(words[6]), int(words[9])
            if home != node and loads and pc < USER_END and page < USER_END:
                spaces[space][(node, field_of(fields, page), pc)] += loads
    if not complete:
        sys.exit(f"{path}: does not end with `end`")
    if not spaces:
        sys.exit(f"{path}: no remote DRAM load while sampling was on")
    return max(spaces.values(), key=lambda rows: sum(n for key, n in rows.items() if key[1] != "<other>"))


def lines_of(program, pcs):
    """Link-time pc -> 'file:line' without directories."""
    pcs = sorted(pcs)
    answer = subprocess.run(["addr2line", "-e", program], input="".join(f"{pc:#x}\n" for pc in pcs),
                            stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {pc: os.path.basename(line.split(" ")[0]) for pc, line in zip(pcs, answer)}


def exact_node(truth, node, program, bias):
    """Field -> (loads, line with most of them), for one accessing node."""
    by_pc = collections.defaultdict(collections.Counter)
    for (where, field, pc), loads in truth.items():
        if where == node:
            by_pc[field][pc - bias] += loads
    lines = lines_of(program, {pc for field in by_pc if field != "<other>" for pc in by_pc[field] if pc >= 0})
    result = {}
    for field, pcs in by_pc.items():
        by_line = collections.Counter()
        for pc, loads in pcs.items():
            by_line[lines.get(pc, "?")] += loads
        result[field] = sum(pcs.values()), by_line.most_common(1)[0][0]
    return result


def sampled_node(report, node):
    """Variable -> (samples, line with most of them), for one accessing node."""
    result = {}
    for variable in next((n["variables"] for n in report["nodes"] if n["node"] == node), []):
        first = variable["instructions"][0]
        line = f"{os.path.basename(first.get('file') or '?')}:{first.get('line')}"
        result[variable["name"].split("::")[-1]] = variable["count"], line
    return result


def top(rows):
    named = ((count, name, line) for name, (count, line) in rows.items() if not name.startswith("<"))
    return {(name, line) for _, name, line in sorted(named, reverse=True)[:TOP]}


class Judge:
    def __init__(self):
        self.failures = 0

    def share(self, what, samples, all_samples, loads, all_loads):
        exact = loads / all_loads
        error = math.sqrt(exact * (1 - exact) / all_samples)
        z = (samples / all_samples - exact) / error if error else 0.0
        good = abs(z) <= STANDARD_ERRORS
        self.failures += not good
        print(f"{'ok  ' if good else 'BAD '} {what}: sampled {samples}/{all_samples} = {samples / all_samples:.4f},"
              f" exact {loads}/{all_loads} = {exact:.4f}, {z:+.2f} standard errors")

    def same(self, what, sampled, exact):
        good = sampled == exact
        self.failures += not good
        print(f"{'ok  ' if good else 'BAD '} {what}: {' '.join(f'{name}@{line}' for name, line in sorted(sampled))}")
        if not good:
            print(f"     exact: {' '.join(f'{name}@{line}' for name, line in sorted(exact))}")


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    truth_path, run_path, program, report_path = sys.argv[1:]
    fields = read_fields(run_path)
    if not fields:
        sys.exit(f"{run_path}: no line `field`; run cice_halo with --addresses")
    bias = load_bias(program, fields)
    truth = read_truth(truth_path, fields)
    with open(report_path, encoding="utf-8") as stream:
        report = json.load(stream)

    judge = Judge()
    totals = {n["node"]: n["total"] for n in report["nodes"]}
    loads = collections.Counter()
    for (node, _, _), count in truth.items():
        loads[node] += count
    judge.share("node 0 of all remote DRAM loads", totals.get(0, 0), sum(totals.values()), loads[0], sum(loads.values()))
    exact, sampled = exact_node(truth, 0, program, bias), sampled_node(report, 0)
    judge.same(f"node 0's top {TOP} variables and lines", top(sampled), top(exact))
    for name, line in sorted(top(exact)):
        judge.share(f"node 0's {name}, most at {line}", sampled.get(name, (0, ""))[0], totals.get(0, 0), exact[name][0], loads[0])
    sys.exit(1 if judge.failures else 0)


if __name__ == "__main__":
    main()
