# SPDX-License-Identifier: BSD-3-Clause
"""Functions that the benches share: building, running a program, medians, figures."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(TOP, "build")
WORK = os.path.join(BUILD, "bench", "native")
LIBRARY = os.path.join(BUILD, "lib", "libmemphis.so")
IDLE = os.path.join(WORK, "idle.so")


def call(*command):
    subprocess.run(command, cwd=TOP, check=True, stdout=sys.stderr)


def build(*targets):
    """Builds the library and the stand-in device, and for each target a program (a source below this directory) or a target of make."""
    call("make", "-s", "lib", *(target for target in targets if not target.endswith(".c")))
    os.makedirs(WORK, exist_ok=True)
    flags = ("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-Iinclude")
    call("gcc", *flags, "-shared", "-fPIC", "-o", IDLE, "tests/unit/libsampler/programs/idle_device.c", "-ldl")
    for source in targets:
        if source.endswith(".c"):
            call("gcc", *flags, "-fno-builtin", "-pthread", "-o", os.path.join(WORK, os.path.basename(source)[:-2]),
                 "tests/bench/" + source, "-Lbuild/lib", "-Wl,--as-needed", "-lmemphis", "-Wl,-rpath," + BUILD + "/lib")


def clean_environment():
    return {key: value for key, value in os.environ.items()
            if not key.startswith(("MEMPHIS_", "OMP_")) and key != "LD_PRELOAD"}


def with_library(**settings):
    """Returns environment variables that preload the library and a device that takes no samples."""
    return {"MEMPHIS_DEVICE": "/dev/null", "LD_PRELOAD": LIBRARY + " " + IDLE, **settings}


def run(command, settings):
    """Runs a command. Returns its output, and the CPU seconds that it and its children took."""
    with tempfile.TemporaryDirectory(prefix="memphis-bench-") as directory:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        # env sets the variables, so that the library is preloaded into the command only.
        words = ["env", *(f"{key}={value}" for key, value in {"MEMPHIS_OUTPUT": directory + "/out", **settings}.items())]
        done = subprocess.run([*words, *command], cwd=directory, env=clean_environment(), check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def need(group):
    """Installs the packages of a group, if they are missing."""
    if subprocess.run((os.path.join(TOP, "packaging", "packages"), "--install", group), stdout=sys.stderr, check=False).returncode:
        sys.exit(1)


def median(values):
    return statistics.median(values)


def figure(name, value, unit):
    print(f"figure {name} {value:.4g} {unit}", flush=True)
