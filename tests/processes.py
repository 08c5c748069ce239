# SPDX-License-Identifier: BSD-3-Clause
"""The processes that tests/suites has started: their tree, what they are doing, and their end."""

import collections
import os
import signal
import stat
import time

# Seconds between SIGTERM and SIGKILL; the runner of a machine removes its files in between.
PATIENCE = 5
TAIL_LINES, TAIL_BYTES, COMMAND_CHARACTERS = 10, 4096, 160
ENDED = "ZX"
TICKS = os.sysconf("SC_CLK_TCK")

Process = collections.namedtuple("Process", "parent state seconds")


def table():
    """All processes by number. Seconds are of CPU time."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stream:
                fields = stream.read().rpartition(")")[2].split()
            found[int(entry)] = Process(int(fields[1]), fields[0], (int(fields[11]) + int(fields[12])) / TICKS)
        except OSError:
            pass
    return found


def alive(pids):
    known = table()
    return [pid for pid in pids if pid in known and known[pid].state not in ENDED]


def below(root):
    """The descendants of a process that have not ended, parents first."""
    children = collections.defaultdict(list)
    for pid, process in sorted(table().items()):
        if process.state not in ENDED:
            children[process.parent].append(pid)
    found = [root]
    for pid in found:
        found += children[pid]
    return found[1:]


def arguments(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as stream:
            return stream.read().rstrip("\0").split("\0")
    except OSError:
        return [""]


def of_test(root):
    """The processes of the test that a suite is running: with bats that of the test, or of the file if it is being set up, and its
    descendants; otherwise the descendants without children, or the suite itself if it has none."""
    pids = below(root)
    for program in ("/bats-exec-test", "/bats-exec-file"):
        for pid in pids:
            if any(argument.endswith(program) for argument in arguments(pid)[:2]):
                return [pid, *below(pid)]
    parents = {process.parent for process in table().values()}
    return [pid for pid in pids if pid not in parents] or [root]


def written(pids):
    """The last lines of the text files that are open for writing, by path."""
    found = {}
    for pid in pids:
        try:
            descriptors = sorted(os.listdir(f"/proc/{pid}/fd"), key=int)
        except OSError:
            continue
        for descriptor in descriptors:
            link = f"/proc/{pid}/fd/{descriptor}"
            try:
                path = os.readlink(link)
                if path in found or path.startswith("/memfd:") or not stat.S_ISREG(os.stat(link).st_mode):
                    continue
                with open(f"/proc/{pid}/fdinfo/{descriptor}", encoding="ascii") as stream:
                    flags = int(stream.read().split("flags:")[1].split()[0], 8)
                if flags & os.O_ACCMODE == os.O_RDONLY:
                    continue
                with open(link, "rb") as stream:
                    stream.seek(max(0, os.fstat(stream.fileno()).st_size - TAIL_BYTES))
                    text = stream.read(TAIL_BYTES)
            except (OSError, IndexError, ValueError):
                continue
            if text and b"\0" not in text:
                found[path] = text.decode("utf-8", "replace").splitlines()[-TAIL_LINES:]
    return found


def describe(root):
    """Lines that say what a process and its descendants are doing."""
    known, pids = table(), [root, *below(root)]
    lines = ["    process state CPU seconds command"]
    for pid in pids:
        if pid in known:
            command = " ".join(arguments(pid)).replace("\n", " ")[:COMMAND_CHARACTERS]
            lines.append(f"    {pid:7} {known[pid].state:5} {known[pid].seconds:11.1f} {command}")
    for path, tail in written(pids).items():
        lines += [f"    ---- the end of {path}", *(f"    {line}" for line in tail)]
    return lines


def end(find):
    """End the processes that find() returns, until there are none: SIGTERM first, SIGKILL after PATIENCE seconds. Return those that
    are left after twice that time, such as another user's."""
    asked = time.monotonic()
    sent = set()
    while (pids := find()) and (waited := time.monotonic() - asked) < 2 * PATIENCE:
        number = signal.SIGTERM if waited < PATIENCE else signal.SIGKILL
        for pid in pids:
            if (pid, number) not in sent:
                sent.add((pid, number))
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
        time.sleep(0.05)
    return pids
