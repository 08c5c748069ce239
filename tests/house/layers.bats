#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The rooms of the post-processor and of the library call each other in one direction, as docs/architecture.md states, and stay
# small enough to be read. If these tests fail, the tables of that page are wrong, or a folder or file is too large.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.."
    make -s -C postproc BUILD="$PWD/build" > /dev/null
    make -s -C libsampler BUILD="$PWD/build" > /dev/null
}

setup() {
    cd "$BATS_TEST_DIRNAME/../.."
}

# layers ROOT TREE: prints the violations in the tree below ROOT, with the objects of the present build.
layers() {
    case $2 in
    postproc) python3 tests/house/layers.py "$1" postproc build/postproc/memphis ;;
    libsampler) python3 tests/house/layers.py "$1" libsampler build/libsampler ;;
    *) python3 tests/house/layers.py "$1" "$2" ;;
    esac
}

# spoiled FILE SED-SCRIPT LINE: checks that a copy of the tree, with FILE changed by the script, has a violation that begins with LINE,
# which begins with the name of the tree.
spoiled() {
    local tree=$BATS_TEST_TMPDIR/tree

    rm -rf "$tree"
    mkdir "$tree"
    mkdir -p "$tree/machine/qemu"
    cp -r docs postproc libsampler kmod include "$tree"
    cp -r machine/qemu/src "$tree/machine/qemu"
    sed -i "$2" "$tree/$1"
    if cmp -s "$1" "$tree/$1"; then
        echo "$1 is not changed by $2"
        return 1
    fi
    case $3 in
    machine/*) run -1 layers "$tree" machine/qemu/src ;;
    *) run -1 layers "$tree" "$(grep -o '^[a-z]*' <<< "$3")" ;;
    esac
    echo "$output"
    grep -qF -- "$3" <<< "$output"
}

@test "each room calls and includes exactly the rooms of its row, all of them above it, and no files form a cycle" {
    run -0 layers . postproc
    [ "$output" = 'no violation' ]
    run -0 layers . libsampler
    [ "$output" = 'no violation' ]
}

@test "no files of the module, and none that the emulator adds to QEMU, need each other in a circle" {
    run -0 layers . kmod
    [ "$output" = 'no violation' ]
    run -0 layers . machine/qemu/src
    [ "$output" = 'no violation' ]
    # A call, a struct, an inline function, a macro and a type, each of a file above.
    spoiled kmod/owner.c 's/^int memphis_owner_init(void)$/&;void f(void *s) { memphis_session_release(s); } &/' 'kmod: a circle of files: owner requests'
    spoiled kmod/ring.h 's/^struct memphis_ring {/#include "thread.h"\nextern struct memphis_device_thread t;\n&/' 'kmod: a circle of files: ring thread'
    spoiled kmod/home.c 's/^u16 memphis_home_of_address.*/#include "stack.h"\nvoid f(void) { memphis_stack_interrupt(); }\n&/' 'kmod: a circle of files: home stack'
    spoiled machine/qemu/src/cachemodel.c 's/^#define L3_WAYS .*/#include "combine.h"\nint i = COMBINE_BUFFERS;\n&/' 'machine/qemu/src: a circle of files: cachemodel combine'
    spoiled machine/qemu/src/memory.h 's/^void memory_init/#include "cachemodel.h"\nMemLevel f();\n&/' 'machine/qemu/src: a circle of files: cachemodel memory'
}

@test "a call, include, room or row that deviates from the table is detected" {
    # A call in the objects that the table does not list; a row with one entry too many.
    spoiled docs/architecture.md '/^### Rooms of postproc/,/^### Rooms of lib/s/^| `name` | [^|]*|/| `name` | base |/' 'postproc/name -> dwarf: not in the table'
    spoiled docs/architecture.md '/^### Rooms of postproc/,/^### Rooms of lib/s/^| `source` | base |/| `source` | base, output |/' 'postproc/source -> output: in the table, not in the code'
    spoiled docs/architecture.md '/^### Rooms of postproc/,/^### Rooms of lib/s/^| `source` | base |/| `source` | base, output |/' 'postproc/source -> output: against the order of the table'
    spoiled docs/architecture.md '/^| `heatmap` |/d' 'postproc/heatmap: no row in the table'
    spoiled docs/architecture.md 's/^| `heatmap` |/| `maps` |/' 'postproc/maps: a row, but no folder'
    # An include of a room above.
    spoiled postproc/base/text.c '0,/^#include/s//#include "output\/output.h"\n&/' 'postproc/base -> output: not in the table'
    spoiled libsampler/base/text.c '0,/^#include/s//#include "api\/caliper.h"\n&/' 'libsampler/base -> api: not in the table'
    # A struct of a file that calls this one.
    spoiled postproc/read/reader.h 's/^struct memphis_file {/#include "read\/scan.h"\nextern struct memphis_scan s;\n&/' 'postproc: a circle of files: '
}

@test "cyclic calls are detected" {
    local tree=$BATS_TEST_TMPDIR/circle name i

    mkdir -p "$tree/docs" "$tree/lib/room" "$tree/objects/room"
    printf '### Rooms of lib/\n| room | calls |\n| --- | --- |\n| `room` | - |\n' > "$tree/docs/architecture.md"
    for i in 0 1 2 3 4 5 6 7 8 9; do
        name=$tree/lib/room/f$i
        echo "void f$i(void); void f$(((i + 1) % 3))(void); void f$i(void) { f$(((i + 1) % 3))(); }" > "$name.c"
        gcc -O0 -c "$name.c" -o "$tree/objects/room/f$i.o"
    done
    run -1 python3 tests/house/layers.py "$tree" lib "$tree/objects"
    [ "$output" = 'lib: a circle of files: room/f0 room/f1 room/f2' ]
}

# crowded < PATHS: prints folders with more than 30 modules on one level; files whose names differ only in the suffix are one module.
crowded() {
    sed -E 's/\.(c|h|cc|hpp|cpp|py|sh|bash|bats|F90|js)$//' | LC_ALL=C sort -u | sed 's,/[^/]*$,,' | LC_ALL=C sort | uniq -c | awk '$1 > 30 { print $2 ": " $1 }'
}

# All code files; not listed by git, because a tarball has no repository.
code() {
    find . \( -path ./build -o -path ./.git \) -prune -o -type f -printf '%P\n' | grep -E '\.(c|h|cc|hpp|cpp|inc|py|sh|bash|bats|F90|js)$'
}

@test "no folder has more than 30 modules of code on one level" {
    run -0 crowded < <(printf 'a/%s.c\n' {1..30}; echo a/1.h; printf 'b/%s.c\n' {1..31})
    [ "$output" = 'b: 31' ]
    [ "$(code | wc -l)" -gt 400 ]
    run -0 crowded < <(code)
    [ "$output" = '' ]
}

@test "no file of code has more than 1,000 lines" {
    run -0 awk 'FNR == 1001 { print FILENAME }' <(seq 1000) <(seq 1001)
    [ "${#lines[@]}" -eq 1 ]
    mapfile -t files < <(code)
    run -0 awk 'FNR == 1001 { print FILENAME }' "${files[@]}"
    [ "$output" = '' ]
}

@test "count-lines counts code without comments and blank lines, and compares two trees" {
    local a=$BATS_TEST_TMPDIR/a b=$BATS_TEST_TMPDIR/b

    mkdir -p "$a/kmod" "$a/postproc/view" "$a/tests" "$a/docs"
    printf '/* One\n   two */\n\nchar *text = "/*"; // three\nint x; /* four */\n/* five */ int y;\n' > "$a/kmod/x.c"
    printf '#!/usr/bin/env python3\n"""About\n\nthis."""\n\n# six\nx = """a\n# b\n"""  # seven\n' > "$a/postproc/view/x.py"
    printf '#!/bin/bash\n# eight\necho "# nine"\n' > "$a/tests/tool"
    printf 'text\n' | tee "$a/docs/x.md" > "$a/tests/list"
    cp -r "$a" "$b"
    rm "$b/postproc/view/x.py"
    printf 'int z;\n' > "$b/kmod/z.h"
    run -0 tests/count-lines "$a" "$b"
    echo "$output"
    # Files and lines of the first tree, of the second, and the differences.
    [ "$(awk 'NF == 7 { print $1, $2, $3, $4, $5, $6, $7 }' <<< "$output")" = "$(printf '%s\n' 'kmod 1 3 2 4 +1 +1' 'postproc/view 1 3 0 0 -1 -3' \
        'product 2 6 2 4 +0 -2' 'tests 1 1 1 1 +0 +0' 'rest 1 1 1 1 +0 +0')" ]
    run -1 tests/count-lines "$a" "$b" "$b"
}

@test "no struct of the product and no file of a part has the name of another one" {
    local tree=$BATS_TEST_TMPDIR/tree

    run -0 python3 tests/house/names.py .
    [ "$output" = 'no name stands for two things' ]
    # A struct of a header that a source defines, too; one of two sources, which need no other name; a second file in another room.
    mkdir "$tree"
    cp -r include kmod libsampler postproc "$tree"
    printf 'struct memphis_region {\n\tint i;\n};\nstruct own {\n\tint i;\n};\n' | tee "$tree/kmod/planted.c" > "$tree/libsampler/base/planted.c"
    cp "$tree/postproc/view/rows.h" "$tree/postproc/read/rows.h"
    run -1 python3 tests/house/names.py "$tree"
    echo "$output"
    grep -q '^memphis_region: .*kmod/planted.c libsampler/base/planted.c' <<< "$output"
    grep -qx 'rows.h: postproc/read/rows.h postproc/view/rows.h' <<< "$output"
    run ! grep own <<< "$output"
}
