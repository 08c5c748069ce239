#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Computes the overhead in the case study from the output of halo-guest.sh (standard input): instructions per time step are slopes over the numbers of steps."""

import sys

sys.dont_write_bytecode = True
from figures import slope  # noqa: E402

SIDES = ("unlinked", "off", "recorded")


def main():
    runs = {}
    for line in sys.stdin:
        words = line.split()
        if words[1] in SIDES:
            runs.setdefault((words[0], words[1]), []).append((int(words[2]), int(words[4]), int(words[6])))
    steps = {key: slope([(count, instructions) for count, instructions, _ in points]) for key, points in runs.items()}
    samples = {key: slope([(count, interrupts) for count, _, interrupts in points]) for key, points in runs.items()}
    print(f"{'variant':10}{'unlinked':>14}{'linked, off':>14}{'recorded':>14}{'interrupts':>12}   per time step, in thousands of instructions; overhead against unlinked")
    worst = {}
    for variant in dict.fromkeys(variant for variant, _ in runs):
        base = steps[variant, "unlinked"]
        overhead = {side: (steps[variant, side] / base - 1) * 100 for side in SIDES}
        print(f"{variant:10}" + "".join(f"{steps[variant, side] / 1e3:14.0f}" for side in SIDES) + f"{samples[variant, 'recorded']:12.1f}   off {overhead['off']:.2f} %, recorded {overhead['recorded']:.2f} %")
        if samples[variant, "recorded"] <= 0:
            sys.exit("error: no samples were taken")
        for side in SIDES[1:]:
            worst[side] = max(worst.get(side, overhead[side]), overhead[side])
    print(f"figure halo.off_instructions_percent {worst['off']:.3g} %")
    print(f"figure halo.overhead_instructions_percent {worst['recorded']:.3g} %")


main()
