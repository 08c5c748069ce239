# SPDX-License-Identifier: BSD-3-Clause
"""Processes and pools of Python. usage: pools.py fork|spawn|forkserver|threads|asyncio"""

import asyncio
import concurrent.futures
import multiprocessing
import sys
import threading


def square(number):
    return sum(range(number)) * number


def put(queue, number):
    queue.put(number * number)
    sys.exit(number)


def processes(method):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=put, args=(queue, number)) for number in range(3)]
    for child in children:
        child.start()
    print(sorted(queue.get() for _ in children))
    for child in children:
        child.join()
    print([child.exitcode for child in children])
    with context.Pool(3) as pool:
        print(sum(pool.map(square, range(200))))
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        print(sum(pool.map(square, range(50), chunksize=5)))
    value = context.Value("i", 3)
    child = context.Process(target=add, args=(value,))
    child.start()
    child.join()
    print(value.value)


def add(value):
    with value.get_lock():
        value.value += 1


def threads():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        print(sum(pool.map(square, range(300))))
    print(threading.active_count())


async def command(number):
    child = await asyncio.create_subprocess_exec("sh", "-c", f"echo {number}; exit {number}", stdout=asyncio.subprocess.PIPE)
    output, _ = await child.communicate()
    return output, child.returncode


async def commands():
    print(await asyncio.gather(*map(command, range(5))))


if __name__ == "__main__":
    if sys.argv[1] == "threads":
        threads()
    elif sys.argv[1] == "asyncio":
        asyncio.run(commands())
    else:
        processes(sys.argv[1])
