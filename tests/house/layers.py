#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the tables of rooms in docs/architecture.md with the code: includes, names, and symbols of the built objects.

usage: layers.py ROOT TREE [OBJECTS...]     e.g. layers.py . postproc build/postproc/memphis; layers.py . kmod

Without OBJECTS, only circles are looked for, and calls are found in the text of the sources. The table of TREE follows the heading "### Rooms of TREE/" and has the columns room, calls, ...; the lowest room is first. An
entry of "calls" is a room of the tree, or a folder outside of it, which ends with "/". Prints one line per violation:

- a room that calls or includes a room that its row does not list, and a row that lists a room that is not called or included;
- a row that lists a room that is not above it: the order of rooms is the order of layers;
- a folder without a row, and a row without a folder;
- modules that need each other in a circle: x.c and x.h are one module, which needs another one if it calls its functions, or mentions a
  struct, an enum, a type, a macro or an inline function of a header that it includes. A struct that is only declared is not needed."""

import collections
import os
import re
import subprocess
import sys

DEFINED = set("TDBRVWCSG")


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def table(text, heading):
    """Rows of the table below a heading, as lists of cells without back quotes; [] without such a heading."""
    match = re.search(rf"^### {re.escape(heading)}$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    lines = [line for line in match[1].splitlines() if line.startswith("|")] if match else []
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines[2:]]


def sources(root, tree):
    """Paths of all C files below the tree; no room has other sources that call one another."""
    for directory, folders, names in os.walk(os.path.join(root, tree)):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".c", ".h", ".inc")):
                yield os.path.relpath(os.path.join(directory, name), os.path.join(root, tree))


def target(root, tree, source, include):
    """Target of an include: a path below the tree, a folder outside with "/", or None for include/, which every room may include."""
    beside = os.path.normpath(os.path.join(os.path.dirname(source), include))
    # Headers of the emulator are copied to folders of QEMU, by whose names they are included.
    for path in (beside, include, os.path.basename(include) if tree == "machine/qemu/src" else include):
        if os.path.exists(os.path.join(root, tree, path)):
            return path
    return "kmod/" if os.path.exists(os.path.join(root, "kmod", include)) else None


def included(root, tree):
    """Edges from includes: (file, file or folder)."""
    for source in sources(root, tree):
        for include in re.findall(r'^#include ["<]([^">]+)[">]', read(os.path.join(root, tree, source)), re.MULTILINE):
            if found := target(root, tree, source, include):
                yield source, found


def code_of(path):
    """The text of a C file without comments, the contents of strings, and members of structs (x.NAME, x->NAME)."""
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", read(path), flags=re.DOTALL)
    return re.sub(r"(?:\.|->)\s*[A-Za-z_]\w*", " ", text)


# What a header defines for those who include it: tags with a body, types, macros, inline functions.
NAMES_OF_HEADER = (
    r"\b(?:struct|union|enum)\s+(\w+)\s*\{",
    r"^typedef\b[^;{]*?(\w+);",
    r"^typedef\b.*?^\}\s*(\w+);",
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?<!_H)\b",
    r"^static (?:__always_)?inline\b[^;{]*?\b(\w+)\([^;{]*\)\s*\{",
)
# Functions and variables of a source that others can see.
NAMES_OF_SOURCE = (
    r"^(?!static\b|typedef\b|extern\b)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{",
    r"^(?!static\b|typedef\b|extern\b|struct \w+;)[A-Za-z_][\w \t*]*?\b(\w+)(?:\[[^\]\n]*\])*\s*(?:=|;)",
)


def names_of(code, patterns):
    """Names that code defines. The members of an enum are names of its own."""
    found = {name for pattern in patterns for name in re.findall(pattern, code, re.MULTILINE | re.DOTALL)}
    if patterns is NAMES_OF_HEADER:
        for body in re.findall(r"\benum\b[^;{}()]*\{(.*?)\}", code, re.DOTALL):
            found.update(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", body))
    return found


def needed(root, tree, called_by_text):
    """Edges from names: (file, file that defines a name that it mentions). called_by_text: functions and variables of sources, too."""
    codes = {source: code_of(os.path.join(root, tree, source)) for source in sources(root, tree)}
    includes = collections.defaultdict(set)
    for source, to in included(root, tree):
        includes[source].add(to)
    headers = {source: names_of(code, NAMES_OF_HEADER) for source, code in codes.items() if not source.endswith(".c")}
    owners = collections.defaultdict(set)
    if called_by_text:
        for source, code in codes.items():
            if not source.endswith(".h"):
                for name in names_of(code, NAMES_OF_SOURCE):
                    owners[name].add(source)
    for source, code in codes.items():
        words = set(re.findall(r"[A-Za-z_]\w*", code))
        reached, waiting = set(), [source]
        while waiting:
            reached |= (new := includes[waiting.pop()] - reached)
            waiting.extend(new)
        for to in reached & set(headers):
            if headers[to] & words:
                yield source, to
        # A header that declares a function does not call it.
        for name in set(owners) & set(re.findall(r"[A-Za-z_]\w*", re.sub(r"^[A-Za-z_][^;{}]*;", " ", code, flags=re.MULTILINE))):
            # A name of several files is that of the own one.
            if source not in owners[name] and len(owners[name]) == 1:
                yield source, *owners[name]


def module_of(path):
    return re.sub(r"(\.c)?\.(c|h|inc)$", "", path)


def objects(directories):
    """Paths of objects below the directories, without suffix; the source of each has the same path in the tree."""
    for top in directories:
        for directory, _, names in os.walk(top):
            for name in names:
                if name.endswith(".o"):
                    yield os.path.relpath(os.path.join(directory, name[:-2]), top), os.path.join(directory, name)


def called(root, tree, directories):
    """Edges from symbols: (file, file), for objects whose source is in the tree."""
    paths = {path: name for name, path in objects(directories) if os.path.exists(os.path.join(root, tree, name + ".c"))}
    if len(paths) < 10:
        raise SystemExit(f"layers.py: {len(paths)} objects of {tree}: build it first")
    defined, undefined = {}, collections.defaultdict(set)
    for line in subprocess.run(["nm", "-A", *paths], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        path, _, rest = line.rpartition(":")
        *_, kind, symbol = rest.split()
        if kind in DEFINED:
            defined[symbol] = paths[path]
        elif kind in ("U", "w"):
            undefined[paths[path]].add(symbol)
    for name, symbols in undefined.items():
        for symbol in symbols:
            if defined.get(symbol, name) != name:
                yield name + ".c", defined[symbol] + ".c"


def circles(arrows):
    """Strongly connected components of the calls (Tarjan's algorithm): sets of files that reach each other."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for following in sorted(arrows.get(node, ())):
            if following not in order:
                visit(following)
            if following in stack:
                low[node] = min(low[node], low[following])
        if low[node] == order[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for node in sorted(arrows):
        if node not in order:
            visit(node)
    return found


def room_of(path):
    return path if path.endswith("/") else os.path.dirname(path)


def circle_violations(root, tree, calls):
    """calls: edges from symbols; None to look for calls in the text."""
    modules = collections.defaultdict(set)
    for source, to in [*needed(root, tree, calls is None), *(calls or [])]:
        if module_of(source) != module_of(to):
            modules[module_of(source)].add(module_of(to))
    for circle in circles(modules):
        yield f"{tree}: a circle of files: {' '.join(circle)}"


def room_violations(root, tree, calls):
    text = read(os.path.join(root, "docs/architecture.md"))
    rows = {row[0].rstrip("/"): row[1].replace(",", " ").split() for row in table(text, f"Rooms of {tree}/")}
    if not rows:
        yield f"{tree}: no table of rooms"
        return
    order = list(rows)
    rooms = {os.path.dirname(source) for source in sources(root, tree)}
    for room in sorted(rooms - set(rows)):
        yield f"{tree}/{room}: no row in the table"
    for room in sorted(set(rows) - rooms):
        yield f"{tree}/{room}: a row, but no folder"

    seen = collections.defaultdict(dict)
    for source, to in [*included(root, tree), *calls]:
        if room_of(to) != room_of(source):
            seen[room_of(source)].setdefault(room_of(to), f"{tree}/{source} -> {to}")
    for room in order:
        allowed = set(rows[room]) - {"-"}
        for to in sorted(set(seen[room]) - allowed):
            yield f"{tree}/{room} -> {to}: not in the table ({seen[room][to]})"
        for to in sorted(allowed - set(seen[room])):
            yield f"{tree}/{room} -> {to}: in the table, not in the code"
        for to in sorted(allowed):
            if not to.endswith("/") and (to not in order or order.index(to) >= order.index(room)):
                yield f"{tree}/{room} -> {to}: against the order of the table"


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    root, tree, directories = sys.argv[1], sys.argv[2], sys.argv[3:]
    calls = list(called(root, tree, directories)) if directories else None
    found = [*(room_violations(root, tree, calls) if directories else []), *circle_violations(root, tree, calls)]
    print("\n".join(found) if found else "no violation")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
