#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Rules of the project that a program can check. If these tests fail, the sources become harder to read.

bats_require_minimum_version 1.5.0
load ../environment

setup() {
    cd "$BATS_TEST_DIRNAME/../.."
}

# sources PATTERN...: prints the project's files whose names match; uses find where git does not work (a tarball).
sources() {
    local IFS='|' pattern file found

    pattern="@($*)"
    found=$({ git -c safe.directory='*' ls-files -co --exclude-standard 2> /dev/null || find . -path ./build -prune -o -path ./.git -prune -o -type f -print | sed 's,^\./,,'; } |
        LC_ALL=C sort | while read -r file; do
            # shellcheck disable=SC2053 # a pattern is meant
            if [[ $file == $pattern && -f $file ]]; then echo "$file"; fi
        done)
    # An empty list would satisfy every rule.
    [ "$(wc -l <<< "$found")" -gt 5 ] || { echo "hardly a file found: $found" >&2; return 1; }
    echo "$found"
}

# bats test_tags=more
@test "every shell script passes shellcheck" {
    local all scripts
    all=$(sources '*')
    mapfile -t scripts < <(while read -r f; do head -1 "$f" | grep -aqE '^#!.*\b(ba)?sh\b' && echo "$f"; done <<< "$all")
    [ "${#scripts[@]}" -gt 5 ]
    shellcheck "${scripts[@]}"
}

# Prints the lines of FILE... that can't make a test fail: errexit of bash ignores a command inverted by `!`, and every command
# of an `&&` list but the last. Quoted text that spans lines is not recognised as such. Lines with `||` are left out, because
# they state what follows.
without_effect() {
    awk '/^[[:space:]]*! / && !/ \|\| / || /^[[:space:]]*\[\[? .*\]\]? && (!|\[|grep|cmp|diff) ?/ && !/ \|\| / { print FILENAME ":" FNR ": " $0 }' "$@"
}

@test "every check in a test file can fail" {
    local all files
    cat > "$BATS_TEST_TMPDIR/planted.bats" <<'TEXT'
    ! can_open alice
    [ "$status" -eq 0 ] && [ -z "$output" ]
    [[ $a == b ]] && ! grep -q c d
    ! grep -q x y || return
    run ! can_open alice
    [ "$status" -eq 0 ] && continue
    [[ $a == b && $c == d ]]
TEXT
    run -0 without_effect "$BATS_TEST_TMPDIR/planted.bats"
    [ "${#lines[@]}" -eq 3 ]
    all=$(sources 'tests/*.bats' 'tests/*.bash' | grep -v '^tests/house/house.bats$')
    mapfile -t files <<< "$all"
    [ "${#files[@]}" -gt 50 ]
    run -0 without_effect "${files[@]}"
    [ "$output" = "" ]
}

@test "every source file names its licence in an SPDX line" {
    local all bare files
    all=$(sources '*.c' '*.h' '*.hpp' '*.cpp' '*.inc' '*.sh' '*.bash' '*.py' '*.F90' '*.bats' '*akefile' '*Kbuild')
    mapfile -t files <<< "$all"
    bare=$(awk 'FNR == 1 { report(); name = FILENAME; named = 0 } FNR <= 3 && /SPDX-License-Identifier/ { named = 1 }
        function report() { if (name && !named) print name } END { report() }' "${files[@]}")
    echo "without: $bare"
    [ "$bare" = "" ]
}

@test "the pictures of the documentation have at most 300 kB, and each is shown" {
    local picture
    [ "$(cat docs/pictures/* | wc -c)" -le 300000 ]
    for picture in docs/pictures/*; do
        grep -q "pictures/${picture##*/})" README.md docs/*.md || { echo "$picture"; return 1; }
    done
}

@test "the copyright file of the packages names the licence of each file" {
    local all files
    all=$(sources '*')
    mapfile -t files < <(grep -v '^tests/fuzz/corpus/' <<< "$all")
    run -0 python3 tests/house/licences.py "${files[@]}"
    [ "$output" = '' ]
    # The check itself: a stanza less.
    mkdir -p "$BATS_TEST_TMPDIR/packaging/debian" "$BATS_TEST_TMPDIR/kmod/decode"
    grep -v '^Files: kmod/decode' packaging/debian/copyright > "$BATS_TEST_TMPDIR/packaging/debian/copyright"
    cp kmod/decode/model.h "$BATS_TEST_TMPDIR/kmod/decode"
    licences=$PWD/tests/house/licences.py
    cd "$BATS_TEST_TMPDIR"
    run -0 python3 "$licences" kmod/decode/model.h
    [ "$output" = 'kmod/decode/model.h: BSD-3-Clause or GPL-2.0-only; packaging/debian/copyright says GPL-2.0-only' ]
}

@test "the public headers compile on their own as C11, C++11 and C++17" {
    echo '#include <memphis.h>' > "$BATS_TEST_TMPDIR/a.c"
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$BATS_TEST_TMPDIR/a.c"
    g++ -std=c++17 -x c++ -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$BATS_TEST_TMPDIR/a.c"
    echo '#include <memphis.hpp>' > "$BATS_TEST_TMPDIR/a.cpp"
    g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$BATS_TEST_TMPDIR/a.cpp"
}

@test "the records of the ABI and of the file format have the sizes that their comments state" {
    cat > "$BATS_TEST_TMPDIR/sizes.c" <<'TEXT'
#include <memphis/device.h>
#include <memphis/format.h>
_Static_assert(sizeof(struct memphis_sample) == 40, "sample");
_Static_assert(sizeof(struct memphis_accounting) == 160, "books");
_Static_assert(sizeof(struct memphis_query) == 160, "query");
_Static_assert(sizeof(struct memphis_controller) == 96, "controller");
_Static_assert(sizeof(struct memphis_controllers) == 4616, "controllers");
_Static_assert(sizeof(struct memphis_config) == 144, "config");
_Static_assert(sizeof(struct memphis_control) == 128, "control");
_Static_assert(sizeof(struct memphis_file_header) == 64, "file header");
_Static_assert(sizeof(struct memphis_chunk) == 24, "chunk");
_Static_assert(sizeof(struct memphis_allocation) == 40, "allocation");
TEXT
    gcc -std=c11 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$BATS_TEST_TMPDIR/sizes.c"
}

@test "make help names every goal that users call" {
    run make help
    for goal in demo test lib tool examples kmod machine packages check format clean; do
        [[ "$output" == *"make $goal"* ]]
    done
}

@test "a relative BUILD is below the top directory for every part" {
    # The commands are printed, not run.
    make -n install BUILD=nowhere > "$BATS_TEST_TMPDIR/commands"
    grep -q " -o $PWD/nowhere/libsampler/" "$BATS_TEST_TMPDIR/commands"
    grep -q " -o $PWD/nowhere/postproc/" "$BATS_TEST_TMPDIR/commands"
    # The lines for the reader are shorter.
    [ "$(grep -v '^echo ' "$BATS_TEST_TMPDIR/commands" | sed "s|$PWD/nowhere||g" | grep -c nowhere)" -eq 0 ]
}

@test "warnings are errors if WERROR is 1, and only then" {
    # lists of the parts whose commands, which are printed, not run, have the option
    parts_with()
    {
        local part prefix=$BATS_TEST_TMPDIR/prefix

        mkdir -p "$prefix/lib" "$prefix/include"
        touch "$prefix"/{lib/libmemphis.so,include/memphis.h,include/memphis.mod}
        for part in libsampler postproc batch/slurm examples/cice_halo examples/traffic; do
            make -n -C "$part" V=1 WERROR="$1" BUILD="$PWD/nowhere" MEMPHIS="$prefix" > "$BATS_TEST_TMPDIR/commands"
            grep -q -- ' -Wextra ' "$BATS_TEST_TMPDIR/commands"
            [ "$(grep -c -- ' -Werror ' "$BATS_TEST_TMPDIR/commands")" -eq 0 ] || printf '%s ' "$part"
        done
    }

    [ "$(parts_with 1)" = 'libsampler postproc batch/slurm examples/cice_halo examples/traffic ' ]
    [ "$(parts_with 0)" = '' ]
    [ "$(parts_with '')" = '' ]
}

@test "white space follows clang-format" {
    # Other versions format some constructs differently.
    clang-format --version | grep -q ' version 14\.' || skip "white space is decided by clang-format 14, here is $(clang-format --version)"
    local all
    all=$(sources '*.c' '*.h' '*.hpp' '*.cpp')
    xargs clang-format --dry-run --Werror <<< "$all"
}
