#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports deviations of moab.cfg's lines on standing reservations, or of an msub command line, from the manuals.

usage: grammar.py srcfg | msub < TEXT

Sources: Moab Workload Manager Administrator Guide, "Managing Reservations" (attributes of SRCFG, affinity modifiers) and
"Moab Parameters" (formats); Torque Administrator Guide, "Requesting Resources" (node_spec). Supports only the subset that this
project writes, and refuses everything else."""

import re
import shlex
import sys

NAME = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
# A credential may have an affinity for the reservation: positive (+), negative (-) or neutral (=).
CREDENTIALS = rf"{NAME}[-+=]?(,{NAME}[-+=]?)*"
TIME = r"(\d+:){0,3}\d+"

SRCFG = {
    "HOSTLIST": rf"{NAME}(,{NAME})*",
    "PERIOD": r"DAY|WEEK|INFINITY",
    "TASKCOUNT": r"[1-9]\d*",
    # A task: attributes of a single node, separated by semicolons.
    "RESOURCES": r"(PROCS|MEM|DISK|SWAP):\d+(;(PROCS|MEM|DISK|SWAP):\d+)*",
    "USERLIST": CREDENTIALS,
    "GROUPLIST": CREDENTIALS,
    "CLASSLIST": CREDENTIALS,
    "STARTTIME": TIME,
    "ENDTIME": TIME,
    "FLAGS": r"[A-Z]+(,[A-Z]+)*",
}
NODE_SPEC = rf"(\d+|{NAME})(:ppn=[1-9]\d*)?(:gpus=\d+)?(:[A-Za-z]\w*)*"
RESOURCES = {"nodes": rf"{NODE_SPEC}(\+{NODE_SPEC})*", "walltime": r"(\d+:){0,2}\d+", "mem": r"\d+[kmgt]?[bw]", "procs": r"\d+"}
OPTIONS = {"-q": NAME, "-A": NAME, "-N": NAME, "-l": None}


def srcfg(text):
    reservations = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        match = re.fullmatch(rf"SRCFG\[({NAME})\]\s+(.+)", line)
        if not match:
            yield f"{number}: not SRCFG[NAME] ATTRIBUTE=VALUE...: {line}"
            continue
        attributes = reservations.setdefault(match[1], {})
        for word in match[2].split():
            name, equals, value = word.partition("=")
            if not equals or name not in SRCFG:
                yield f"{number}: no attribute of SRCFG: {word}"
            elif name in attributes:
                yield f"{number}: {name} twice"
            elif not re.fullmatch(SRCFG[name], value):
                yield f"{number}: {name} can't be {value}"
            attributes[name] = value
    if not reservations:
        yield "no reservation"
    for name, attributes in reservations.items():
        # The reservation must be unlimited in time, and name its hosts and its users.
        if attributes.get("PERIOD") != "INFINITY":
            yield f"{name}: ends"
        if "HOSTLIST" not in attributes:
            yield f"{name}: on no host"
        if not {"USERLIST", "CLASSLIST", "GROUPLIST"} & set(attributes):
            yield f"{name}: nobody's"


def msub(text):
    words = shlex.split(text)
    if not words or words[0] != "msub":
        yield "not msub"
        return
    words = words[1:]
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option not in OPTIONS:
            yield f"no option: {option}"
            return
        if not words:
            yield f"{option}: without a value"
            return
        value = words.pop(0)
        if OPTIONS[option]:
            if not re.fullmatch(OPTIONS[option], value):
                yield f"{option}: can't be {value}"
            continue
        for item in value.split(","):
            name, _, amount = item.partition("=")
            if name not in RESOURCES:
                yield f"-l: no resource: {item}"
            elif not re.fullmatch(RESOURCES[name], amount):
                yield f"-l: {name} can't be {amount}"
    if len(words) != 1:
        yield f"not one script: {words}"


def main():
    problems = list({"srcfg": srcfg, "msub": msub}[sys.argv[1]](sys.stdin.read()))
    print("\n".join(problems) or "as the manuals have it")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
