# SPDX-License-Identifier: BSD-3-Clause
"""One run: starts the emulator, reads the guest's ports, unpacks its files, and determines the exit status."""

import ctypes
import glob
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time

from . import guestlog, snapshot
from .emulator import MONITOR, PORTS, port_arguments
from .monitor import Monitor, Refused, Silent

EXIT_SETUP, EXIT_FILES, EXIT_COMPLAINT, EXIT_TIMEOUT = 97, 98, 99, 124
# Time limit in seconds. After its ports are closed, the emulator ends within milliseconds, or within seconds on a busy host.
EXIT_LIMIT = 30
PR_SET_PDEATHSIG = 1
TAIL_LINES = 25
libc = ctypes.CDLL(None)


class RunError(Exception):
    """The run ended before its command: message and exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class NotUp(RunError):
    """The guest did not come to the start of the command, which another attempt may do."""

    def __init__(self, message):
        super().__init__(EXIT_SETUP, message)


def stolen():
    """Return the seconds that the host's CPUs, on average, have waited for a CPU of their own host."""
    with open("/proc/stat", encoding="ascii") as stream:
        fields = stream.readline().split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK") / os.cpu_count()


def die_with_parent():
    """Make the kernel kill the emulator when the runner ends for any reason."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Session:
    def __init__(self, options, scratch, end_mark, saved, say):
        """`saved`: the snapshot that is resumed if it exists, and else made; None if neither must be."""
        self.options = options
        self.saved = saved
        self.scratch = scratch
        self.say = say
        self.exit_status = None
        self.setup_failure = None
        self.ended = False
        self.resumed = False
        self.up = None
        self.heard = (0, 0)
        self.tainted = 0
        self.losses = []
        self.pending = b""
        self.tar = None
        self.sent_notice = None
        self.mark = end_mark.encode()
        self.held = {"out": b"", "err": b""}
        self.connections = {}
        self.selector = selectors.DefaultSelector()

    # ---- the emulator ----

    def start(self, arguments):
        self.resumed = self.saved is not None and self.saved.take_log(self.options.log)
        if self.resumed:
            arguments = arguments + ["-incoming", "defer"]
        ends = {}
        for name in PORTS + (MONITOR,):
            self.connections[name], ends[name] = socket.socketpair()
            self.connections[name].setblocking(False)
        descriptors = {name: end.fileno() for name, end in ends.items()}
        self.started, self.stolen = time.monotonic(), stolen()
        self.errors_path = os.path.join(self.scratch, "emulator.err")
        with open(self.errors_path, "wb") as errors:
            try:
                self.process = subprocess.Popen(arguments + port_arguments(descriptors), stdin=subprocess.DEVNULL, stdout=errors,
                                                stderr=errors, pass_fds=descriptors.values(), preexec_fn=die_with_parent)
            except OSError as error:
                raise RunError(EXIT_SETUP, f"cannot start {arguments[0]}: {error.strerror}; run machine/setup") from error
            finally:
                # Close the emulator's ends here, so that end-of-file is seen when the emulator ends.
                for end in ends.values():
                    end.close()
        for name in PORTS:
            self.selector.register(self.connections[name], selectors.EVENT_READ, name)
        self.monitor = Monitor(self.connections[MONITOR])
        if self.resumed:
            self.resume()

    def resume(self):
        try:
            self.monitor.resume(f"{self.saved.path}/state")
        except (OSError, Refused, Silent) as error:
            raise NotUp(f"a booted guest could not be resumed: {error}\n{self.emulator_errors()}") from error
        self.tell(f"resumed {snapshot.now()}")

    def booted(self):
        """The guest waits for its run."""
        if self.saved is not None:
            reason = self.saved.save(self.monitor, self.options.log)
            if reason is not None:
                self.say(f"the booted guest is not kept for later runs: {reason}")
        self.tell("booted")

    def tell(self, line):
        try:
            self.connections["status"].send(line.encode() + b"\n")
        except OSError:
            pass    # The emulator has ended, which follow() reports.

    def emulator_errors(self):
        """Return QEMU's messages without warnings about CPU features that TCG does not support."""
        text = guestlog.read(self.errors_path)
        return "\n".join(line for line in text.splitlines() if "TCG doesn't support requested feature" not in line)

    def stop(self):
        if getattr(self, "process", None) is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for endpoint in self.connections.values():
            endpoint.close()

    def save_state(self):
        """Write the state of an emulator that is still running to a file beside the log; return a clause that names the file."""
        if getattr(self, "process", None) is None or self.process.poll() is not None:
            return ""
        path = self.options.log + ".state"
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(self.monitor.state())
        return f"; state of its CPUs: {path}"

    def check_time(self):
        elapsed = time.monotonic() - self.started
        # What was not waited for is only asked for where it matters: it takes a read of a file for each thread.
        own = elapsed if self.up is not None and elapsed <= self.options.timeout else elapsed - self.waited()
        if own <= self.options.timeout:
            if self.up is None:
                self.check_boot(own)
            return
        if self.up is None:
            state = "the guest had not finished booting"
        elif self.exit_status is None:
            state = f"the command had not ended, {time.monotonic() - self.up:.0f} s after its start"
        elif not self.ended:
            state = f"the command had ended with {self.exit_status}, its files were being sent"
        else:
            state = f"the command had ended with {self.exit_status}, the guest did not power off"
        raise RunError(EXIT_TIMEOUT, f"time limit of {self.options.timeout} s reached: {state}; --timeout raises the limit")

    def waited(self):
        """Return the longest time, in seconds, that any thread of the emulator has waited for a host CPU, and what a CPU of the host, which
        may be a guest itself, has waited for one of its own host (steal time, proc(5)) since the start."""
        longest = 0
        for path in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            try:
                with open(path, encoding="ascii") as stream:
                    longest = max(longest, int(stream.read().split()[1]))
            except OSError:
                pass
        return longest / 1e9 + stolen() - self.stolen

    def check_boot(self, own):
        """Raise NotUp if the kernel has printed nothing for the boot limit; `own`: the time since the start without what it waited for a CPU."""
        size = os.path.getsize(self.options.log) if os.path.exists(self.options.log) else 0
        if size != self.heard[0]:
            self.heard = (size, own)
        elif own - self.heard[1] > self.options.boot_limit:
            raise NotUp(f"the guest was not up, and its kernel had printed nothing for {self.options.boot_limit} s, not counting "
                        "the time in which it waited for a host CPU; --boot-limit raises the limit")

    # ---- the ports ----

    def follow(self):
        """Handle input until every port is closed, which happens when the emulator ends."""
        while self.selector.get_map():
            for event, _ in self.selector.select(timeout=0.5):
                self.receive(event.data)
            self.check_time()
        try:
            self.process.wait(timeout=EXIT_LIMIT)
        except subprocess.TimeoutExpired:
            raise RunError(EXIT_TIMEOUT, f"the emulator closed its ports, but still ran {EXIT_LIMIT} s later and was killed") from None
        if self.up is None and self.process.returncode != 0:
            raise RunError(EXIT_SETUP, f"the emulator ended with status {self.process.returncode} before the guest was up:\n"
                           + self.emulator_errors())

    def receive(self, name):
        connection = self.connections[name]
        try:
            data = connection.recv(1 << 18)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if not data:
            self.selector.unregister(connection)
            return
        if name in self.held:
            self.output(name, data)
        elif name == "files":
            if self.tar is not None:
                self.tar.write(data)
                self.file_complete()
        else:
            self.pending += data
            *lines, self.pending = self.pending.split(b"\n")
            for line in lines:
                self.status(line.decode("utf-8", "replace"))

    def output(self, name, data):
        """Forward the command's output, up to the end mark that process 1 writes after it."""
        if self.held[name] is None:
            return
        data = self.held[name] + data
        text, mark, _ = data.partition(self.mark)
        keep = 0 if mark else next((n for n in range(len(self.mark) - 1, 0, -1) if text.endswith(self.mark[:n])), 0)
        write_all(1 if name == "out" else 2, text[:len(text) - keep])
        self.held[name] = None if mark else text[len(text) - keep:]
        if mark and self.held == {"out": None, "err": None}:
            self.answer()

    def answer(self):
        """Acknowledge to the guest that all its data has arrived."""
        self.tell("all")

    def status(self, line):
        word, _, rest = line.partition(" ")
        if word == "booted":
            self.booted()
        elif word == "up":
            self.up = time.monotonic()
            if self.options.verbose:
                self.say(f"guest is up after {self.up - self.started:.1f} s, {f'resumed from {self.saved.path}' if self.resumed else 'booted'}")
        elif word == "setup-failed":
            self.setup_failure = rest
        elif word == "exit":
            self.exit_status = int(rest)
        elif word == "file":
            self.tar = open(os.path.join(self.scratch, "get.tar"), "wb")
        elif word == "sent":
            self.sent_notice = rest.split(" ", 3)
            self.file_complete()
        elif word == "missing":
            guest, _ = self.options.get[int(rest)]
            self.losses.append(f"{guest} does not exist in the guest")
        elif word == "tainted":
            self.tainted = int(rest)
        elif word == "end":
            self.ended = True

    def file_complete(self):
        """Unpack an archive once its length is known and all its bytes have arrived."""
        if self.sent_notice is None or self.tar.tell() < int(self.sent_notice[1]):
            return
        index, _, status, reason = self.sent_notice + [""] * (4 - len(self.sent_notice))
        guest, host = self.options.get[int(index)]
        path = self.tar.name
        self.tar.close()
        self.tar = self.sent_notice = None
        if status != "0":
            self.losses.append(f"{guest}: packing it in the guest failed: {reason or 'status ' + status}")
        try:
            unpack(path, os.path.basename(guest), host)
        except (tarfile.TarError, OSError) as error:
            self.losses.append(f"{guest} -> {host}: {error}")
        os.unlink(path)
        self.answer()

    # ---- the verdict ----

    def verdict(self):
        """Return the exit status of the whole run; print all errors to stderr."""
        text = guestlog.read(self.options.log)
        wrong = guestlog.complaints(text)
        status = self.exit_status
        if self.setup_failure:
            self.say(f"the guest could not be prepared: {self.setup_failure}")
            status = EXIT_SETUP
        elif not self.ended:
            self.say("the guest ended by itself " + ("before it had booted" if self.up is None else
                     "while the command was running" if status is None else "before its files were sent"))
            errors = self.emulator_errors()
            if errors:
                self.say(f"messages of the emulator:\n{errors}")
            status = EXIT_FILES
        if self.losses:
            for loss in self.losses:
                self.say(f"file lost: {loss}")
            status = status or EXIT_FILES
        if wrong:
            number, line = wrong[0]
            more = f" (and {len(wrong) - 1} more lines)" if len(wrong) > 1 else ""
            self.say(f"the guest's kernel reported an error: {line.strip()}{more}\n  at line {number} of {self.options.log}")
            status = EXIT_COMPLAINT
        elif guestlog.taints(self.tainted):
            self.say(f"the guest's kernel is tainted ({', '.join(guestlog.taints(self.tainted))}), but its log contains no reason")
            status = EXIT_COMPLAINT
        if wrong or self.setup_failure or not self.ended:
            first = wrong[0][0] - 5 if wrong else len(text.splitlines()) - TAIL_LINES
            show_log(text, max(first, 0), self.options.log)
        return status


def show_log(text, first, path):
    lines = text.splitlines()[first:first + TAIL_LINES]
    sys.stderr.write(f"---- {path}, from line {first + 1} ----\n" + "".join(line + "\n" for line in lines) + "----\n")


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data):]


def unpack(path, name, host):
    """Move the single file or directory of an archive to `host`; merge it into an existing directory."""
    parent = os.path.dirname(os.path.abspath(host))
    os.makedirs(parent, exist_ok=True)
    room = os.path.join(parent, f".memphis-get-{os.getpid()}")
    os.mkdir(room)
    try:
        with tarfile.open(path) as archive:
            directories = []
            for member in archive:
                if member.name.split("/")[0] != name or ".." in member.name.split("/"):
                    raise tarfile.TarError(f"unexpected path {member.name!r} in the archive from the guest")
                if member.isdir():
                    os.makedirs(os.path.join(room, member.name))
                    directories.append(member)
                elif member.isfile() or member.issym() or member.islnk():
                    archive.extract(member, room, numeric_owner=True)
            # Set modes last, as files cannot be created in a read-only directory.
            for member in reversed(directories):
                os.chmod(os.path.join(room, member.name), member.mode)
        source = os.path.join(room, name)
        if os.path.isdir(source) and not os.path.islink(source):
            shutil.copytree(source, host, symlinks=True, dirs_exist_ok=True)
        else:
            os.replace(source, os.path.join(host, name) if os.path.isdir(host) else host)
    finally:
        shutil.rmtree(room, ignore_errors=True)
