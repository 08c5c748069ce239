#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Libraries that overwrite the functions for maps in memory, as communication libraries do. If these tests fail, maps of a program
# that communicates by such a library have no names, or those of the library's own variables.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-overwritten
    # shellcheck disable=SC2054 # commas are the linker's
    local flags=(-std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -Wall -Wextra -Werror -I"$top/include") ucx=/usr/lib/x86_64-linux-gnu

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/overwritten" || exit
    gcc "${flags[@]}" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    gcc "${flags[@]}" -o "$work/user" user.c "$work/idle.so" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib:$work" -ldl
    gcc "${flags[@]}" -shared -fPIC -o "$work/hooks.so" hooks.c -ldl
    gcc "${flags[@]}" -O2 -DTAIL -shared -fPIC -o "$work/tail.so" hooks.c -ldl
    gcc "${flags[@]}" -DLOOK_UP=RTLD_NEXT -shared -fPIC -o "$work/next.so" hooks.c -ldl
    gcc "${flags[@]}" -DLOOK_UP=RTLD_DEFAULT -shared -fPIC -o "$work/default.so" hooks.c -ldl
    gcc "${flags[@]}" -DLOOK_UP=RTLD_DEFAULT -DDIRECT -shared -fPIC -o "$work/default-direct.so" hooks.c -ldl
    gcc "${flags[@]}" -DDIRECT -shared -fPIC -o "$work/direct.so" hooks.c -ldl
    # libucm needs a function of libucs, but does not name that library.
    gcc "${flags[@]}" -shared -fPIC -o "$work/ucm.so" ucm.c -Wl,--no-as-needed "$ucx/libucs.so.0" "$ucx/libucm.so.0"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out
}

# record LIBRARY [PRELOADED]: runs the program, in which the library takes over the functions. Sets $events to kinds and sizes of the events of
# the program's maps; $names to the variables of the report, $notes to its notes about maps, $settings to what the files contain about overwritten functions.
record() {
    run --separate-stderr -0 env MEMPHIS_DEVICE=/dev/null MEMPHIS_RECORD=at-once MEMPHIS_SMALL_BYTES=0 LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so ${2-}" "$work/user" "$1"
    [ "$output" = "" ] || return
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ] || return
    events=$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.thread.memphis |
        sed -En 's/^(map|share|unmap) .*size_bytes=([0-9]+).*/\1 \2/p' | sed -n '/ 94208$/,$p')
    # Pages of the break are [heap] if the list of maps was read while the program had them, which it has for a moment.
    names=$("$build/bin/memphis" report --format paper --select all "$MEMPHIS_OUTPUT" | sed -En 's/^[0-9]+\) (.*) \[ .*/\1/p' |
        sed 's/^\[heap\]:<use_maps/[mmap]:<use_maps/' | sort)
    notes=$("$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT" | sed -n 's/^note: process [0-9]*: \(.*not tracked.*\)/\1/p')
    settings=$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | sed -n 's/^  \(\(maps\|break\)_[a-z]* .*\)/\1/p')
}

# What is recorded of the program if nothing is overwritten.
all_is_recorded() {
    echo "$events"
    [ "$events" = 'map 94208
share 45056
unmap 4096
map 4096
unmap 4096
unmap 45056
map 53248
unmap 53248
map 4096
share 77824
unmap 0
map 69632
unmap 69632' ]
    echo "$names"
    [ "$names" = '[mmap]:<use_maps:56>
[mmap]:first
[shm]:second
[shm]:shared' ]
    [ "$notes" = "" ]
}

@test "nothing is overwritten: maps have their names, and the files say nothing" {
    record none
    all_is_recorded
    [ "$settings" = "" ]
}

# What dlsym() finds are the C library's functions: all calls of them lead to the hooks, as without the library, also those of malloc().
@test "functions that dlsym() finds are overwritten, whatever makes the system calls: each map is recorded once" {
    local hooks
    for hooks in default default-direct next; do
        export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/$hooks
        record "$work/$hooks.so"
        all_is_recorded
        [ "$settings" = "" ]
    done
}

@test "UCX, loaded at the start or later, sees what malloc() maps, as without the library, and each map is recorded once" {
    local first
    for first in '' /usr/lib/x86_64-linux-gnu/libucs.so.0; do
        export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/ucx${first:+-first}
        record "$work/ucm.so" "$first"
        all_is_recorded
        [ "$settings" = "" ]
    done
}

@test "the library's functions are overwritten, and the hooks call syscall(): maps have the names and events that they have without the hooks" {
    record "$work/hooks.so"
    all_is_recorded
    [ "$settings" = 'maps_redirected mmap,munmap,mremap,shmat,shmdt,brk' ]
}

@test "hooks that end in a jump are not on the stack: their library's frames are left out" {
    record "$work/tail.so"
    all_is_recorded
    [ "$settings" = 'maps_redirected mmap,munmap,mremap,shmat,shmdt,brk' ]
}

@test "the library's functions are overwritten, and the hooks make the system calls by themselves: a note says that maps are not tracked" {
    record "$work/direct.so"
    [ "$events" = "" ]
    [ "$settings" = 'maps_bypassed mmap,munmap,mremap,shmat,shmdt
break_bypassed brk' ]
    echo "$notes"
    [ "$notes" = "mmap,munmap,mremap,shmat,shmdt: maps of these functions were not tracked, and have no names, since another library overwrote them in memory, and its own don't call syscall(); switch its memory hooks off" ]
}
