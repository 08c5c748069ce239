#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Findings in streams of samples whose causes are planted (tests/corpus/advice); `make bench-advice` takes more machines.
# If these tests fail, a report advises something else than before: something better, which is to be removed from tests/corpus/advice/misses, or worse.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	local part

	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${BUILD:-$root/build}
	export root build
	for part in postproc tests/cli/samples; do
		make -s -C "$root/$part" BUILD="$build" > /dev/null || return
	done
}

setup()
{
	cd "$root" || exit
}

@test "reports find the planted causes and no others, except for those that are listed" {
	tests/corpus/advice/run --build "$build" --machines 3 --misses tests/corpus/advice/misses
}

@test "the selection of the report changes no finding" {
	local kind

	for kind in dram all; do
		tests/corpus/advice/run --build "$build" --machines 1 --select "$kind" --misses tests/corpus/advice/misses
	done
}

@test "a finding that is not listed, and one that is listed and does not come, are noticed" {
	local misses=$BATS_TEST_TMPDIR/misses

	printf 'first_touch\t2x2\tibs\t400\twrong\tserial-phase\tfield\tsweep\n' > "$misses"
	run -1 tests/corpus/advice/run --build "$build" --machines 1 --misses "$misses" first_touch
	[[ "$output" == *$'\n-first_touch\t2x2\tibs\t400\twrong\tserial-phase\tfield\tsweep' ]]
	# A report that finds nothing.
	cat > "$BATS_TEST_TMPDIR/memphis" <<'TEXT'
#!/bin/sh
echo '{"findings": [], "waiting": {"gain": null}}'
TEXT
	chmod +x "$BATS_TEST_TMPDIR/memphis"
	: > "$misses"
	MEMPHIS=$BATS_TEST_TMPDIR/memphis run -1 tests/corpus/advice/run --build "$build" --machines 1 --misses "$misses" first_touch
	[[ "$output" == *$'\n+first_touch\t2x2\tibs\t400\tmissed\tfirst-touch\tfield\tsweep' ]]
	[[ "$output" == *$'\nfigure advice.recall_percent 0.0 %'* ]]
}
