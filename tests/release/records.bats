#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Recordings of perf of real machines, in public repositories (tests/records/files). If these tests fail, what is read of them is not what perf script
# prints, or a file is refused without its reason.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    make -s tool > /dev/null
    records=$(tests/records/fetch 2> "$BATS_FILE_TMPDIR/reason") || true
    export records
}

setup() {
    [ -n "$records" ] || skip "public recordings can't be had: $(< "$BATS_FILE_TMPDIR/reason")"
}

# recording END: prints the path of the listed recording whose repository and path end so.
recording() {
    echo "$records/$(awk -F '\t' -v end="$1" '{ name = $1 "/" $3 } substr(name, length(name) - length(end) + 1) == end { print $4 }' \
        "$top/tests/records/files")"
}

@test "samples of Xeons E5-4610 v2, E5-2650 v2 and Platinum 8173M, and of a Core i7-10700, are those that perf script prints" {
    local name

    for name in numatop/perf.data numatop/perf.data.old perf-mem-4986 perf-mem-9973 perf-mem-19946 perf-mem-39891 microbenchmarks-small-input/perf.data \
        perf.data.weight_struct; do
        echo "$name"
        "$top/build/bin/memphis" dump --format json "$(recording "$name")" > "$BATS_TEST_TMPDIR/dump"
        perf script -i "$(recording "$name")" -F time,addr,weight,data_src,ip --ns > "$BATS_TEST_TMPDIR/script" 2> /dev/null
        python3 "$top/tests/records/compare.py" "$BATS_TEST_TMPDIR/dump" "$BATS_TEST_TMPDIR/script"
    done
}

@test "the four nodes of the Xeon have their CPUs, and its samples are loads from the L1" {
    "$top/build/bin/memphis" dump "$(recording numatop/perf.data)" > "$BATS_TEST_TMPDIR/dump"
    grep -Eqx '  node 0 33649414144 0-7 ?' "$BATS_TEST_TMPDIR/dump"
    grep -Eqx '  node 1 33814622208 8-15 ?' "$BATS_TEST_TMPDIR/dump"
    grep -Eqx '  node 2 33814626304 16-23 ?' "$BATS_TEST_TMPDIR/dump"
    grep -Eqx '  node 3 33812070400 24-31 ?' "$BATS_TEST_TMPDIR/dump"
    [ "$(grep -c '^sample .* source=l1 flags=load ' "$BATS_TEST_TMPDIR/dump")" -eq 2 ]
    run -0 "$top/build/bin/memphis" report --full "$(recording numatop/perf.data)"
    grep -qx 'books: 9 interrupts = 2 kept + 0 lost + 7 filtered (kernel-pc 7)' <<< "$output"
}

@test "the two nodes of the E5-2650 v2 have their CPUs, and its 469 loads in user mode are from the L1" {
    local name

    "$top/build/bin/memphis" dump "$(recording perf-mem-9973)" > "$BATS_TEST_TMPDIR/dump"
    grep -Eqx '  node 0 68684754944 0-7,16-23 ?' "$BATS_TEST_TMPDIR/dump"
    grep -Eqx '  node 1 68719476736 8-15,24-31 ?' "$BATS_TEST_TMPDIR/dump"
    for name in perf-mem-4986 perf-mem-9973 perf-mem-19946 perf-mem-39891; do
        "$top/build/bin/memphis" dump "$(recording "$name")"
    done | grep '^sample ' > "$BATS_TEST_TMPDIR/samples"
    [ "$(wc -l < "$BATS_TEST_TMPDIR/samples")" -eq 469 ]
    [ "$(grep -c ' source=l1 flags=load ' "$BATS_TEST_TMPDIR/samples")" -eq 469 ]
}

@test "18 stores of a Core i7-10700 have no source" {
    "$top/build/bin/memphis" dump "$(recording microbenchmarks-small-input/perf.data)" > "$BATS_TEST_TMPDIR/dump"
    [ "$(grep -c '^sample .* source=unknown flags=store ' "$BATS_TEST_TMPDIR/dump")" -eq 18 ]
    run -0 "$top/build/bin/memphis" report --full "$(recording microbenchmarks-small-input/perf.data)"
    grep -qx 'books: 18 interrupts = 18 kept + 0 lost + 0 filtered' <<< "$output"
}

@test "recordings of other events are refused with their reason, and a damaged one with its place" {
    local name

    for name in lost_samples-4.4 hybrid_topology throttle-3.8 numatopology-3.2 piped.header_features_aligned-6.12 piped.lost_samples-4.4 \
        group_desc-4.14 armv7.perf_3.14-3.8; do
        run -1 --separate-stderr "$top/build/bin/memphis" report "$(recording "perf.data.$name")"
        echo "$name: $stderr"
        [[ "$stderr" == *"no event of accesses to memory with their addresses was recorded"* ]]
    done
    run -1 --separate-stderr "$top/build/bin/memphis" report "$(recording perf.data.piped.corrupted.zero_size_sample-3.2)"
    [[ "$stderr" == *"offset 0xbfd0: no record begins here; the file is damaged or was cut short"* ]]
}
