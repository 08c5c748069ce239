#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The page of `memphis report --format html`, in a browser. If these fail, people read wrong numbers from it, or can't use it.
# Each check also holds that the console is silent, that nothing was requested, and that the page is not wider than windows
# of 1280 and of 400. Pictures: build/browser/.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME"
    mkdir -p ../../build/browser
    gcc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I../../postproc -DMEMPHIS_PAGE="\"$PWD/../../postproc/output/page\"" \
        make_page.c ../../postproc/output/page.c ../../postproc/base/text.c ../../postproc/base/error.c -o "$BATS_FILE_TMPDIR/make_page"
    /usr/bin/python3 - "$BATS_FILE_TMPDIR" <<'PYTHON'
import json, sys
import fixture
for name, report, sources in (("small", fixture.small(), fixture.sources()), ("bare", fixture.bare(), []), ("large", fixture.large(5000, 10), []),
                              ("ranks", fixture.ranks(300, 450), []), ("fields", fixture.fields(), []), ("failing", fixture.failing(), [])):
    for kind, what in (("report", report), ("sources", sources)):
        with open(f"{sys.argv[1]}/{name}.{kind}", "w", encoding="utf-8") as stream:
            json.dump(what, stream)
PYTHON
    cd "$BATS_FILE_TMPDIR"
    for name in small bare large ranks fields failing; do
        ./make_page $name.report $name.sources > $name.html
    done
}

# check NAME PAGE [DIRECTORY]: the browser keeps what it remembers here.
check() {
    HOME=$BATS_TEST_TMPDIR run /usr/bin/python3 "$BATS_TEST_DIRNAME/checks.py" "$@"
    echo "$output"
    [ "$status" -eq 0 ]
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "the checks see messages of the console, requests, and a page that is too wide" {
    cat > wrong.html <<'TEXT'
<!DOCTYPE html><title>wrong</title><body style="margin: 0"><div style="width: 2000px">wide</div><img src="http://host.invalid/picture.png"><script>undefined.part</script>
TEXT
    check wrong wrong.html
}

@test "the head tells whose run it was, what was counted, and what was lost" { check head small.html; }
@test "findings lead to their variables" { check findings small.html; }
@test "accesses by node and home node have counts, shares, intervals and data, the node's own are framed" { check traffic small.html; }
@test "samples over time are read by pointer and by keys" { check timeline small.html; }
@test "what was read around the samples stands on the same axis, and by caliper" { check context small.html; }
@test "variables are sorted by each column, in both directions" { check variables small.html; }
@test "variables are filtered by text, regular expression, node, segment and region" { check filters small.html; }
@test "a variable's details have what is known of it, and its instructions" { check details small.html; }
@test "source lines have their samples beside them; a variable leads to its line, and the line back" { check source small.html; }
@test "pictures of a variable have numbers, colours by choice, and the same as text" { check heatmaps small.html; }
@test "books, threads, processes and binaries are all there" { check books small.html; }
@test "all of it is reached by keys, and has a name" { check keyboard small.html; }
@test "what a report does not have, the page leaves out" { check bare bare.html; }
@test "three hundred processes are drawn to the end, each told apart by its rank and host" { check ranks ranks.html; }
@test "members stand in the place of instructions in a report by field" { check fields fields.html; }
@test "what a profile does not keep of pictures is told" { check missing ranks.html; }
@test "a part that fails is told, and takes no other along" { check failing failing.html; }
@test "five thousand variables are drawn as far as they are looked at" { check large large.html; }
@test "light and dark, wide and narrow, and on paper" { check pictures small.html "$BATS_TEST_DIRNAME/../../build/browser"; }
