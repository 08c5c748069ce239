#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Parses sample files strictly by include/memphis/format.h and prints their content as JSON.

This independent reader tests the writer: it shares no code with the post-processor and stops at the first violation of the
format. usage: files.py DIR
"""
import glob
import json
import struct
import sys

TEXT = {5: 'names', 6: 'thread', 7: 'tls', 16: 'settings', 17: 'topology', 18: 'maps', 19: 'regions', 21: 'losses', 25: 'part_names',
        26: 'files', 29: 'python_lines'}
BOOKS = struct.Struct('<20Q')
ALLOCATION = struct.Struct('<QQQQII')
REGION_TIME = struct.Struct('<II11Q')
SPAN = struct.Struct('<QQII')
MPI_SUM = struct.Struct('<Ii9Q')
MPI_EVENT = struct.Struct('<5QIiiI')
FRAME = struct.Struct('<II5Q')
KINDS = {1: 'malloc', 2: 'free', 3: 'map', 4: 'unmap', 5: 'share', 6: 'small', 7: 'part', 8: 'part_free', 9: 'pool_reset'}


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xff] ^ crc >> 8
    return crc ^ 0xffffffff


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def svarint(data, at):
    value, at = varint(data, at)
    return value >> 1 ^ -(value & 1), at


def samples(data, count):
    at = pc = address = time = source = flags = home = cpu = node = region = 0
    for _ in range(count):
        control, at = data[at], at + 1
        assert not control & ~7
        change, at = svarint(data, at)
        pc = (pc + change) % 2**64
        change, at = svarint(data, at)
        address = (address + change) % 2**64
        change, at = varint(data, at)
        assert change < 2**63, 'time runs backwards'
        time += change
        latency, at = varint(data, at)
        if control & 1:
            source, flags = data[at], data[at + 1]
            home, at = varint(data, at + 2)
        if control & 2:
            cpu, at = varint(data, at)
            node, at = varint(data, at)
        if control & 4:
            region, at = varint(data, at)
        yield {'time': time, 'pc': pc, 'address': address, 'latency': latency, 'source': source, 'flags': flags,
               'home': home, 'cpu': cpu, 'node': node, 'region': region}
    assert at == len(data), 'bytes left over after the last sample'


def unescape(text):
    return text.replace('\\\\', '\0').replace('\\n', '\n').replace('\0', '\\')


def add_text(result, key, payload, count):
    lines = payload.decode().split('\n')
    assert lines.pop() == '' and len(lines) == count
    if key in ('settings', 'thread', 'losses'):
        result.setdefault(key, {}).update((k, unescape(v)) for k, v in (line.split(' ', 1) for line in lines))
    elif key == 'maps':
        assert lines[0].startswith('time_ns ')
        result[key] = lines[1:]
    else:
        result.setdefault(key, []).extend(lines)


def add_stack(result, kind, number, words):
    """Lines of Python follow a stack that was defined before; their numbers are kept apart from the PCs."""
    name = {3: 'stacks', 9: 'chains'}[kind]
    if kind == 3 and words and words[0] >> 60 == 8:
        assert len(words) > 1 and all(word >> 60 == 9 for word in words[1:]), 'a stack without lines of Python'
        result.setdefault('python', {})[number] = [word & 0xffffffff for word in words[1:]]
        words = result['stacks'][words[0] & 0xffffffff]
    assert not any(word >> 60 in (8, 9) for word in words), 'no address'
    result.setdefault(name, {})[number] = words


def add_chunk(result, kind, payload, count):
    if kind == 1:
        result['chunk'] = list(samples(payload, count))
        result.setdefault('samples', []).extend(result['chunk'])
    elif kind == 2:
        books = BOOKS.unpack(payload)
        assert books[0] == books[1] + books[2] + sum(books[4:]), 'the books do not balance'
        assert books[1] == len(result.get('samples', [])), 'the books say other than the file holds'
        result['books'] = dict(zip(('interrupts', 'kept', 'lost', 'throttled'), books), filtered=list(books[4:]))
    elif kind in (3, 9):
        at = 0
        for _ in range(count):
            number, depth = struct.unpack_from('<II', payload, at)
            add_stack(result, kind, number, struct.unpack_from('<%dQ' % depth, payload, at + 8))
            at += 8 + 8 * depth
        assert at == len(payload)
    elif kind == 4:
        events = list(ALLOCATION.iter_unpack(payload))
        assert len(events) == count and events == sorted(events, key=lambda e: e[0])
        for time, address, size, previous, stack, what in events:
            assert stack == 0 or stack in result['stacks'], 'a stack that was not told before'
            result.setdefault('allocations', []).append(
                {'time': time, 'address': address, 'size': size, 'previous': previous, 'stack': stack,
                 'kind': KINDS[what]})
    elif kind == 8:
        at = 0
        for _ in range(count):
            time, low, depth, same_sp = struct.unpack_from('<QQII', payload, at)
            frames = list(struct.iter_unpack('<QQQQ', payload[at + 24:at + 24 + 32 * depth]))
            assert same_sp in (0, 1) and len(frames) == depth
            result.setdefault('standing', []).append({'time': time, 'low': low, 'frames': frames})
            at += 24 + 32 * depth
        assert at == len(payload)
    elif kind == 10:
        at = sample = 0
        for _ in range(count):
            skipped, at = varint(payload, at)
            code, at = varint(payload, at)
            sample += skipped
            assert 1 <= code >> 1 < 8 if code & 1 else code >> 1 in result['chains'], 'a chain that was not defined before'
            # A pc list, or the reason why there is none.
            result['chunk'][sample]['callers'] = code >> 1 if code & 1 else result['chains'][code >> 1]
            sample += 1
        assert at == len(payload)
    elif kind == 30:
        assert len(payload) == count * FRAME.size
        for number, depth, *words in FRAME.iter_unpack(payload):
            assert depth == 5 and words[1] < words[2], 'a frame without memory'
            result.setdefault('frames', {})[number] = words
    elif kind == 32:
        at = sample = 0
        for _ in range(count):
            skipped, at = varint(payload, at)
            code, at = varint(payload, at)
            sample += skipped
            assert not code & 1 and code >> 1 in result['frames'], 'a frame that was not defined before'
            _, low, high, *_ = result['chunk'][sample]['frame'] = result['frames'][code >> 1]
            assert low <= result['chunk'][sample]['address'] < high, 'a frame elsewhere'
            sample += 1
        assert at == len(payload)
    elif kind == 11:
        times = list(REGION_TIME.iter_unpack(payload))
        assert len(times) == count and times == sorted(times)
        for region, reserved, *numbers in times:
            before = result.setdefault('times', {}).get(region, (0,) * 11)
            assert region and not reserved and all(old <= new for old, new in zip(before, numbers)), 'a number decreases'
            result['times'][region] = numbers
    elif kind == 12:
        spans = list(SPAN.iter_unpack(payload))
        assert len(spans) == count
        for begin, end, region, reserved in spans:
            assert region and not reserved and begin and (not end or begin <= end), 'a span ends before it begins'
            result.setdefault('spans', []).append({'begin': begin, 'end': end, 'region': region})
    elif kind in (13, 15):
        sums = list(MPI_SUM.iter_unpack(payload))
        assert len(sums) == count
        for region, partner, *numbers in sums:
            before = result.setdefault('mpi', {}).get('%d %d' % (region, partner), (0,) * 9)
            assert partner >= -2 and (partner >= 0x40000000) == (kind == 15) and all(old <= new for old, new in zip(before, numbers)), 'a number decreases'
            result['mpi']['%d %d' % (region, partner)] = numbers
    elif kind == 14:
        events = list(MPI_EVENT.iter_unpack(payload))
        assert len(events) == count
        for begin, end, *_, event in events:
            assert begin <= end and 1 <= event <= 3, 'an event of no kind'
        result.setdefault('mpi_events', []).extend(events)
    elif kind == 20:
        result.setdefault('holders', []).extend(struct.iter_unpack('<QQQ', payload))
    elif kind in (27, 28):
        result.setdefault('descriptions', {}).setdefault((kind, count), bytearray()).extend(payload)
    elif kind == 31:
        assert not payload and not count
        result['closed'] = True
    else:
        add_text(result, TEXT[kind], payload, count)


FILE_MAGIC, CHUNK_MAGIC = 0x0a534948504d454d, 0x4b4e4843


def read_header(data, at, path):
    magic, version, kind, header, run0, run1, pid, tid, start, _, reserved, crc = \
        struct.unpack_from('<QHHIQQIIQQII', data, at)
    assert magic == FILE_MAGIC and version == 1 and header == 64 and not reserved
    assert crc == crc32c(data[at:at + 60])
    return {'path': path, 'kind': {1: 'process', 2: 'thread', 3: 'threads'}[kind], 'run': '%016x%016x' % (run0, run1),
            'pid': pid, 'tid': tid, 'start': start, 'closed': False}


def read_chunks(result, data, at):
    """Adds the chunks from `at` on, and returns where they end."""
    while at < len(data) and not result['closed']:
        head = data[at:at + 24]
        if not head.strip(b'\0'):
            break
        magic, kind, reserved, size, count, payload_crc, crc = struct.unpack('<IHHIIII', head)
        payload = data[at + 24:at + 24 + size]
        assert magic == CHUNK_MAGIC and not reserved and crc == crc32c(head[:20]), 'bad chunk header at %d' % at
        assert len(payload) == size and payload_crc == crc32c(payload), 'bad payload at %d' % at
        add_chunk(result, kind, payload, count)
        at += 24 + (size + 7) // 8 * 8
    result.pop('chunk', None)
    return at


def read(path):
    """Returns what is in the file: a process or a thread, or all members of a file of ended threads."""
    with open(path, 'rb') as file:
        data = file.read()
    whole, at, members = read_header(data, 0, path), 64, []
    while whole['kind'] == 'threads' and data[at:at + 8] == struct.pack('<Q', FILE_MAGIC):
        members.append(read_header(data, at, path))
        begin, at = at, read_chunks(members[-1], data, at + 64)
        assert members[-1]['kind'] == 'thread' and members[-1]['closed'], 'an incomplete member'
        members[-1]['bytes'] = at - begin
    at = read_chunks(whole, data, at)
    assert not data[at:].strip(b'\0') or not whole['closed'], 'something after the end'
    whole['bytes'] = len(data)
    if members:
        members[-1]['closed'] = whole['closed']
    return members if whole['kind'] == 'threads' else [whole]


def load(directory):
    return [one for path in sorted(glob.glob(directory + '/*.memphis')) for one in read(path)]


if __name__ == '__main__':
    json.dump(load(sys.argv[1]), sys.stdout, indent=1)
