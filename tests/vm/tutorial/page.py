# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of a page and compares what they print with the page.

usage: page.py PAGE DIRECTORY WORK [OLD=NEW...]     runs each block ```sh with bash in DIRECTORY; exit status 1 if anything differs
       page.py --compare EXPECTED ACTUAL            compares two files as below

A block without a language behind a block ```sh is what its commands print; a block ```diff is applied with patch. WORK/NUMBER.txt has
what block NUMBER has printed. OLD in commands is replaced by NEW. Blanks and line breaks do not count. `...` stands for any text. Numbers of
processes, threads, ranks and nodes, and addresses, are not compared; other numbers may differ as samples do, by 40 % of the larger one and 4, and
numbers of samples by what chance exceeds once in ten million times.
"""
import os
import re
import subprocess
import sys

BLOCK = re.compile(r'^```(\w*)\n(.*?)^```$', re.M | re.S)
VARYING = re.compile(r'\b(thread|rank|process|nodes?) \d+(?:(?:, | and )\d+)*\b(?! (?:processes|threads|ranks|of))')
NUMBER = re.compile(r'\d+(?:\.\d+)?(?:e[+-]\d+)?')
SHARE, COUNT = 0.4, 4
ERRORS = 5.3  # standard errors of the difference of two numbers of samples
END = '(end)'


def tokens(text):
    text = re.sub(r'0x[0-9a-f]+(-0x[0-9a-f]+)?', 'ADDRESS', ' '.join(text.split()))
    return VARYING.sub(lambda match: f'{match[1].rstrip("s")} N', text).split()


def close(expected, actual):
    """Whether two numbers differ by no more than those of two runs."""
    a, b = float(expected), float(actual)
    return abs(a - b) <= COUNT + SHARE * max(a, b) or (expected.isdigit() and actual.isdigit() and (a - b) ** 2 <= ERRORS ** 2 * (a + b))


def agree(expected, actual):
    """Whether two words are equal except for numbers that may differ. Lines of a source, as in heat.F90:58, may not."""
    if expected == actual:
        return True
    if ':' in expected.rstrip(':') or NUMBER.sub('#', expected) != NUMBER.sub('#', actual):
        return False
    return all(map(close, NUMBER.findall(expected), NUMBER.findall(actual)))


def difference(expected, actual):
    """None, or the words of the page that the output lacks, and the closest place in the output."""
    words, at = tokens(actual) + [END], 0
    parts = [tokens(part) for part in re.split(r'(?:^|(?<=\s))\.\.\.(?=\s|$)', expected)]
    parts[-1].append(END)
    for number, part in enumerate(parts):
        if not part:
            continue
        # The first part begins the output, unless `...` is there.
        places = [at] if number == 0 else range(at, len(words) - len(part) + 1)
        best = (0, -at)
        for place in places:
            same = next((i for i, word in enumerate(part) if not (place + i < len(words) and agree(word, words[place + i]))), len(part))
            best = max(best, (same, -place))
            if same == len(part):
                break
        same, place = best[0], -best[1]
        if same < len(part):
            return f'the page has: {" ".join(part[same:same + 12])}\nthe output:   {" ".join(words[place + same:place + same + 12])}'
        at = place + len(part)
    return None


def run(page, directory, work, replaced):
    failed = 0
    with open(page, encoding='utf-8') as file:
        blocks = [match.groups() for match in BLOCK.finditer(file.read())]
    commands = [text for language, text in blocks if language == 'sh']
    if len(commands) < 3:
        sys.exit(f'{page}: hardly a command')
    state = f'cd {directory}\n'
    output = ''
    for number, (language, text) in enumerate(blocks):
        if language == 'diff':
            text, language = f"patch -s -p0 <<'END'\n{text}END\n", 'patch'
        if language in ('sh', 'patch'):
            for old, new in replaced:
                text = text.replace(old, new)
            # Directory and variables last from block to block, as in a terminal.
            script = f'{state}set -e\n{text}\n{{ declare -px; printf "cd %q\\n" "$PWD"; }} > {work}/state\n'
            done = subprocess.run(['bash', '-c', script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            output = done.stdout
            with open(f'{work}/{number}.txt', 'w', encoding='utf-8') as file:
                file.write(output)
            if done.returncode:
                sys.exit(f'block {number}: status {done.returncode}\n{text}\n{output}')
            with open(f'{work}/state', encoding='utf-8') as file:
                state = file.read()
        elif not language:
            found = difference(text, output)
            if found:
                print(f'block {number}:\n{found}')
                failed = 1
    return failed


def main(arguments):
    if arguments[0] == '--compare':
        expected, actual = (open(path, encoding='utf-8').read() for path in arguments[1:])
        found = difference(expected, actual)
        print(found or 'no difference')
        return 1 if found else 0
    page, directory, work = (os.path.abspath(path) for path in arguments[:3])
    return run(page, directory, work, [pair.split('=', 1) for pair in arguments[3:]])


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
