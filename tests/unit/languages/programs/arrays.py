# SPDX-License-Identifier: BSD-3-Clause
"""Calls everything that the Python module offers. The trace prints the first byte of each array. usage: arrays.py [numpy]"""
import array
import ctypes
import sys
import threading

import memphis


@memphis.caliper('decorated')
def decorated(depth):
    return decorated(depth - 1) if depth else 'value'


with memphis.caliper('TimeLoop'):
    with memphis.caliper('größer'):
        pass
    try:
        with memphis.caliper('raises'):
            raise ValueError('caught')
    except ValueError as error:
        print(error, flush=True)
    print(decorated(1), flush=True)
    thread = threading.Thread(target=lambda: decorated(0))
    thread.start()
    thread.join()
print(memphis.begin('by hand'), memphis.end('by hand'), flush=True)

print(memphis.name(array.array('d', [0.0] * 10), 'array'), flush=True)
memphis.name(bytearray(b'\x22' * 7), 'bytearray')
memphis.name(b'\x33' * 5, 'bytes')
memphis.name(memoryview(bytes(range(10)))[2:9:3], 'every third')
memphis.name(memoryview(bytes(range(10)))[::-2], 'backwards')
memphis.name((ctypes.c_int * 3)(0x44, 0, 0), 'ctypes')
memphis.name(bytearray(3), None)
pool, part = memphis.pool('arrays'), bytearray(b'\x22' * 7)
same = pool.alloc(part, 'part') is part
pool.alloc(b'\x33' * 5)
print(pool.free(part), same, flush=True)
print(pool.reset(), pool.destroy(), flush=True)
for nothing in (5, 'text', [1, 2], None):
    try:
        memphis.name(nothing, 'nothing')
    except TypeError:
        print('TypeError', flush=True)
if sys.argv[1:] == ['numpy']:
    import numpy
    field = numpy.full((4, 3), 0x55, dtype=numpy.int16)
    field[1, 0] = 0x56
    memphis.name(field, 'numpy')
    memphis.name(field[1], 'row')
    memphis.name(field[1:3, ::2], 'section')
    memphis.name(field.T[::-1], 'transposed, backwards')
    memphis.name(numpy.asfortranarray(field), 'Fortran order')
    field.flags.writeable = False
    memphis.name(field, 'read-only')
    memphis.name(numpy.zeros((0, 3)), 'empty')
    memphis.name(numpy.zeros((), dtype='f8'), 'scalar')
    memphis.name(numpy.zeros(2, dtype='M8[s]'), 'times')
print(memphis.pause(), memphis.resume(), memphis.is_sampling(), flush=True)
print(memphis.configure('period', 65536), memphis.flush(), flush=True)
print(f'[{memphis.status()}] [{memphis.version()}]')
