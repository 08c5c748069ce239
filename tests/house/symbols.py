# SPDX-License-Identifier: BSD-3-Clause
"""Compares the manual pages of the library with its exported symbols and with the headers of its interfaces.

usage: symbols.py ROOT     prints each difference; exit status 1 if there is one
"""
import re
import shlex
import sys

import manual

FORTRAN = '__memphis_MOD_'


def exported(root):
    """Public symbols of libmemphis.so; a pattern in the version script is expanded by the definitions in the library."""
    names = set()
    public = manual.read(f'{root}/libsampler/memphis.map').split('\nMEMPHIS_PRIVATE {')[0].split('\nlocal:')[0]
    for name in re.findall(r'^\t([\w*]+);', public, re.M):
        if name == 'kokkosp_*':
            names |= set(re.findall(r'^PUBLIC .*?\b(kokkosp_\w+)\(', manual.read(f'{root}/libsampler/api/kokkos.c'), re.M))
        else:
            names.add(name)
    return names


def one_line(text):
    return re.sub(r'\s+', ' ', text).strip()


def prototypes(root):
    """Declarations in memphis.h by function name."""
    header = manual.without_comments(manual.read(f'{root}/include/memphis.h'))
    found = re.findall(r'^((?:const )?(?:struct )?\w+ \*?(memphis_\w+)\([^)]*\))[^;]*;', header, re.M)
    return {name: one_line(declaration) + ';' for declaration, name in found}


def dummies(root):
    """Dummy arguments by procedure of the Fortran module; optional ones in brackets."""
    module = manual.read(f'{root}/libsampler/api/memphis_fortran.F90')
    found = {}
    for name, arguments, body in re.findall(r'^  (?:subroutine|function) (memphis_\w+)\(([^)]*)\)(.*?)end (?:subroutine|function)', module, re.S | re.M):
        found[name] = [f'[{argument}]' if re.search(rf'optional :: {argument}\b', body) else argument
                       for argument in arguments.split(', ') if argument]
    return found


def synopsis(page):
    """Lines of the page's SYNOPSIS as a reader sees them."""
    lines = []
    for line in manual.section(page, 'SH', 'SYNOPSIS').splitlines():
        found = re.match(r'\.(B|BI|I) (.*)', line)
        if found:
            # Words of alternating fonts are joined; words of a single font keep their blanks.
            words = shlex.split(found.group(2).replace("'", "\\'"))
            lines.append(manual.plain((' ' if found.group(1) != 'BI' else '').join(words)))
    return lines


def calls(lines):
    """Arguments by procedure, in the form of dummies()."""
    found = {}
    for name, arguments in re.findall(r'^(?:call|integer function) (memphis_\w+)\((.*)\)$', '\n'.join(lines), re.M):
        found[name] = [f'[{word.strip("[,] ")}]' if '[' in word else word
                       for word in re.findall(r"\[[^\]]*\]|\w+", arguments)]
    return found


def differences(root):
    page, interfaces = manual.read(f'{root}/man/memphis.3'), manual.read(f'{root}/man/memphis-interfaces.7')
    symbols, lines = exported(root), synopsis(page)
    declared, described = prototypes(root), {}
    for line in lines:
        found = re.search(r'\b(memphis_\w+)\(', line)
        if found and line.endswith(';'):
            described[found.group(1)] = line
    yield from manual.compare('prototype of', declared, described)

    public = {name for name in symbols if name.startswith('memphis_') and not name.startswith('memphis_fortran_')}
    yield from manual.compare('symbol', dict.fromkeys(public, ''), dict.fromkeys(declared, ''))
    # Each name in this line becomes a link to the page.
    names = manual.section(page, 'SH', 'NAME').split(' \\- ')[0].split(', ')
    yield from manual.compare('link', dict.fromkeys(public, ''), dict.fromkeys(names, ''))

    module, shown = dummies(root), calls(lines)
    yield from manual.compare('call', module, shown)
    # A procedure bound to a C name has no symbol of the module.
    for name in sorted(name for name in symbols if name.startswith(FORTRAN) and name[len(FORTRAN):] not in module):
        yield f'symbol {name}: not in the module'
    words = set(re.findall(r'\w+', page + interfaces))
    for name in sorted(name for name in symbols if not name.startswith(FORTRAN) and name not in words):
        yield f'symbol {name}: in no page'
    for name in sorted(set(re.findall(r'\b(?:kokkosp_|memphis_fortran_)\w+', page + interfaces)) - symbols):
        yield f'symbol {name}: in the page only'


def main(root):
    found = list(differences(root))
    print('\n'.join(found) if found else 'no difference')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
