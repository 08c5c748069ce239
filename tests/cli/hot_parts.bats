#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The range of indices in which most accesses of a node to an array are. If these tests fail, a report names elements that the node did not
# access, or none although it used a part only.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -g -O0 -no-pie "$programs/heap.c" -o heap
    gfortran -g -O2 -no-pie "$programs/fields.F90" -o fields
}

# process PROGRAM HOLDER...: begins the process $pid, or 100, with a thread; each HOLDER is SYMBOL, and holds a block of 80000 bytes.
process() {
    local program=$1 number=0 symbol

    shift
    printf 'process %d\nobject a %s 0\nmap 0x100000000 0x100200000 rw-p 0x0 - [heap]\nmaps 100\n' "${pid:-100}" "$PWD/$program"
    for symbol; do
        printf 'holder 2000 a!%s %#x\n' "$symbol" $((0x100000000 + number++ * 0x20000))
    done
    printf 'end\nthread %d\nstack 1 0x10\n' "${pid:-100}"
    for ((number = 0; number < $#; number++)); do
        printf 'malloc %d %#x 80000 1\n' $((1000 + number)) $((0x100000000 + number * 0x20000))
    done
}

# use COUNT STRIDE ADDRESS NODE HOME: samples at the address and every STRIDE bytes after it.
use() {
    echo "repeat $1 $2 sample 3000 0x401000 $3 dram LR $4 $5"
}

# variables: prints node and name of each variable row of the text report, sorted.
variables() {
    "$memphis" report --full "$@" | sed -nE 's/^NODE ([0-9]+):.*/node \1/p; s/^ *[0-9]+ +[0-9.]+ % +\[[a-z]+\]:([^ ]+).*/\1/p' |
        awk '/^node / { node = $2; next } { print node, $0 }' | sort
}

fortran() {
    process fields __ice_state_MOD_tx __ice_state_MOD_work __ice_state_MOD_grid+8
    # aicen(100, 10): node 0 reads all of it, node 1 column 5 and 6.
    use 100 80 a!__ice_state_MOD_aicen 0 1
    use 200 8 a!__ice_state_MOD_aicen+3200 1 0
    # tx(:,:): the bounds are not known.
    use 80 256 $((0x100000000 + 40000)) 1 0
    # work(:): 57 of 60 samples are 95 %.
    use 100 800 $((0x100020000)) 0 1
    use 60 8 $((0x100020000 + 4000)) 1 0
    # grid%tx(:): one sample less than are needed.
    use 49 8 $((0x100040000 + 4000)) 1 0
    printf 'books 589 589 0\nend\n'
}

@test "Fortran: a range of the last dimension, in percent if the others are not known; none of an array that is used evenly" {
    samples f < <(fortran)
    expect '0 ice_state::aicen
0 work
1 grid%tx
1 ice_state::aicen(:,5..6)
1 tx(:,50%..75%)
1 work(501..557)' "$(variables f)"
}

@test "C: a range of the first index; stray samples do not widen it, but a second place does" {
    samples c < <(process heap field
        use 97 8 $((0x100000000 + 8000)) 1 0
        use 3 30000 $((0x100000000)) 1 0
        use 95 8 $((0x100000000 + 8000)) 0 1
        use 6 8 $((0x100000000 + 72000)) 0 1
        printf 'books 201 201 0\nend\n')
    expect '0 field
1 field[1000..1094]' "$(variables c)"
}

@test "JSON has the part, in the rows and in the heatmaps; a saved profile keeps it" {
    samples f < <(fortran)
    "$memphis" reduce --select remote-dram -o f.mprof f
    for from in f f.mprof; do
        "$memphis" report --format json "$from" > report.json
        expect '[["ice_state::aicen",{"indices":"(:,5..6)","node":1,"samples":200,"first":400,"last":589,"elements":1000}],["tx",{"indices":"(:,50%..75%)","node":1,"samples":80,"first":5000,"last":7400,"elements":10000}],["work",{"indices":"(501..557)","node":1,"samples":60,"first":500,"last":556,"elements":10000}],["grid%tx",null]]' \
            "$(jq -c '[.nodes[] | select(.node == 1) | .variables[] | [.name, .part]]' report.json)"
        expect '[["grid%tx",[]],["ice_state::aicen",["(:,5..6)"]],["tx",["(:,50%..75%)"]],["work",["(501..557)"]]]' \
            "$(jq -c '[.heatmaps[] | [.name, [.parts[].indices]]] | sort' report.json)"
    done
}

@test "two processes that use other parts of the variable have none in common" {
    samples one < <(process heap field && use 60 8 $((0x100000000)) 1 0 && printf 'books 60 60 0\nend\n')
    samples two < <(pid=200 && process heap field && use 60 8 $((0x100000000 + 8000)) 1 0 && printf 'books 60 60 0\nend\n')
    samples even < <(pid=300 && process heap field && use 60 1300 $((0x100000000)) 1 0 && printf 'books 60 60 0\nend\n')
    expect '1 field[0..56]' "$(variables one)"
    expect '1 field' "$(variables one two)"
    expect '1 field' "$(variables one even)"
}

@test "a table of one region has no part, because the part is that of the whole run" {
    samples f < <(fortran)
    expect '0 ice_state::aicen
0 work
1 grid%tx
1 ice_state::aicen
1 tx
1 work' "$(variables --by region f)"
}

@test "memory behind a header is not an array of headers: no indices, no members" {
    gcc -g -x c -no-pie -o headers - << 'END'
struct head { long bytes; struct head *next, *last; } *chunk;
struct vector { long count; double item[]; } *vector;
int main(void) { return chunk || vector; }
END
    samples headers-part < <(process headers chunk vector
        use 90 8 $((0x100000000 + 8000)) 1 0
        use 90 8 $((0x100020000 + 8000)) 1 0
        use 7 0 $((0x100000000 + 8)) 1 0
        printf 'books 187 187 0\nend\n')
    expect '1 chunk
1 vector' "$(variables headers-part)"
    expect 'next 7' "$("$memphis" report --format json headers-part | jq -r '.heatmaps[].fields[]? | "\(.name) \(.count)"')"
}
