#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares samples and exact counts of instructions with several accesses with the accesses that the instructions made.

usage: ops_truth.py ibs|pebs PERIOD OUTPUT TRUTH.tsv        (OUTPUT is the output of ops.sh)

1. The exact counts contain the loads and stores of each repetition, no more and no fewer.
2. DRAM served the loads from one buffer and the stores to the other.
3. Each sample is one load or one store (or both, for a read-modify-write) with the width and at an address of a repetition.
4. IBS: the two ops of an instruction are sampled equally often; a larger deviation occurs by chance once in ten million times.
   PEBS: there is one sample for each period of loads.
"""
import math
import sys

LEVELS = 8
PAGE = 4096
# Kinds of ops by instruction name without rep and size.
KINDS = {
    "movs": ("load from", "store to"), "stos": ("store to",), "lods": ("load from",), "cmps": ("load to", "load from"),
    "scas": ("load to",), "push": ("load from", "store to"), "pop": ("load from", "store to"),
    "push_near": ("load from", "store to"), "add": ("both to",), "wide": ("load from",),
    "movnti": ("store to",), "prefetch": (),
}
FEWEST = 20


def kinds_of(name):
    """Kinds of ops of an instruction: rep_movsq has those of movs."""
    name = name.removeprefix("rep_")
    return KINDS[name] if name in KINDS else KINDS[name[:-1]]


class Op:
    def __init__(self, line):
        self.words = line.split()
        self.name, self.pc, self.bytes = self.words[1], int(self.words[2], 16), int(self.words[3])
        self.buffers = {"from": (int(self.words[4], 16), int(self.words[5])), "to": (int(self.words[6], 16), int(self.words[7]))}
        self.repetitions = int(self.words[8])
        said = self.words[10:]
        self.samples = {f"{said[i]} {said[i + 1]}": int(said[i + 2]) for i in range(0, 12, 3)}
        self.wrong = int(said[13])
        self.kinds = kinds_of(self.name)

    def expected(self, store):
        """Number of loads or stores of all repetitions. A read-modify-write counts as both, and a wide load as two halves."""
        each = sum(kind.startswith("both") or kind.startswith("store") == bool(store) for kind in self.kinds)
        return each * self.repetitions * (2 if self.bytes == 32 else 1)


def read_truth(path):
    """Return counts [loads, stores] and pages [(page, loads, stores)], each by PC. Other programs have no instructions at these PCs."""
    counted, pages = {}, {}
    last = None
    with open(path, encoding="ascii") as stream:
        for line in stream:
            last = line.rstrip("\n").split("\t")
            if last[0] == "pc":
                row = counted.setdefault(int(last[4], 16), [0, 0])
                counts = [int(word) for word in last[5:5 + 2 * LEVELS]]
                row[0] += sum(counts[::2])
                row[1] += sum(counts[1::2])
            elif last[0] == "page":
                pages.setdefault(int(last[4], 16), []).append((int(last[5], 16), int(last[7]), int(last[8])))
    if last != ["end"]:
        sys.exit(f"{path}: does not end with `end`")
    return counted, pages


def touches(buffer, page):
    start, size = buffer
    return start < page + PAGE and page < start + size


def check_truth(op, counted, pages, check):
    loads, stores = counted.get(op.pc, [0, 0])
    check((loads, stores) == (op.expected(0), op.expected(1)), f"{op.name}: {loads} loads and {stores} stores,"
         f" {op.expected(0)} and {op.expected(1)} were made")
    astray = 0
    for page, loaded, stored in pages.get(op.pc, []):
        for kind, count in (("load", loaded), ("store", stored)):
            places = [op.buffers[k.split()[1]] for k in op.kinds if k.split()[0] in (kind, "both")]
            astray += 0 if any(touches(place, page) for place in places) else count
    check(astray == 0, f"{op.name}: DRAM served {astray} accesses outside the operand's memory")


def check_samples(op, hardware, period, check):
    check(op.wrong == 0, f"{op.name}: {op.wrong} samples match no access of a repetition")
    kinds = [kind for kind in op.kinds if hardware == "ibs" or not kind.startswith("store")]
    if hardware == "pebs":
        kinds = [kind.replace("both", "load") for kind in kinds]
    others = {kind: count for kind, count in op.samples.items() if count and kind not in kinds}
    check(not others, f"{op.name}: samples of another kind: {others}")
    counts = [op.samples[kind] for kind in kinds]
    if hardware == "pebs":
        due = op.expected(0) / period
        check(abs(sum(counts) - due) < 2, f"{op.name}: {sum(counts)} samples, {due:.2f} periods of loads")
    elif counts:
        check(min(counts) >= FEWEST, f"{op.name}: {counts} samples")
        # Chance exceeds 5.4 standard deviations once in ten million times; there are 19 instructions of two ops, with 256 samples each.
        check(len(counts) == 1 or abs(counts[0] - counts[1]) <= 5.4 * math.sqrt(sum(counts)), f"{op.name}: {counts} samples of its two ops")


def main():
    hardware, period, output, truth = sys.argv[1:]
    failures = []

    def check(good, text):
        if not good:
            print(f"BAD {text}")
            failures.append(text)

    with open(output, encoding="ascii") as stream:
        ops = [Op(line) for line in stream if line.startswith("op ")]
    counted, pages = read_truth(truth)
    names = {prefix + kind + size for prefix in ("", "rep_") for kind in ("movs", "stos", "lods", "cmps", "scas") for size in "bwlq"}
    check({op.name for op in ops} == names | {"push", "pop", "push_near", "add", "wide", "movnti", "prefetch"}, f"{len(ops)} instructions")
    for op in ops:
        check_truth(op, counted, pages, check)
        check_samples(op, hardware, int(period), check)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
