# SPDX-License-Identifier: BSD-3-Clause
"""Checks the links of the documents: relative links and their anchors, and names of files of the repository in `code` of documents, in
manual pages and in messages of the tool.

usage: links.py ROOT     prints each link that leads nowhere; exit status 1 if there is one
"""
import glob
import os
import re
import subprocess
import sys

LINK = re.compile(r'\[[^]\n]*\]\(([^)\s]+)\)')
# A path of a document or a manual page; other paths may be those of a user, or be made by a build.
NAMED = re.compile(r'(?<![\w/.-])((?:docs|man|machine|tests|examples|packaging)/[\w/.-]+\.(?:md|[1-8]))(?![\w/-])')


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def without_blocks(text):
    return re.sub(r'^```.*?^```$', '', text, flags=re.M | re.S)


def anchors(path):
    """The anchors of the headings of a document, as web viewers of repositories make them."""
    found, seen = set(), {}
    for heading in re.findall(r'^#+ +(.*?) *$', without_blocks(read(path)), re.M):
        heading = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading)
        anchor = re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
        number = seen.get(anchor, 0)
        seen[anchor] = number + 1
        found.add(f'{anchor}-{number}' if number else anchor)
    return found


def of_document(root, path):
    text = without_blocks(read(f'{root}/{path}'))
    for target in LINK.findall(text):
        if '://' in target or target.startswith('mailto:'):
            continue
        name, _, anchor = target.partition('#')
        file = os.path.normpath(os.path.join(root, os.path.dirname(path), name)) if name else f'{root}/{path}'
        if not os.path.exists(file):
            yield f'{path}: {target}: no such file'
        elif anchor and file.endswith('.md') and anchor not in anchors(file):
            yield f'{path}: {target}: no such heading'


def of_text(root, path):
    for name in NAMED.findall(read(f'{root}/{path}').replace('\\-', '-')):
        # A word in capitals stands for a name, as in man/memphis-COMMAND.1.
        if not os.path.exists(f'{root}/{name}') and not re.search(r'[A-Z]{2}', name.replace('README', '')):
            yield f'{path}: {name}: no such file'


def main():
    root = sys.argv[1]
    listed = subprocess.run(['git', '-C', root, 'ls-files'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            check=False).stdout.split('\n')
    if len(listed) < 2:
        listed = [os.path.relpath(path, root) for path in glob.glob(f'{root}/**/*', recursive=True)
                  if os.path.isfile(path) and not path.startswith(f'{root}/build/')]
    documents = [path for path in listed if path.endswith('.md') and os.path.exists(f'{root}/{path}')]
    texts = documents + [path for path in listed if re.match(r'man/.*\.[1-8]$|postproc/.*\.c$', path) and os.path.exists(f'{root}/{path}')]
    if len(documents) < 1:
        sys.exit('no document found')
    found = [line for path in documents for line in of_document(root, path)] + [line for path in texts for line in of_text(root, path)]
    print('\n'.join(found) if found else 'no difference')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
