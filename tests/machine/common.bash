# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034
# Helpers for the tests in tests/machine.

bats_require_minimum_version 1.5.0
load ../environment
machine=$(cd "$BATS_TEST_DIRNAME/../../machine" && pwd)
# Guest logs are kept outside the directories that bats removes: build/test/machine/FILE-NUMBER.log.
logs=$(cd "$machine/.." && pwd)/build/test/machine
test_name=$(basename "$BATS_TEST_FILENAME" .bats)-${BATS_TEST_NUMBER:-0}
log=$logs/$test_name.log
# A safeguard against runs that never end, shorter than the limit of a test in tests/run; no test asserts a duration.
limit=1800
export machine logs log limit
mkdir -p "$logs"

# guest OPTIONS -- CMD: runs CMD in a guest whose log is $log. Its standard output is in $output, and the runner's messages are in
# $stderr.
guest()
{
	# bats warns about status 127, which is a legitimate result here.
	BATS_WARNING_FILE=/dev/null run --separate-stderr "$machine/run" --timeout "$limit" --log "$log" "$@"
	# bats shows this if the test fails.
	printf 'status %s\n--- stdout\n%s\n--- stderr\n%s\n' "$status" "$output" "${stderr:-}"
}

# ops_hold KERNEL CPU ibs|pebs PERIOD: compares samples and exact counts of instructions with several accesses with the accesses that
# each instruction made.
ops_hold()
{
	local work=$BATS_TEST_TMPDIR/$1

	mkdir -p "$work"
	# Other static programs have no instructions at these addresses: the kernel reuses the address spaces of programs that have ended.
	gcc -std=gnu11 -O2 -static -no-pie -Wl,-Ttext-segment=0x10000000 -Wall -Wextra -Werror -o "$work/ops" "$BATS_TEST_DIRNAME/fixtures/ops.c"
	guest --kernel "$1" --cpu "$2" --truth "$work/truth.tsv" --put "$work/ops:/root/ops" --put "$BATS_TEST_DIRNAME/fixtures/ops.sh:/root/ops.sh" \
		-- sh /root/ops.sh "$3" "$4" > "$work/all"
	[ "$status" -eq 0 ] || { cat "$work/all"; return 1; }
	printf '%s\n' "$output" > "$work/said"
	# If the comparison fails, only what is wrong is shown.
	output=
	"$BATS_TEST_DIRNAME/ops_truth.py" "$3" "$4" "$work/said" "$work/truth.tsv"
}
