# SPDX-License-Identifier: BSD-3-Clause
# Arrays that are parts of larger expressions: shapes, operands, several on a line, copies into others, and what functions hand over.
# corpus: varies nodes
import ctypes
import os
import threading

import numpy

library = ctypes.CDLL(os.environ['CORPUS_LIBRARY'])
COUNT = 1 << 17


def truth(array, text):
    library.corpus_truth(ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), text.encode())


class Grid:
    """Its arrays are made by a method, for which others are temporary."""
    names = ('salt', 'heat')

    def __init__(self, count):
        self.area = self.make(count) * 2  # site: self.area
        self.by_name = {name: self.make(count) for name in self.names}  # site: self.by_name
        self.low, self.high = numpy.zeros(count), self.make(count)  # site: self.low, self.high

    @staticmethod
    def make(count):
        if count < 0:
            return None
        made = numpy.arange(float(count)).reshape(2, -1)
        made += 1
        return made.ravel()


def smooth(values, count):
    for _ in range(count):
        values = 0.5 * values + 0.5
    return values


def fill(results, count):
    results['thread'] = numpy.zeros(count)  # site: results['thread']


grid = Grid(COUNT)
depth = (numpy.ones(COUNT) + 3.0).reshape(-1, 4)[:, ::-1]  # site: depth
squares = grid.low * grid.low + grid.high * 2  # site: squares
nodes = numpy.linspace(0.0, 1.0, COUNT)  # site: nodes
levels: list = [numpy.full((COUNT,), float(i))  # site: levels
                for i in range(2)]
chosen = grid.low if COUNT < 0 else numpy.concatenate(levels)  # site: chosen
smoothed = smooth(grid.high, 3)  # site: smoothed
results = {}
thread = threading.Thread(target=fill, args=(results, COUNT))
thread.start()
thread.join()
letters = bytearray(COUNT)  # site: letters
whole = (ctypes.c_char * COUNT).from_buffer(letters)
truth(grid.area, 'self.area')
for field in grid.by_name.values():
    truth(field, 'self.by_name')
truth(grid.low, 'self.low')
truth(grid.high, 'self.high')
truth(depth.base, 'depth')
truth(squares, 'squares')
truth(nodes, 'nodes')
for level in levels:
    truth(level, 'levels')
truth(chosen, 'chosen')
truth(smoothed, 'smoothed')
truth(results['thread'], "results['thread']")
library.corpus_truth(ctypes.c_void_p(ctypes.addressof(whole)), ctypes.c_size_t(COUNT), b'letters')
