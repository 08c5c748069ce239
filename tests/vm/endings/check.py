#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints deviations in the results of the rows that endings.bats ran. usage: check.py ROWS OUT BACKEND MEMPHIS CHECK

Each CHECK looks at one aspect of all rows: same, stderr, left, files, books, report."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../library'))
import files  # noqa: E402

# Minimum number of samples; 200 or more are expected, except of short-lived children.
SAMPLES = 20


def read_rows(path):
    keys = ('name', 'run', 'status', 'files', 'made', 'losses', 'stderr')
    with open(path) as stream:
        lines = [line for line in stream if line.strip() and not line.startswith('#')]
    return [dict(zip(keys, (cell.strip() for cell in line.split('|', 6)))) for line in lines]


def text(path):
    with open(path) as stream:
        return stream.read()


def directory(row, out):
    """Directory of the row's files; a relative MEMPHIS_OUTPUT may have created it in a second place."""
    return os.path.join(out, row['name'], 'files')


def processes(row, out):
    """Lists of files by process, with the process file first."""
    found = files.load(directory(row, out))
    runs = {f['run']: [] for f in found}
    for file in sorted(found, key=lambda f: (f['kind'] != 'process', f['tid'])):
        runs[file['run']].append(file)
    return list(runs.values())


def check_same(row, out, without):
    for what in ('status', 'out'):
        is_, was = (text(os.path.join(place, '%s.%s' % (row['name'], what))) for place in (out, without))
        if is_ != was:
            yield '%s is %r, without the library %r' % (what, is_, was)
    if text(os.path.join(out, row['name'] + '.status')).strip() != row['status']:
        yield 'exit status'


def check_stderr(row, out, _):
    said = text(os.path.join(out, row['name'] + '.err'))
    expected = '' if row['stderr'] == '-' else row['stderr']
    if not re.fullmatch(expected, said):
        yield repr(said)


def check_left(row, out, _):
    left = text(os.path.join(out, row['name'] + '.left'))
    if left:
        yield left


def check_files(row, out, _):
    if row['files'] == 'any':
        processes(row, out)
        return
    if row['files'] == 'none':
        if os.path.isdir(directory(row, out)) and os.listdir(directory(row, out)):
            yield 'there are files'
        return
    made = processes(row, out)
    count, threads = map(int, row['made'].split('x'))
    if len(made) != count:
        yield '%d processes have files' % len(made)
    sampled = [[len(f.get('samples', [])) for f in run[1:] if len(f.get('samples', [])) > SAMPLES] for run in made]
    if not all(sampled):
        yield 'a process has hardly a sample'
    if max(map(len, sampled), default=0) < threads:
        yield 'samples of each thread: %s' % sampled
    unclosed = [f['path'] for run in made for f in run if not f['closed']]
    if bool(unclosed) != (row['files'] == 'open'):
        yield 'without an end: %s' % unclosed
    recorded = {key for run in made for key in run[0].get('losses', {})}
    if recorded - set(row['losses'].replace('-', '').split()):
        yield 'losses: %s' % recorded


def check_books(row, out, _):
    """files.load() has verified that the accounting balances and agrees with the samples in the file."""
    if row['files'] != 'closed':
        return
    recorded = sum(f['books']['interrupts'] for run in processes(row, out) for f in run[1:] if 'books' in f)
    delivered = int(text(os.path.join(out, row['name'] + '.delivered')))
    if recorded != delivered:
        yield 'the files account for %d interrupts, the machine delivered %d' % (recorded, delivered)


def check_report(row, out, _):
    if row['files'] in ('none', 'any'):
        return
    answer = subprocess.run([memphis, 'report', '--format', 'json', directory(row, out)], capture_output=True, text=True)
    if answer.returncode:
        yield 'status %d: %s' % (answer.returncode, answer.stderr)
        return
    accounting = json.loads(answer.stdout)['accounting']
    samples = sum(len(f.get('samples', [])) for run in processes(row, out) for f in run)
    # The accounting of a killed process is that of its last write; samples may follow it.
    if not SAMPLES < accounting['kept'] <= samples or (row['files'] == 'closed' and accounting['kept'] != samples):
        yield 'it has %d samples, the files have %d' % (accounting['kept'], samples)


if __name__ == '__main__':
    rows_path, results, backend, memphis, check = sys.argv[1:]
    rows = read_rows(rows_path)
    failures = 0
    for row in rows:
        try:
            complaints = list(globals()['check_' + check](row, os.path.join(results, backend), os.path.join(results, 'without')))
        except (AssertionError, OSError, KeyError, IndexError) as error:
            complaints = ['%s: %s' % (type(error).__name__, error)]
        for complaint in complaints:
            print('%s: %s: %s' % (backend, row['name'], complaint))
            failures += 1
    print('%d rows' % len(rows))
    sys.exit(bool(failures) or not rows)
