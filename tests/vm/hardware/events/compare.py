#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the shares of variables and of their lines in two reports of the same program; prints deviations.

usage: compare.py REPORT.json OTHER.json"""
import collections
import json
import math
import os
import sys

# Significance level of each share, both tails together. With about 30 shares, 1 of 300,000 comparisons fails without a defect.
CHANCE = 1e-7
# The statistic is nearly normal if so many samples are expected in each report, and that many of other rows.
EXPECTED_MIN = 10


def shares(path):
    """Samples by row (node, variable, line), by (node, variable), and by node."""
    counts = collections.Counter()
    with open(path, encoding='utf-8') as file:
        report = json.load(file)
    for node in report['nodes']:
        counts[(node['node'],)] += node['total']
        for variable in node['variables']:
            counts[(node['node'], variable['name'])] += variable['count']
            for item in variable['instructions']:
                line = '%s:%s' % (os.path.basename(item['file'] or '?'), item['line'])
                counts[(node['node'], variable['name'], line)] += item['count']
    return counts, sum(node['total'] for node in report['nodes'])


(first, total), (second, other_total) = shares(sys.argv[1]), shares(sys.argv[2])
failures, compared = [], 0
if min(total, other_total) < 1000:
    failures.append('too few samples: %d and %d' % (total, other_total))
for row in sorted(first.keys() | second.keys(), key=str):
    mean = (first[row] + second[row]) / (total + other_total)
    if min(mean, 1 - mean) * min(total, other_total) < EXPECTED_MIN:
        continue
    compared += 1
    z = (first[row] / total - second[row] / other_total) / math.sqrt(mean * (1 - mean) * (1 / total + 1 / other_total))
    line = '%s: %d of %d, %d of %d: z = %.1f' % (row, first[row], total, second[row], other_total, z)
    print(line)
    if math.erfc(abs(z) / math.sqrt(2)) < CHANCE:
        failures.append(line)
if compared < 10:
    failures.append('only %d rows could be compared' % compared)
for line in failures:
    print('FAILED ' + line)
sys.exit(bool(failures))
