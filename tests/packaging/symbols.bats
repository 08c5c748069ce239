#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the library exports. If this test fails because a name is missing, programs that were linked before no longer start.

bats_require_minimum_version 1.5.0
load ../environment

@test "the library exports the symbols that are listed, in their versions, and no other" {
    cd "$BATS_TEST_DIRNAME/../.."
    make -s lib
    diff <(grep -v '^#' tests/packaging/symbols) \
        <(nm -D --defined-only --with-symbol-versions build/lib/libmemphis.so.0 | awk '$2 != "A" && $3 !~ /PRIVATE/ { print $3 }' | sort)
}
