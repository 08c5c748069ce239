#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what perf counts for the programs of fixtures/clock.c with the machine's exact counts.

usage: clock_truth.py CHECK OUT TRUTH.tsv        (OUT is the output of fixtures/clock.sh, TRUTH.tsv.N the exact counts of run N)
"""
import sys

LEVELS = ("l1", "l2", "l3", "peer", "rpeer", "ldram", "rdram", "other")
RUNS = {"short": 1, "long": 2, "local": 3, "remote": 4, "record": 5}
STAT = ("short", "long", "local", "remote")
PERIOD = 20011
LOADS = 100000
LINES = 131072
LOOP = 100000
LONG_LOOP = 50000000
# The latencies that the suite configures, by the names of the levels in the file of exact counts
SET = {"l1": 4, "l2": 14, "l3": 50, "peer": 110, "rpeer": 230, "ldram": 200, "rdram": 500}
# The program is linked to an address that no other program has.
PROGRAM = range(0x10000000, 0x10800000)


class Exact:
    """Exact counts of one run, of the address space of the program in user mode."""

    def __init__(self, path):
        spaces, rows, self.latency, last = set(), [], {}, None
        with open(path, encoding="ascii") as stream:
            for line in stream:
                last = line.rstrip("\n").split("\t")
                if last[0] == "memphis-truth" and last[1] != "3":
                    sys.exit(f"{path}: version {last[1]}")
                if last[0] == "pc" and int(last[4], 16) in PROGRAM:
                    spaces.add(last[3])
                elif last[0] == "clock":
                    rows.append(last)
                elif last[0] == "latency":
                    self.latency = dict(zip(last[1::2], map(int, last[2::2])))
        if last != ["end"] or len(spaces) != 1:
            sys.exit(f"{path}: is not complete, or has {len(spaces)} programs")
        mine = [list(map(int, row[5:])) for row in rows if row[3] in spaces and row[4] == "user"]
        sums = [sum(column) for column in zip(*mine)]
        self.instructions, self.cycles = sums[:2]
        self.loads = dict(zip(LEVELS, sums[2:2 + len(LEVELS)]))
        self.stalls = dict(zip(LEVELS, sums[2 + len(LEVELS):]))


class Check:
    def __init__(self, out, truth):
        self.out, self.truth, self.bad = out, truth, False

    def equal(self, what, found, expected, off=0):
        print(f"{what}: {found}, expected {expected}" + (f" +- {off}" if off else ""))
        if abs(found - expected) > off:
            print(f"BAD {what}")
            self.bad = True

    def exact(self, name):
        return Exact(f"{self.truth}.{RUNS[name]}")

    def counted(self, name):
        """What perf stat has counted, by event; events that the kernel does not know on this CPU are missing."""
        with open(f"{self.out}/{name}.stat", encoding="ascii") as stream:
            fields = [line.split(",") for line in stream if "," in line]
        return {row[2].partition(":")[0]: int(row[0]) for row in fields if row[0] != "<not supported>"}

    def values(self, name):
        with open(f"{self.out}/{name}", encoding="ascii") as stream:
            return {key: int(value) for key, value in map(str.split, stream)}

    def is_intel(self):
        with open(f"{self.out}/driver", encoding="ascii") as stream:
            return "Intel" in stream.read()

    def stat(self):
        for name in STAT:
            counted, exact = self.counted(name), self.exact(name)
            self.equal(f"{name}: instructions", counted["instructions"], exact.instructions)
            self.equal(f"{name}: cycles", counted["cycles"], exact.cycles)
            # On AMD, the kernel knows no event of reference cycles or one that the machine does not emulate, as it emulates none of branches.
            self.equal(f"{name}: reference cycles", counted.get("ref-cycles", 0), exact.cycles if self.is_intel() else 0)
            self.equal(f"{name}: branches", counted["branches"], 0)

    def loop(self):
        # The programs differ in the digits of a number, each of which strtoul() reads with some instructions, and in nothing else.
        # Instructions of an iteration: 2.
        more = self.counted("long")["instructions"] - self.counted("short")["instructions"]
        self.equal("instructions of 999000 iterations", more, 2 * 999000, 100)

    def sum(self):
        for name in RUNS:
            exact = self.exact(name)
            self.equal(f"{name}: cycles", exact.cycles, exact.instructions + sum(exact.stalls.values()))
            self.equal(f"{name}: stalls by the L1", exact.stalls["l1"], 0)

    def latency(self):
        for name, level, other in (("local", "ldram", "rdram"), ("remote", "rdram", "ldram")):
            exact = self.exact(name)
            for key, cycles in SET.items():
                self.equal(f"latency {key}", exact.latency[key], cycles)
            # The jitter is uniform from 0 to an eighth.
            mean = SET[level] * (1 + exact.latency["jitter"] / 16)
            self.equal(f"{name}: cycles of a load", exact.stalls[level] / exact.loads[level], mean, mean / 100)
            # A quarter of the chain is in the L3 after its initialisation, until other lines displace it.
            self.equal(f"{name}: at least most of the loads of the chain", min(exact.loads[level], LOADS * 9 // 10), LOADS * 9 // 10)
            self.equal(f"{name}: loads from other DRAM than by the chain", min(exact.loads[other], LOADS // 5), exact.loads[other])

    def exact_latency(self):
        for name in RUNS:
            exact = self.exact(name)
            for level, cycles in SET.items():
                expected = 0 if level == "l1" else cycles * exact.loads[level]
                self.equal(f"{name}: cycles of {exact.loads[level]} loads from {level}", exact.stalls[level], expected)

    def difference(self):
        values = self.values("itself")
        expected = (SET["rdram"] - SET["ldram"]) * (1 + self.exact("local").latency["jitter"] / 16)
        found = (values["cycles-of-chain-on-node1"] - values["cycles-of-chain-on-node0"]) / LINES
        self.equal("difference of a load", found, expected, expected / 100)

    def record(self):
        exact = self.exact("record")
        with open(f"{self.out}/samples", encoding="ascii") as stream:
            places = [int(line.split()[-1], 16) for line in stream if line.strip()]
        self.equal("samples", len(places), exact.cycles // PERIOD, 1)
        most = max(set(places), key=places.count)
        # The instruction after a load that waits is the first one that can be interrupted.
        share = LOADS * SET["rdram"] / exact.cycles
        self.equal("share of the instruction after the load", places.count(most) / len(places), share, 0.1)

    def itself(self):
        values = self.values("itself")
        for name in ("cycles", "instructions"):
            self.equal(f"{name} of the loop", values[f"{name}-of-loop"], 2 * (LOOP - 1))
            self.equal("interrupts of the long loop", max(values[f"{name}-interrupts"], 20), values[f"{name}-interrupts"])
            self.equal(f"{name}: in order", values[f"{name}-in-order"], 1)
        # Interrupts move lines of the program out of the L1, but change no number of instructions.
        self.equal("instructions of the long loop", values["instructions-of-long-loop"], 2 * (LONG_LOOP - 1))
        self.equal("instructions of read(2)", min(values["instructions-of-read"], 200), values["instructions-of-read"])
        for node, level in enumerate(("ldram", "rdram")):
            self.equal(f"instructions of the chain on node {node}", values[f"instructions-of-chain-on-node{node}"], 3 * LINES, 100)
            expected = LINES * (3 + SET[level] * (1 + self.exact("local").latency["jitter"] / 16))
            self.equal(f"cycles of the chain on node {node}", values[f"cycles-of-chain-on-node{node}"], expected, expected / 100)

    def loads(self):
        values = self.values("itself")
        self.equal("loads of the loop", values["loads-of-loop"], 0)
        for node in range(2):
            # Each reading of the counter loads four words of its page.
            self.equal(f"loads of the chain on node {node}", values[f"loads-of-chain-on-node{node}"], LINES, 10)
        # All accesses of the program that load, of which wide ones are several, but one load.
        with open(f"{self.out}/loads.stat", encoding="ascii") as stream:
            counted, = (int(line.split(",")[0]) for line in stream if "," in line)
        self.equal("loads beside accesses", counted, sum(self.exact("remote").loads.values()), counted / 50)
        with open(f"{self.out}/loads.samples", encoding="ascii") as stream:
            self.equal("samples of loads", sum(1 for line in stream if line.strip()), counted // PERIOD, 1)

    def switches(self):
        values = self.values("switches")
        self.equal("instructions beside another thread", values["shared"], values["alone"])
        self.equal("a switch for each turn", max(values["switches"], 1000), values["switches"])


def main():
    name, out, truth = sys.argv[1:]
    check = Check(out, truth)
    getattr(check, name.replace("-", "_"))()
    sys.exit(check.bad)


if __name__ == "__main__":
    main()
