# SPDX-License-Identifier: BSD-3-Clause
"""Compares the options that each command parses with its --help, its manual page and the completions.

usage: options.py MEMPHIS TELL MAN-DIRECTORY BASH ZSH     prints each difference; exit status 1 if there is one
memphis-mpi-reduce.mpich beside MEMPHIS is a program of its own without completions; it may be missing.
TELL: tests/house/tell_options.c as a shared library; BASH, ZSH: the completions
"""
import glob
import os
import re
import subprocess
import sys

OPTION = r'-[a-z]\b|--[a-z]+(?:-[a-z]+)*'


def output(*command, **environment):
    return subprocess.run(command, env=dict(os.environ, **environment), check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def of_help(text):
    """Set of (names, has an argument); names is a tuple."""
    found = set()
    for line in text.splitlines():
        match = re.match(rf'  ((?:{OPTION})(?:, (?:{OPTION}))*)(?: (\S+))?', line)
        if match:
            found.add((tuple(match[1].split(', ')), match[2] is not None))
    return found


def of_tool(text):
    found = set()
    for line in text.splitlines():
        words = line.split()
        found.add((tuple(word for word in words if word.startswith('-')), words[-1] == 'ARGUMENT'))
    return found


def of_page(source):
    """Options in the paragraph headings below OPTIONS; same form as of_help()."""
    section = re.search(r'^\.SH OPTIONS\n(.*?)(?=^\.SH |\Z)', source, re.M | re.S)
    found = set()
    for tag in re.findall(r'^\.T[PQ](?: .*)?\n(.*)\n', section[1] if section else '', re.M):
        plain = re.sub(r'\\f.', '', tag).replace(r'\-', '-').replace('"', ' ')
        plain = re.sub(r'^\.[A-Z]+ ', '', plain)
        names = tuple(re.findall(rf'(?:(?<=^)|(?<=[ ,]))(?:{OPTION})', plain))
        if names:
            # Words other than the option's names are its argument.
            rest = re.sub(rf'{OPTION}|[,:\s]', '', plain)
            found.add((names, rest != ''))
    return found


def of_bash(path, command):
    script = f'. {path}; for o in $(_memphis_facts options {command}); do echo "$o=$(_memphis_facts values {command} $o)"; done'
    return {(line.split('=')[0], not line.endswith('=')) for line in output('bash', '-c', script).splitlines()}


def of_zsh(path, command):
    with open(path, encoding='utf-8') as file:
        section = re.search(rf'^        {command}\)\n(.*?);;\n', file.read(), re.M | re.S)
    lines = re.findall(rf"^ +'\*?({OPTION})=?\[(.*)", section[1] if section else '', re.M)
    return {(name, re.search(r'(?<!\\)\]:', rest) is not None) for name, rest in lines}


def differences(known, other, where):
    def name(entry):
        names = entry[0] if isinstance(entry[0], str) else ', '.join(entry[0])
        return f'{names}{" with an argument" if entry[1] else ""}'

    for entry in sorted(known - other):
        yield f'{name(entry)}: not in {where}'
    for entry in sorted(other - known):
        yield f'{name(entry)}: in {where} only'


def main():
    memphis, tell, man, bash, zsh = sys.argv[1:]
    found = []
    commands = re.findall(r'^  ([a-z]+) ', output(memphis, '--help'), re.M)
    if len(commands) < 3:
        sys.exit(f'hardly a command found: {commands}')
    with open(f'{man}/memphis.1', encoding='utf-8') as file:
        overview = file.read()
    pages = {re.search(r'memphis-(.*)\.1$', path)[1] for path in glob.glob(f'{man}/memphis-*.1')}
    found += [f'{page}: a page, but no command' for page in sorted(pages - set(commands) - {'mpi-reduce'})]
    program = os.path.join(os.path.dirname(memphis), 'memphis-mpi-reduce.mpich')
    if os.path.exists(program):
        known = {entry for entry in of_tool(output(program, LD_PRELOAD=tell)) if not {'--help', '--version'} & set(entry[0])}
        found += [f'mpi-reduce {line}' for line in differences(known, of_help(output(program, '--help')), 'its --help')]
        with open(f'{man}/memphis-mpi-reduce.1', encoding='utf-8') as file:
            found += [f'mpi-reduce {line}' for line in differences(known, of_page(file.read()), 'its page')]
    for command in commands:
        everything = of_tool(output(memphis, command, LD_PRELOAD=tell))
        known = {entry for entry in everything if '--help' not in entry[0]}
        if not known:
            sys.exit(f'{command}: no option found')
        found += [f'{command} {line}' for line in differences(known, of_help(output(memphis, command, '--help')), 'its --help')]
        if command in pages:
            with open(f'{man}/memphis-{command}.1', encoding='utf-8') as file:
                found += [f'{command} {line}' for line in differences(known, of_page(file.read()), 'its page')]
        else:
            found.append(f'{command}: no page man/memphis-{command}.1')
        if not re.search(rf'^\.BR memphis\\-{command} \(1\)$', overview, re.M):
            found.append(f'{command}: not in man/memphis.1')
        single = {(name, argument) for names, argument in everything for name in names}
        found += [f'{command} {line}' for line in differences(single, of_bash(bash, command), "bash's completion")]
        found += [f'{command} {line}' for line in differences(single, of_zsh(zsh, command), "zsh's completion")]
    print('\n'.join(found) if found else 'no difference')
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()
