#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The manual pages: well-formed, and that of the device says what its headers say, no more and no less. If these fail,
# programs are written after a page that lies.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.."
}

@test "mandoc finds nothing to complain of in any page" {
    run mandoc -Tlint -W warning man/*.[1-8]
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
}

@test "the device's page has every constant, field, request and error of the headers, with its value, and no other" {
    run python3 tests/house/manual.py man/memphis.4 include
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "no difference" ]
}

# spoiled SED-EXPRESSION LINE: a page so changed is told apart by this line.
spoiled() {
    sed "$1" man/memphis.4 > "$BATS_TEST_TMPDIR/memphis.4"
    ! cmp -s man/memphis.4 "$BATS_TEST_TMPDIR/memphis.4"
    run python3 tests/house/manual.py "$BATS_TEST_TMPDIR/memphis.4" include
    echo "$output"
    [ "$status" -eq 1 ]
    grep -Fq -- "$2" <<< "$output"
}

@test "that comparison sees what is missing, wrong or made up" {
    spoiled '/^.BR MEMPHIS_DROP_LOCAL /d' 'constant MEMPHIS_DROP_LOCAL: not in the page'
    spoiled 's/^\.BR MEMPHIS_REASON_LATENCY " (9)"/.BR MEMPHIS_REASON_LATENCY " (8)"/' 'constant MEMPHIS_REASON_LATENCY: 9, the page says 8'
    spoiled 's/(0x8038b506)/(0x8038b507)/' 'constant MEMPHIS_IOC_STATS: '
    spoiled 's/^\.BR MEMPHIS_FLAGS /.BR MEMPHIS_FLAGS_ALL /' 'constant MEMPHIS_FLAGS_ALL: in the page only'
    spoiled 's/^\.B MEMPHIS_DROP_STORES$/.B MEMPHIS_DROP_EVERYTHING/' 'name MEMPHIS_DROP_EVERYTHING: not in the header'
    spoiled '/__u16 home_node;/d' 'struct memphis_sample: '
    spoiled 's/__u64 filtered\[16\]/__u64 filtered[15]/' 'struct memphis_books: '
    spoiled 's/__u32 wakeup_records;/__u64 wakeup_records;/' 'struct memphis_config: '
    spoiled 's/^\.B ENOSPC$/.B ENOMEM/' 'errors of MEMPHIS_IOC_ATTACH: '
    spoiled 's/^\.B ENOTTY$/.B ENOSYS/' 'errors of : '
}

@test "the program of the device's page compiles" {
    python3 tests/house/manual.py --example man/memphis.4 > "$BATS_TEST_TMPDIR/example.c"
    grep -q 'MEMPHIS_IOC_START' "$BATS_TEST_TMPDIR/example.c"
    gcc -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$BATS_TEST_TMPDIR/example" "$BATS_TEST_TMPDIR/example.c"
}
