# SPDX-License-Identifier: BSD-3-Clause
"""Samples as pandas data frames: memphis.read(). Needs pandas and the tool memphis; sampling needs neither."""
import os
import shutil
import sqlite3
import subprocess
import tempfile

__all__ = ['read', 'Run']

# Samples with all names. Those in libraries have the line of the program that called, if it is known, as in reports.
_SAMPLES = """
SELECT v.segment, v.shown AS variable, v.site, coalesce(k.path, f.path) AS path, coalesce(k.line, f.line) AS line,
       coalesce(k.function, f.function) AS function, i.via, i.type, i.member, r.name AS region,
       p.host, p.rank, p.pid, t.tid, t.name AS thread, c.node, c.home, c.source, c.flags & 1 AS load, (c.flags >> 1) & 1 AS store, c.reason,
       c.count AS samples, CASE WHEN c.home <> c.node THEN c.count ELSE 0 END AS remote, c.accesses, c.latency_cycles, c.bytes,
       c.waited_cycles, c.gain_cycles
FROM cells c
JOIN variables v ON v.id = c.variable_id
JOIN instructions i ON i.id = c.instruction_id
JOIN frames f ON f.instruction_id = i.id AND f.program
LEFT JOIN callers k ON k.chain_id = i.chain_id AND k.program
LEFT JOIN regions r ON r.id = c.region_id
LEFT JOIN threads t ON t.id = c.thread_id
LEFT JOIN processes p ON p.id = t.process_id
"""
_INTEGERS = ('line', 'rank', 'pid', 'tid', 'node', 'home', 'latency_cycles', 'bytes')
_SUMS = ['samples', 'remote', 'accesses', 'latency_cycles', 'bytes', 'waited_cycles', 'gain_cycles']


class Run:
    """What was read. Each attribute is a data frame; missing values are unknown (memphis-export(1)).

    samples      a row for each variable, instruction, region, thread, node, home node and source of the data
    by_variable  sums over the others by segment, variable and site; by_line by path, line and function; by_region; by_thread by host,
                 rank, pid, tid and thread; by_node by node and home. Rows with most remote samples come first.
    meta         a dictionary: version of the tool, selection, ...

    Sums are samples, remote (samples whose data are on another node), accesses (an estimate), latency_cycles, bytes, and the
    estimates waited_cycles and gain_cycles; methods.md describes them."""

    def __init__(self, samples, meta):
        self.samples = samples
        self.meta = meta
        self.by_variable = self.sums('segment', 'variable', 'site')
        self.by_line = self.sums('path', 'line', 'function')
        self.by_region = self.sums('region')
        self.by_thread = self.sums('host', 'rank', 'pid', 'tid', 'thread')
        self.by_node = self.sums('node', 'home')

    def sums(self, *columns):
        """Return the sums by other columns of `samples`, for example sums('variable', 'region', 'node')."""
        # The sum of unknown values only is unknown.
        groups = self.samples.groupby(list(columns), dropna=False, sort=False)[_SUMS]
        return groups.sum(min_count=1).sort_values(['remote', 'samples'], ascending=False, kind='stable').reset_index()


def _tool():
    """Returns the path of memphis: in PATH, beside this module in an installation, or in the source tree."""
    here = os.path.dirname(os.path.realpath(__file__))
    found = shutil.which('memphis')
    for place in ('../../../bin', '../../../build/bin'):
        path = os.path.normpath(os.path.join(here, place, 'memphis'))
        if not found and os.access(path, os.X_OK):
            found = path
    if not found:
        raise FileNotFoundError('no memphis in PATH; install the tool, or name it: memphis.read(..., tool=PATH)')
    return found


def _is_database(path):
    try:
        with open(path, 'rb') as file:
            return file.read(16) == b'SQLite format 3\0'
    except OSError:
        return False


def _frames(path):
    import pandas

    connection = sqlite3.connect(f'file:{os.path.abspath(path)}?mode=ro', uri=True)
    try:
        samples = pandas.read_sql_query(_SAMPLES, connection)
        meta = dict(connection.execute('SELECT key, value FROM meta'))
    finally:
        connection.close()
    # With unknown values, pandas would read integers as floating point.
    samples = samples.astype({name: 'Int64' for name in _INTEGERS})
    return Run(samples.astype({'waited_cycles': 'Float64', 'gain_cycles': 'Float64'}), meta)


def read(*runs, threads=True, options=(), tool=None):
    """Read runs: directories and files of `memphis record`, profiles, or one database of `memphis export --format sqlite --by thread`.

    Profiles that do not tell threads apart need threads=False; `by_thread` has one row then. `options` are further ones of
    memphis-export(1), for example ['--select', 'loads']. Returns a Run. Raises RuntimeError with the tool's message if it fails."""
    if len(runs) == 1 and _is_database(runs[0]):
        return _frames(runs[0])
    with tempfile.TemporaryDirectory(prefix='memphis-') as directory:
        path = os.path.join(directory, 'samples.sqlite')
        command = [tool or _tool(), 'export', '--format', 'sqlite', *(['--by', 'thread'] if threads else []), *options,
                   '-o', path, '--', *map(os.fspath, runs)]
        done = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f'{command[0]} export ended with status {done.returncode}')
        return _frames(path)
