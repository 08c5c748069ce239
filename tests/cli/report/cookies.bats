#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Arrays of C++ objects with destructors: the array cookie, a count, precedes the elements. If these tests fail, samples are attributed to
# the wrong members.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    cp "$programs/cookies.cpp" .
    g++ -g -O0 -no-pie -o cookies cookies.cpp
    at() { echo "p^cookies.cpp:$(line cookies.cpp "$1")#1"; }
    # 1000 elements in each array; the element sizes are 24, 32, 128 and 24 bytes. The blocks have the sizes passed to operator new[].
    samples members <<TEXT
process 100
object p $PWD/cookies 0
map 0x2000000 0x2900000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 $(at 'new Particle[')
stack 2 $(at 'new Holder[')
stack 3 $(at 'new Wide[')
stack 4 $(at 'new Plain[')
malloc 1000 0x2000000 24008 1
malloc 1000 0x2100000 32008 2
malloc 1000 0x2200000 128064 3
malloc 1000 0x2300000 24000 4
books 108 108 0
repeat 20 24 sample 2000 p!main 0x2000008 dram LR 0 1
repeat 10 24 sample 2000 p!main 0x2000010 dram LR 0 1
repeat 5 24 sample 2000 p!main 0x2000018 dram LR 0 1
repeat 3 0 sample 2000 p!main 0x2000000 dram LR 0 1
repeat 15 32 sample 2000 p!main 0x2100010 dram LR 0 1
repeat 12 32 sample 2000 p!main 0x2100020 dram LR 0 1
repeat 13 128 sample 2000 p!main 0x2200040 dram LR 0 1
repeat 11 128 sample 2000 p!main 0x22000a0 dram LR 0 1
repeat 12 24 sample 2000 p!main 0x2300000 dram LR 0 1
repeat 7 24 sample 2000 p!main 0x2300010 dram LR 0 1
end
TEXT
}

@test "members are named in arrays of a class with a destructor, with such a member, over-aligned, and without one" {
    run -0 --separate-stderr paper --by field members
    expect '000) [heap]:particles [ 0x* - 0x* ] 38
    x at byte 0 of 24: 20
    y at byte 8 of 24: 10
    z at byte 16 of 24: 5
001) [heap]:holders [ 0x* - 0x* ] 27
    particle.y at byte 8 of 32: 15
    number at byte 24 of 32: 12
002) [heap]:wides [ 0x* - 0x* ] 24
    low at byte 0 of 128: 13
    high at byte 96 of 128: 11
003) [heap]:plains [ 0x* - 0x* ] 19
    x at byte 0 of 24: 12
    z at byte 16 of 24: 7' "$(sed '/^$/,$d; /^NODE/d' <<< "$output" | masked)"
}
