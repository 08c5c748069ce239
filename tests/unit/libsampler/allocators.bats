#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs with allocators other than the C library's, at each position in the symbol lookup order. If these tests fail, such a program
# crashes with the library, or its blocks have no names without a note in the report.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-allocators
    # shellcheck disable=SC2054 # commas are the linker's
    local flags=(-D_GNU_SOURCE -O1 -g -fno-builtin -Wall -Wextra -Werror -pthread -I"$top/include") library=(-L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib")

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/allocators" || exit
    gcc -std=gnu11 "${flags[@]}" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc -std=gnu11 "${flags[@]}" -shared -fPIC -o "$work/sizeless.so" allocator.c
    gcc -std=gnu11 "${flags[@]}" -shared -fPIC -DSIZES -o "$work/sizes.so" allocator.c
    gcc -std=gnu11 "${flags[@]}" -c -DSIZES -o "$work/sizes.o" allocator.c
    g++ "${flags[@]}" -o "$work/user" user.cc
    # In a program that is not PIE, dlsym() returns a PLT stub for each function whose address the program takes.
    g++ "${flags[@]}" -fno-pie -no-pie -DADDRESSES -o "$work/user-no-pie" user.cc
    g++ "${flags[@]}" -Wl,--hash-style=sysv -o "$work/user-sysv" user.cc "$work/sizes.o"
    # The program's own allocator comes first, before any preloaded library.
    g++ "${flags[@]}" -o "$work/user-static" user.cc "$work/sizes.o"
    g++ "${flags[@]}" -o "$work/user-behind" user.cc "$work/sizes.so" -Wl,--no-as-needed "${library[@]}" -Wl,-rpath,"$work"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# record PRELOADED PROGRAM: checks that output and status are the same as without the
# library. Sets $sizes to the recorded sizes, and $notes to the report's notes on tracking.
record() {
    rm -rf "$MEMPHIS_OUTPUT"
    run --separate-stderr env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once LD_PRELOAD="$1" "$2"
    [ "$status" = 5 ] || return
    [ "$output" = 'done' ] || return
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ] || return
    sizes=$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis |
        sed -n 's/^\(malloc\|map\) .*size_bytes=\(3000[123]\|30208\) .*/\2/p' | sort | paste -sd' ')
    notes=$("$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT" | sed -n 's/^note: process [0-9]*: \(.*not tracked.*\)/\1/p')
}

# library PATTERN: prints the path of a Debian library.
library() {
    ls /usr/lib/x86_64-linux-gnu/"$1"
}

@test "the C library's allocator: everything is tracked, and there is no note" {
    record "$build/lib/libmemphis.so $work/idle.so" "$work/user"
    [ "$sizes" = '30001 30002 30003 30208' ]
    [ "$notes" = "" ]
}

@test "the C library's allocator in a program that takes the functions' addresses: everything is tracked" {
    record "$build/lib/libmemphis.so $work/idle.so" "$work/user-no-pie"
    [ "$sizes" = '30001 30002 30003 30208' ]
    [ "$notes" = "" ]
}

@test "another allocator with malloc_usable_size(), after the library: everything is tracked" {
    record "$build/lib/libmemphis.so $work/idle.so $work/sizes.so" "$work/user"
    [ "$sizes" = '30001 30002 30003 30208' ]
    [ "$notes" = "" ]
}

@test "another allocator without malloc_usable_size(): the program runs, maps are tracked, and a note reports that blocks are not" {
    record "$build/lib/libmemphis.so $work/idle.so $work/sizeless.so" "$work/user"
    [ "$sizes" = 30208 ]
    [ "$notes" = "$work/sizeless.so: blocks of malloc() were not tracked, and have no names: it has no malloc_usable_size() of its own, which the library needs; use an allocator that has one" ]
}

@test "an allocator ahead of the library, in the program, preloaded or linked: a note reports that blocks are not tracked" {
    local rest='blocks of malloc() were not tracked, and have no names: its functions take precedence over the library'\''s; start the program with memphis record, or link -lmemphis before it; if the allocator is linked into the program, use its shared library instead'
    record "$build/lib/libmemphis.so $work/idle.so" "$work/user-static"
    [ "$sizes" = 30208 ]
    [ "$notes" = "$work/user-static: $rest" ]
    record "$build/lib/libmemphis.so $work/idle.so" "$work/user-sysv"
    [ "$sizes" = 30208 ]
    [ "$notes" = "$work/user-sysv: $rest" ]
    record "$work/sizes.so $build/lib/libmemphis.so $work/idle.so" "$work/user"
    [ "$sizes" = 30208 ]
    [ "$notes" = "$work/sizes.so: $rest" ]
    record "$work/idle.so" "$work/user-behind"
    [ "$sizes" = 30208 ]
    [ "$notes" = "$work/sizes.so: $rest" ]
}

@test "jemalloc, tcmalloc and mimalloc after the library: malloc is tracked, and a note reports that operator new is not" {
    local name file
    for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so; do
        file=$(library $name)
        record "$build/lib/libmemphis.so $work/idle.so $file" "$work/user"
        echo "$name: $sizes"
        [ "$sizes" = '30001 30002 30208' ]
        [ "$notes" = "$file: blocks of operator new were not tracked, and have no names: its own operators don't call malloc(); blocks of malloc() are tracked" ]
    done
}

@test "jemalloc, tcmalloc and mimalloc ahead of the library: programs run, and a note reports that blocks are not tracked" {
    local name file
    for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so; do
        file=$(library $name)
        record "$file $build/lib/libmemphis.so $work/idle.so" "$work/user"
        echo "$name: $sizes: $notes"
        [[ "$notes" == *"$file: blocks of malloc() were not tracked,"* ]]
        # One of these allocators has its own mmap().
        if nm -D "$file" | grep -q ' mmap$'; then
            [ "$sizes" = "" ]
            [[ "$notes" == *"$file: maps of mmap() were not tracked, and have no names: its function takes precedence over the library's"* ]]
        else
            [ "$sizes" = 30208 ]
            [[ "$notes" != *maps* ]]
        fi
    done
}
