#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Computes the figures of the guard from the output of guest.sh (standard input)."""

import sys

NS_PER_INSTRUCTION = 2
IDLE_SECONDS = 30


def read(stream):
    """Returns by name: a dictionary of named counts, a list of numbers, or a number. Of several with one name, the one with the fewest instructions."""
    runs = {}
    for line in stream:
        name, *words = line.split()
        if words[0] == "pairs":
            runs[name] = [float(word) for word in words[1:]]
        elif len(words) == 1:
            runs[name] = float(words[0])
        else:
            counts = dict(zip(words[::2], map(int, words[1::2])))
            runs[name] = min(counts, runs.get(name, counts), key=lambda run: run.get("instructions", 0))
    return runs


def figures(runs):
    none = runs["none"]

    def total(name):
        return (runs[name]["instructions"] - none["instructions"]) / runs[name]["interrupts"]

    def size(name):
        return runs[name]["bytes"] / runs[name]["total"]

    driver = total("driver")
    yield "sample.recorded", total("ours") - driver, "instructions"
    # With the driver's: its own 70 instructions vary by 3.
    yield "sample.filtered", total("filtered"), "instructions"
    yield "sample.bytes", size("ours"), "bytes"
    yield "sample.caller_bytes", size("callers"), "bytes"
    yield "drain.idle", (runs["ours"]["idle"] - none["idle"]) / IDLE_SECONDS, "instructions/s"
    yield "start.record", (runs["start"]["instructions"] - runs["start-plain"]["instructions"]) / 1000, "thousand"
    for name in ("inner-untimed", "inner", "inner-registered-untimed", "inner-registered", "inner-buffer", "inner-counters", "outer"):
        yield "caliper." + name.replace("-", "_"), runs[name], "instructions"
    bare, tracked = runs["bare-64"][1], runs["bare-16384"][1]
    for name, added in (("untracked", runs["ours-64"][1] - bare), ("tracked", runs["ours-16384"][1] - tracked),
                        ("part", runs["part"][1])):
        yield "allocation." + name, added / NS_PER_INSTRUCTION, "instructions"
    off = runs["halo-off"]["instructions"]
    for name in ("halo", "halo-dense"):
        yield name.replace("-", "_") + ".overhead", (runs[name]["instructions"] / off - 1) * 100, "%"


if __name__ == "__main__":
    for figure, value, unit in figures(read(sys.stdin)):
        print(f"figure {figure} {value:.5g} {unit}")
