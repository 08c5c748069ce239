#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the data sources of samples with the machine's exact counts of the same run.

usage: truth.py TRUTH.tsv SAMPLES.txt LEVEL=SOURCE,FLAGS...
LEVEL is a level of the machine (machine/truth/README.md); SOURCE and FLAGS are what samples of loads from that level must
contain, in the form that the program `sources` prints. N eligible loads give an expected number of N / period samples; the
program `sources` prints the mean period. Samples of any other kind are an error, except for L1.
"""

import math
import sys

# Significance level of each count, both tails together. At this period, the end of perf's handler takes less than 2 % of each
# period, and a Poisson count has more variance than a count of nearly fixed periods.
CHANCE = 1e-5
USER_END = 1 << 47
LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")


def eligible_loads(path):
    """Eligible loads of user code by level, counted while the counter ran."""
    loads = dict.fromkeys(LEVELS, 0)
    last = None
    with open(path, encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] == "pc" and int(last[4], 16) < USER_END:
                for level, count in zip(LEVELS, last[5 + 2 * len(LEVELS)::2]):
                    loads[level] += int(count)
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
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    loads = eligible_loads(sys.argv[1])
    samples = {}
    with open(sys.argv[2], encoding="ascii") as stream:
        period = float(next(stream).split()[1])
        for line in stream:
            source, flags, count = line.split()
            samples[f"{source},{flags}"] = int(count)
    bad = 0
    for level, kind in (argument.split("=") for argument in sys.argv[3:]):
        expected = loads[level] / period
        count = samples.pop(kind)
        good = expected > 40 and tail(count, expected) > CHANCE / 2
        bad += not good
        print(f"{'ok ' if good else 'BAD'} {level}: {count} samples, {loads[level]} loads, {expected:.1f} expected,"
              f" {(count - expected) / math.sqrt(max(expected, 1)):+.2f} standard errors")
    rest = {kind: count for kind, count in samples.items() if count and kind != "1,local"}
    if rest:
        bad += 1
        print(f"BAD samples of other kinds: {rest}")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
