#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the results of the programs of library.bats. usage: check.py NAME OUT; prints deviations."""
import os
import sys

import files

LOADS = 0x1
REMOTE = 0x4
NODE_UNKNOWN = 0xffff
REASON_KERNEL_PC, REASON_LOCAL = 1, 8  # MEMPHIS_REASON_* of include/memphis/sample.h
# Periods of dense.sh, by the kernel's name of the hardware; the last one is that of loads by source.
PERIODS = {'ibs_op': ['16384'], 'cpu': ['4093', '2039']}
failures = []


def expect(condition, sentence):
    if not condition:
        failures.append(sentence)


def text(out, name):
    with open(os.path.join(out, name)) as file:
        return file.read()


def status(out, name):
    return int(text(out, name + '.status'))


class Run:
    """Sample files of one process."""

    def __init__(self, all_files, run):
        own = [f for f in all_files if f['run'] == run]
        self.process = next(f for f in own if f['kind'] == 'process')
        self.threads = [f for f in own if f['kind'] == 'thread']
        self.settings = self.process['settings']
        self.regions = {}
        for line in self.process.get('regions', []):
            number, parent, name = line.split(' ', 2)
            self.regions[int(number)] = (int(parent), name)

    def path(self, number):
        if not number:
            return ''
        parent, name = self.regions[number]
        return (self.path(parent) + '/' if parent else '') + name

    def thread(self, tid):
        found = [t for t in self.threads if t['tid'] == tid]
        expect(len(found) == 1, 'thread %d has %d files' % (tid, len(found)))
        return found[0] if found else {}

    def paths(self, thread):
        return {self.path(s['region']) for s in thread.get('samples', [])}

    def interrupts(self):
        return sum(t['books']['interrupts'] for t in self.threads if 'books' in t)


def runs(directory):
    all_files = files.load(directory)
    return sorted((Run(all_files, f['run']) for f in all_files if f['kind'] == 'process'),
                  key=lambda r: r.process['start'])


def check_books(out, name, processes):
    """Together, the accountings contain every sample that the machine delivered."""
    # With per-CPU events, the interrupts in other programs are recorded by the first and the last of the processes.
    others = max((int(r.settings.get('unattached', 0)) for r in processes), default=0)
    delivered = int(text(out, name + '.delivered'))
    accounted = sum(r.interrupts() for r in processes) + others
    expect(accounted == delivered, '%s: the files account for %d interrupts, the machine delivered %d' % (name, accounted, delivered))
    expect(accounted > 100, '%s: hardly a sample: %d' % (name, accounted))


def check_closed(name, processes):
    for run in processes:
        for file in [run.process] + run.threads:
            expect(file['closed'], '%s: %s was not closed' % (name, file['path']))


def in_block(run, address):
    """Does a tracked allocation contain the address?"""
    return any(a['address'] <= address < a['address'] + a['size'] for t in run.threads
               for a in t.get('allocations', []) if a['kind'] in ('malloc', 'map'))


def check_threads(out):
    run, = runs(out + '/threads')
    expect(status(out, 'threads') == 5, 'exit status')
    kinds = {}
    for line in text(out, 'threads.out').splitlines():
        kind, tid = line.split()
        kinds[kind] = int(tid)
    # A thread without a caliper has the region of the thread that opened the outermost caliper.
    leader = {'Outer', 'Outer/Inner'}
    for kind, paths in {'late': leader, 'c11': leader, 'raw': leader, 'after-join': {'Outer'}, 'own': {'Own'} | leader,
                        'inner': leader}.items():
        thread = run.thread(kinds[kind])
        expect(len(thread.get('samples', [])) > 20, '%s: %d samples' % (kind, len(thread.get('samples', []))))
        expect(run.paths(thread) and run.paths(thread) <= paths, '%s: regions %s' % (kind, run.paths(thread)))
        known = [s for s in thread.get('samples', []) if in_block(run, s['address'])]
        expect(len(known) > 0.8 * len(thread.get('samples', [])), '%s: %d samples in known blocks' % (kind, len(known)))
    expect('Outer/Inner' in run.paths(run.thread(kinds['inner'])), 'the inner caliper')
    own = [run.path(s['region']) for s in run.thread(kinds['own'])['samples']]
    expect(own.count('Own') > 0.8 * len(own), 'the region of a thread with a caliper of its own')
    expect(all('drain' not in t['thread'].get('name', '') for t in run.threads), 'the library samples itself')
    expect(int(run.settings['threads']) == len(run.threads) == len(set(kinds.values())), 'threads: %s' % run.settings['threads'])
    expect(run.settings['command'].endswith('/threads') and run.settings['period'] in PERIODS[run.settings['pmu']] and
           run.settings['mode'] == 'caliper', 'settings')
    check_closed('threads', [run])
    check_books(out, 'threads', [run])
    total = sum(t['bytes'] for t in run.threads)
    count = sum(len(t.get('samples', [])) for t in run.threads)
    print('# %d samples, %.1f bytes each' % (count, total / count))


def check_openmp(out):
    run, = runs(out + '/openmp')
    expect(text(out, 'openmp.out').split() == ['threads', '4', 'sum', '22544384.0'], 'output')
    expect(len(run.threads) == 4, '%d threads' % len(run.threads))
    for thread in run.threads:
        expect(len(thread.get('samples', [])) > 10, 'thread %d: no samples' % thread['tid'])
    expect('TimeLoop/Sweep' in set().union(*(run.paths(t) for t in run.threads)), 'regions')
    blocks = {}
    for thread in run.threads:
        for a in thread.get('allocations', []):
            if a['kind'] == 'malloc' and a['size'] == 65536 * 8 * 8:
                blocks[a['address']] = a
                expect(a['stack'] and len(thread['stacks'][a['stack']]) >= 2, 'no stack')
    expect(len(blocks) == 3, '%d arrays' % len(blocks))
    held = {block for _, _, block in run.process.get('holders', [])} & set(blocks)
    # The descriptor of the third array is a local variable on the stack, because the program uses OpenMP.
    expect(len(held) == 2, 'descriptors hold %d of 2 module arrays' % len(held))
    names = [n for t in run.threads for n in t.get('names', [])]
    expect(len(names) == 1 and names[0].endswith(' 4194304 scratch'), 'explicit name: %s' % names)
    check_closed('openmp', [run])
    check_books(out, 'openmp', [run])


def check_endings(out):
    for name, code in {'return': 7, 'fork': 7, 'raw-fork': 7, '_exit': 3, 'exec': 7, 'kill': 137, 'close-all': 7}.items():
        processes = runs('%s/%s' % (out, name))
        expect(status(out, name) == code, '%s: exit status %d' % (name, status(out, name)))
        expect(text(out, name + '.err') == ('Killed\n' if name == 'kill' else ''), '%s: stderr' % name)
        count = {'fork': 2, 'raw-fork': 2, 'exec': 2}.get(name, 1)
        expect(len(processes) == count, '%s: %d processes' % (name, len(processes)))
        for run in processes:
            got = sum(len(t.get('samples', [])) for t in run.threads)
            expect(got > 100, '%s: %d samples' % (name, got))
        if name != 'exec':
            check_closed(name, processes)
            # When its device descriptor is closed, sampling can't be switched off before the process ends; nor if it is killed.
            if name not in ('close-all', 'kill'):
                check_books(out, name, processes)
        else:
            expect(not processes[0].process['closed'], '%s: closed' % name)
    run, = runs(out + '/close-all')
    companion = int(text(out, 'close-all.out').split()[1])
    expect({t['tid']: 'end_time_ns' in t['thread'] for t in run.threads} == {run.process['pid']: False, companion: True},
           'close-all: who has ended')
    parent, child = runs(out + '/fork')
    expect(child.settings['parent_run'] == parent.process['run'], 'fork: the child does not know its parent')
    expect(text(out, 'fork.out').split() == ['child', str(child.process['pid']), '4'], 'fork: child')
    expect({child.path(s['region']) for t in child.threads for s in t.get('samples', [])} == {'Child'}, 'fork: regions')
    first, second = runs(out + '/exec')
    expect('exec_time_ns' in first.settings and 'exec_time_ns' not in second.settings, 'exec: not noted')
    expect(first.process['pid'] == second.process['pid'] and first.process['run'] != second.process['run'], 'exec: run')


def check_races(out):
    run, = runs(out + '/together')
    expect(status(out, 'together') == 7, 'together: exit status %d' % status(out, 'together'))
    workers = [run.thread(int(line.split()[1])) for line in text(out, 'together.out').splitlines()]
    # Without those of the kernel, which waits for other CPUs now and then.
    counts = [t['books']['interrupts'] - t['books']['filtered'][REASON_KERNEL_PC] for t in workers]
    # All threads do the same work, worth about 1000 interrupts. Chance makes a difference of 5 in 100; five rounds without sampling
    # make one of 20.
    expect(len(counts) == 4 and min(counts) > 400 and min(counts) > 0.8 * max(counts), 'together: interrupts %s' % counts)
    for thread in workers:
        expect(run.paths(thread) == {'Own'}, 'together: regions %s' % run.paths(thread))
    expect(int(run.settings['active_count']) >= 2, 'together: sampling went on all the time')
    check_closed('together', [run])
    check_books(out, 'together', [run])
    for turn in '12345':
        name = 'busy' + turn
        expect(status(out, name) == 7, '%s: exit status %d' % (name, status(out, name)))
        expect(text(out, name + '.err') == '', '%s: stderr %s' % (name, text(out, name + '.err')))
        check_closed(name, runs(out + '/' + name))
    run, = runs(out + '/cancel')
    expect(status(out, 'cancel') == 7, 'cancel: exit status')
    main = run.thread(int(text(out, 'cancel.out').split()[1]))
    other, = [t for t in run.threads if t is not main]
    expect(len(other.get('samples', [])) > 20, 'cancel: hardly a sample')
    expect(run.paths(other) <= {'Cancelled', 'Cancelled/Inner'}, 'cancel: regions %s' % run.paths(other))
    # The walk that follows is worth about 6000 samples. With perf in place of the device, creating its buffers is worth some
    # hundreds.
    most = 1000 if run.settings['backend'] == 'perf' else 300
    expect(main['books']['interrupts'] < most, 'cancel: sampling went on, %d interrupts' % main['books']['interrupts'])
    check_closed('cancel', [run])
    check_books(out, 'cancel', [run])


def is_remote(sample):
    """The hardware reports no source for pure stores, so the home node of the page decides."""
    if sample['flags'] & LOADS:
        return bool(sample['flags'] & REMOTE)
    return sample['home'] not in (sample['node'], NODE_UNKNOWN)


def check_filter(out):
    run, = runs(out + '/filtered')
    samples = [s for t in run.threads for s in t.get('samples', [])]
    stores = [s for s in samples if not s['flags'] & LOADS]
    expect(len(stores) > 20 and len(samples) - len(stores) > 20, '%d samples, %d of them stores' % (len(samples), len(stores)))
    local = sum(not is_remote(s) for s in samples)
    expect(not local, '%d samples are local' % local)
    dropped = sum(t['books']['filtered'][REASON_LOCAL] for t in run.threads if 'books' in t)
    expect(dropped > 100, '%d samples were dropped as local' % dropped)
    check_closed('filtered', [run])
    check_books(out, 'filtered', [run])


def check_lossy(out):
    run, = runs(out + '/lossy')
    lost = sum(t['books']['lost'] for t in run.threads if 'books' in t)
    expect(lost > 20, '%d samples were lost' % lost)
    check_closed('lossy', [run])
    check_books(out, 'lossy', [run])


def compare_times(out, name, kind):
    """Compares with the program's lines PATH CALLS INSIDE OUTSIDE. kind: index of the number in a record. Returns the run."""
    run, = runs(out + '/' + name)
    expect(status(out, name) == 0, name + ': exit status')
    times = {run.path(region): numbers for thread in run.threads for region, numbers in thread.get('times', {}).items()}
    lines = [line.split() for line in text(out, name + '.out').splitlines()]
    expect(sorted(times) == sorted(line[0] for line in lines), '%s: regions %s' % (name, sorted(times)))
    for path, *own in lines:
        calls, inside, outside = map(int, own)
        found = sum(numbers[kind] for other, numbers in times.items() if (other + '/').startswith(path + '/'))
        expect(times[path][0] == calls, '%s: %s: %d calls' % (name, path, times[path][0]))
        expect(inside <= found <= outside, '%s: %s: %d is not from %d to %d' % (name, path, found, inside, outside))
    return run


def check_times(out):
    compare_times(out, 'nested', 1)
    for name in 'turns', 'counted':
        run = compare_times(out, name, 4)
        expect('region_counters_refused' not in run.settings, name + ': refused')
        expect(all(numbers[3] for thread in run.threads for numbers in thread.get('times', {}).values()), name + ': no cycles')


def check_record(out):
    processes = runs(out + '/record')
    expect(status(out, 'record') == 6, 'exit status')
    # bash runs the command before the last in a child process, which then executes another image.
    expect(all(r.settings['mode'] == 'program' for r in processes), 'mode')
    expect(any(r.settings['command'].startswith('bash -c ') for r in processes), 'the shell is missing')
    # A process that called exec after it had created files records this in them; no other process leaves unclosed files.
    expect(all(r.process['closed'] or 'exec_time_ns' in r.settings for r in processes), 'files are left that do not say why')
    program = [r for r in processes if r.settings['command'].endswith('/ending')]
    expect(len(program) == 1, 'the program is missing')
    for run in program:
        paths = set().union(*(run.paths(t) for t in run.threads))
        expect('Work' in paths and paths <= {'', 'Work'}, 'outside and inside of its caliper: %s' % paths)


def check_trouble(out):
    expect(status(out, 'user') == 1, 'user: exit status')
    expect(text(out, 'user.err') == 'memphis: not sampling: /dev/memphis: Permission denied; this user may not sample here; '
           'ask the site for access to the device (its owner, group or ACL decides); nor by perf: Permission denied; '
           'kernel.perf_event_paranoid is 3: the administrator must set it to 1 (sysctl), or give the program CAP_PERFMON\n',
           'user: ' + text(out, 'user.err'))
    expect(status(out, 'period') == 7, 'period: exit status')
    run, = runs(out + '/period')
    expect(text(out, 'period.err').startswith('memphis: MEMPHIS_PERIOD=100 is ignored, %s is used: %s takes ' %
                                              (run.settings['period'], run.settings['pmu'])) and
           run.settings['pmu'] in PERIODS, 'period: ' + text(out, 'period.err'))
    expect(status(out, 'ring') == 7, 'ring: exit status')
    run, = runs(out + '/ring')
    size = int(run.settings['ring_records'])
    expect(text(out, 'ring.err').startswith('memphis: MEMPHIS_RING_RECORDS=67108864 is ignored, %d is used: at most ' % size) and
           text(out, 'ring.err').count('\n') == 1, 'ring: ' + text(out, 'ring.err'))
    expect(8192 < size < 67108864 and size & (size - 1) == 0, 'ring: %d records' % size)
    # 400 samples are expected.
    expect(sum(len(t.get('samples', [])) for t in run.threads) > 100, 'ring: hardly a sample')
    expect(status(out, 'full') == 7, 'full: exit status')
    expect(text(out, 'full.err').count('\n') == 1 and 'No space left on device' in text(out, 'full.err'),
           'full: ' + text(out, 'full.err'))
    files.load(out + '/full/full')


if __name__ == '__main__':
    globals()['check_' + sys.argv[1]](sys.argv[2])
    print('\n'.join('%s: %s' % (sys.argv[1], failure) for failure in failures) or 'all holds')
    sys.exit(bool(failures))
