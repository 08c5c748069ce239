# SPDX-License-Identifier: BSD-3-Clause
"""Python: calipers in a `with` statement and as a decorator, and a name for an array. usage: timestep.py [ELEMENTS [STEPS]]"""
import array
import sys

import memphis

n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5
field = array.array('d', [1.0]) * n  # or any NumPy array
memphis.name(field, 'temperature')


@memphis.caliper('advect')
def advect():
    return sum(field)


total = 0
with memphis.caliper('TimeLoop'):
    for step in range(steps):
        total += advect() - n
print(f'sum {total + field[0]:g}')
