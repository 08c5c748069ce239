#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the report of an MPI program that writes files with what its ranks have counted and timed themselves (programs/mpi/writer.c).

usage: io_layer.py SAID REPORT [WRITER [guest]]     SAID: output of the program; REPORT: JSON; WRITER: the rank that writes for all; none: all write

Bytes must be equal. The time of a call lies between two readings of the program's clock, so that it is not longer (1 ms for the difference of
the clocks). It is shorter by what a rank loses between the readings, its CPU for instance: by 0.1 to 2.4 % on a quiet machine, by more than 10 % beside
a load of 14, and never by half. In a guest, whose CPUs the host takes away, times only must not be zero."""
import json
import sys

from mpi_layer import said


def main():
    own = said(sys.argv[1])
    with open(sys.argv[2], encoding='utf-8') as file:
        mpi = json.load(file)['mpi']
    ranks = {rank['rank']: rank for rank in mpi['ranks']}
    assert len(own) == 8 and sorted(own) == sorted(ranks), (sorted(own), sorted(ranks))
    shared = [file for file in mpi['files'] if (file['file'] or '').endswith('/shared')]
    assert len(shared) == 1 and shared[0]['written_bytes'] == sum(rank['written_bytes'] for rank in own.values()), shared
    writers = [finding for finding in mpi['findings'] if finding['pattern'] == 'single-writer']
    if len(sys.argv) < 4:
        assert not writers, writers
        assert all(rank['written_bytes'] > 0 for rank in own.values())
        return 0
    assert len(writers) == 1, mpi['findings']
    found, writer = writers[0], int(sys.argv[3])
    assert (found['late'], found['function'], found['region'], found['bytes_share']) == (writer, 'MPI_Barrier', 'Step/Output', 1), found
    assert found['ranks'] == [rank for rank in range(8) if rank != writer], found
    assert found['written_bytes'] == own[writer]['written_bytes'], (found, own[writer])
    waiting = [rank for number, rank in own.items() if number != writer]
    waited, guest = sum(rank['waited_ns'] for rank in waiting), len(sys.argv) == 5
    print(f"waited {found['waited_ns'] / 1e9:.3f} s, the ranks say {waited / 1e9:.3f} s: {found['waited_ns'] / waited:.3f}; in I/O {found['io_ns'] / own[writer]['io_ns']:.3f}")
    for measured, said_by_ranks, count in ((found['io_ns'], own[writer]['io_ns'], 1), (found['waited_ns'], waited, len(waiting))):
        least = 1 if guest else 0.5 * said_by_ranks
        assert least <= measured <= said_by_ranks + 1e6 * count, (measured, said_by_ranks, own)
    return 0


if __name__ == '__main__':
    sys.exit(main())
