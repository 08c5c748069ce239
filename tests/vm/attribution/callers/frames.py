#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the report of tests/workloads/callers/frames.c with the addresses of its arrays on the stack, for the samples of an independent reader.

usage: frames.py RUN     RUN.out: what the program printed; RUN: the sample files; RUN.json: the report
"""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../library'))
import files  # noqa: E402

run = sys.argv[1]
with open(run + '.out', encoding='utf-8') as text:
    arrays = [(int(start, 16), int(size), name) for name, start, size in re.findall(r'^variable (.+) (0x\w+) (\d+)$', text.read(), re.M)]
with open(run + '.json', encoding='utf-8') as text:
    report = json.load(text)

read, with_frame = collections.Counter(), collections.Counter()
for file in files.load(run):
    for sample in file.get('samples', []):
        for start, size, name in arrays:
            if start <= sample['address'] < start + size:
                read[name] += 1
                with_frame[name] += 'frame' in sample
named = collections.Counter()
for node in report['nodes']:
    for variable in node['variables']:
        named[variable['name']] += variable['count']
for name in sorted({name for _, _, name in arrays}):
    good = with_frame[name] >= 300 and 100 * with_frame[name] >= 95 * read[name] and 100 * named[name] >= 95 * read[name] and named[name] <= 1.02 * read[name] + 20
    print(f'{"ok" if good else "BAD"} {name}: {read[name]} samples, {with_frame[name]} with their frame, {named[name]} of this name')
