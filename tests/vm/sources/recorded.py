#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the samples in the files of the program `recorded` with the machine's exact counts of the same run: data sources, lines
of the source, and home nodes.

usage: recorded.py TRUTH.tsv FILES OUTPUT PROGRAM BACKEND LEVEL=SOURCE,FLAGS...
OUTPUT: what the program has printed. The levels are those that the file's event samples, with the source and the flags of their
samples as in include/memphis/sample.h. For each level and line, N eligible loads give an expected number of N / period samples.
"""

import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "library"))
import files                                                                                       # noqa: E402
import truth                                                                                       # noqa: E402

LOAD, REMOTE, HITM = 0x1, 0x4, 0x8
# Levels of each event; load latency, and IBS, which has no event, sample all levels. At least these must be found.
BY_SOURCE = {"local-dram": {"ldram"}, "remote-dram": {"rdram"}, "remote-hitm": {"rpeer"}, "remote-forward": set()}
ALL = {"l3", "ldram", "rdram", "rpeer"}


def lines_of(program, addresses):
    """Line of each address of an instruction, as "file:line"."""
    addresses = sorted(addresses)
    out = subprocess.run(["addr2line", "-s", "-e", program, *map(hex, addresses)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {pc: line.split(" ")[0] for pc, line in zip(addresses, out.splitlines())}


def kind_of(sample):
    flags = sample["flags"]
    return f"{sample['source']},{'remote' if flags & REMOTE else 'local'}{'-hitm' if flags & HITM else ''}"


def main():
    if len(sys.argv) < 7:
        sys.exit(__doc__)
    path, directory, output, program, backend = sys.argv[1:6]
    levels = dict(argument.split("=") for argument in sys.argv[6:])
    loaded = files.load(directory)
    settings = next(f for f in loaded if f["kind"] == "process")["settings"]
    threads = [f for f in loaded if f["kind"] == "thread"]
    bad = []

    def expect(condition, sentence):
        if not condition:
            bad.append(sentence)

    expect(settings["backend"] == backend and settings["uid"] == "1000", f"backend {settings['backend']}, user {settings['uid']}")
    expect(not any(t["books"]["lost"] for t in threads), "samples are lost")
    event = settings.get("event", "load-latency")
    wanted = ALL if event == "load-latency" else set().union(*(BY_SOURCE[name] for name in event.split(",")))
    # IBS starts each period at a random value from 0 to 127; PEBS counts it as a whole.
    period = int(settings["period"]) - (63.5 if settings["hardware"] == "ibs" else 0)
    print(f"hardware {settings['hardware']}, event {event}, period {period}")

    samples = [s for t in threads for s in t.get("samples", []) if s["flags"] & LOAD and s["pc"] < truth.USER_END]
    rows = truth.eligible_loads(path, truth.LIBRARY_PC, truth.USER_END)
    ours = {pc for pc in [*rows, *(s["pc"] for s in samples)] if pc < 2 * truth.LIBRARY_PC}
    line_of = lines_of(program, ours)
    expected = collections.Counter()
    for pc, row in rows.items():
        for level in levels:
            expected[levels[level], line_of.get(pc, "library")] += row[level] / period
    found = collections.Counter((kind_of(s), line_of.get(s["pc"], "library")) for s in samples)
    for kind, line in sorted(set(expected) | set(found)):
        count, mean = found[kind, line], expected[kind, line]
        if kind not in levels.values():
            # Loads that hit the L1, with IBS.
            expect(kind == "1,local", f"{count} samples of kind {kind} at {line}")
            continue
        good = truth.tail(count, mean) > truth.CHANCE / 2 if mean else not count
        if mean > 5 or not good:
            print(f"{'ok ' if good else 'BAD'} {kind} at {line}: {count} samples, {mean:.1f} expected")
        expect(good, f"{kind} at {line}")
    for level in wanted:
        expect(sum(mean for (kind, _), mean in expected.items() if kind == levels[level]) > 40, f"hardly a load of {level}")

    with open(output, encoding="ascii") as stream:
        far, far_end = (int(word, 16) for word in stream.read().split())
    walked = [s for s in samples if line_of.get(s["pc"], "").startswith("session.c:")]
    wrong = [s for s in walked if s["home"] != (far <= s["address"] < far_end)]
    expect(len(walked) > 80 and not wrong, f"{len(wrong)} of {len(walked)} samples of the walk have a wrong home node")
    print("\n".join(bad) or "all holds")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
