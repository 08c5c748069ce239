# SPDX-License-Identifier: BSD-3-Clause
"""The guest's kernel log: detects lines that report a malfunction of the kernel."""

import re

COMPLAINT = re.compile(
    r"\bWARNING: |\bBUG: |\bkernel BUG at |\bOops\b|\bCall Trace:|\bKernel panic - |soft lockup|hard LOCKUP|Hard LOCKUP"
    r"|\brcu: INFO: |\brcu_\w+ (detected|self-detected) stall|\bINFO: (task|rcu)|INFO: possible|INFO: suspicious|INFO: trying to register"
    r"|general protection fault, |[Uu]nable to handle |\bKASAN: |\bUBSAN: |\bKMSAN: |\bKCSAN: |refcount_t: |\bscheduling while atomic"
    r"|\bBad page |\bbad: scheduling|double fault|\bstack guard page was hit|NMI handler .* took too long .*hang"
    # Debug kernels: slab and leak checks, and lockdep running out of resources.
    r"|\bBUG \S+ \(|\blist_(add|del) corruption|\bODEBUG: |turning off the locking"
    r"|\bunreferenced object 0x|kmemleak: (\d+ new suspected|Memory pool empty|.*disabled)")
# Crashes of user programs are not the kernel's fault, and the runner itself turns mitigations off.
HARMLESS = re.compile(r"\btraps: |segfault at |Spectre V2 : WARNING")
TAINTS = {5: "bad page", 7: "oops", 9: "warning", 14: "soft lockup"}


def complaints(text):
    """Return (line number, line) of each line that reports a malfunction."""
    return [(number, line) for number, line in enumerate(text.splitlines(), start=1)
            if COMPLAINT.search(line) and not HARMLESS.search(line)]


def taints(value):
    return [name for bit, name in TAINTS.items() if value >> bit & 1]


def read(path):
    try:
        with open(path, "rb") as stream:
            return stream.read().decode("utf-8", "replace").replace("\r", "")
    except FileNotFoundError:
        return ""


def tail(text, lines):
    return text.splitlines()[-lines:]
