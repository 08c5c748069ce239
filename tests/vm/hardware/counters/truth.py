#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the counts of regions with those of the machine. usage: truth.py OUT NAME TRUTH.tsv.N counted; prints deviations.

What a pair of calipers itself executes is in its region: region Nothing has only that. The regions differ by a few instructions around their loops.
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', 'library'))
import files  # noqa: E402

# Instructions of a call of load() or turn(), of which fewer load; those of a thread's first caliper; those of what happens rarely in a pair, in any region
AROUND, FIRST, RARE = 10, 2000, 200
CYCLES, INSTRUCTIONS, EVENTS = 3, 4, 5


def exact_loads(path, program):
    """Loads of the loop by CPU."""
    symbols = {name: int(value, 16) for value, _, name in map(str.split, subprocess.run(
        ['nm', '--defined-only', program], check=True, capture_output=True, text=True).stdout.splitlines())}
    loads = {}
    with open(path, encoding='ascii') as stream:
        for fields in (line.rstrip('\n').split('\t') for line in stream):
            if fields[0] == 'pc' and int(fields[4], 16) in (symbols['counted_first'], symbols['counted_second']):
                loads[int(fields[1])] = loads.get(int(fields[1]), 0) + sum(map(int, fields[5:21:2]))
    return loads


def main():
    out, name, truth, program = sys.argv[1:]
    loads, bad = exact_loads(truth, program), 0
    found = files.load(f'{out}/{name}')
    regions = {}
    for file in found:
        for line in file.get('regions', []):
            number, _, region = line.split(' ', 2)
            regions[region] = int(number)
    threads = {file['tid']: file['times'] for file in found if file.get('times')}
    with open(f'{out}/{name}.out', encoding='ascii') as stream:
        lines = [line.split() for line in stream]
    if len(lines) != 6 or len(threads) != 2:
        sys.exit(f'{name}: {len(lines)} lines, {len(threads)} threads')
    for cpu, tid, region, calls, instructions, own_loads in lines:
        mine = threads[int(tid)]
        numbers, nothing = mine[regions[region]], mine[regions['Nothing']]
        exact = {'instructions': (INSTRUCTIONS, int(instructions)), 'loads': (EVENTS, int(own_loads))}
        for what, (at, expected) in exact.items():
            pairs = nothing[at]
            off = numbers[at] - expected - pairs
            print(f'{name}: CPU {cpu}: {region}: {what}: {numbers[at]}, of the loop {expected}, of {calls} pairs {pairs}, beside {off}')
            bad += numbers[0] != int(calls) or not -RARE <= off <= AROUND * int(calls) + FIRST
        if region == 'Load':
            print(f'{name}: CPU {cpu}: exact loads {loads.get(int(cpu))}')
            bad += loads.get(int(cpu)) != int(own_loads)
        # The second event does not occur; by PAPI's name, it is that of instructions.
        bad += numbers[EVENTS + 1] != (numbers[INSTRUCTIONS] if name == 'papi' else 0)
        bad += any(numbers[EVENTS + 2:]) or not numbers[CYCLES]
    sys.exit(bad and 1)


if __name__ == '__main__':
    main()
