#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Bit-fields among the members of elements. If these tests fail, members with long latencies are missing from the table.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

@test "bit-fields of every storage unit are identified, with the layout of DWARF 5 and of DWARF 4" {
    local version

    build_tools
    for version in 5 4; do
        gcc -g -gdwarf-$version -O0 -no-pie -o "bits$version" "$programs/bits.c"
        samples "run$version" <<TEXT
process 100
object p $PWD/bits$version 0
maps 100
end
thread 100
books 33 33 0
repeat 6 24 sample 2000 p!main p!cells dram LR 0 1
repeat 5 24 sample 2000 p!main p!cells+1 dram LR 0 1
repeat 4 24 sample 2000 p!main p!cells+4 dram LR 0 1
repeat 3 24 sample 2000 p!main p!cells+6 dram LR 0 1
repeat 2 24 sample 2000 p!main p!cells+8 dram LR 0 1
repeat 3 24 sample 2000 p!main p!cells+13 dram LR 0 1
repeat 3 24 sample 2000 p!main p!cells+16 dram LR 0 1
repeat 7 8 sample 2000 p!main p!parts+1 dram LR 0 1
end
TEXT
        run -0 "$memphis" report --by field --format json "run$version"
        jq -r '.nodes[].variables[].fields[] | "\(.field) \(.count)"' <<< "$output" | sort > "told$version"
        expect 'far 2
kind 6
level 5
mask 4
middle 7
near 3
owner 3
value 3' "$(cat "told$version")"
    done
}
