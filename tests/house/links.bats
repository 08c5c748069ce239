#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Links between the documents lead somewhere, and every document is in the site. If these tests fail, readers are sent to pages that do not exist.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
}

@test "links of documents, and documents that texts name, exist" {
    run -0 python3 tests/house/links.py .
    echo "$output"
    [ "$output" = "no difference" ]
}

@test "links that lead nowhere are found" {
    local tree=$BATS_TEST_TMPDIR/tree

    mkdir -p "$tree/docs" "$tree/man"
    printf '# One page\n[two](two.md) [its part](two.md#a-part) [here](#one-page) [web](https://example.org/x.md)\n`docs/two.md`\n' > "$tree/docs/one.md"
    printf '# Two\n## A part\n```\n[no link](none.md)\n```\n' > "$tree/docs/two.md"
    printf 'see docs/one.md' > "$tree/man/a.1"
    run -0 python3 tests/house/links.py "$tree"
    [ "$output" = "no difference" ]
    printf '[three](three.md) [its part](two.md#part) [here](#two-pages) `docs/four.md`\n' >> "$tree/docs/one.md"
    printf 'see docs/five.md' > "$tree/man/a.1"
    run -1 python3 tests/house/links.py "$tree"
    echo "$output"
    [ "$output" = "docs/one.md: three.md: no such file
docs/one.md: two.md#part: no such heading
docs/one.md: #two-pages: no such heading
docs/one.md: docs/four.md: no such file
man/a.1: docs/five.md: no such file" ]
}

@test "the site lists every document" {
    diff <(printf '%s\n' docs/*.md docs/*/*.md | sort) <(sed -n 's/^ *- \(docs\/.*\.md\)$/\1/p' docs/site/mkdocs.yml | sort)
}

# bats test_tags=more
@test "the site is built, with names of pages as links, manual pages and a search" {
    local site=$BATS_TEST_TMPDIR/site

    run -0 python3 docs/site/build.py . "$site"
    echo "$output"
    grep -q 'href="../man/memphis-report.1.html"' "$site/html/docs/reading.html"
    grep -q '<a href="methods.html"><code>docs/methods.md</code></a>' "$site/html/docs/reading.html"
    grep -q 'href="#OPTIONS">OPTIONS</a></h2>' "$site/html/man/memphis-report.1.html"
    grep -q 'href="memphis-record.1.html"' "$site/html/man/memphis-report.1.html"
    grep -q 'serial-phase' "$site/html/search/search_index.json"
    # The page has no empty line before this list.
    grep -q '<li>The share of' "$site/html/docs/reading.html"
}
