#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every way in which a program can end (endings/rows), with and without the library, with the device and, with `make test-more`, with
# perf. If these tests fail, sampling changes what programs do, or loses their samples.

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    work=$(results_dir)
    backends=device
    if at_level_more; then backends=perf; fi
    if at_length; then backends='device perf'; fi
    export work backends
    local flags=(-O2 -g -Wall -Wextra -Werror -std=gnu11 -D_GNU_SOURCE -pthread -I"$top/include")
    # Path of the libraries in the guest: setuid programs load no library from a relative path.
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
    # shellcheck disable=SC2086 # one or two words
    boot_machine "$machines" --module "build/kmod/$machines/memphis.ko" --modprobe loop --modprobe crc32c_generic --modprobe ext4 --modprobe quota_v2 \
        --put "$work/bin:$place" --get "/root/out:$work/out" --log "$work/$machines.log" -- \
        bash "$place/guest.sh" "$place" /root/out $backends > "$work/$machines.txt" 2> "$work/$machines.err" || status=$?
    echo "$status" > "$work/$machines.status"
}

# holds CHECK: runs one check of check.py on all rows, with each backend.
holds() {
    local backend failed=0
    all_ended_well || return
    for backend in $backends; do
        python3 "$top/tests/vm/endings/check.py" "$top/tests/vm/endings/rows" "$work/out" "$backend" "$top/build/bin/memphis" "$1" || failed=1
    done
    return "$failed"
}

@test "the kernel logs no complaint" {
    all_ended_well
}

@test "programs that exit, abort, exec, fork, become daemons, or run into signals or limits have the same output and exit status as without the library" {
    holds same
}

@test "each program prints at most the expected line on standard error" {
    holds stderr
}

@test "no program leaves a process behind or the device in use" {
    holds left
}

@test "each program leaves readable files of each process and thread up to the last write, and losses are recorded" {
    holds files
}

@test "the accounting of all orderly endings covers every sample that the machine delivered" {
    holds books
}

@test "memphis report reads the files of each program" {
    holds report
}
