#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the results of the programs of threads.bats. usage: check.py CHECK NAME OUT; prints deviations.

CHECK is the expectation for names and for numbers in teams:
  making-all     all threads have their last name       making-alive   ended threads have their name before that
  team-told      every thread's number is known         team-asked     only if it has a caliper of its own
  nested         two teams within one                   overlap        the region of each array
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'library'))
import check  # noqa: E402  # pylint: disable=wrong-import-position

expect, text = check.expect, check.text
BYTES = 1 << 20


def lines(out, name):
    return [line.split() for line in text(out, name + '.out').splitlines()]


def load(out, name):
    """Files of the only process; for every check, verifies exit status, accounting and threads."""
    expect(check.status(out, name) == 5, '%s: exit status %d' % (name, check.status(out, name)))
    expect(text(out, name + '.err') == '', '%s: stderr %s' % (name, text(out, name + '.err')))
    run, = check.runs(os.path.join(out, name))
    check.check_closed(name, [run])
    check.check_books(out, name, [run])
    tids = {int(line[1]) for line in lines(out, name)}
    files = sorted(t['tid'] for t in run.threads)
    expect(files == sorted(tids), '%s: threads %s have files, there were %s' % (name, files, sorted(tids)))
    expect(int(run.settings['threads']) == len(tids), '%s: %s threads attached' % (name, run.settings['threads']))
    return run


def workers(run, name, out):
    """Pairs (number, thread) of all but the main thread; each must have done its share inside the caliper."""
    main = [int(line[1]) for line in lines(out, name) if line[0] == 'main'][0]
    found = [(int(line[2]), run.thread(int(line[1]))) for line in lines(out, name) if line[0] != 'main']
    expect([number for number, _ in found] == [0, 1, 2, 3], '%s: %s' % (name, found))
    for number, thread in found:
        expect(thread['thread']['attached'] == '1', '%s: %d not attached' % (name, number))
        # A share is worth about 300 interrupts and 120 samples.
        count = len(thread.get('samples', []))
        expect(count > 30, '%s: %d has %d samples' % (name, number, count))
    expect(main in {t['tid'] for t in run.threads}, '%s: main' % name)
    return found


def check_making(out, name, of_ended):
    run = load(out, name)
    kind = [line[0] for line in lines(out, name) if line[0] != 'main'][0]
    for number, thread in workers(run, name, out):
        last = '%s-%d' % (kind if number < 2 or of_ended else 'first', number)
        expect(thread['thread']['name'] == last, '%s: %d is called %s' % (name, number, thread['thread']['name']))
        expect(('end_time_ns' in thread['thread']) == (number >= 2), '%s: end of %d' % (name, number))
        expect(run.paths(thread) == {'All'}, '%s: %d in %s' % (name, number, run.paths(thread)))
        expect('openmp_thread' not in thread['thread'], '%s: a number in no team' % name)


def check_team(out, name, told):
    run = load(out, name)
    each = name.endswith('each')
    shares = {int(line[2]): int(line[3], 16) for line in lines(out, name) if line[0] != 'main'}
    for number, thread in workers(run, name, out):
        expected = str(number) if told or each else None
        expect(thread['thread'].get('openmp_thread') == expected,
               '%s: %d has number %s' % (name, number, thread['thread'].get('openmp_thread')))
        # Before and after its own caliper, a thread has the region of the thread that opened the outermost caliper.
        around = {'All', 'All/Own'} if each else {'All'}
        own = ('All/Own' if number == 0 else 'Own') if each else 'All'
        share = shares[number]
        inside = {run.path(s['region']) for s in thread['samples'] if share <= s['address'] < share + BYTES}
        expect(inside == {own}, '%s: the share of %d is in %s' % (name, number, inside))
        expect(run.paths(thread) <= around | {own}, '%s: %d in %s' % (name, number, run.paths(thread)))


def check_nested(out, name):
    run = load(out, name)
    for number, thread in workers(run, name, out):
        # A thread that is only in the inner team has no number in the outer one.
        expected = {0: '0', 2: '1'}.get(number)
        expect(thread['thread'].get('openmp_thread') == expected,
               '%s: %d has number %s' % (name, number, thread['thread'].get('openmp_thread')))


def check_overlap(out, name):
    run = load(out, name)
    found = lines(out, name)
    expect(len(found) == 11, '%s: %d phases' % (name, len(found)))
    for who, tid, start, path in found:
        inside = [run.path(s['region']) for s in run.thread(int(tid)).get('samples', [])
                  if int(start, 16) <= s['address'] < int(start, 16) + BYTES]
        # About 60 are expected.
        expect(len(inside) > 10, '%s: %s in %s: %d samples' % (name, who, path, len(inside)))
        expect(set(inside) <= {path}, '%s: %s in %s: %s' % (name, who, path, set(inside)))


CHECKS = {'making-all': lambda out, name: check_making(out, name, True),
          'making-alive': lambda out, name: check_making(out, name, False),
          'team-told': lambda out, name: check_team(out, name, True),
          'team-asked': lambda out, name: check_team(out, name, False),
          'nested': check_nested, 'overlap': check_overlap}

if __name__ == '__main__':
    CHECKS[sys.argv[1]](sys.argv[3], sys.argv[2])
    print('\n'.join('%s: %s' % (sys.argv[1], failure) for failure in check.failures) or 'all holds')
    sys.exit(bool(check.failures))
