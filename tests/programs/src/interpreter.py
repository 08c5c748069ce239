# SPDX-License-Identifier: BSD-3-Clause
"""An interpreter that must not notice that its lines are read. usage: interpreter.py objects|daemons|generated|nested|handlers"""

import gc
import signal
import sys
import threading
import time
import tracemalloc

BYTES = 100000


def objects():
    """Objects and references are the same, and the collector runs when the program lets it."""
    collected = []

    class Cycle:
        def __init__(self):
            self.own = self

        def __del__(self):
            collected.append(bytearray(BYTES))

    gc.disable()
    kept = [bytearray(BYTES) for _ in range(10)]
    before = sys.getallocatedblocks()
    code = objects.__code__
    counts = sys.getrefcount(code), sys.getrefcount(code.co_filename)
    kept += [bytearray(BYTES) for _ in range(1000)]
    for _ in range(20):
        Cycle()
    # Rounded: what the interpreter has in reserve differs by one between runs.
    print(round(sys.getallocatedblocks() - before, -1), [b - a for a, b in zip(counts, (sys.getrefcount(code), sys.getrefcount(code.co_filename)))], len(collected))
    gc.collect()
    print(len(kept), len(collected))
    tracemalloc.start(10)
    kept = [bytearray(BYTES) for _ in range(100)]
    print(max(statistic.size for statistic in tracemalloc.take_snapshot().statistics('lineno')), len(kept))


def spin(numpy):
    while True:
        numpy.zeros(BYTES)
        bytearray(BYTES)


def daemons():
    """Threads that allocate, with the interpreter's lock and without, while it ends."""
    import numpy  # pylint: disable=import-outside-toplevel
    for _ in range(4):
        threading.Thread(target=spin, args=(numpy,), daemon=True).start()
    time.sleep(0.2)
    print('ends')


def descend(depth):
    block = bytearray(BYTES)
    return len(block) + (descend(depth - 1) if depth else 0)


def generated():
    """Code that is made and released all the time, deep recursion, and generators that are left."""
    total = 0
    for number in range(500):
        names = {}
        exec(compile(f'{chr(10) * (number % 7)}def f(n): return bytearray(n * {BYTES})\nsize = len(f({number % 3 + 1}))', '<made>', 'exec'), names)
        total += names['size']
    generators = [(bytearray(BYTES) for _ in range(3)) for _ in range(50)]
    total += sum(len(next(one)) for one in generators)
    sys.setrecursionlimit(5000)
    print(total, descend(3000), len(sorted(range(2000), key=lambda n: len(bytearray(n + 4096)))))


def nested():
    """Interpreters inside the interpreter."""
    import _xxsubinterpreters as interpreters  # pylint: disable=import-outside-toplevel
    for _ in range(3):
        inner = interpreters.create()
        interpreters.run_string(inner, f'print(len([bytearray({BYTES}) for _ in range(100)]))')
        interpreters.destroy(inner)
    sys.stdout.flush()


def handlers():
    """A handler of signals that allocates, in a program that does."""
    calls = []
    signal.signal(signal.SIGALRM, lambda *_: calls.append(len(bytearray(BYTES))))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    total = 0
    while len(calls) < 100:
        total += len(bytearray(BYTES))
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(total > 0, min(calls) == max(calls))


{'objects': objects, 'daemons': daemons, 'generated': generated, 'nested': nested, 'handlers': handlers}[sys.argv[1]]()
