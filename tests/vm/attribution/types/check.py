#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the types of samples with the objects at their addresses.

The programs in tests/workloads/types print where the objects of each kind are; the address of a sample is then that of a member.
The sample files are read by an independent reader (tests/vm/library/files.py).
usage: check.py DIRECTORY PROGRAM PERCENT     DIRECTORY: has out/ as the guest wrote it; PROGRAM.json: the report with all samples;
                                              PERCENT: the most samples that may have no type, or no member
"""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../library'))
import files  # noqa: E402

directory, program, percent = sys.argv[1:]
EDGE = {0: 'from', 4: 'to', 8: 'weight'}
# What the words of each kind of object may be called: by the member, and by the type of its value.
GRAPH = {
    'particles': {0: {'Particle.x'}, 8: {'Particle.y'}, 16: {'Particle.first'}, 24: {'Particle.steps'}},
    'edges': {offset: {f'Edge.{name}'} for offset, name in EDGE.items()},
    'x': {0: {'double'}},
    'y': {0: {'double'}},
    'table': {0: {'_Hash_node_base._M_nxt', '_Hash_node<std::pair<...> >._M_nxt'},
              8: {'std::pair<int const, Edge>.first', 'int', '_Hash_node<std::pair<...> >._M_storage._M_storage'},
              **{16 + offset: {f'std::pair<int const, Edge>.second.{name}', f'Edge.{name}', '_Hash_node<std::pair<...> >._M_storage._M_storage'}
                 for offset, name in EDGE.items()}},
    'table_table': {0: {'_Hash_node_base*'}},
    'tree': {16: {'_Rb_tree_node_base._M_left', '_Rb_tree_node<std::pair<...> >._M_left'},
             24: {'_Rb_tree_node_base._M_right', '_Rb_tree_node<std::pair<...> >._M_right'},
             32: {'std::pair<long int const, double>.first', 'long int', '_Rb_tree_node<std::pair<...> >._M_storage._M_storage'},
             40: {'std::pair<long int const, double>.second', 'double', '_Rb_tree_node<std::pair<...> >._M_storage._M_storage'}},
    'list': {0: {'_List_node_base._M_next', '_List_node<Edge>._M_next'},
             **{16 + offset: {f'Edge.{name}', '_List_node<Edge>._M_storage._M_storage'} for offset, name in EDGE.items()}},
}


def vectors(offsets):
    """The three words of each vector in a Domain: its elements, where they end, and where its memory ends."""
    words = ('_M_start', '_M_finish', '_M_end_of_storage')
    return {offset + 8 * i: {f'{owner}._M_impl.{word}' for owner in (f'Domain.{name}', 'std::vector<double>', 'std::vector<int>')}
            for name, offset in offsets.items() for i, word in enumerate(words)}


DOMAIN = {
    'domain': {0: {'Domain.m_count'}, 104: {'Domain.m_force'}, **vectors({'m_x': 8, 'm_y': 32, 'm_volume': 56, 'm_nodes': 80})},
    **{kind: {0: {'double'}} for kind in ('x', 'y', 'volume', 'force')},
    'nodes': {0: {'int'}},
}
VERTEX = {0: 'position', 8: 'position', 16: 'position', 24: 'flags', 28: 'owner'}
NESTED = {
    'grid': {0: {'Grid.count'}, 8: {'Grid.cells'}, 16: {'Grid.first'}, **{24 + 8 * i: {'Grid.scale'} for i in range(16)}},
    'cells': {0: {'Cell.id'}, 168: {'Cell.next'}, 196: {'Cell.weight'},
              **{8 + 32 * k + offset: {f'Cell.corners.{name}', f'Vertex.{name}'} for k in range(4) for offset, name in VERTEX.items()},
              **{136 + 8 * i: {f'Cell.bounds.{name}'} for i, name in enumerate(('low', 'high') * 2)},
              **{176 + 4 * i: {'Cell.neighbour'} for i in range(5)}},
}
MEMBERS = {'graph': GRAPH, 'domain': DOMAIN, 'nested': NESTED}[program.split('-')[0]]

RARE = {'domain', 'grid'}  # the compiler keeps their members in registers

with open(f'{directory}/out/{program}.out', encoding='utf-8') as text:
    output = text.read()
sizes = {name: int(size) for name, size in re.findall(r'^size (\S+) (\d+)', output, re.M)}
objects = [(int(start, 16), int(size), name) for name, start, size in re.findall(r'^variable (\S+) (0x\w+) (\d+)', output, re.M)]
bias, low, high = next((int(a, 16), int(b, 16), int(c, 16)) for a, b, c, path in
                       re.findall(r'^object (0x\w+) (0x\w+) (0x\w+) (\S+)', output, re.M) if path.endswith('/' + program))

with open(f'{directory}/{program}.json', encoding='utf-8') as text:
    report = json.load(text)
members = {}
for node in report['nodes']:
    for variable in node['variables']:
        for instruction in variable['instructions']:
            if instruction['object'] and instruction['object'].endswith('/' + program):
                members[int(instruction['pc'], 16)] = instruction['member']

right = wrong = unknown = 0
by_kind = collections.Counter()
for file in files.load(f'{directory}/out/{program}'):
    for sample in file.get('samples', []):
        found = [(sample['address'] - start, name) for start, size, name in objects if start <= sample['address'] < start + size]
        if not found or not low <= sample['pc'] < high:
            continue
        offset, kind = found[0]
        member = members[sample['pc'] - bias]
        wanted = MEMBERS[kind].get(offset % sizes[kind], set())
        if member is None or member.endswith('.?'):
            unknown += 1
        elif set(member.split('|')) & wanted:
            right += 1
            by_kind[kind] += 1
        else:
            wrong += 1
            if wrong <= 5:
                print(f'# {kind}+{offset % sizes[kind]} at {sample["pc"] - bias:#x}: {member}, expected {wanted}')


def check(what, holds):
    print(f'{"ok" if holds else "BAD"} {what}')


check(f'{right} samples have the type and member at their address, of {dict(by_kind)}', right >= 300)
check(f'each of {len(set(MEMBERS) - RARE)} kinds of objects has samples', set(by_kind) - RARE == set(MEMBERS) - RARE)
check(f'{wrong} samples have another one', wrong == 0)
check(f'{unknown} of {right + wrong + unknown} have none, at most {percent} %', 100 * unknown <= int(percent) * (right + wrong + unknown))
check(f'{report["types"]["contradicted"]} of {report["types"]["compared"]} samples contradict the members by address',
      report['types']['contradicted'] == 0)
