# SPDX-License-Identifier: BSD-3-Clause
"""Opens calipers in a recursion, whose levels share frames of the interpreter since Python 3.11, and in a loop that an exception leaves."""
import memphis


def descend(levels):
    with memphis.caliper('Level'):
        if levels > 1:
            descend(levels - 1)


def fail():
    with memphis.caliper('Fails'):
        raise ValueError


with memphis.caliper('Run'):
    descend(4)
    descend(4)
    for _ in range(3):
        try:
            fail()
        except ValueError:
            pass
    memphis.begin('Outer')
    memphis.begin('Inner')
    memphis.end('Outer')
    memphis.end('Inner')
