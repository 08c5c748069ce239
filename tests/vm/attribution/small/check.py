#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the allocation sites of remote samples in small blocks with the blocks that the program listed.

The sample files are read by an independent reader (tests/vm/library/files.py). In each region, in which the program walks through one
container, the report and the list must assign as many samples to each line.
usage: check.py DIRECTORY SOURCE     DIRECTORY: has out/ as the guest wrote it, and report.json
"""
import bisect
import collections
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../library'))
import files  # noqa: E402

MARKS = ('orders', 'queue', 'names', 'name_text', 'words', 'word_text', 'branches')
DRAM, REMOTE = 5, 4  # include/memphis/sample.h

directory, source = sys.argv[1:3]
# Percent of the loads of all containers.
least = int(sys.argv[3]) if len(sys.argv) > 3 else 95
with open(source, encoding='utf-8') as text:
    lines = {match[1]: number for number, line in enumerate(text, 1) if (match := re.search(r'LINE: (\S+)', line))}
with open(f'{directory}/out/objects', 'rb') as content:
    blocks = sorted(struct.iter_unpack('<QQQ', content.read()))
starts = [block[0] for block in blocks]
def line_of(address):
    """Returns the line that allocates the block at the address, or None."""
    at = bisect.bisect_right(starts, address) - 1
    return lines[MARKS[blocks[at][2]]] if at >= 0 and address < blocks[at][1] else None


with open(f'{directory}/report.json', encoding='utf-8') as text:
    report = json.load(text)
reported, exact, estimated, certain = collections.Counter(), 0, 0, 0.0
for region, variable in ((region, variable) for region in report['regions'] for node in region['nodes'] for variable in node['variables']):
    site = int(variable['site'].rsplit(':', 1)[1]) if (variable['site'] or '').startswith('containers.cpp:') else None
    reported[(region['path'] or [''])[-1], site] += variable['count']
    if variable['how'] == 'estimated':
        estimated += variable['count']
        certain += variable['certainty'] * variable['count']
    elif site is not None:
        exact += variable['count']

wanted, names = collections.Counter(), {0: ''}
loaded = files.load(f'{directory}/out/containers')
for file in loaded:
    names.update((int(number), name) for number, _, name in (text.split(' ', 2) for text in file.get('regions', [])))
for file in loaded:
    for sample in file.get('samples', []):
        line = line_of(sample['address'])
        if line is not None and sample['source'] == DRAM and sample['flags'] & REMOTE:
            wanted[names[sample['region']], line] += 1
total = sum(wanted.values())
right = sum(min(count, reported[key]) for key, count in wanted.items())
by_line = collections.Counter()
for (_, line), count in wanted.items():
    by_line[line] += count
print(f'# by line: {dict(by_line)}')
for key, count in sorted(wanted.items()):
    print(f'# {key[0]}: {count} samples of line {key[1]}, reported {[(k[1], c) for k, c in reported.items() if k[0] == key[0]]}')


def check(what, holds):
    print(f'{"ok" if holds else "BAD"} {what}')


check(f'{total} remote samples are in small blocks, of {len(by_line)} of {len(MARKS)} lines', total >= 1000 and len(by_line) == len(MARKS))
check(f'{right} of them have the right site, at least {least} %', 100 * right >= least * total)
check(f'{exact} samples are in recorded blocks, at least 10', exact >= 10)
check(f'{estimated} are estimated, about {certain:.0f} of them right as stated, {right - exact} in fact', certain <= right - exact + 0.02 * estimated)
