# SPDX-License-Identifier: BSD-3-Clause
"""Functions that bench-report and bench-symbols share: building programs, making sample files, measuring commands."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import native  # noqa: E402

WORK = os.path.join(native.BUILD, "bench", "report")
CACHE = os.path.join(os.environ.get("MEMPHIS_CACHE") or
                     os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "memphis"), "bench-report")
MEMPHIS = os.path.join(native.BUILD, "bin", "memphis")
UNITS, COPIES = 8, 3  # sources of the debug binary, and how often each is linked
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-Ikmod")


def build():
    """Builds the tool, the generator of sample files and the exporter to perf.data."""
    native.call("make", "-s", "tool")
    os.makedirs(WORK, exist_ok=True)
    os.makedirs(CACHE, exist_ok=True)
    sources = [os.path.join("tests/bench/report", name) for name in ("generate.c", "world.c", "program.c")]
    library = [os.path.join("libsampler", name) for name in ("data/encode.c", "data/file.c", "base/fd.c", "base/lock.c", "base/companion.c", "base/proc.c", "base/busy.c")]
    native.call("gcc", *FLAGS, "-Ilibsampler", "-o", os.path.join(WORK, "generate"), *sources, *library, "-ldw", "-lelf", "-lm", "-pthread")
    modules = subprocess.run(["make", "-s", "-C", os.path.join(native.TOP, "postproc"), "BUILD=" + native.BUILD, "modules"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    native.call("gcc", *FLAGS, "-Ipostproc", "-o", os.path.join(WORK, "export"), "tests/bench/report/export.c", *modules, "-pthread")
    native.call("gcc", *FLAGS, "-fPIC", "-shared", "-o", os.path.join(WORK, "serial.so"), "tests/bench/report/serial.c", "-pthread")


def program():
    path = os.path.join(CACHE, "program")
    source = path + ".c"
    with open(source, "w", encoding="utf-8") as stream:
        subprocess.run([sys.executable, os.path.join(HERE, "program.py")], check=True, stdout=stream)
    native.call("gcc", "-O1", "-g", "-Wl,--build-id", "-o", path, source)
    return path


def templates():
    """Returns the path of a debug binary of about 100 MB. Each unit is compiled once and linked three times with different names."""
    path = os.path.join(CACHE, "templates")
    source = os.path.join(HERE, "unit.cpp")
    if os.path.exists(path) and os.path.getmtime(path) > os.path.getmtime(source):
        return path
    print("compiling the debug binary (some minutes, once) ...", file=sys.stderr)
    objects = [os.path.join(WORK, f"unit{i}.o") for i in range(UNITS)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda i: native.call("g++", "-std=c++17", "-O2", "-g", "-c", f"-DUNIT={i}", f"-DENTRY=entry_{i}_",
                                            "-o", objects[i], source), range(UNITS)))
    names, copies = [], []
    for copy in range(COPIES):
        for i in range(UNITS):
            names.append(f"call_{i}_{copy}")
            copies.append(os.path.join(WORK, names[-1] + ".o"))
            native.call("objcopy", "--redefine-sym", f"_Z8entry_{i}_i={names[-1]}", objects[i], copies[-1])
    main = os.path.join(WORK, "templates.cpp")
    with open(main, "w", encoding="utf-8") as stream:
        for name in names:
            stream.write(f'extern "C" double {name}(int);\n')
        stream.write("double table[8192];\nint main(int n, char **)\n{\n")
        stream.writelines(f"\ttable[n] += {name}(n);\n" for name in names)
        stream.write("\treturn table[n] < 0;\n}\n")
    native.call("g++", "-g", "-Wl,--build-id", "-o", path + ".new", main, *copies)
    for name in (*objects, *copies):
        os.unlink(name)
    os.rename(path + ".new", path)
    return path


def instructions(path):
    """Makes a new directory with a sample of each of 100,000 instructions of the binary, which the caller removes.

    Returns its path, and that of a list of the instructions' addresses."""
    directory, listed = os.path.join(CACHE, "instructions"), os.path.join(WORK, "all.txt")
    shutil.rmtree(directory, ignore_errors=True)
    with open(listed, "wb") as stream:
        subprocess.run([os.path.join(WORK, "generate"), "instructions", path, directory, "100000"], check=True, stdout=stream)
    return directory, listed


def samples(count, threads=128):
    """Makes a new directory of sample files, which the caller removes; returns its path."""
    directory = os.path.join(CACHE, f"samples-{count}")
    shutil.rmtree(directory, ignore_errors=True)
    native.call(os.path.join(WORK, "generate"), "samples", program(), directory, str(count), str(threads))
    return directory


def measure(command, **environment):
    """Runs a command, with further variables in its environment. Returns wall-clock seconds, CPU seconds, and peak resident memory in MB."""
    before = time.monotonic()
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, stdout=null, stderr=subprocess.PIPE, env={**native.clean_environment(), **environment})
        errors = child.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"error: {' '.join(command)}: {errors}")
    return time.monotonic() - before, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def measure_serial(command):
    """Measures a command of the tool; returns also the CPU seconds in which it had one thread."""
    path = os.path.join(WORK, "serial")
    measured = measure(command, LD_PRELOAD=os.path.join(WORK, "serial.so"), MEMPHIS_BENCH_SERIAL=path)
    with open(path, encoding="utf-8") as stream:
        return *measured, float(stream.read())
