#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Transfer of a large file, which takes a minute. If this test fails, sample files of long runs are damaged on their way to the host;
# tests/machine/files.bats has those of 30 MB.

load ../machine/common
# The transfer takes longer than any other run of tests/machine.
# shellcheck disable=SC2034 # read by guest()
limit=3000

@test "a file of 200 MB arrives from the guest with the same checksum" {
	guest --memory 1024 --get "/tmp/made:$BATS_TEST_TMPDIR/made" -- sh -c 'yes 0123456789abcde | head -c 209715200 > /tmp/made; sha256sum < /tmp/made'
	[ "$status" -eq 0 ]
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/made")" = 209715200 ]
	[ "$output" = "$(sha256sum < "$BATS_TEST_TMPDIR/made")" ]
}
