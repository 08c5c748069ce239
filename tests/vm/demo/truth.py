#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares a report on cice_halo with the machine's exact counts of the same run: shares of variables, top variables, and lines.

usage: truth.py TRUTH.tsv RUN.txt PROGRAM REPORT.json
RUN.txt is the output of `cice_halo --addresses`: the addresses of the fields come from the program, not from the tool under
test.
"""

import bisect
import collections
import json
import math
import os
import subprocess
import sys

TOP = 4
# Significance level of each share, both tails together: 5.3 standard errors. With 9 shares and two machines, 1 of 500,000 runs of
# the tests fails without a defect.
CHANCE = 1e-7
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
    """Eligible remote DRAM loads by (node, field, run-time pc), for the address space with most such loads in the fields."""
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
    """'file:line' without directories, by link-time pc."""
    pcs = sorted(pcs)
    answer = subprocess.run(["addr2line", "-e", program], input="".join(f"{pc:#x}\n" for pc in pcs),
                            stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {pc: os.path.basename(line.split(" ")[0]) for pc, line in zip(pcs, answer)}


def exact_node(truth, node, program, bias):
    """Pairs (loads, loads by line) by field, for one accessing node."""
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
        result[field] = sum(pcs.values()), by_line
    return result


def sampled_node(report, node):
    """Pairs (samples, samples by line) by variable, for one accessing node."""
    result = {}
    for variable in next((n["variables"] for n in report["nodes"] if n["node"] == node), []):
        by_line = collections.Counter()
        for place in variable["instructions"]:
            by_line[f"{os.path.basename(place.get('file') or '?')}:{place.get('line')}"] += place["count"]
        result[variable["name"].split("::")[-1]] = variable["count"], by_line
    return result


def top(rows):
    named = ((count, name) for name, (count, _) in rows.items() if not name.startswith("<"))
    return [name for _, name in sorted(named, reverse=True)[:TOP]]


def binomial(n, p, numbers):
    """Probability that the number of hits among n samples, each with probability p, is one of `numbers`."""
    if p <= 0 or p >= 1:
        return float((n if p >= 1 else 0) in numbers)
    return sum(math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p))
               for k in numbers)


class Judge:
    def __init__(self):
        self.failures = 0

    def share(self, what, samples, all_samples, loads, all_loads):
        exact = loads / all_loads
        error = math.sqrt(exact * (1 - exact) / max(all_samples, 1))
        part = samples / max(all_samples, 1)
        z = (part - exact) / error if error else 0.0
        chance = min(binomial(all_samples, exact, range(0, samples + 1)), binomial(all_samples, exact, range(samples, all_samples + 1)))
        good = chance > CHANCE / 2
        self.failures += not good
        print(f"{'ok  ' if good else 'BAD '} {what}: sampled {samples}/{all_samples} = {part:.4f},"
              f" exact {loads}/{all_loads} = {exact:.4f}, {z:+.2f} standard errors")

    def same(self, what, sampled, exact):
        good = sorted(sampled) == sorted(exact)
        self.failures += not good
        print(f"{'ok  ' if good else 'BAD '} {what}: {' '.join(sampled)}")
        if not good:
            print(f"     exact: {' '.join(exact)}")


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
    judge.same(f"node 0's top {TOP} variables", top(sampled), top(exact))
    for name in sorted(top(exact)):
        count, lines = sampled.get(name, (0, collections.Counter()))
        judge.share(f"node 0's {name}", count, totals.get(0, 0), exact[name][0], loads[0])
        line, line_loads = exact[name][1].most_common(1)[0]
        judge.share(f"    its line {line}", lines[line], count, line_loads, exact[name][0])
    sys.exit(1 if judge.failures else 0)


if __name__ == "__main__":
    main()
