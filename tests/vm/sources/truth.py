#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the sources of samples against the machine's exact counts of the same run.

usage: truth.py TRUTH.tsv SAMPLES.txt LEVEL=SOURCE,FLAGS...
LEVEL is a level of the machine (machine/truth/README.md), SOURCE and FLAGS what samples of its loads must say, as the program
`sources` prints them. With N eligible loads N / (period - 63.5) samples are expected: the hardware starts each period at a random
value of 0 to 127. Samples of no other kind may be there, but for the L1.
"""

import math
import sys

# What chance alone makes of one count in 100,000 runs, both directions together. What the end of perf's handler takes of each period is
# below 2 % at the period used, and a Poisson count spreads more than one of nearly fixed periods does.
CHANCE = 1e-5
USER_END = 1 << 47
LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")


def eligible_loads(path):
    """Level -> loads of user code while the counter ran."""
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
    """Probability of so many or fewer, or of so many or more, whichever is smaller."""
    fewer = sum(poisson(k, expected) for k in range(count + 1))
    return min(fewer, 1 - fewer + poisson(count, expected))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    loads = eligible_loads(sys.argv[1])
    samples = {}
    with open(sys.argv[2], encoding="ascii") as stream:
        period = int(next(stream).split()[1])
        for line in stream:
            source, flags, count = line.split()
            samples[f"{source},{flags}"] = int(count)
    bad = 0
    for level, kind in (argument.split("=") for argument in sys.argv[3:]):
        expected = loads[level] / (period - 63.5)
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
