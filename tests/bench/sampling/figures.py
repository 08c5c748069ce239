#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Computes the figures of bench-sampling from the output of guest.sh (standard input): costs are slopes over the run lengths."""

import sys

LOADS = 1e6


def slope(points):
    """Returns the slope of the least-squares line through (x, y) points."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


class Side:
    """Slopes of one side, each per load of the workload."""

    def __init__(self, rows):
        for key in ("instructions", "thread", "interrupts", "recorded", "callers", "bytes"):
            setattr(self, key, slope([(int(row["length"]) * LOADS, int(row.get(key, 0))) for row in rows]))


def read(stream):
    rows, calipers = {}, None
    for line in stream:
        words = line.split()
        if words[0] == "calipers":
            calipers = dict(zip(words[1::2], map(int, words[2::2])))
        else:
            row = dict(zip(words[2::2], words[3::2]), length=words[1])
            rows.setdefault(words[0], []).append(row)
    return {name: Side(of) for name, of in rows.items()}, calipers


def figures(sides, calipers):
    none = sides["none"].instructions
    driver = (sides["driver"].instructions - none) / sides["driver"].interrupts

    def total(name):
        """Returns instructions per recorded sample."""
        return (sides[name].instructions - none) / sides[name].recorded

    def above(name):
        """Returns instructions per recorded sample, minus the driver's instructions, which each interrupt costs, recorded or not."""
        return total(name) - driver * sides[name].interrupts / sides[name].recorded

    def size(name):
        return sides[name].bytes / sides[name].recorded

    yield "driver_alone", driver, "instructions/interrupt"
    for name in ("ours", "filtered", "perf", "perf-lean"):
        key = name.replace("-", "_")
        yield key, above(name), "instructions/sample"
        yield key + "_total", total(name), "instructions/sample"
        if name != "filtered":
            yield key + "_bytes", size(name), "bytes/sample"
            yield key + "_recorded", sides[name].recorded / sides[name].interrupts, "samples/interrupt"
    yield "instructions_vs_perf", above("ours") / above("perf"), "ratio"
    yield "instructions_vs_perf_lean", above("ours") / above("perf-lean"), "ratio"
    yield "total_vs_perf", total("ours") / total("perf"), "ratio"
    yield "total_vs_perf_lean", total("ours") / total("perf-lean"), "ratio"
    yield "bytes_vs_perf", size("ours") / size("perf"), "ratio"
    yield "filtered_vs_kept", above("filtered") / above("ours"), "ratio"
    # Per sample, because the numbers of interrupts of the two runs differ.
    with_callers, without, bare = sides["callers"], sides["calls"], sides["bare"]
    yield "caller_instructions", ((with_callers.thread - bare.thread) / with_callers.callers
                                  - (without.thread - bare.thread) / without.recorded), "instructions"
    yield "caller_total_instructions", ((with_callers.instructions - bare.instructions) / with_callers.callers
                                        - (without.instructions - bare.instructions) / without.recorded), "instructions"
    yield "caller_bytes", with_callers.bytes / with_callers.callers - size("calls"), "bytes"
    yield "callers_known", with_callers.callers / with_callers.recorded, "callers/sample"
    yield "interrupts_inside_pairs", calipers["inside"], "interrupts"
    yield "interrupts_between_pairs", calipers["between"], "interrupts"


if __name__ == "__main__":
    for figure, value, unit in figures(*read(sys.stdin)):
        print(f"figure sampling.{figure} {value:.4g} {unit}")
