#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Parts of blocks that a program's pools hand out. If these tests fail, arrays in an arena have the name of the arena, of another array, or
# of a pointer of the pool's own code.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR" || return
    cat > arena.c <<'TEXT'
#include <stdlib.h>
void *memphis_pool_alloc(void *pool, void *part, size_t bytes, const char *name) { return part; }
struct { char *base, *last; } arena;
double *tx, *field;
void *arena_get(size_t n)
{
    return memphis_pool_alloc(0, arena.last, n, 0);
}
void *arena_hooked(size_t n)
{
    char *p = arena.base + n;
    memphis_pool_alloc(0, p, n, 0);
    return p;
}
int main(void)
{
    arena.base = malloc(100000);
    tx = arena_get(8);
    double *flux = arena_get(8);
    field = arena_hooked(8);
    free(arena_get(8));
    return tx[0] + flux[0] + field[0];
}
TEXT
    gcc -g -O0 -no-pie -o arena arena.c
}

# describe LINE...: the process file with these lines, and the beginning of the thread file: the program has a block of 64 KiB at 0x1000000.
# Stack 1 allocates the block, 2 to 5 tx, flux, field and a part without a name.
describe() {
    printf '%s\n' 'process 100' 'setting command ./arena' 'setting alloc_min_bytes 4096' \
        'node 0 1024 0-1 10,21' 'node 1 1024 2-3 21,10' "object arena $PWD/arena 0" 'map 0x1000000 0x1010000 rw-p 0x0 - [heap]' \
        'maps 100' 'part_name 1 fields' 'part_name 2 given' "$@" 'end' 'thread 100' \
        'stack 1 arena^arena.c:17#1' 'stack 2 arena^arena.c:7#1 arena^arena.c:18#1' 'stack 3 arena^arena.c:7#1 arena^arena.c:19#1' \
        'stack 4 arena^arena.c:12#1 arena^arena.c:20#1' 'stack 5 arena^arena.c:7#1 arena^arena.c:21#1' 'malloc 1000 0x1000000 65536 1'
}

# part TIME ADDRESS BYTES STACK [NUMBER [POOL]]: a record of a part of the pool `fields`, with the name of this number.
part() {
    echo "part $1 $2 $3 $4 $((${6:-1} + (1 << 32) + (${5:-0} << 48)))"
}

# sample TIME ADDRESS COUNT
sample() {
    echo "repeat $3 0 sample $1 arena@arena.c:22 $2 dram LR 0 1"
}

variables() {
    "$memphis" report --format json "$@" | jq -r '.nodes[].variables[] | "\(.segment):\(.name) \(.site) \(.how) \(.count)"' | LC_ALL=C sort
}

@test "parts have names of their own, from the allocation to the release or the reset, and the block has the rest" {
    samples parts < <(describe
        part 2000 0x1001000 4096 2
        part 2000 0x1002000 4096 3
        part 2000 0x1003000 4096 4
        part 2000 0x1004000 4096 5
        part 2000 0x1005000 4096 5 2
        echo 'part_free 3000 0x1001000 0 0 1'
        part 3500 0x1001000 2048 3
        echo 'reset 4000 0x1001000 20480 0 1'
        echo 'books 63 63 0'
        sample 2500 0x1001100 6
        sample 2500 0x1002100 5
        sample 2500 0x1003100 4
        sample 2500 0x1004100 3
        sample 2500 0x1005100 2
        sample 2500 0x1000800 11
        sample 3100 0x1001100 7
        sample 3600 0x1001100 8
        sample 3600 0x1001900 8
        sample 4100 0x1002100 9
        echo end)
    run variables parts
    expect 'fields:<main:21> arena.c:21 site 3
fields:field arena.c:20 assigned 4
fields:flux arena.c:19 assigned 13
fields:given arena.c:21 explicit 2
fields:tx arena.c:18 assigned 6
heap:arena.base arena.c:17 assigned 35' "$output"
}

@test "the report as text" {
    samples text < <(describe
        part 2000 0x1001000 4096 2
        echo 'books 12 12 0'
        sample 2500 0x1001100 8
        sample 2500 0x1008000 4
        echo end)
    run paper text
    expect 'NODE: 0 total: 12
000) [fields]:tx [ 0x1001100 - 0x1001100 ] 8
    arena.c:22:0x* [ 0x1001100 - 0x1001100 ] 8
001) [heap]:arena.base [ 0x1008000 - 0x1008000 ] 4
    arena.c:22:0x* [ 0x1008000 - 0x1008000 ] 4' "$(head -5 <<< "$output" | sed -E 's/(arena.c:22:)0x[0-9a-f]+/\10x*/')"
}

# The address of `arena`, whose second member holds each part in turn, and whose first member holds the block and the part at its start.
@test "pointers to a part name it, except those of the pool itself" {
    samples held < <(describe 'holder 2100 arena!arena 0x1000000' 'holder 2100 arena!tx 0x1000000' 'holder 2100 arena!field 0x1003000' \
            'holder 2100 arena!arena+8 0x1004000' 'holder 2200 arena!arena+8 0x1002000'
        part 2000 0x1000000 4096 2
        part 2000 0x1002000 4096 3
        part 2000 0x1003000 4096 5
        part 2000 0x1004000 4096 5
        echo 'books 15 15 0'
        sample 2500 0x1000100 5
        sample 2500 0x1002100 4
        sample 2500 0x1003100 3
        sample 2500 0x1004100 2
        sample 2500 0x1008000 1
        echo end)
    run variables held
    expect 'fields:<main:21> arena.c:21 site 2
fields:field arena.c:21 holder 3
fields:flux arena.c:19 assigned 4
fields:tx arena.c:18 holder 5
heap:arena.base arena.c:17 holder 1' "$output"
}

@test "a pool without a name, in static memory, has the segment of that memory; unknown numbers of names are no names" {
    samples static < <(describe
        echo 'part 2000 arena!arena 16 2 1'
        echo "part 2000 0x1002000 16 3 $((1 + (9 << 32) + (7 << 48)))"
        echo 'books 2 2 0'
        echo 'sample 2500 arena@arena.c:22 arena!arena+8 dram LR 0 1'
        sample 2500 0x1002000 1
        echo end)
    run variables static
    expect 'bss:tx arena.c:18 assigned 1
heap:flux arena.c:19 assigned 1' "$output"
}

@test "dump shows events and names of pools" {
    samples dump < <(describe
        part 2000 0x1001000 4096 2 2
        echo 'part_free 3000 0x1001000 0 0 1'
        echo 'reset 4000 0x1001000 20480 0 1'
        echo end)
    run -0 "$memphis" dump dump/host.100.100.thread.memphis
    expect 'part time_ns=2000 address=0x1001000 size_bytes=4096 pool=1 pool_name=1 name=2 stack=2
part_free time_ns=3000 address=0x1001000 size_bytes=0 pool=1 stack=0
pool_reset time_ns=4000 address=0x1001000 size_bytes=20480 pool=1 stack=0' "$(grep -E '^(part|pool)' <<< "$output")"
    run -0 "$memphis" dump dump/host.100.process.memphis
    expect '  1 fields
  2 given' "$(grep -A2 'type=part-names' <<< "$output" | tail -2)"
}
