#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the machine's exact counts of traffic to memory with what the loops of fixtures/writes.c make by their code.

usage: writes_truth.py GROUP PROGRAM OUTPUT TRUTH.tsv     (OUTPUT: what the program has printed; TRUTH.tsv.N: exact counts of loop N)
       writes_truth.py controllers OUT ROUNDS TRUTH.tsv   (OUT: output of fixtures/controllers.sh)
"""
import collections
import os
import subprocess
import sys

COLUMNS = ("load", "store", "prefetch", "dirtied", "written", "dirty", "nt_lines", "nt_parts", "nt_bytes")
LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "none")
LINE = 64
LINES = (16 << 20) // LINE
SMALL = (128 << 10) // LINE
TINY = (16 << 10) // LINE
NODES, CHANNELS = 2, 12
# An L3 of 2 MiB on each node
CACHE = 2 * ((2 << 20) // LINE)
# A loop returns by a load of its stack, whose line it has evicted.
OWN_LOADS = 2
KEPT = "written + dirty"


def streamed(lines, home=1):
    """All lines are fetched to be stored into, and are then in the cache or written back."""
    return {home: {"store": lines, "dirtied": lines, KEPT: lines}}


def bypassing(lines, parts=0, size=None):
    return {1: {"nt_lines": lines, "nt_parts": parts, "nt_bytes": lines * LINE if size is None else size}}


def stored(lines, written):
    """Lines of a small array, all or none of which are written back while the machine counts."""
    return {1: {"store": lines, "dirtied": lines, "written": written, "dirty": lines - written}}


# By group and loop: counts of functions by home node; all other columns are 0.
LOOPS = {
    "stores": {
        "store": {"store": streamed(LINES)},
        "local_store": {"store": streamed(LINES, 0)},
        "update": {"update": {1: {"load": LINES, "dirtied": LINES, KEPT: LINES}}},
        "copy": {"copy": {0: {"load": LINES}, **streamed(LINES)}},
        "kept": {"store": stored(SMALL, 0)},
        # The first store dirties, the last one is written.
        "last": {"store": {1: {"store": TINY, "dirtied": TINY}}, "store_again": {1: {"written": TINY}}},
        "locked": {"do_locked": stored(SMALL, 0)},
        "clean": {"store": stored(SMALL, SMALL), "load": {1: {}}},
    },
    "bypassing": {
        **{name: {name: bypassing(LINES)} for name in (
            "movnti4", "movnti8", "movntdq", "movntps", "movntpd", "movntq", "movntss", "movntsd", "vmovntdq16", "vmovntdq32",
            "vmovntps", "vmovntpd")},
        "nt_copy": {"nt_copy": {0: {"load": LINES}, **bypassing(LINES)}},
        "nt_half": {"nt_half": bypassing(0, LINES, LINES * 32)},
        "nt_across": {"nt_across": bypassing(0, LINES, (LINES - 1) * 8)},
        # As many streams as there are buffers, or more: then each store is written alone.
        "nt_few": {"nt_streams": bypassing(LINES)},
        "nt_many": {"nt_streams": bypassing(0, LINES, LINES * 8)},
        "nt_load": {"nt_load": {1: {"load": LINES, "nt_parts": LINES, "nt_bytes": LINES * 8}}},
        "nt_fence": {"nt_fence": bypassing(0, 2 * LINES, LINES * 16)},
        "nt_dirty": {"store": stored(SMALL, SMALL), "movnti8": bypassing(SMALL), "load": {1: {"load": SMALL}}},
    },
    "hints": {
        **{name: {name: {1: {"prefetch": LINES}}} for name in ("prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetch")},
        "prefetchw": {"prefetchw": {1: {"prefetch": LINES, "dirtied": LINES, KEPT: LINES}}},
        "prefetch_nothing": {"prefetch_nothing": {1: {}}},
    },
    "caches": {
        # Another node's load cleans the line, its store or hint to store takes it over; the own node's load does neither.
        "other_loads": {"store": stored(SMALL, SMALL), "load": {1: {}}},
        "other_stores": {"store": {1: {"store": SMALL, "dirtied": SMALL}}, "store_again": {1: {"dirty": SMALL}}},
        "prefetch_other": {"store": stored(SMALL, SMALL), "prefetchw": {1: {"dirtied": SMALL, "dirty": SMALL}}},
        "same_node": {"store": stored(SMALL, 0), "load": {1: {}}},
    },
    "pauses": {
        # The second store is made while nothing counts.
        "pause": {"store": stored(SMALL, 0), "store_again": {1: {}}, "load": {1: {"load": SMALL}}},
    },
}
# Hints of each loop by level
HINTS = {**{name: {"rdram": LINES} for name in LOOPS["hints"]}, "prefetch_nothing": {"none": 5000}}
# Level of the loads after hints
PREFETCHED = {"prefetcht0": "l1", "prefetchnta": "l1", "prefetch": "l1", "prefetcht1": "l2", "prefetcht2": "l2"}
# Non-temporal stores: 8 bytes each
WORDS = ("movnti8", "movntq", "nt_copy")


class Truth:
    """Exact counts of one window: of functions of the program, and of all instructions."""

    def __init__(self, path, symbols):
        self.functions = collections.defaultdict(collections.Counter)   # (function, home)
        self.hints = collections.defaultdict(collections.Counter)       # function
        self.accesses = collections.defaultdict(collections.Counter)    # function: "l1_load" and so on
        self.homes = collections.defaultdict(collections.Counter)       # home: all instructions
        self.channels = {}                                              # (node, channel): (read, written)
        self.untranslated, last = 0, None
        with open(path, encoding="ascii") as stream:
            for line in stream:
                last = line.rstrip("\n").split("\t")
                if last[0] == "memphis-truth" and last[1] != "3":
                    sys.exit(f"{path}: version {last[1]}")
                if last[0] in ("memory", "prefetch", "pc", "channel", "untranslated"):
                    getattr(self, "add_" + last[0])(last, symbols)
        if last != ["end"]:
            sys.exit(f"{path}: is not complete")

    def add_memory(self, row, symbols):
        counts = dict(zip(COLUMNS, map(int, row[6:])))
        self.functions[symbols(int(row[4], 16)), int(row[5])].update(counts)
        # What was dirtied before is written back without having been dirtied.
        self.homes[int(row[5])].update({("before " if row[1] == "-1" else "") + name: count for name, count in counts.items()})

    def add_prefetch(self, row, symbols):
        self.hints[symbols(int(row[4], 16))].update(dict(zip(LEVELS, map(int, row[5:]))))

    def add_pc(self, row, symbols):
        names = [f"{level}_{kind}" for level in (*LEVELS[:-1], "other") for kind in ("load", "store")]
        self.accesses[symbols(int(row[4], 16))].update(dict(zip(names, map(int, row[5:5 + len(names)]))))

    def add_channel(self, row, _):
        self.channels[int(row[1]), int(row[2])] = int(row[3]), int(row[4])

    def add_untranslated(self, row, _):
        self.untranslated += int(row[2])


class Check:
    bad = False

    def equal(self, what, found, expected, off=0):
        good = abs(found - expected) <= off
        print(f"{'' if good else 'BAD '}{what}: {found}, expected {expected}" + (f" +- {off:.0f}" if off else ""))
        self.bad |= not good

    def between(self, what, found, low, high):
        good = low <= found <= high
        print(f"{'' if good else 'BAD '}{what}: {found}, expected {low:.0f} to {high:.0f}")
        self.bad |= not good


def symbol_finder(program):
    functions = []
    for line in subprocess.run(["nm", "-S", "--defined-only", program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tT":
            functions.append((int(words[0], 16), int(words[0], 16) + int(words[1], 16), words[3]))
    return lambda pc: next((name for begin, end, name in functions if begin <= pc < end), None)


def check_functions(check, loop, truth, functions):
    for function, homes in functions.items():
        for home in range(NODES):
            found = truth.functions[function, home]
            expected = homes.get(home, {})
            for column in COLUMNS:
                if column in ("written", "dirty") and KEPT in expected:
                    continue
                check.equal(f"{loop}: {function}: {column} of node {home}", found[column], expected.get(column, 0),
                            OWN_LOADS if column == "load" else 0)
            if KEPT in expected:
                check.equal(f"{loop}: {function}: {KEPT}", found["written"] + found["dirty"], expected[KEPT])
                check.equal(f"{loop}: {function}: dirty", found["dirty"], CACHE / 4, CACHE / 4)


def check_sums(check, loop, truth):
    """What holds for all instructions together, also those of the kernel."""
    check.equal(f"{loop}: untranslated", truth.untranslated, 0)
    for home in range(NODES):
        sums = truth.homes[home]
        channels = [truth.channels[home, channel] for channel in range(CHANNELS)]
        check.equal(f"{loop}: node {home}: dirtied", sums["dirtied"], sums["written"] + sums["dirty"])
        check.equal(f"{loop}: node {home}: read", sums["load"] + sums["store"] + sums["prefetch"], sum(c[0] for c in channels))
        check.equal(f"{loop}: node {home}: written", sums["written"] + sums["before written"] + sums["nt_lines"] + sums["nt_parts"],
                    sum(c[1] for c in channels))


def check_accesses(check, loop, truth):
    """Levels of loads and stores: hints make none, and a line of non-temporal stores begins at memory."""
    found = truth.accesses[loop]
    if loop in PREFETCHED:
        loads = sum(count for name, count in found.items() if name.endswith("_load"))
        check.equal(f"{loop}: loads", loads, LINES, OWN_LOADS)
        # Interrupts evict a few of the lines.
        check.equal(f"{loop}: loads of {PREFETCHED[loop]}", found[PREFETCHED[loop] + "_load"], LINES, LINES // 100)
    if loop in WORDS:
        check.equal(f"{loop}: stores that begin a line", found["rdram_store"], LINES)
        check.equal(f"{loop}: stores that are combined", found["l1_store"], 7 * LINES)


def check_loops(check, group, program, output, path):
    with open(output, encoding="ascii") as stream:
        numbers = {name: number for number, name in map(str.split, stream)}
    symbols = symbol_finder(program)
    if group == "sums":
        missing = 0 if "movntss" in numbers else 2
        check.equal("loops", len(numbers), sum(map(len, LOOPS.values())) + 1 - missing)
        for loop, number in numbers.items():
            check_sums(check, loop, Truth(f"{path}.{number}", symbols))
        return
    for loop, functions in LOOPS[group].items():
        if loop not in numbers:
            print(f"{loop}: not on this CPU")
            continue
        truth = Truth(f"{path}.{numbers[loop]}", symbols)
        check_functions(check, loop, truth, functions)
        check_accesses(check, loop, truth)
        for level in LEVELS if loop in HINTS else ():
            check.equal(f"{loop}: hints, {level}", truth.hints[loop][level], HINTS[loop].get(level, 0))


def read_stat(out, name, places):
    """Counts of perf stat by event, node and channel."""
    counts = collections.defaultdict(dict)
    with open(os.path.join(out, name), encoding="ascii") as stream:
        for fields in (line.split(",") for line in stream if "," in line):
            event, _, unit = fields[3].rstrip("]").partition(" [")
            counts[event][places[unit], int(unit.rpartition("_")[2]) % CHANNELS] = int(fields[1])
    return counts


def check_controllers(check, out, rounds, path):
    with open(os.path.join(out, "places"), encoding="ascii") as stream:
        places = {unit: int(node) for unit, node in map(str.split, stream)}
    check.equal("controllers", len(places), NODES * CHANNELS)
    truth = Truth(path, lambda pc: None)
    counts = read_stat(out, "rounds", places)
    for place, (read, written) in sorted(truth.channels.items()):
        found = [counts[f"umc_cas_cmd.{event}"][place] for event in ("rd", "wr", "all")]
        # perf begins and ends its counting while the machine counts: a few lines of its own are missing.
        check.equal(f"{place}: reads", found[0], read, read / 1000)
        check.equal(f"{place}: writes", found[1], written, written / 1000)
        check.equal(f"{place}: reads and writes", found[2], read + written, (read + written) / 1000)
        check.equal(f"{place}: clock", counts["umc_mem_clk"][place], 0)
    # Without exact counts: each round reads both arrays. What the cache had at the end is not written. The kernel and
    # perf read some 0.5 % besides, more on a busy host, which the exact counts contain, but not this formula.
    counts = read_stat(out, "quiet", places)
    for node in range(NODES):
        read, written = (sum(count for place, count in counts[event].items() if place[0] == node)
                         for event in ("umc_cas_cmd.rd", "umc_cas_cmd.wr"))
        check.between(f"node {node}: reads without exact counts", read, 0.99 * rounds * LINES, 1.05 * rounds * LINES)
        check.equal(f"node {node}: writes without exact counts", written, rounds * LINES // 2, rounds * LINES // 200 + CACHE)


def main():
    group, *arguments, path = sys.argv[1:]
    check = Check()
    if group == "controllers":
        check_controllers(check, arguments[0], int(arguments[1]), path)
    else:
        check_loops(check, group, *arguments, path)
    sys.exit(check.bad)


if __name__ == "__main__":
    main()
