#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the data sources of samples with the machine's exact counts of the same run.

usage: truth.py TRUTH.tsv SAMPLES.txt [--exact] LEVEL=SOURCE,FLAGS...
LEVEL is a level of the machine (machine/truth/README.md); SOURCE and FLAGS are what samples of loads from that level must
contain, in the form that the program `sources` prints. N eligible loads give an expected number of N / period samples; the
program `sources` prints the mean period. Samples of any other kind are an error, except for L1.
With --exact, each level has an event of its own: it must have counted exactly the loads, and there is a sample for each whole period of them,
give or take one; there are no others.
With a line "walk FIRST END" in SAMPLES, only instructions at these addresses count.
"""

import math
import sys

# Significance level of each count, both tails together. At this period, the end of perf's handler takes less than 2 % of each
# period, and a Poisson count has more variance than a count of nearly fixed periods.
CHANCE = 1e-7
USER_END = 1 << 47
# sources.bats links the program with the library at this address, above the static program `sources`.
LIBRARY_PC = 0x10000000
# Level that each event of loads by source counts, by its number (enum memphis_sampling_event). In the model no cache forwards a line
# that it has not modified (4).
COUNTED = {1: "ldram", 2: "rdram", 3: "rpeer", 4: None}
LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")


def eligible_loads(path, first, end):
    """Eligible loads, counted while the counter ran, by address of the instruction (first to end) and level."""
    loads = {}
    last = None
    with open(path, encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] == "pc" and first <= (pc := int(last[4], 16)) < end:
                row = loads.setdefault(pc, dict.fromkeys(LEVELS, 0))
                for level, count in zip(LEVELS, last[5 + 2 * len(LEVELS)::2]):
                    row[level] += int(count)
    if last != ["end"]:
        sys.exit(f"{path}: does not end with `end`")
    return loads


def poisson(count, expected):
    return math.exp(count * math.log(expected) - expected - math.lgamma(count + 1))


def tail(count, expected):
    """Probability of at most `count`, or of at least `count`, whichever is smaller."""
    fewer = sum(poisson(k, expected) for k in range(count + 1))
    return min(fewer, 1 - fewer + poisson(count, expected))


def main():
    exact = "--exact" in sys.argv
    arguments = [argument for argument in sys.argv[3:] if argument != "--exact"]
    if not arguments:
        sys.exit(__doc__)
    samples, counted, code = {}, {}, (0, LIBRARY_PC)
    with open(sys.argv[2], encoding="ascii") as stream:
        period = float(next(stream).split()[1])
        for line in stream:
            source, flags, count = line.split()
            if source == "counted":
                counted[COUNTED[int(flags)]] = int(count)
                continue
            if source == "walk":
                code = (int(flags, 16), int(count, 16))
                continue
            samples[f"{source},{flags}"] = int(count)
    rows = eligible_loads(sys.argv[1], *code).values()
    loads = {level: sum(row[level] for row in rows) for level in LEVELS}
    bad = 0
    for level, kind in (argument.split("=") for argument in arguments):
        expected = loads[level] / period
        count = samples.pop(kind)
        if exact:
            good = expected > 40 and counted[level] == loads[level] and abs(count - expected) <= 1
        else:
            good = expected > 40 and tail(count, expected) > CHANCE / 2
        bad += not good
        print(f"{'ok ' if good else 'BAD'} {level}: {count} samples, {loads[level]} loads, {expected:.1f} expected,"
              f" {(count - expected) / math.sqrt(max(expected, 1)):+.2f} standard errors")
    if exact:
        print(f"counted by the hardware: {counted}")
        bad += counted[None] != 0
    rest = {kind: count for kind, count in samples.items() if count and (exact or kind != "1,local")}
    if rest:
        bad += 1
        print(f"BAD samples of other kinds: {rest}")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
