# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034
# What the tests of tests/machine share.

bats_require_minimum_version 1.5.0
machine=$BATS_TEST_DIRNAME
export machine

# guest OPTIONS -- CMD: a run whose log lies with the test; stdout in $output, what the runner says in $stderr.
guest()
{
	# Status 127 is one that a command may have here.
	BATS_WARNING_FILE=/dev/null run --separate-stderr "$machine/run" --log "$BATS_TEST_TMPDIR/guest.log" "$@"
	# Shown by bats when the test fails.
	printf 'status %s\n--- stdout\n%s\n--- stderr\n%s\n' "$status" "$output" "${stderr:-}"
}
