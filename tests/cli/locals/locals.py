#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Names of the heap blocks of a real run, which the recorder records, in a report with one sample in each block.

locals.py names PROGRAM                 prints a line for each block of at least 2048 bytes: its size, name, source of the name, reason
locals.py check PROGRAM TRUTH           compares the names with the file TRUTH of generate.py; prints a line for each name that is not
                                        exact, then the counts; exit status 1 if a name is wrong
Environment: MEMPHIS, MAKE_SAMPLES, RECORDER_LIBRARY, and MEMPHIS_OPTIONS for options of the report.
"""
import collections
import json
import os
import shutil
import subprocess
import sys

HEAP = 0x100000000
CODE = 0x10000  # where no program is: the sampled instructions only number the blocks


def of_c_library(path):
    return os.path.basename(path).startswith(("libc.so", "libc-", "ld-"))


def record(program):
    """
    Runs the program. Returns its files with their addresses, and (size, stack) of all blocks, each once, without those that the C library
    allocates for itself: where its debug information is installed, they are named by its variables.
    """
    log = program + ".log"
    env = dict(os.environ, LD_PRELOAD=os.environ["RECORDER_LIBRARY"], RECORDER=log, OMP_NUM_THREADS="2")
    subprocess.run([program], env=env, stdout=subprocess.DEVNULL, check=True)
    files = {}
    blocks = {}
    own = []
    with open(log, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if words[0] == "block":
                blocks[int(words[1]), tuple(words[2:])] = None
            elif len(words) > 6 and words[6].startswith("/"):
                begin, end = (int(text, 16) for text in words[1].split("-"))
                files.setdefault(words[6], begin)
                if of_c_library(words[6]):
                    own.append((begin, end))
    return files, [(size, stack) for size, stack in blocks if not any(begin <= int(stack[0], 16) < end for begin, end in own)]


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def names(program):
    """Returns (size, name, how, reason) of each block."""
    files, blocks = record(program)
    text = ["process 100"]
    for number, (path, base) in enumerate(files.items()):
        if is_elf(path):
            text.append(f"object o{number} {path} {base:#x}")
    text += [f"map {HEAP:#x} {HEAP << 1:#x} rw-p 0x0 - [heap]", "maps 100", "end", "thread 100"]
    address = HEAP
    samples = []
    for number, (size, stack) in enumerate(blocks):
        text.append(f"stack {number + 1} {' '.join(stack)}")
        text.append(f"malloc {1000 + number} {address:#x} {size} {number + 1}")
        samples.append(f"sample {10 ** 6 + number} {CODE + number:#x} {address + 8:#x} dram LR 0 1")
        address += (size + 4095) // 4096 * 4096
    text += [f"books {len(blocks)} {len(blocks)} 0", *samples, "end"]
    directory = program + ".samples"
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    subprocess.run([os.environ["MAKE_SAMPLES"], directory], input="\n".join(text) + "\n", text=True, check=True)
    options = os.environ.get("MEMPHIS_OPTIONS", "").split()
    report = json.loads(subprocess.run([os.environ["MEMPHIS"], "report", "--format", "json", "--top", "0", *options, directory],
                                       stdout=subprocess.PIPE, check=True).stdout)
    found = {}
    for node in report["nodes"]:
        for variable in node["variables"]:
            for instruction in variable["instructions"]:
                found[int(instruction["pc"], 16) - CODE] = (variable["name"], variable["how"], variable["reason"] or "-")
    return [(size, *found[number]) for number, (size, _) in enumerate(blocks)]


def judge(name, how, right):
    """Returns what the name is: exact, one of several that are given, only the place of the allocation, or wrong."""
    if name in right:
        return "exact"
    if how == "site":
        return "place"
    return "several" if "|" in name and set(name.split("|")) & right else "WRONG"


def check(program, path):
    with open(path, encoding="ascii") as lines:
        truth = {int(line.split()[0]): set(line.split()[1:]) for line in lines}
    count = collections.Counter()
    for size, name, how, reason in names(program):
        if size not in truth:
            continue
        verdict = judge(name, how, truth[size])
        count[verdict] += 1
        if verdict != "exact":
            print(f"{verdict} {program}: {size} bytes of {' or '.join(sorted(truth[size]))} are named {name} ({how}, {reason})")
    print(" ".join(f"{verdict}={count[verdict]}" for verdict in ("exact", "several", "place", "WRONG")))
    return count["WRONG"] != 0


def main():
    if sys.argv[1] == "check":
        sys.exit(check(*sys.argv[2:]))
    for row in sorted(set(names(sys.argv[2]))):
        print(*row)


main()
