#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Looks for names that stand for two things: structs of the product, and files of one of its parts.

usage: names.py ROOT

Prints one line for each: a struct, union or enum that two files define, if it begins with memphis_ or is in a header; two files of the same
name in kmod, libsampler or postproc, except for the reasons below. A struct of one source may have any name."""

import collections
import os
import re
import sys

TREES = ("include", "kmod", "libsampler", "postproc")
# Folders whose files are named after others, and why; the rest of the path is that of the part.
NAMED_AFTER = {
    "postproc/cmd": "a file has the name of its command",
    "postproc/output": "a file has the name of what it shows, or of a format",
    "postproc/output/section": "a section of the report has the name of what it shows",
    "postproc/profile/file": "a file reads and writes what its namesake has in memory",
    "libsampler/mpi": "a library of its own",
    "libsampler/io": "a library of its own",
    "libsampler/counters/helpers": "programs of their own",
}
# Files that may have the name of another one, and why.
NAMESAKES = {
    "libsampler/control/session": "opens and closes the session, whose state core/session.h has",
}


def code_files(root):
    for tree in TREES:
        for directory, folders, names in os.walk(os.path.join(root, tree)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(directory, name), root)


def tags_of(path, text):
    """Tags that a file defines and that others may see or confuse."""
    code = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text, flags=re.DOTALL)
    for tag in re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", code):
        if tag.startswith("memphis_") or path.endswith(".h"):
            yield tag


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    root = sys.argv[1]
    tags, names = collections.defaultdict(set), collections.defaultdict(list)
    for path in code_files(root):
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            for tag in tags_of(path, stream.read()):
                tags[tag].add(path)
        part, _, name = path.partition("/")[0], *path.rpartition("/")[1:]
        if part != "include" and os.path.dirname(path) not in NAMED_AFTER and os.path.splitext(path)[0] not in NAMESAKES:
            names[part, name].append(path)
    found = [f"{tag}: {' '.join(sorted(paths))}" for tag, paths in sorted(tags.items()) if len(paths) > 1]
    found += [f"{name}: {' '.join(paths)}" for (_, name), paths in sorted(names.items()) if len(paths) > 1]
    print("\n".join(found) if found else "no name stands for two things")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
