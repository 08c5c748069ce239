#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# How much of the program's stacks the library uses. If these tests fail, coroutines, signal handlers and threads with small stacks are destroyed by the
# library.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-stacks
    # The dynamic loader's search for a function takes a kilobyte at the first call, with and without the library.
    local flags=(-std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -pthread -Wl,-z,now)

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/stacks" || exit
    gcc "${flags[@]}" -o "$work/usage" usage.c -ldl
    gcc "${flags[@]}" -o "$work/coroutine" coroutine.c
    LD_BIND_NOW=1 "$work/usage" > "$work/without"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out MEMPHIS_BACKEND=none LD_BIND_NOW=1
}

# adds KIND...: compares the usage in $output with that of the program alone. Each of these kinds must be there, and add at most 512 bytes;
# the first call of a thread also takes those of the library's thread-local variables, at most 96; functions that another library may have
# overwritten take 48 more, and the first caliper, which opens the session on a stack of its own in these threads of 256 KiB, 2048 in all.
adds() {
    awk -v kinds="$*" 'NR == FNR { alone[$1] = $2; next }
        { used[$1] = $2 }
        END {
            count = split(kinds, kind, " ")
            for (i = 1; i <= count; i++) {
                name = kind[i]
                more = used[name] - alone[name]
                print name ": " more " bytes"
                most = name ~ /^(begin|end)$/ ? 512 + 96 : name ~ /^(mmap|shared|segment)$/ ? 512 + 48 : name == "first" ? 2048 : 512
                if (!(name in used) || !(name in alone) || more > most)
                    bad = 1
            }
            exit bad || !count
        }' "$work/without" - <<< "$output"
}

@test "before sampling: allocations, maps, new threads and I/O take at most 512 bytes more of the stack" {
    run -0 env LD_PRELOAD="$build/lib/libmemphis.so.0" "$work/usage"
    adds first malloc small others events stacks mmap shared segment break file stream create begin end
}

@test "where sampling is not possible, the first caliper says so on as little of the stack" {
    MEMPHIS_BACKEND=device run -0 --separate-stderr env LD_PRELOAD="$build/lib/libmemphis.so.0" MEMPHIS_DEVICE=/dev/null "$work/usage"
    # shellcheck disable=SC2154 # set by run
    [[ "$stderr" == 'memphis: not sampling: /dev/null: '* ]]
    adds first
}

@test "while sampling: calipers, allocations, maps, new threads and I/O take at most 512 bytes more of the stack" {
    USAGE_SESSION=1 run -0 env LD_PRELOAD="$build/lib/libmemphis.so.0" "$work/usage"
    adds malloc small others events stacks mmap shared segment break calipers left file stream create begin end
}

@test "with counted I/O and spans, the same calls take at most 512 bytes more of the stack" {
    run -0 "$build/bin/memphis" record -q --backend none --io --spans 4 -o "$MEMPHIS_OUTPUT" -- "$work/usage"
    adds malloc small others events stacks mmap shared segment break calipers left file stream create begin end
}

@test "a coroutine on one page makes its first transfer and its first allocation" {
    run -0 "$build/bin/memphis" record -q --backend none --io -o "$MEMPHIS_OUTPUT" -- "$work/coroutine"
    [ "$output" = 'written 1 allocated' ]
    run -0 "$build/bin/memphis" report --by io "$MEMPHIS_OUTPUT"
    grep -qE '^ +[0-9.]+ [a-z]+ +1 +1 B +- +1  write, \(no region\)$' <<< "$output"
    grep -qE '^ +[0-9.]+ [a-z]+ +1 +1 B +- +1  /dev/null$' <<< "$output"
}
