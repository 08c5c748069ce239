#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The set-up and the suites that need no machine, on a minimal Debian. If this test fails, packaging/packages.list lacks a package, and the
# README's commands fail for a newcomer.

bats_require_minimum_version 1.5.0
load ../environment

@test "the set-up and the suites that need no machine pass on a Debian 12 without the required packages" {
    "$BATS_TEST_DIRNAME/../fresh" bookworm
}
