# SPDX-License-Identifier: BSD-3-Clause
"""Functions that bench-report and bench-symbols share: building programs, making sample files, measuring commands."""

import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import native  # noqa: E402

WORK = os.path.join(native.BUILD, "bench", "report")
CACHE = os.path.join(os.environ.get("MEMPHIS_CACHE") or
                     os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "memphis"), "bench-report")
MEMPHIS = os.path.join(native.BUILD, "bin", "memphis")
FLAGS = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-Iinclude")


def build():
    """Builds the tool, the generator of sample files and the exporter to perf.data."""
    native.call("make", "-s", "tool")
    os.makedirs(WORK, exist_ok=True)
    os.makedirs(CACHE, exist_ok=True)
    sources = [os.path.join("tests/bench/report", name) for name in ("generate.c", "world.c", "program.c")]
    library = [os.path.join("libsampler", name) for name in ("data/encode.c", "data/file.c", "base/fd.c")]
    native.call("gcc", *FLAGS, "-Ilibsampler", "-o", os.path.join(WORK, "generate"), *sources, *library, "-ldw", "-lelf", "-lm", "-pthread")
    modules = subprocess.run(["make", "-s", "-C", os.path.join(native.TOP, "postproc"), "BUILD=" + native.BUILD, "modules"],
                             check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    native.call("gcc", *FLAGS, "-Ipostproc", "-o", os.path.join(WORK, "export"), "tests/bench/report/export.c", *modules, "-pthread")


def program():
    path = os.path.join(CACHE, "program")
    source = path + ".c"
    with open(source, "w", encoding="utf-8") as stream:
        subprocess.run([sys.executable, os.path.join(HERE, "program.py")], check=True, stdout=stream)
    native.call("gcc", "-O1", "-g", "-Wl,--build-id", "-o", path, source)
    return path


def samples(count, threads=128):
    """Makes a new directory of sample files, which the caller removes; returns its path."""
    directory = os.path.join(CACHE, f"samples-{count}")
    shutil.rmtree(directory, ignore_errors=True)
    native.call(os.path.join(WORK, "generate"), "samples", program(), directory, str(count), str(threads))
    return directory


def measure(command):
    """Runs a command. Returns wall-clock seconds, CPU seconds, and peak resident memory in MB."""
    before = time.monotonic()
    with open(os.devnull, "wb") as null:
        child = subprocess.Popen(command, stdout=null, stderr=subprocess.PIPE, env=native.clean_environment())
        errors = child.stderr.read().decode(errors="replace")
        _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"error: {' '.join(command)}: {errors}")
    return time.monotonic() - before, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000
