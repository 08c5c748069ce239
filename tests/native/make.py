#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds samples to the files of a program that was recorded without any (MEMPHIS_BACKEND=none), so that they are those of a run with the device.

The samples are the accesses that libnative.so has written down; tests/cli/samples/make_samples writes them. As with the device, accesses are
sampled while a caliper is open, or always if the program was recorded from start to end. Prints NAME COUNT for each name of watched memory.
usage: make.py MAKE_SAMPLES DIRECTORY ACCESSES [SETTING=VALUE...]     the settings replace those below
"""
import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'vm', 'library'))
import files  # noqa: E402  # pylint: disable=wrong-import-position

SETTINGS = {'backend': 'device', 'module_version': '0', 'device': '/dev/memphis', 'hardware': 'ibs', 'pmu': 'ibs_op', 'sampler': 'task', 'period': '65536',
            'count': 'ops', 'drop': 'none', 'hardware_filter': 'none', 'min_latency': '0'}
# Two nodes with CPUs, and one without.
NODES = ['node 0 8589934592 0-1 10 21 21', 'node 1 8589934592 2-3 21 10 21', 'node 2 8589934592 - 21 21 10']

Access = collections.namedtuple('Access', 'name pid tid time pc address source flags node home latency file callers frame')


def read_accesses(path):
    """The accesses of each process and thread, in the order of time."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    if os.path.exists(path):
        with open(path, encoding='ascii') as lines:
            for line in lines:
                words = line.split()
                frame = words.pop().split('=')[1].replace(',', ' ') if words[-1].startswith('frame=') else ''
                access = Access(words[1], *map(int, words[2:5]), *words[5:9], *map(int, words[9:12]), words[12] if len(words) > 12 else '', words[13:], frame)
                found[access.pid][access.tid].append(access)
    return found


class Regions:
    """Which region a thread was in: that of its innermost caliper, or of the innermost one of the leading thread."""

    def __init__(self, threads, is_always):
        self.by_thread = {}
        self.is_always = is_always
        for thread in threads:
            spans = {(span['begin'], span['region']): span for span in thread.get('spans', [])}
            self.by_thread[thread['tid']] = sorted(spans.values(), key=lambda span: span['begin'], reverse=True)

    @staticmethod
    def innermost(spans, time):
        return next((span['region'] for span in spans if span['begin'] <= time and (not span['end'] or time <= span['end'])), None)

    def at(self, tid, time):
        """Returns None while nothing is sampled."""
        own = self.innermost(self.by_thread.get(tid, []), time)
        if own is not None:
            return own
        others = (self.innermost(spans, time) for spans in self.by_thread.values())
        return next((region for region in others if region is not None), 0 if self.is_always else None)


class Entries:
    """The lines for make_samples of what some samples refer to by numbers, chains of callers or frames, and of the entries for the samples."""

    def __init__(self, definition, entry):
        self.definition, self.entry = definition, entry
        self.numbers, self.lines, self.entries = {}, [], []
        self.skipped = 0

    def add(self, words):
        """Adds the words that the next sample refers to; none, if it has no entry."""
        if not words:
            self.skipped += 1
            return
        if words not in self.numbers:
            self.numbers[words] = len(self.numbers) + 1
            self.lines.append(f'{self.definition} {self.numbers[words]} {words}')
        self.entries.append(self.entry.format(self.skipped, self.numbers[words]))
        self.skipped = 0


def describe_thread(accesses, regions, code, made):
    """The lines for make_samples, and the number of samples. Samples in `code`, which is the program's own, have no callers."""
    chains, frames = Entries('chain', 'callers {} chain {}'), Entries('frame', 'in_frame {} {}')
    samples = []
    for access in sorted(accesses, key=lambda access: access.time):
        region = regions.at(access.tid, access.time)
        if region is None:
            continue
        made[access.name] += 1
        samples.append(f'sample {access.time} {access.pc} {access.address} {access.source} {access.flags} {access.node} {access.home} {region} {access.latency}')
        # An access whose stack could not be unwound has no chain.
        is_foreign = access.file and not any(access.file == path or access.file.startswith(path + '/') for path in code)
        chains.add(' '.join(access.callers) if is_foreign else '')
        frames.add(access.frame)
    return [*chains.lines, *frames.lines, *samples, *chains.entries, *frames.entries, f'books {len(samples)} {len(samples)} 0'], len(samples)


def describe(process, threads, accesses, made):
    settings = process['settings']
    text, added = [], []
    regions = Regions(threads, settings['mode'] == 'program')
    name = next((thread['thread']['name'] for thread in threads if thread['thread'].get('main')), os.path.basename(settings['executable'])[:15])
    for tid, mine in sorted(accesses.items()):
        path = next((thread['path'] for thread in threads if thread['tid'] == tid), None)
        lines, count = describe_thread(mine, regions, settings['program_code'].split(':'), made)
        if count:
            text += [f'continue {tid} {path}', *lines] if path else []
            added += [] if path else [f'thread {tid}', f'fact name {name}', 'fact attached 1', *lines, 'end']
    # Threads that had no data are only counted, until they have samples.
    left = int(settings.get('threads_without_data', 0)) - added.count('end')
    return [f'setting threads_without_data {max(left, 0)}', *text, *added]


def main():
    make_samples, directory, path, *changes = sys.argv[1:]
    accesses = read_accesses(path)
    everything = files.load(directory)
    processes = [one for one in everything if one['kind'] == 'process']
    if not processes:
        sys.exit(f'{directory}: no process')
    settings = SETTINGS | dict(change.split('=', 1) for change in changes)
    text = []
    made = collections.Counter()
    for process in processes:
        threads = [one for one in everything if one['kind'] == 'thread' and one['run'] == process['run']]
        text += [f'continue 0 {process["path"]}', *(f'setting {key} {value}' for key, value in settings.items()), *NODES]
        text += describe(process, threads, accesses.get(process['pid'], {}), made)
    subprocess.run([make_samples, directory], input='\n'.join(text) + '\n', text=True, check=True)
    for name, count in sorted(made.items()):
        print(name, count)


if __name__ == '__main__':
    main()
