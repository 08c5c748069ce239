#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the callers of samples in libraries with what the program did.

In the programs of tests/workloads/callers, the array of a load's address determines which calls led to the load. Addresses are
converted to lines by binutils' addr2line, and the sample files are read by an independent reader (tests/vm/library/files.py).
usage: check.py DIRECTORY PROGRAM[-attached][-perf] SOURCE     DIRECTORY: has bin/, and out/ as the guest wrote it; PROGRAM.json: the report
"""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../library'))
import files  # noqa: E402

directory, run, source = sys.argv[1:]
program = run.split('-')[0]
with open(source, encoding='utf-8') as text:
    marked = {match[1]: number for number, line in enumerate(text, 1) if (match := re.search(r'LINE: (\S+)', line))}


def expected(array):
    """Lines of the calls that led to a load from this array, innermost first."""
    if program == 'calls':
        depth = int(array.removeprefix('array'))
        return [marked['copy']] + [marked['deeper']] * depth + [marked['call']]
    return [marked[array], marked['call']]


with open(f'{directory}/out/{run}.out', encoding='utf-8') as text:
    output = text.read()
arrays = [(int(start, 16), int(size), name) for name, start, size in re.findall(r'^variable (\S+) (0x\w+) (\d+)', output, re.M)]
names = {name for _, _, name in arrays}
bias, low, high = next((int(a, 16), int(b, 16), int(c, 16)) for a, b, c, path in
                       re.findall(r'^object (0x\w+) (0x\w+) (0x\w+) (\S+)', output, re.M) if path.endswith('/' + program))
lines = {}


def line_of(pc):
    """Line of the call before a return address, or None if it is unknown or outside of the program."""
    if pc not in lines and low <= pc < high:
        answer = subprocess.run(['addr2line', '-e', f'{directory}/bin/{program}', hex(pc - 1 - bias)], capture_output=True, text=True, check=True)
        line = re.match(r'\d+', answer.stdout.rsplit(':', 1)[1])
        lines[pc] = int(line[0]) if line else None
    return lines.get(pc)


def array_of(address):
    return next((name for start, size, name in arrays if start <= address < start + size), None)


right = wrong = unknown = without = 0
by_array = collections.Counter()
for file in files.load(f'{directory}/out/{run}'):
    for sample in file.get('samples', []):
        array = array_of(sample['address'])
        if not array or sample['flags'] & 2:  # stores are all to the same array
            continue
        if 'callers' not in sample:
            without += not low <= sample['pc'] < high
        elif isinstance(sample['callers'], int):
            unknown += 1
        else:
            wanted = expected(array)
            found = [line_of(pc) for pc in sample['callers']]
            while found and found[0] is None:  # calls within libraries
                del found[0]
            found = found[:len(wanted)]
            by_array[array] += 1
            right += found == wanted
            wrong += found != wanted
            if found != wanted and wrong <= 3:
                print(f'# {array}: {found}, expected {wanted}')


def check(what, holds):
    print(f'{"ok" if holds else "BAD"} {what}')


check(f'{right} chains are right, of {len(by_array)} of {len(names)} arrays', right >= 300 and set(by_array) == names)
check(f'{wrong} chains are wrong', wrong == 0)
check(f'{unknown} of {right + wrong + unknown} samples in libraries have unknown callers, at most 5 %', 20 * unknown <= right + wrong + unknown)
check(f'{without} samples in libraries have neither callers nor a reason', without == 0)

with open(f'{directory}/{run}.json', encoding='utf-8') as text:
    report = json.load(text)
rows = collections.Counter()
vias = collections.defaultdict(set)
for node in report['nodes']:
    for variable in node['variables']:
        for instruction in variable['instructions']:
            if instruction.get('callers'):
                rows[instruction['line']] += instruction['count']
                vias[instruction['line']].add(instruction['callers']['via'])
wanted = collections.Counter()
for array, count in by_array.items():
    wanted[expected(array)[0]] += count
others = sum(count for line, count in rows.items() if line not in wanted)  # the first calls of library functions
check(f'the report has {dict(rows)} samples by line of the call, at least {dict(wanted)} of them are of the arrays',
      100 * others <= sum(rows.values()) and all(rows[line] >= count for line, count in wanted.items()))

# The C library has memcpy() and memmove() in one function.
source_names = {'product': 'dgemm_'} if program != 'exchange' else {array: 'MPI_Sendrecv' for array in by_array}
called = {expected(array)[0]: source_names.get(array, 'memcpy') for array in by_array}
check(f'the functions that these lines called are {dict(vias)}, of the source {called}',
      all(vias[line] == {name} for line, name in called.items()))
