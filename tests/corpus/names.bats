#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of variables in many small programs, as people write them (tests/corpus/names), each in one column of compilers; `make bench-names` runs all.
# If these tests fail, a report gives memory another name than before: a better one, which is to be removed from tests/corpus/misses, or a worse one.

bats_require_minimum_version 1.5.0
load ../environment

setup_file()
{
	local part

	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${BUILD:-$root/build}
	export root build
	for part in libsampler postproc tests/cli/samples tests/corpus; do
		make -s -C "$root/$part" BUILD="$build" > /dev/null || return
	done
}

setup()
{
	cd "$root" || exit
}

@test "all variables have their names, except for those that are listed with what is reported in their place" {
	tests/corpus/run --build "$build" --misses tests/corpus/misses
}

@test "a name, a row, a line and a function that are wrong are noticed" {
	local names=$BATS_TEST_TMPDIR/names

	mkdir "$names"
	cat > "$names/planted.c" <<'TEXT'
// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

static double right[COUNT], wrong[COUNT];

int main(void)
{
	double *one = malloc(BYTES); /* site: one */
	double *two = malloc(BYTES);

	/* site: two */
	TRUTH(wrong, BYTES, "other");
	TRUTH(right, BYTES, "right #2");
	TRUTH(one, BYTES, "one in nothing");
	TRUTH(two, BYTES, "two");
	return 0;
}
TEXT
	run -0 tests/corpus/run --build "$build" --names "$names" --column gcc-O2
	printf '%s\n' "$output"
	[ "$(grep -c '^planted	gcc-O2	' <<< "$output")" -eq 3 ]
	grep -qx 'planted	gcc-O2	other	wrong	bss:wrong	' <<< "$output"
	grep -qx 'planted	gcc-O2	one	wrong	heap:one	the function is main' <<< "$output"
	grep -q '^planted	gcc-O2	two	wrong	heap:two	the site is .*planted.c:9' <<< "$output"
	grep -qx 'figure names.right_percent 25.0 %' <<< "$output"
	grep -qx 'figure names.wrong_percent 75.0 %' <<< "$output"
	# Two variables in one row, and one that has no name.
	sed -i -e 's/"other"/"wrong"/; s/"right #2"/"wrong #2"/; s/one in nothing/one/; s/TRUTH(right,/TRUTH(wrong,/' -e '/"two"/d' "$names/planted.c"
	run -0 tests/corpus/run --build "$build" --names "$names" --column gcc-O2
	printf '%s\n' "$output"
	grep -qx 'planted	gcc-O2	wrong	wrong	bss:wrong	the row has also wrong #2' <<< "$output"
	grep -qx 'planted	gcc-O2	wrong #2	wrong	bss:wrong	the row has also wrong' <<< "$output"
}

@test "a program that cannot be built or fails is wrong, and a list of misses is compared in both directions" {
	local names=$BATS_TEST_TMPDIR/names

	mkdir "$names"
	echo 'int main(void) { return 3; }' > "$names/failing.c"
	run -1 tests/corpus/run --build "$build" --names "$names" --misses /dev/null
	[ "$(cut -f 1-5 <<< "$output")" = 'worse	failing	gcc-O2	*	wrong' ]
	printf '%s\n' 'fine	gcc-O2	grid	wrong	bss:other	' > "$names/misses"
	printf '%s\n' '#include "corpus.h"' 'static double grid[COUNT];' 'int main(void) { TRUTH(grid, BYTES, "grid"); return 0; }' > "$names/fine.c"
	rm "$names/failing.c"
	run -1 tests/corpus/run --build "$build" --names "$names" --misses "$names/misses"
	[ "$output" = 'better	fine	gcc-O2	grid	wrong	bss:other	' ]
	run -0 tests/corpus/run --build "$build" --names "$names" --misses /dev/null
	[ "$output" = '' ]
}

@test "there are cases in each language" {
	local language

	for language in c cpp F90 rs py; do
		[ "$(find tests/corpus/names -name "*.$language" | wc -l)" -gt 0 ]
	done
}
