#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the traffic that a user has read by the device with that of root's perf and with the machine's exact counts.

usage: compare.py OUT TRUTH      OUT: around.txt, perf and places of guest.sh; exit status 1 if a value differs by more than 0.1 %
       compare.py OUT --recorded PROFILE.json...    totals of `memphis report --format json`, by the same copies
       compare.py OUT --by-pmcd PROFILE.json TRUTH  totals in the caliper of phase.c, by the device and by pmcd, and the machine's counts

The readings lie within the times of perf and of the exact counts, which contain in addition what switching them on and off reads and
writes: 0.02 % of the copies. The recorded processes also start, fill their arrays, which the kernel has cleared, and end.
"""
import collections
import json
import re
import sys

LINE = 64
KINDS = {'rd': 'read', 'wr': 'write'}


def of_device(path):
    with open(path, encoding='utf-8') as file:
        rows = [line.split() for line in file if line.startswith('bytes ')]
    assert len(rows) == 4, rows
    return {(kind, int(node)): int(count) for _, kind, node, count, *_ in rows}


def of_perf(path, places):
    with open(places, encoding='utf-8') as file:
        node = {pmu: int(number) for pmu, number in map(str.split, file)}
    found, counters = collections.Counter(), 0
    with open(path, encoding='utf-8') as file:
        for line in file:
            match = re.match(r'CPU\d+,(\d+),,([^,]*),\d+,100\.00', line)
            # "umc_cas_cmd.rd [amd_umc_0]"; since perf 7: "amd_umc_0/umc_cas_cmd.rd/"
            kind = match and re.search(r'umc_cas_cmd\.(rd|wr)', match[2])
            if kind:
                found[KINDS[kind[1]], node[re.search(r'amd_umc_\d+', match[2])[0]]] += LINE * int(match[1])
                counters += 1
    assert counters == 48, counters
    return found


def of_machine(path):
    found = collections.Counter()
    with open(path, encoding='utf-8') as file:
        for row in (line.rstrip('\n').split('\t') for line in file if line.startswith('channel\t')):
            found['read', int(row[1])] += LINE * int(row[3])
            found['write', int(row[1])] += LINE * int(row[4])
    return found


def recorded(path):
    """Bytes by kind and node."""
    names = {'amd_umc cas_read': 'read', 'amd_umc cas_write': 'write'}
    with open(path, encoding='utf-8') as file:
        metrics = json.load(file)['counters']['metrics']
    assert all(metric['unit'] == 'bytes' and metric['gaps'] == 0 for metric in metrics), metrics
    return {(names[metric['name']], metric['node']): metric['total'] for metric in metrics}


def in_caliper(path):
    """Bytes by kind and node, by the device and by pmcd: here, a socket is a node."""
    with open(path, encoding='utf-8') as file:
        counters = json.load(file)['counters']
    assert not counters['problems'], counters['problems']
    found = {'uncore': {}, 'pcp': {}}
    [region] = [region for region in counters['regions'] if region['region'] == 'copies']
    for row in region['metrics']:
        metric = counters['metrics'][row['metric']]
        if metric['source'] == 'uncore':
            key = re.fullmatch('amd_umc cas_(read|write)', metric['name'])[1], metric['node']
        else:
            match = re.fullmatch(r'perfevent\.derived\.socket([01])_(read|write)\.value\[cpu[02]\]', metric['name'])
            key = match[2], int(match[1])
        assert key not in found[metric['source']], key
        found[metric['source']][key] = row['total']
    return found['uncore'], found['pcp']


def compare(name, values, expected, least, most):
    """Prints the differences, and returns 1 if one is not between `least` and `most` percent."""
    status = 0
    for key in sorted(expected):
        difference = 100 * (values[key] / expected[key] - 1)
        print(f'{name} {key}: {values[key]} of {expected[key]}, {difference:+.4f} %')
        status |= not least <= difference <= most
    return status


def main(out, *arguments):
    device = of_device(f'{out}/around.txt')
    if arguments[0] == '--recorded':
        return max(compare(path, recorded(path), device, -0.5, 25) for path in arguments[1:])
    if arguments[0] == '--by-pmcd':
        device, pmcd = in_caliper(arguments[1])
        truth = of_machine(arguments[2])
        return (compare('pmcd', pmcd, device, -0.1, 0.1) | compare('pmcd', pmcd, truth, -0.1, 0.1) |
                compare('device', device, truth, -0.1, 0.1))
    return (compare('perf', device, of_perf(f'{out}/perf', f'{out}/places'), -0.1, 0.1) |
            compare('machine', device, of_machine(arguments[0]), -0.1, 0.1))


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
