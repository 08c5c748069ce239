#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares a table of memphis top with what walk.c does. usage: check.py STATE TABLE [LOADS]

STATE: of the process. LOADS: the number of sampled loads from memory, in a table about a time in which the program does not run. Without it,
the table has a share of now with its interval, which shows how many loads there are at least.
Half of the loads are remote, and 75 % of these are from `often`. A share differs by more than 5.5 standard deviations with a probability of 4e-8;
with 22 comparisons on each machine, 1 of 600,000 runs on two machines fails without a defect.
"""
import re
import sys

SIGMAS = 5.5


def limits(share, loads):
    deviation = SIGMAS * (share * (1 - share) / loads) ** 0.5
    return 100 * (share - deviation) - 0.05, 100 * (share + deviation) + 0.05


def check(name, percent, share, loads):
    low, high = limits(share, loads)
    print(f'{name}: {percent} %, expected {low:.1f} to {high:.1f}')
    return low <= percent <= high


def main(state, path, loads=None):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    print(text)
    node = re.search(r'^ +0 +(?:([\d.]+) % \((\d+)-(\d+)\)|-) +([\d.]+) %', text, re.M)
    process = re.search(r'^ +\d+ +(\w+) +(?:([\d.]+) %|-) +([\d.]+) %.* \S*/walk$', text, re.M)
    variables = dict((name, float(share)) for share, name in re.findall(r'^ +([\d.]+) %  (\[heap\]:\w+)$', text, re.M))
    assert process[1] == state, process[1]
    assert set(variables) == {'[heap]:often', '[heap]:seldom'}, variables
    held = []
    if loads:
        assert node[1] is None and process[2] is None
        loads = int(loads)
    else:
        # The interval has 95 %, and its limits are rounded.
        loads = (1.96 / (float(node[3]) - float(node[2]) + 1) * 100) ** 2
        held += [check('node 0, now', float(node[1]), 0.5, loads), check('process, now', float(process[2]), 0.5, loads)]
    held += [check('node 0, so far', float(node[4]), 0.5, loads), check('process, so far', float(process[3]), 0.5, loads),
             # top names at most 4096 remote loads.
             check('often', variables['[heap]:often'], 0.75, min(loads / 2, 4096)),
             check('seldom', variables['[heap]:seldom'], 0.25, min(loads / 2, 4096))]
    return not all(held)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
