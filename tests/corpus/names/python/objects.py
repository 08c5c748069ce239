# SPDX-License-Identifier: BSD-3-Clause
# Arrays of objects, in lists and dictionaries, views, and results of functions of numpy.
import ctypes
import os

import numpy

library = ctypes.CDLL(os.environ['CORPUS_LIBRARY'])
COUNT = 1 << 17


def truth(array, text):
    library.corpus_truth(ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), text.encode())


class Model:
    def __init__(self, count):
        self.fields = {'heat': numpy.ones(count)}  # site: self.fields['heat']
        self.levels = [numpy.zeros(count) + i for i in range(3)]  # site: self.levels


def step(model):
    model.total = sum(model.levels)  # site: model.total
    return model.total.reshape(-1, 8)


model = Model(COUNT)
view = step(model)
product = numpy.outer(numpy.arange(256.0), numpy.arange(512.0))  # site: product
truth(model.fields['heat'], "self.fields['heat']|self.fields|model.fields['heat']")
for level in model.levels:
    truth(level, 'self.levels|model.levels')
truth(view, 'model.total|view')
truth(product, 'product')
