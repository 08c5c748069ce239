# SPDX-License-Identifier: BSD-3-Clause
# Arrays of numpy: of an object, of a function that is called twice, and global.
import ctypes
import os

import numpy

library = ctypes.CDLL(os.environ['CORPUS_LIBRARY'])
COUNT = 1 << 17


def truth(array, text):
    library.corpus_truth(ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), text.encode())


class Model:
    def __init__(self):
        self.heat = numpy.ones(COUNT)  # site: self.heat
        self.salt = numpy.empty(COUNT)  # site: self.salt


def make():
    made = numpy.full(COUNT, 2.0)
    return made


grid = numpy.zeros(COUNT)  # site: grid
grid += 1
model = Model()
first = make()  # site: first
second = make()  # site: second
total = model.heat + grid  # site: total
truth(grid, 'grid')
truth(model.heat, 'self.heat|model.heat')
truth(model.salt, 'self.salt|model.salt')
truth(first, 'first')
truth(second, 'second')
truth(total, 'total')
