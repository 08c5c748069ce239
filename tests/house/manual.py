# SPDX-License-Identifier: BSD-3-Clause
"""Compares man/memphis.4 with include/memphis/device.h and sample.h in both directions.

usage: manual.py PAGE INCLUDE-DIR     prints each difference; exit status 1 if there is one
       manual.py --example PAGE       prints the program of the page's EXAMPLES
"""
import re
import subprocess
import sys
import tempfile

# Include guards, which are macros but no part of the ABI.
NOT_ABI = re.compile(r'MEMPHIS_(DEVICE|SAMPLE)_H$')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def without_comments(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.S)


def plain(source):
    """Text of the page's unfilled sections as a reader sees it."""
    return source.replace(r'\e', '\\').replace(r'\-', '-').replace(r'\&', '')


def section(page, kind, title):
    found = re.search(rf'^\.{kind} {re.escape(title)}\n(.*?)(?=^\.S[HS] |\Z)', page, re.M | re.S)
    return found.group(1) if found else ''


def unfilled(source):
    return [plain(text) for text in re.findall(r'^\.nf\n(.*?)^\.fi', source, re.M | re.S)]


def structures(text):
    """Structures by name: lists of (type, field, elements); elements is the text between brackets, or None."""
    found = {}
    for name, body in re.findall(r'^struct (\w+) \{(.*?)^\};', without_comments(text), re.M | re.S):
        fields = re.findall(r'((?:struct )?\w+)\s+(\w+)(?:\[(\w+)\])?;', body)
        found[name] = [(kind, field, count or None) for kind, field, count in fields]
    return found


def run(program, include):
    with tempfile.TemporaryDirectory() as directory:
        source, binary = f'{directory}/a.c', f'{directory}/a'
        with open(source, 'w', encoding='utf-8') as file:
            file.write(program)
        subprocess.run(['gcc', '-std=gnu11', '-Wall', '-Wextra', '-Werror', f'-I{include}', '-o', binary, source],
                       check=True)
        return subprocess.run([binary], check=True, stdout=subprocess.PIPE, text=True).stdout


def header_constants(headers, include):
    """Values of constants by name, as the compiler computes them."""
    text = without_comments(headers)
    names = re.findall(r'^#define (MEMPHIS_\w+)', text, re.M)
    for body in re.findall(r'^enum \w+ \{(.*?)^\};', text, re.M | re.S):
        names += re.findall(r'\b(MEMPHIS_\w+)', body)
    names = sorted({name for name in names if not NOT_ABI.match(name)})
    lines = ''.join(f'printf("{name} %lld\\n", (long long)({name}));\n' for name in names)
    output = run(f'#include <stdio.h>\n#include <memphis/device.h>\nint main(void)\n{{\n{lines}}}\n', include)
    return {name: int(value) for name, value in (line.split() for line in output.splitlines())}


def page_constants(page):
    return {name: int(value, 0) for name, value in re.findall(r'^\.BR (MEMPHIS_\w+) " \((\w+)\)"$', page, re.M)}


def errors(text):
    return set(re.findall(r'\bE[A-Z]{3,}\b', text)) - {'EXAMPLES', 'ERRORS', 'EXTENSION'}


def header_errors(device):
    """Error names by request, from the comment before its definition; those for '' come from the first comment of the header."""
    found = {'': errors(device[:device.index('#ifndef')])}
    for request in re.findall(r'^#define (MEMPHIS_IOC_\w+) +_IO', device, re.M):
        found[request] = set()
    for comment, request in re.findall(r'/\*((?:(?!\*/).)*)\*/\n#define (MEMPHIS_IOC_\w+)\s', device, re.S):
        found[request] = errors(comment)
    return found


def page_errors(page, requests):
    found = {request: errors(section(page, 'SS', request)) - {'EFAULT'} for request in requests if request}
    found[''] = set().union(*(errors(section(page, 'SH', title)) for title in ('ERRORS', 'MEMORY MAP', 'POLL')))
    return found


def compare(what, header, page):
    for name in sorted(set(header) | set(page)):
        if name not in page:
            yield f'{what} {name}: not in the page'
        elif name not in header:
            yield f'{what} {name}: in the page only'
        elif header[name] != page[name]:
            yield f'{what} {name}: {header[name]}, the page says {page[name]}'


def differences(path, include):
    page = read(path)
    device, sample = read(f'{include}/memphis/device.h'), read(f'{include}/memphis/sample.h')
    constants = header_constants(device + sample, include)

    yield from compare('constant', constants, page_constants(page))
    # A trailing "_" comes from the name of a family (MEMPHIS_DROP_*); anything else is a single name.
    for name in sorted(set(re.findall(r'\bMEMPHIS_\w+', plain(page)))):
        if name not in constants and not (name.endswith('_') and any(known.startswith(name) for known in constants)):
            yield f'name {name}: not in the header'

    declared = structures(device + sample)
    shown = structures('\n'.join(unfilled(page)))
    for name, fields in declared.items():
        declared[name] = [(kind, field, str(constants.get(count, count))) for kind, field, count in fields]
    for name, fields in shown.items():
        shown[name] = [(kind, field, str(count)) for kind, field, count in fields]
    yield from compare('struct', declared, shown)
    known = set(declared)
    for name in sorted(set(re.findall(r'struct (memphis_\w+)', page)) - known):
        yield f'struct {name}: not in the header'

    of_header = header_errors(device)
    yield from compare('errors of', of_header, page_errors(page, of_header))


def main(arguments):
    if arguments[0] == '--example':
        print(unfilled(section(read(arguments[1]), 'SH', 'EXAMPLES'))[0], end='')
        return 0
    found = list(differences(*arguments))
    print('\n'.join(found) if found else 'no difference')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
