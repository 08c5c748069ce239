# SPDX-License-Identifier: BSD-3-Clause
"""Snapshots of booted guests: a run whose kernel, emulator and machine have been booted before resumes that guest."""

import hashlib
import json
import os
import shutil
import tempfile
import time

from . import guestlog
from .monitor import Refused, Silent

# Host bytes that all snapshots may take. Those that were not used for longest make room.
ROOM = 12 << 30


class Snapshot:
    """The state of a guest that waits for the archive of its run, and what its kernel had printed until then."""

    def __init__(self, folder, inputs, paths):
        """`inputs`: what a booted guest depends on; `paths`: files on whose contents it depends."""
        digest = hashlib.sha256(json.dumps(inputs).encode())
        for path in paths:
            with open(path, "rb") as stream:
                digest.update(hashlib.sha256(stream.read()).digest())
        self.folder = folder
        self.path = os.path.join(folder, digest.hexdigest()[:16])

    def exists(self):
        return os.path.exists(self.path)

    def take_log(self, log):
        """Let a log begin with what the kernel printed while it booted. Return whether there is a snapshot: another run may remove it at any
        moment to make room, and what can't be opened afterwards is as a snapshot that can't be resumed."""
        try:
            shutil.copyfile(f"{self.path}/log", log)
            os.utime(self.path)
        except OSError:
            # If only the time can't be set, as in a cache of another user, it is resumed nevertheless.
            return os.path.getsize(log) > 0
        return True

    def save(self, monitor, log):
        """Save the guest, which then goes on. Return the reason if it can't be saved: the run needs no snapshot."""
        part = None
        try:
            os.makedirs(self.folder, exist_ok=True)
            part = tempfile.mkdtemp(prefix=os.path.basename(self.path) + ".", dir=self.folder)
            monitor.save(f"{part}/state")
            shutil.copyfile(log, f"{part}/log")
            if guestlog.complaints(guestlog.read(log)):
                raise Refused("its kernel has complained")
            os.rename(part, self.path)
            self.make_room()
        except (OSError, Refused, Silent) as error:
            # Another run may have kept its guest in the meantime.
            return None if self.exists() else str(error)
        finally:
            if part is not None:
                shutil.rmtree(part, ignore_errors=True)
        return None

    def remove(self):
        """Remove a snapshot that can't be resumed."""
        shutil.rmtree(self.path, ignore_errors=True)

    def make_room(self):
        found = sorted((entry.stat().st_mtime, entry.path) for entry in os.scandir(self.folder))
        total = sum(os.stat(f"{path}/state").st_blocks * 512 for _, path in found if os.path.exists(f"{path}/state"))
        while total > ROOM and found[0][1] != self.path:
            path = found.pop(0)[1]
            total -= os.stat(f"{path}/state").st_blocks * 512 if os.path.exists(f"{path}/state") else 0
            shutil.rmtree(path, ignore_errors=True)


def now():
    """Return the present time as guest/resume.c reads it."""
    nanoseconds = time.time_ns()
    return f"{nanoseconds // 10**9}.{nanoseconds % 10**9:09}"
