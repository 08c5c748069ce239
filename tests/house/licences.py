#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the SPDX lines of files with packaging/debian/copyright. usage: licences.py FILE... (in the top directory)

Prints one line for each file whose SPDX line names another licence than the last stanza that matches the file's path."""

import fnmatch
import re
import sys


def normal(licence):
    """The alternatives of a licence in one order and one notation."""
    text = re.sub(r"[()]", "", licence.strip()).replace(" exception", "")
    return sorted(re.sub(r"\bwith\b", "WITH", part).strip() for part in re.split(r"\s+or\s+", text, flags=re.IGNORECASE))


def stanzas():
    with open("packaging/debian/copyright", encoding="utf-8") as stream:
        for stanza in stream.read().split("\n\n"):
            fields = dict(re.findall(r"^(Files|License): (.*)$", stanza, re.MULTILINE))
            if len(fields) == 2:
                yield fields["Files"].split(), normal(fields["License"])


def stated(path):
    with open(path, encoding="utf-8", errors="replace") as stream:
        head = stream.read(400)
    match = re.search(r"SPDX-License-Identifier: ([^*\n]+?)\s*(?:\*/|-->|$)", head, re.MULTILINE)
    return normal(match[1]) if match else None


def main():
    known = list(stanzas())
    for path in sys.argv[1:]:
        licence = None
        for patterns, found in known:
            if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns):
                licence = found
        if stated(path) and stated(path) != licence:
            print(f"{path}: {' or '.join(stated(path))}; packaging/debian/copyright says {' or '.join(licence or ['nothing'])}")


main()
