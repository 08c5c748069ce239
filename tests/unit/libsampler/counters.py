#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the counters that the process files of a directory contain.

usage: counters.py DIRECTORY [PID]
    metric SOURCE SCOPE KIND NODE UNIT NAME        a metric; KIND may be refused or lost
    value NAME VALUE [gap]                         a reading, in order of time
    mark REGION-NAME                               a change of region, in order of time; "-": none
    loss KEY COUNT                                 the last count
"""
import glob
import struct
import sys

REGIONS, LOSSES, METRICS, VALUES, MARKS = 19, 21, 22, 23, 24


def chunks(path):
    with open(path, 'rb') as file:
        data = file.read()
    at = 64
    while at + 24 <= len(data):
        magic, kind, _, size, count = struct.unpack_from('<IHHII', data, at)
        if magic != 0x4b4e4843:
            return
        yield kind, count, data[at + 24:at + 24 + size]
        at += 24 + (size + 7 & ~7)


def print_file(path):
    names, regions, losses, last = {}, {0: '-'}, {}, {VALUES: 0, MARKS: 0}
    for kind, count, payload in chunks(path):
        if kind == REGIONS:
            for line in payload.decode().splitlines():
                number, _, name = line.split(' ', 2)
                regions[int(number)] = name
        elif kind == LOSSES:
            losses.update(line.split(' ') for line in payload.decode().splitlines())
        elif kind == METRICS:
            for line in payload.decode().splitlines():
                number, rest = line.split(' ', 1)
                names[int(number)] = rest.split(' ', 5)[5]
                print('metric', rest)
        elif kind == VALUES:
            for i in range(count):
                time, took, value, metric, flags = struct.unpack_from('<QQdII', payload, 32 * i)
                assert time >= last[kind] and took < time, 'values are in order of time'
                last[kind] = time
                print('value', names[metric], f'{value:.17g}', *['gap'] * (flags & 1))
        elif kind == MARKS:
            for i in range(count):
                time, region, reserved = struct.unpack_from('<QII', payload, 16 * i)
                assert time >= last[kind] and not reserved, 'marks are in order of time'
                last[kind] = time
                print('mark', regions[region])
    for key, count in losses.items():
        print('loss', key, count)


def main():
    pattern = f'*.{sys.argv[2]}.process.memphis' if len(sys.argv) > 2 else '*.process.memphis'
    for path in sorted(glob.glob(f'{sys.argv[1]}/{pattern}')):
        print_file(path)


if __name__ == '__main__':
    main()
