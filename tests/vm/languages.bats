#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs in C++, with Kokkos and in Python, with the device: their samples have region and variable names.
# tests/unit/languages tests the effect of each call of the interfaces. If these tests fail, a language opens calipers that its
# samples do not show.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    export work=$top/build/test/languages-vm
    local stdlib library put=()

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 libsampler/api/python/memphis.py examples/languages/timestep.py tests/vm/languages/guest.sh "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    g++ -std=c++11 -O2 -g -Iinclude -o "$work/bin/timestep-cpp" examples/languages/timestep.cpp -L"$work/bin" -lmemphis -Wl,-rpath,'$ORIGIN'
    gcc -D_GNU_SOURCE -O1 -g -o "$work/bin/kokkos_core" tests/unit/languages/programs/kokkos_core.c
    stdlib=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
    # Libraries of a Python module, which machine/run does not bring along by itself.
    while read -r library; do
        put+=(--put "$library")
    done < <(ldd "$stdlib"/lib-dynload/_ctypes.*.so | awk '$2 == "=>" && $3 !~ /libc\.so|libpthread|libdl/ { print $3 }')
    machine/run --kernel 6.12 --timeout 1800 --module build/kmod/6.12/memphis.ko --put "$work/bin:/root/bin" \
        --put /usr/bin/python3 --put "$stdlib" "${put[@]}" --get "/root/out:$work/out" --log "$work/guest.log" -- \
        sh /root/bin/guest.sh /root/bin /root/out > "$work/guest.txt" 2>&1
    echo "$?" > "$work/guest.status"
}

setup() {
    cd "$work" || exit
    cat guest.txt
}

# loads PROGRAM REGION: prints how many loads were sampled in the region, and how many of them in the array.
loads() {
    "$top/build/bin/memphis" report --select loads --region "$2" --format json --binaries bin "out/$1" > report.json
    python3 -c '
import json
report = json.load(open("report.json"))
variables = [v for node in report["nodes"] for v in node["variables"]]
print(report["accounting"]["selected"], sum(v["count"] for v in variables if v["name"] == "temperature"))' | tee counts >&2
    read -r selected named < counts
}

@test "all programs end as they do without Memphis, and the kernel logged no complaint" {
    [ "$(cat guest.status)" -eq 0 ]
    [ "$(cat out/*.status)" = "$(printf '0\n0\n0')" ]
    [ "$(cat out/*.err)" = "" ]
    [ "$(cat out/cpp.out out/kokkos.out out/python.out)" = "$(printf 'sum 1\nvalue 20\nsum 1')" ]
}

@test "in C++, loads in a scope are in its region and in the named vector" {
    # 285 samples were seen of ten million loads; fewer than 200 have a probability below 1e-5.
    loads cpp advect
    [ "$selected" -ge 200 ]
    # Only some dozens of loads are made around the loop.
    [ $((named * 100)) -ge $((selected * 97)) ]
    advect=$selected
    loads cpp TimeLoop
    [ $((advect * 100)) -ge $((selected * 97)) ]
}

@test "with Kokkos, each kernel and region has its samples in the named view, and nested ones add up to their parent" {
    local kernel sum=0

    for kernel in outside advect sum scan; do
        # All kernels do the same work; about 125 samples are expected of each.
        loads kokkos "$kernel"
        [ "$selected" -ge 70 ]
        [ $((named * 100)) -ge $((selected * 97)) ]
        [ "$kernel" = outside ] || sum=$((sum + selected))
    done
    loads kokkos TimeLoop
    [ "$selected" -ge "$sum" ]
    [ $((sum * 100)) -ge $((selected * 97)) ]
}

@test "in Python, the decorated function has its samples in the named array" {
    # About 300 samples are expected in the array; the interpreter causes more of its own.
    loads python advect
    [ "$named" -ge 200 ]
    [ "$selected" -gt "$named" ]
    advect=$selected
    loads python TimeLoop
    [ $((advect * 100)) -ge $((selected * 97)) ]
}
