#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Manual pages: they are well-formed, and the pages of device and library agree with the headers in both directions. If these
# tests fail, users write programs from a wrong page.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.."
}

@test "mandoc reports no problem in any page" {
    run mandoc -Tlint -W warning man/*.[1-8]
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "" ]
}

@test "the page of the report has at most 4,000 words" {
    [ "$(mandoc -T ascii -O width=200 man/memphis-report.1 | wc -w)" -le 4000 ]
}

@test "the page of the JSON has every key that the report writes" {
    run -0 python3 tests/house/json_keys.py . man/memphis-json.5
    echo "$output"
    [ "$output" = "no difference" ]
}

@test "a key that is missing in the page of the JSON is found" {
    sed 's/^\.BR latency_cycles /.BR latency_ticks /; s/^\.B latency_cycles$/.B latency_ticks/' man/memphis-json.5 > "$BATS_TEST_TMPDIR/memphis-json.5"
    run -1 python3 tests/house/json_keys.py . "$BATS_TEST_TMPDIR/memphis-json.5"
    echo "$output"
    [[ "$output" == *": latency_cycles"* ]]
}

@test "the methods have every reason that a report names" {
    local reason count=0 missing=''

    # `known` is no reason.
    for reason in $(sed -n 's/.*{"\([a-z-]*\)",.*/\1/p; s/.*\[MEMPHIS_REASON_.*= "\([a-z-]*\)",$/\1/p' postproc/profile/reasons.c | grep -v '^known$'); do
        count=$((count + 1))
        grep -q "\`$reason\`" docs/methods.md || missing+=" $reason"
    done
    [ "$count" -gt 40 ]
    [ "$missing" = "" ] || { echo "not in docs/methods.md:$missing"; false; }
}

@test "the device's page has every constant, field, request and error of the headers with its value, and no other" {
    run python3 tests/house/manual.py man/memphis.4 include
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "no difference" ]
}

# spoiled SED-EXPRESSION LINE: checks that manual.py prints LINE for a page that the expression has changed.
spoiled() {
    sed "$1" man/memphis.4 > "$BATS_TEST_TMPDIR/memphis.4"
    run -1 cmp -s man/memphis.4 "$BATS_TEST_TMPDIR/memphis.4"
    run python3 tests/house/manual.py "$BATS_TEST_TMPDIR/memphis.4" include
    echo "$output"
    [ "$status" -eq 1 ]
    grep -Fq -- "$2" <<< "$output"
}

@test "the comparison of the device's page detects missing, wrong and invented entries" {
    spoiled '/^.BR MEMPHIS_DROP_LOCAL /d' 'constant MEMPHIS_DROP_LOCAL: not in the page'
    spoiled 's/^\.BR MEMPHIS_REASON_LATENCY " (9)"/.BR MEMPHIS_REASON_LATENCY " (8)"/' 'constant MEMPHIS_REASON_LATENCY: 9, the page says 8'
    spoiled 's/(0x8078d606)/(0x8078d607)/' 'constant MEMPHIS_IOC_STATS: '
    spoiled 's/^\.BR MEMPHIS_FLAGS /.BR MEMPHIS_FLAGS_ALL /' 'constant MEMPHIS_FLAGS_ALL: in the page only'
    spoiled 's/^\.B MEMPHIS_DROP_STORES$/.B MEMPHIS_DROP_EVERYTHING/' 'name MEMPHIS_DROP_EVERYTHING: not in the header'
    spoiled '/__u16 home_node;/d' 'struct memphis_sample: '
    spoiled 's/__u64 filtered\[16\]/__u64 filtered[15]/' 'struct memphis_accounting: '
    spoiled 's/__u32 wakeup_records;/__u64 wakeup_records;/' 'struct memphis_config: '
    spoiled 's/^\.B ENOSPC$/.B ENOMEM/' 'errors of MEMPHIS_IOC_ATTACH: '
    spoiled 's/^\.B ENOTTY$/.B ENOSYS/' 'errors of : '
}

@test "the program in the device's page compiles" {
    python3 tests/house/manual.py --example man/memphis.4 > "$BATS_TEST_TMPDIR/example.c"
    grep -q 'MEMPHIS_IOC_START' "$BATS_TEST_TMPDIR/example.c"
    gcc -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$BATS_TEST_TMPDIR/example" "$BATS_TEST_TMPDIR/example.c"
}

@test "the library's pages have every exported symbol, with the prototype of its header or module, and no other" {
    run python3 tests/house/symbols.py .
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "no difference" ]
}

# spoiled_library FILE SED-EXPRESSION LINE: checks that symbols.py prints LINE for a tree in which the expression has changed FILE.
spoiled_library() {
    local tree=$BATS_TEST_TMPDIR/tree

    rm -rf "$tree"
    mkdir -p "$tree/man" "$tree/include" "$tree/libsampler/api"
    cp man/memphis.3 man/memphis-interfaces.7 "$tree/man"
    cp include/memphis.h "$tree/include"
    cp libsampler/memphis.map "$tree/libsampler"
    cp libsampler/api/kokkos.c libsampler/api/memphis_fortran.F90 "$tree/libsampler/api"
    sed -i "$2" "$tree/$1"
    run -1 cmp -s "$1" "$tree/$1"
    run python3 tests/house/symbols.py "$tree"
    echo "$output"
    [ "$status" -eq 1 ]
    grep -Fq -- "$3" <<< "$output"
}

@test "the comparison of the library's pages detects missing, wrong and invented symbols and prototypes" {
    spoiled_library include/memphis.h 's/^int memphis_flush(void)/int memphis_flush(int fd)/' 'prototype of memphis_flush: int memphis_flush(int fd);, the page says int memphis_flush(void);'
    spoiled_library include/memphis.h '/^const char \*memphis_version/d' 'prototype of memphis_version: in the page only'
    spoiled_library man/memphis.3 '/^\.BI "int memphis_status/d' 'prototype of memphis_status: not in the page'
    spoiled_library man/memphis.3 's/^\.BI "int memphis_name(const void \*" start ", size_t "/.BI "int memphis_name(const void *" start ", int "/' 'prototype of memphis_name: '
    spoiled_library man/memphis.3 '/^memphis_begin,/s/memphis_flush, //' 'link memphis_flush: not in the page'
    spoiled_library man/memphis.3 '/^\.BI "call memphis_status/d' 'call memphis_status: not in the page'
    spoiled_library man/memphis.3 's/^\.BI "call memphis_flush(\[" status "\])"/.BI "call memphis_flush(" status ")"/' 'call memphis_flush: '
    spoiled_library libsampler/memphis.map 's/^\tmemphis_status;/&\n\tmemphis_secret;/' 'symbol memphis_secret: '
    spoiled_library libsampler/memphis.map 's/^\t__itt_api_init;/&\n\t__itt_api_fini;/' 'symbol __itt_api_fini: in no page'
    spoiled_library libsampler/memphis.map 's/^\t__memphis_MOD_memphis_end;/&\n\t__memphis_MOD_memphis_halt;/' 'symbol __memphis_MOD_memphis_halt: not in the module'
    spoiled_library man/memphis-interfaces.7 's/kokkosp_deallocate_data/kokkosp_free_data/' 'symbol kokkosp_deallocate_data: in no page'
    spoiled_library man/memphis-interfaces.7 's/kokkosp_deallocate_data/kokkosp_free_data/' 'symbol kokkosp_free_data: in the page only'
}
