#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the samples and the report of halves.c with the location of its pages. usage: check.py OUT REPORT LINE; prints
deviations.

REPORT: the report of remote DRAM accesses as JSON; LINE: the line of the read in the source."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'library'))
import files                                                                                       # noqa: E402

# Values of include/memphis/sample.h.
DRAM, REMOTE = 5, 0x4
failures = []


def expect(condition, sentence):
    if not condition:
        failures.append(sentence)


def check_samples(out):
    """Each sample has its page's home node and the right remote flag; the reader of the files verifies that the accounting
    balances."""
    with open(os.path.join(out, 'halves.out'), encoding='ascii') as file:
        begin, middle, end = (int(word, 16) for word in file.read().split()[1:4])
    loaded = files.load(os.path.join(out, 'halves'))
    process = next(f for f in loaded if f['kind'] == 'process')
    expect(process['settings']['uid'] == '1000' and process['settings']['backend'] == 'device',
           'by user %(uid)s, backend %(backend)s' % process['settings'])
    samples = [s for f in loaded for s in f.get('samples', []) if begin <= s['address'] < end]
    homes = [s['home'] for s in samples]
    right = [home == (s['address'] >= middle) for s, home in zip(samples, homes)]
    expect(all(right), 'the home node of %d of %d samples is wrong' % (right.count(False), len(right)))
    # About 730 samples are expected, of either half with equal probability: less than 40 % of one half come in one of 10^7 runs.
    expect(len(samples) >= 400, '%d samples' % len(samples))
    for node in (0, 1):
        expect(homes.count(node) * 10 >= len(homes) * 4, '%d of %d samples are of node %d' % (homes.count(node), len(homes), node))
    contradictions = [s for s in samples if s['source'] == DRAM and bool(s['flags'] & REMOTE) != (s['home'] != s['node'])]
    expect(not contradictions, '%d samples are of remote memory whose home is their own node, or the reverse' % len(contradictions))


def check_report(path, line):
    """All remote samples are of the second half, by the line that reads it on node 0."""
    with open(path, encoding='utf-8') as file:
        report = json.load(file)
    books = report['accounting']
    expect(books['interrupts'] == books['kept'] + books['lost'] + sum(books['filtered'].values()) and not books['lost'], 'books')
    nodes = [n for n in report['nodes'] if n['total']]
    expect([n['node'] for n in nodes] == [0], 'remote accesses by threads of nodes %s' % [n['node'] for n in nodes])
    first = nodes[0]['variables'][0]
    expect((first['segment'], first['name'], first['instructions'][0]['line']) == ('bss', 'halves', line),
           'the first variable is %(segment)s:%(name)s' % first)
    expect(first['count'] * 100 >= nodes[0]['total'] * 95 and first['count'] >= 150,
           '%d of %d remote accesses are to it' % (first['count'], nodes[0]['total']))


check_samples(sys.argv[1])
check_report(sys.argv[2], int(sys.argv[3]))
print('\n'.join(failures) or 'all holds')
sys.exit(bool(failures))
