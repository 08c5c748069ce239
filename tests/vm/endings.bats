#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every ending that a program can have (endings/rows), with the library and without it, by the device and by perf. If these fail,
# sampling changes what programs do, or their samples are lost.

bats_require_minimum_version 1.5.0
load ../environment
load checks

# IBS can follow a thread since 6.2, which perf's part of the library needs.
machines='6.12'

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local flags=(-O2 -g -Wall -Wextra -Werror -std=gnu11 -D_GNU_SOURCE -pthread -I"$top/include")
    # Where the guest has them: setuid programs take no library by a relative name.
    local place=/opt/endings wrap status=0

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 tests/vm/endings/rows tests/vm/endings/guest.sh "$work/bin"
    cp /usr/sbin/mke2fs "$work/bin"
    mapfile -t wrap < <(sed '/^#/d; s/^/-Wl,--wrap=/' packaging/wrap)
    gcc "${flags[@]}" -o "$work/bin/program" tests/vm/endings/program.c -ldl
    gcc "${flags[@]}" -DLINKED -o "$work/bin/setuid" tests/vm/endings/program.c build/lib/libmemphis.so.0 -Wl,-rpath,"$place"
    cp "$work/bin/setuid" "$work/bin/setgid"
    gcc "${flags[@]}" -DLINKED -static -Wl,-u,memphis_wrapped "${wrap[@]}" -o "$work/bin/static" tests/vm/endings/program.c build/lib/libmemphis.a
    gcc "${flags[@]}" -DLINKED -static-pie -o "$work/bin/static-pie" tests/vm/endings/program.c build/lib/libmemphis.a
    cp "$work/bin/static" "$work/bin/setuid-static"
    gcc "${flags[@]}" -fno-builtin -fPIC -shared -o "$work/bin/libbump.so" tests/vm/endings/bump.c
    gcc "${flags[@]}" -static -o "$work/bin/quota" tests/vm/endings/quota.c
    boot_machine "$machines" --module "build/kmod/$machines/memphis.ko" --modprobe loop --modprobe crc32c_generic --modprobe ext4 --modprobe quota_v2 \
        --put "$work/bin:$place" --get "/root/out:$work/out" --log "$work/$machines.log" -- \
        bash "$place/guest.sh" "$place" /root/out device perf > "$work/$machines.txt" 2> "$work/$machines.err" || status=$?
    echo "$status" > "$work/$machines.status"
}

# holds CHECK: of every row, by the device and by perf.
holds() {
    local backend failed=0
    all_ended_well || return
    for backend in device perf; do
        python3 "$top/tests/vm/endings/check.py" "$top/tests/vm/endings/rows" "$work/out" "$backend" "$top/build/bin/memphis" "$1" || failed=1
    done
    return "$failed"
}

@test "the kernel had nothing to complain about" {
    all_ended_well
}

@test "exit, _exit, abort, signals, exec, fork, dlclose, daemon, full disk, quota, limits ..: output and exit status are what they are without the library" {
    holds same
}

@test "each says on standard error at most the one line that it should" {
    holds stderr
}

@test "none leaves a process behind, or the device in use" {
    holds left
}

@test "each leaves files that can be read, of each process and thread, up to what was last written; and tells what was lost" {
    holds files
}

@test "the books of all that ended orderly tell of every sample that the machine delivered" {
    holds books
}

@test "memphis report reads each" {
    holds report
}
