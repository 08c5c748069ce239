#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the findings of reports with those that the source of the program states in comments:

    expect: --select SELECTION,...   begins what the report of each of these selections must find: nothing, or pairs of
    finding: TEXT                    the finding and the advice as `memphis report --format paper` prints them, which may continue on further lines. The
    try: TEXT                        end is an empty line or the end of the comment. {MARK} is FILE:LINE of the line with the mark `LINE: MARK`.
Counts of samples and intervals are left out, N stands for numbers of threads, RANGE for ranges of addresses, MEMBERS for the leading ones.
usage: findings.py MEMPHIS RUN SOURCE [print]     print: prints what the reports find, instead of comparing
"""
import difflib
import os
import re
import subprocess
import sys


def expectations(text):
    """Yields each selection and its list of findings and advice."""
    for block in re.findall(r'^[ *!/#]*expect: --select .*?(?=^[ *!/#]*$|\*/|\Z)', text, re.S | re.M):
        lines = [re.sub(r'^[ *!/#]+', '', line) for line in block.strip().split('\n')]
        found = []
        for line in lines[1:]:
            if line.startswith(('finding: ', 'try: ')):
                found.append(line)
            else:
                found[-1] += ' ' + line
        for selection in lines[0].split()[2].split(','):
            yield selection, found


def marks(path, text):
    return {match[1]: f'{os.path.basename(path)}:{number}' for number, line in enumerate(text.split('\n'), 1)
            if (match := re.search(r'\bLINE: (\w+)', line))}


def reported(memphis, run, selection):
    output = subprocess.run([memphis, 'report', '--format', 'paper', '--select', selection, run], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in output.split('\n'):
        if line.startswith(('finding: ', 'try: ')):
            line = re.sub(r': \d+ samples, [\d.]+ % of the [^(]+ \(95 % CI [\d.]+ to [\d.]+\)', '', line)
            line = re.sub(r' \(95 % CI \d+ to \d+\)', '', line)
            line = re.sub(r'\bthread \d+ ', 'thread N ', line)
            line = re.sub(r'different words \([\w, ]+\)', 'different words (MEMBERS)', line)
            line = re.sub(r'\([\d.]+ % of the samples are stores\)', '(few stores)', line)
            yield re.sub(r'0x[0-9a-f]+-0x[0-9a-f]+', 'RANGE', line)


def main():
    memphis, run, path = sys.argv[1:4]
    with open(path, encoding='utf-8') as source:
        text = source.read()
    places = marks(path, text)
    is_wrong = count = 0
    for selection, expected in expectations(text):
        count += 1
        expected = [re.sub(r'\{(\w+)\}', lambda mark: places[mark[1]], line) for line in expected]
        found = list(reported(memphis, run, selection))
        if len(sys.argv) > 4:
            print(selection, *found, sep='\n')
        elif found != expected:
            is_wrong = 1
            print(*difflib.unified_diff(expected, found, f'{path} --select {selection}', 'report', lineterm=''), sep='\n')
    if not count:
        sys.exit(f'{path}: states nothing')
    sys.exit(is_wrong)


main()
