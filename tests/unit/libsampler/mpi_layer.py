#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the report of an MPI program with what its ranks have counted themselves (programs/mpi/waits.c).

usage: mpi_layer.py SAID REPORT [KEY...]     SAID: output of the program; REPORT: JSON; KEY: also compare these times

Calls, messages and bytes must be equal. The time in MPI lies between two readings of the program's clock, so that it is never longer (1 ms for
the difference of the clocks). It may be shorter, and the time waited may differ, by 3 % and 100 ms: between the readings of the program's clock
and of the library's, the rank may lose its CPU several times."""
import argparse
import json
import sys

COUNTS = ('calls', 'sent', 'sent_bytes', 'received', 'received_bytes')


def said(path):
    ranks = {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            if line.startswith('rank '):
                words = line.split()
                ranks[int(words[1])] = {key: int(number) for key, number in zip(words[2::2], words[3::2])}
    return ranks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('said')
    parser.add_argument('report')
    parser.add_argument('keys', nargs='*')
    arguments = parser.parse_args()
    expected = said(arguments.said)
    with open(arguments.report, encoding='utf-8') as file:
        ranks = {rank['rank']: rank for rank in json.load(file)['mpi']['ranks']}
    assert expected and sorted(expected) == sorted(ranks), (sorted(expected), sorted(ranks))
    for number, own in expected.items():
        rank = ranks[number]
        for key in COUNTS:
            assert rank[key] == own[key], f'rank {number}: {key} is {rank[key]}, the program says {own[key]}'
        for key in arguments.keys:
            measured = rank['mpi_ns' if key == 'ns' else key]
            assert key != 'ns' or measured <= own[key] + 1e6, f'rank {number}: {key} is {measured}, the program says {own[key]}'
            tolerance = 0.03 * own[key] + 100e6
            assert abs(measured - own[key]) <= tolerance, f'rank {number}: {key} is {measured}, the program says {own[key]}'
    return 0


if __name__ == '__main__':
    sys.exit(main())
