# SPDX-License-Identifier: BSD-3-Clause
"""Builds the site of the documentation: the pages that mkdocs.yml lists and all manual pages, with search.

usage: build.py ROOT OUT     OUT/pages is what mkdocs reads, OUT/html the site
Each page keeps its path. Names of pages in the text, such as `docs/faq.md` and `memphis-report(1)`, become links. Nothing is published.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

PAGE = re.compile(r'^ +- (?:[^:\n]+: )?(\S+\.md)$', re.M)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def manual_name(path):
    name, section = os.path.basename(path).rsplit('.', 1)
    return f'{name}({section})'


def link(path, target):
    return os.path.relpath(target, os.path.dirname(path) or '.')


def with_links(text, path, targets):
    """The Markdown of a page, in which names of other pages outside blocks of code are links."""
    def linked(match):
        target = targets.get(match[1])
        return f'[{match[0]}]({link(path, target)})' if target and target != path else match[0]

    def kept(match):
        target = os.path.normpath(os.path.join(os.path.dirname(path), match[2].split('#')[0]))
        return match[0] if '://' in match[2] or match[2].startswith('#') or target in targets else match[1]

    # Links to files that are no pages, as sources, are text here.
    text = re.sub(r'\[([^]]*)\]\(([^)]*\.[^)]*)\)', kept, text)
    parts = re.split(r'(^```.*?^```$)', text, flags=re.M | re.S)
    # A name that is the text of a link already, or a part of one, stays.
    parts[::2] = [re.sub(r'(?<!\[)`([\w./-]+(?:\(\d\))?)`(?!\])', linked, part) for part in parts[::2]]
    return ''.join(parts)


def as_mkdocs_reads(text):
    """Lists and tables need an empty line before them there, and the title the first line."""
    text = re.sub(r'\A<!--.*?-->\n+', '', text)
    parts = re.split(r'(^```.*?^```$)', text, flags=re.M | re.S)
    for start in (r'(?:-|\d+\.) ', r'\|'):
        parts[::2] = [re.sub(rf'^(?! |{start}|#)(.+)\n(?={start})', r'\1\n\n', part, flags=re.M) for part in parts[::2]]
    return ''.join(parts)


def manual_page(path, page, targets):
    html = subprocess.run(['mandoc', '-T', 'html', '-O', 'fragment', path], check=True, stdout=subprocess.PIPE, text=True).stdout
    html = re.sub(r'<table class="(?:head|foot)">.*?</table>\n', '', html, flags=re.S)
    # Below the title of the page, whatever level this mandoc gives to sections.
    for level, kind in ((2, 'Sh'), (3, 'Ss')):
        html = re.sub(rf'<h\d (class="{kind}".*?)</h\d>', rf'<h{level} \1</h{level}>', html, flags=re.S)

    def linked(match):
        target = targets.get(re.sub(r'<[^>]*>', '', match[0]))
        return f'<a href="{link(page, target)[:-3]}.html">{match[0]}</a>' if target and target != page else match[0]

    html = re.sub(r'<b>memphis[\w-]*</b>\(\d\)', linked, html)
    return f'# {manual_name(path)}\n\n<div class="manual">\n{html}</div>\n'


def main():
    root, out = (os.path.abspath(path) for path in sys.argv[1:])
    pages, config = f'{out}/pages', read(f'{root}/docs/site/mkdocs.yml')
    listed = PAGE.findall(config)
    manuals = {path: f'man/{os.path.basename(path)}.md' for path in sorted(glob.glob(f'{root}/man/*.[1-8]'))}
    targets = {path: path for path in listed}
    for path, page in manuals.items():
        targets[manual_name(path)] = targets[f'man/{os.path.basename(path)}'] = page

    shutil.rmtree(out, ignore_errors=True)
    for path in listed:
        write(f'{pages}/{path}', with_links(as_mkdocs_reads(read(f'{root}/{path}')), path, targets))
    for picture in [path for kind in ('svg', 'png', 'webp') for path in glob.glob(f'{root}/docs/**/*.{kind}', recursive=True)]:
        copy = f'{pages}/{os.path.relpath(picture, root)}'
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        shutil.copy(picture, copy)
    for path, page in manuals.items():
        write(f'{pages}/{page}', manual_page(path, page, targets))
    entries = ''.join(f'      - {manual_name(path)}: {page}\n' for path, page in manuals.items())
    write(f'{out}/mkdocs.yml', f'{config}  - Manual pages:\n{entries}docs_dir: pages\nsite_dir: html\n')
    # Strict: a link to a page that does not exist is an error.
    done = subprocess.run(['mkdocs', 'build', '--quiet', '--strict', '--config-file', f'{out}/mkdocs.yml'], check=False)
    if not done.returncode:
        print(f'the site is in {out}/html; to search it: python3 -m http.server --directory {out}/html')
    return done.returncode


if __name__ == '__main__':
    sys.exit(main())
