# SPDX-License-Identifier: BSD-3-Clause
"""The guest's basic system: busybox, bash, accounts, and the kernel modules that the runner needs."""

import os
import subprocess

from .archive import ArchiveError, Packer, Tree

MERGED = ("bin", "sbin", "lib", "lib64")
DIRECTORIES = ("dev", "proc", "sys", "run", "root", "etc", "var/tmp", "var/log", "home", "memphis", "usr/local/bin", "usr/local/sbin")
MODULES = ("virtio_pci", "virtio_blk", "virtio_console", "msr")

# The sample rate is set first: the kernel refuses to change it once perf_cpu_time_max_percent is 0.
SYSCTL = """\
kernel/perf_event_max_sample_rate 10000000
kernel/perf_cpu_time_max_percent 0
kernel/perf_event_mlock_kb 65536
kernel/printk_devkmsg on
"""
ACCOUNTS = "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/home/user:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n"
# The group memphis has no members: guest/site-user.c adds it to its command.
GROUPS = "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\nmemphis:x:990:\n"


class ModuleTree:
    """The directory lib/modules/RELEASE of a Debian kernel: modules by name, with their dependencies."""

    def __init__(self, directory):
        self.directory = directory
        self.needs = {}
        self.paths = {}
        with open(os.path.join(directory, "modules.dep"), encoding="ascii") as stream:
            for line in stream:
                path, _, needs = line.partition(":")
                self.paths[self.name(path)] = path
                # modules.dep lists dependencies in reverse load order.
                self.needs[path] = list(reversed(needs.split()))
        with open(os.path.join(directory, "modules.builtin"), encoding="ascii") as stream:
            self.builtin = {self.name(line.strip()) for line in stream}

    @staticmethod
    def name(path):
        return os.path.basename(path).partition(".ko")[0].replace("-", "_")

    def closure(self, names):
        order = []
        for name in names:
            name = name.replace("-", "_")
            if name in self.builtin:
                continue
            if name not in self.paths:
                raise ArchiveError(f"the kernel has no module {name} (in {self.directory})")
            path = self.paths[name]
            order += [path_ for path_ in self.needs[path] + [path] if path_ not in order]
        return order

    def add(self, tree, names):
        """Put the modules into the tree; return their guest paths in load order."""
        paths = []
        for path in self.closure(names):
            target = "/lib/modules/" + os.path.basename(path).partition(".ko")[0] + ".ko"
            tree.file(target, os.path.join(self.directory, path), 0o644)
            paths.append(target)
        return paths


def base_tree(modules, init, warn):
    tree = Tree()
    for name in MERGED:
        tree.directory(f"usr/{name}")
        tree.symlink(name, f"usr/{name}")
    for name in DIRECTORIES:
        tree.directory(name)
    tree.directory("tmp", 0o1777)
    # Process 1 needs these two until devtmpfs is mounted.
    tree.node("dev/console", 0o600, 5, 1)
    tree.node("dev/null", 0o666, 1, 3)
    tree.text("etc/passwd", ACCOUNTS)
    tree.text("etc/group", GROUPS)
    tree.text("etc/hosts", "127.0.0.1 localhost machine\n")
    tree.directory("home/user", 0o777)

    busybox = "/bin/busybox"
    tree.file(busybox, busybox, 0o755)
    answer = subprocess.run([busybox, "--list"], stdout=subprocess.PIPE, text=True, check=True)
    for applet in answer.stdout.split():
        if applet not in ("busybox", "linuxrc", "init"):
            tree.symlink(f"usr/bin/{applet}", "busybox")
    packer = Packer(tree, warn)
    packer.put("/bin/bash")
    tree.file("init", init, 0o755)
    tree.text("memphis/base-modules", "".join(path + "\n" for path in modules.add(tree, MODULES)))
    return tree
