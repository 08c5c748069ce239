# SPDX-License-Identifier: BSD-3-Clause
"""Compares the keys that the report writes as JSON with man/memphis-json.5.

usage: json_keys.py ROOT PAGE     prints each key that the page lacks; exit status 1 if there is one
"""
import glob
import re
import sys

SOURCES = ('postproc/output/json.c', 'postproc/output/answer_json.c', 'postproc/output/section/*.c', 'postproc/sharing/pairs_text.c')
KEY = re.compile(r'\b(?:memphis_json|put)_\w+\(\s*[\w>&.-]+,\s*"(\w+)"')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def main():
    root, page = sys.argv[1:]
    words = set(re.findall(r'[a-z][a-z_0-9]*', re.sub(r'\\f.', '', read(page))))
    paths = sorted(path for pattern in SOURCES for path in glob.glob(f'{root}/{pattern}'))
    keys = {(key, path) for path in paths for key in KEY.findall(read(path))}
    if len(keys) < 100:
        sys.exit(f'hardly a key found: {len(keys)}')
    missing = sorted((key, path) for key, path in keys if key not in words)
    for key, path in missing:
        print(f'{path}: {key}')
    if missing:
        sys.exit(1)
    print('no difference')


if __name__ == '__main__':
    main()
