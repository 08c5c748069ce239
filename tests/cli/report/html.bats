#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The report as an HTML page; tests/browser tests it in a browser. If these tests fail, the page differs from the report.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -g -O1 "$programs/heap.c" -o heap
    samples plain <<TEXT
process 100
setting command ./heap
node 0 1024 0-1 10,21
node 1 1024 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x400000 0x500000 r-xp 0x0 $PWD/heap
maps 100
end
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
books 12 12 0
repeat 12 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1
end
TEXT
    samples hostile <<'TEXT'
process 100
setting command ./<b>model</b> '</title><script>alert(2)</script>'
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 <i>Loop
end
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 </script><img/src=x/onerror=alert(1)><!--<script>
books 1 1 0
sample 2000 0x401000 0x1000000 dram LR 0 1 1
end
TEXT
}

# embedded ID PAGE: prints the JSON that the page embeds.
embedded() {
    sed -n "s,^<script type=\"application/json\" id=\"$1\">,,; t found; b; :found; :next; /<\/script>/!{ N; b next; }; s,</script>.*,,; p" "$2"
}

@test "the page embeds the report's JSON, and loads nothing from other servers" {
    run --separate-stderr "$memphis" report --format html -o page.html plain
    [ "$status" -eq 0 ]
    [ "$output$stderr" = "" ]
    [ "$(head -1 page.html)" = '<!DOCTYPE html>' ]
    [ "$(tail -1 page.html)" = '</html>' ]
    "$memphis" report --explain --by sharing --format json plain | jq -S . > expected
    embedded report-data page.html | jq -S 'del(.job)' | cmp - expected
    [ "$(embedded report-data page.html | jq -c '.job | [.processes, .detailed, (.cells | length)]')" = '[1,1,1]' ]
    [ "$(jq '.nodes[0].variables[0].count' expected)" = 12 ]
    # The namespace's URL is only a name; browsers do not load it.
    [ "$(grep -oE '(https?:)?//[a-z0-9.]+\.[a-z]+[^" ]*' page.html | sort -u)" = 'http://www.w3.org/2000/svg' ]
}

@test "the page says how the numbers of rows are combined and shown, as its tests in a browser expect it" {
    "$memphis" report --format html -o page.html plain
    PYTHONPATH=$root/tests/browser /usr/bin/python3 -c 'import fixture, json; print(json.dumps(fixture.columns()))' | jq -S . > expected
    embedded columns-data page.html | jq -S . | cmp - expected
}

@test "names of variables, regions and commands that contain markup have no effect in a browser" {
    for view in '' '--by region'; do
        # shellcheck disable=SC2086 # two words
        "$memphis" report --format html $view -o page.html hostile
        HOME=$BATS_TEST_TMPDIR /usr/bin/python3 "$root/tests/browser/checks.py" "hostile${view:+_by_region}" page.html
    done
}
