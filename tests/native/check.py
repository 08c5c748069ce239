#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the names, lines and called functions of a report with what the program states about its memory and its lines.

A line of the source states what it accesses by a comment at its end:
    expect: SEGMENT:VARIABLE[ via FUNCTION][, ...]    FUNCTION: of a library, called on the line, which makes the accesses
The name of memory is the one under which the program gave it to native_watch(). Sources of tests/workloads have marks, `LINE: MARK`; a ROW states
what the report should call memory with the program's name: SEGMENT:VARIABLE[ via FUNCTION]=NAME[@MARK]; without @MARK, the mark is NAME. A row
with a ? at its end need not be there.
The report must have exactly these variables and lines, each of them, and of each variable as many samples as were made in its memory.
usage: check.py REPORT.json MADE SOURCE[,SOURCE...] [ROW...]     REPORT: of all samples; MADE: lines NAME COUNT, as make.py prints them
"""
import collections
import json
import os
import re
import sys


def lines_of(sources):
    for path in sources:
        with open(path, encoding='utf-8') as text:
            for number, line in enumerate(text, 1):
                yield f'{os.path.basename(path)}:{number}', line


def stated(sources):
    """Rows (variable with its function, name in the program, line) of the comments at the ends of lines."""
    for line, text in lines_of(sources):
        found = re.search(r'\bexpect: (.*?)(\s*\*/)?\s*$', text)
        if found:
            yield from ((entry, entry.split(' via ')[0], line) for entry in found[1].split(', '))


def marked(sources, mark):
    found = [line for line, text in lines_of(sources) if re.sub(r'[ */\n]+$', '', text).endswith('LINE: ' + mark)]
    if len(found) != 1:
        sys.exit(f'{len(found)} lines are marked {mark}')
    return found[0]


def reported(report):
    """Counts by variable, and by variable with its function and line."""
    variables, rows = collections.Counter(), collections.Counter()
    for node in report['nodes']:
        for variable in node['variables']:
            name = f'{variable["segment"]}:{variable["name"]}'
            for place in variable['instructions']:
                via = f' via {place["callers"]["via"]}' if place.get('callers') else ''
                variables[name] += place['count']
                rows[(name + via, f'{os.path.basename(place["file"] or "?")}:{place["line"]}')] += place['count']
    return variables, rows


def main():
    report_path, made_path, source, *arguments = sys.argv[1:]
    sources = source.split(',')
    with open(report_path, encoding='utf-8') as text:
        report = json.load(text)
    with open(made_path, encoding='ascii') as text:
        made = {name: int(count) for name, count in map(str.split, text)}
    rows = list(stated(sources))
    optional = set()
    for argument in arguments:
        name, _, place = argument.rpartition('=')
        label, _, mark = place.rstrip('?').partition('@')
        rows.append((name, label, marked(sources, mark or label)))
        if place.endswith('?'):
            optional.add((name, rows[-1][2]))
    if not rows:
        sys.exit(f'{source}: states nothing')
    variables, found = reported(report)
    labels = collections.defaultdict(set)
    for name, label, _ in rows:
        labels[name.split(' via ')[0]].add(label)
    expected = {(name, line) for name, _, line in rows}
    wrong = [f'{line}: the report has no {name}' for name, line in sorted(expected - optional - set(found))]
    wrong += [f'{line}: the report has {count} samples of {name}' for (name, line), count in sorted(found.items()) if (name, line) not in expected]
    for name, those in sorted(labels.items()):
        count = sum(made.get(label, 0) for label in those)
        if not count or count != variables[name]:
            wrong.append(f'{name}: {variables[name]} samples in the report, {count} accesses')
    print('\n'.join(wrong))
    sys.exit(bool(wrong))


main()
