# SPDX-License-Identifier: BSD-3-Clause
"""Initramfs archives (cpio "newc"), which are written without root rights, and host files with their shared libraries."""

import hashlib
import lzma
import os
import stat
import struct
import subprocess

ELF_EXEC, ELF_DYN = 2, 3
PT_DYNAMIC = 2
MOUNTED = ("/dev/", "/proc/", "/sys/")


class ArchiveError(Exception):
    """A file cannot be packed; the message contains the reason."""


class Tree:
    """Files of a guest. A tree with a base contains only the additional files, and follows symbolic links of the base."""

    def __init__(self, base=None):
        self.base = base
        self.entries = {}

    def get(self, path):
        entry = self.entries.get(path)
        return entry if entry is not None or self.base is None else self.base.get(path)

    def place(self, path):
        """Return the location of `path` with symbolic links in its parents resolved. Creates missing parents."""
        done = ""
        todo = [part for part in path.split("/") if part]
        while len(todo) > 1:
            part = todo.pop(0)
            if part == "..":
                done = done.rpartition("/")[0]
                continue
            step = f"{done}/{part}" if done else part
            entry = self.get(step)
            if entry is None:
                self.entries[step] = (stat.S_IFDIR | 0o755, None)
            elif stat.S_ISLNK(entry[0]):
                target = entry[1].decode()
                todo = [piece for piece in target.split("/") if piece and piece != "."] + todo
                step = "" if target.startswith("/") else done
            elif not stat.S_ISDIR(entry[0]):
                raise ArchiveError(f"/{step} is both a file and a directory")
            done = step
        return f"{done}/{todo[0]}" if done else todo[0]

    def add(self, path, mode, data):
        place = self.place(path)
        old = self.get(place)
        if old is not None and stat.S_ISDIR(old[0]) and stat.S_ISDIR(mode):
            return
        if isinstance(data, Source) and old is not None and isinstance(old[1], Source) and old[1].path == data.path:
            return
        self.entries[place] = (mode, data)

    def directory(self, path, mode=0o755):
        self.add(path, stat.S_IFDIR | mode, None)

    def symlink(self, path, target):
        self.add(path, stat.S_IFLNK | 0o777, os.fsencode(target))

    def text(self, path, text, mode=0o644):
        self.add(path, stat.S_IFREG | mode, text.encode())

    def node(self, path, mode, major, minor):
        self.add(path, stat.S_IFCHR | mode, (major, minor))

    def file(self, path, source, mode=None):
        """Add a host file; compressed modules are stored uncompressed, as the guest's insmod requires."""
        if mode is None:
            mode = stat.S_IMODE(os.stat(source).st_mode)
        self.add(path, stat.S_IFREG | mode, Source(source))

    def key(self):
        """Return a hash of the contents."""
        digest = hashlib.sha256()
        for path, (mode, data) in sorted(self.entries.items()):
            digest.update(f"{path}\0{mode:o}\0".encode())
            if isinstance(data, Source):
                with open(data.path, "rb") as stream:
                    data = stream.read()
            digest.update(repr(data).encode() if isinstance(data, tuple) else data or b"")
        return digest.hexdigest()[:16]

    def size(self):
        """Return the approximate size of the tree in guest memory, in bytes."""
        return sum(4096 + (data.size() if isinstance(data, Source) else 0) for _, data in self.entries.values())

    def write(self, stream):
        # Parents sort before their contents.
        for number, (path, (mode, data)) in enumerate(sorted(self.entries.items()), start=1):
            if isinstance(data, tuple):
                write_entry(stream, number, path, mode, b"", data)
            elif isinstance(data, Source):
                data.write(stream, number, path, mode)
            else:
                write_entry(stream, number, path, mode, data or b"")
        write_entry(stream, 0, "TRAILER!!!", 0, b"")


class Source:
    """Contents of a host file, which are read when the archive is written."""

    def __init__(self, path):
        self.path = path

    def size(self):
        return os.stat(self.path).st_size

    def write(self, stream, number, path, mode):
        with open(self.path, "rb") as source:
            data = source.read()
        if path.endswith(".ko"):
            data = decompress_module(self.path, data)
        write_entry(stream, number, path, mode, data, mtime=int(os.stat(self.path).st_mtime))


def decompress_module(path, data):
    if path.endswith(".xz"):
        return lzma.decompress(data)
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def write_entry(stream, number, path, mode, data, device=(0, 0), mtime=0):
    name = os.fsencode(path) + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = (number, mode, 0, 0, links, mtime, len(data), 0, 0, device[0], device[1], len(name), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
    stream.write(head + b"\0" * (-len(head) % 4))
    stream.write(data)
    stream.write(b"\0" * (-len(data) % 4))


def is_dynamic_elf(path):
    """Return whether the file is an x86-64 program or library that needs the dynamic loader."""
    with open(path, "rb") as stream:
        head = stream.read(64)
        if len(head) < 64 or head[:5] != b"\x7fELF\x02":
            return False
        kind, machine = struct.unpack_from("<HH", head, 16)
        if kind not in (ELF_EXEC, ELF_DYN) or machine != 62:
            return False
        offset, = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        stream.seek(offset)
        table = stream.read(size * count)
    return any(struct.unpack_from("<I", table, i * size)[0] == PT_DYNAMIC for i in range(len(table) // max(size, 1)))


def shared_libraries(path):
    """Return the paths of the libraries that the loader would map for `path`, and the names of missing libraries."""
    answer = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    found, missing = [], []
    for line in answer.stdout.splitlines():
        words = line.split()
        if "=>" in words:
            target = words[words.index("=>") + 1]
            if target.startswith("/"):
                found.append(target)
            elif target == "not":
                missing.append(words[0])
        elif words and words[0].startswith("/"):
            found.append(words[0])
    return found, missing


class Packer:
    """Puts host files into a tree, with their shared libraries and the symbolic links in their paths."""

    def __init__(self, tree, warn):
        self.tree = tree
        self.warn = warn
        self.seen = set()

    def put(self, source, target=None):
        """Put a file or directory at `target`, or if that is None, at its absolute path on the host."""
        source = os.path.abspath(source)
        if not os.path.lexists(source):
            raise ArchiveError(f"{source}: no such file")
        if (target or source).startswith(MOUNTED):
            raise ArchiveError(f"{target or source}: the guest mounts its own file system there; --put {source}:DST puts it elsewhere")
        if target is None:
            self.put_same(source)
        else:
            if target.endswith("/"):
                target += os.path.basename(source)
            self.put_at(source, target)

    def put_same(self, path):
        if path in self.seen:
            return
        self.seen.add(path)
        parent = ""
        for part in path.strip("/").split("/")[:-1]:
            parent = f"{parent}/{part}"
            if os.path.islink(parent):
                rest = path[len(parent):]
                self.link_once(parent)
                self.put_same(os.path.normpath(os.path.join(os.path.dirname(parent), os.readlink(parent))) + rest)
                return
        if os.path.islink(path):
            self.link_once(path)
            target = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
            if os.path.lexists(target) and not target.startswith(("/proc", "/dev", "/sys")):
                self.put_same(target)
        else:
            self.put_at(path, path)

    def link_once(self, path):
        place = self.tree.place(path)
        if self.tree.get(place) is None:
            self.tree.symlink(path, os.readlink(path))

    def put_at(self, source, target):
        if os.path.isdir(source):
            self.tree.directory(target, stat.S_IMODE(os.stat(source).st_mode))
            for name in sorted(os.listdir(source)):
                inner = os.path.join(source, name)
                if os.path.islink(inner):
                    self.tree.symlink(f"{target}/{name}", os.readlink(inner))
                else:
                    self.put_at(inner, f"{target}/{name}")
        elif os.path.isfile(source):
            self.tree.file(target, source)
            self.complete(source)

    def complete(self, path):
        if not is_dynamic_elf(path):
            return
        found, missing = shared_libraries(path)
        for name in missing:
            self.warn(f"{path} needs {name}, which the loader does not find on this host; copy it with --put, and set LD_LIBRARY_PATH with --env")
        # The C library loads libgcc_s with dlopen(), for thread cancellation and backtraces.
        for library in found + ["/lib/x86_64-linux-gnu/libgcc_s.so.1"]:
            if os.path.exists(library):
                self.put_same(library)
