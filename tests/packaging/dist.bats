#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The source archive, and what an installation from it has for people: licences, pages, examples, a module file. If these tests fail, there is nothing
# to download, or what is downloaded does not build.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    cd -P "$BATS_FILE_TMPDIR" || exit
    version=$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' "$top/include/memphis/version.h")
    export version
    make -s -C "$top" dist BUILD="$PWD/one"
    tar -xzf "one/dist/memphis-$version.tar.gz"
}

setup() {
    cd -P "$BATS_FILE_TMPDIR" || exit
    unset "${!MEMPHIS_@}" "${!PKG_CONFIG@}" CFLAGS LD_LIBRARY_PATH SOURCE_DATE_EPOCH
    archive=memphis-$version.tar.gz
}

@test "make dist makes the same bytes twice, from the repository and from an unpacked archive, also inside another repository" {
    make -s -C "$top" dist BUILD="$PWD/two"
    cmp "one/dist/$archive" "two/dist/$archive"
    git -c init.defaultBranch=main init -q .
    git -c user.name=x -c user.email=x@x.invalid commit -q --allow-empty --date=now -m x
    # Neither keys nor what was built is a source.
    touch "memphis-$version/MOK.priv" "memphis-$version/kmod/memphis.o"
    make -s -C "memphis-$version" dist
    cmp "one/dist/$archive" "memphis-$version/build/dist/$archive"
    # All packages use this time.
    [ "$("memphis-$version/packaging/source-time")" = "$("$top/packaging/source-time")" ]
    [ "$(SOURCE_DATE_EPOCH=7 "$top/packaging/source-time")" = 7 ]
    rm -r "memphis-$version/build" .git
}

@test "the archive has the sources, the manual as text, and nothing that was built" {
    run -0 tar -tzf "one/dist/$archive"
    grep -qx "memphis-$version/Makefile" <<< "$output"
    grep -qx "memphis-$version/packaging/files" <<< "$output"
    run ! grep -E "^memphis-$version/(build|\.git)/|\.o$|\.ko$" <<< "$output"
    grep -qx '       memphis record \[options\] -- COMMAND \[ARGUMENT...\]' "memphis-$version/docs/manual/memphis.1.txt"
    [ "$(find "memphis-$version/docs/manual" | wc -l)" -eq $(($(find "$top/man" -type f | wc -l) + 1)) ]
    # What tar's user may not write, nobody may.
    [ -z "$(find "memphis-$version" -perm /022 ! -type l)" ]
}

# installs TREE PREFIX: installs from the unpacked archive what is built already.
installs() {
    make -s -C "$1" MAKE=true PACKAGES=true BUILD="$top/build" install prefix="$2"
}

@test "the installation has licences, pages with working links, the manual as text, and examples" {
    make -s -C "$top" lib tool
    installs "memphis-$version" "$PWD/prefix"
    cd prefix/share/doc/memphis
    cmp LICENSES/GPL-2.0-only.txt "$top/LICENSES/GPL-2.0-only.txt"
    grep -q '^NAME$' docs/manual/memphis-report.1.txt
    ls docs/installing.md docs/decisions/python.md examples/languages/timestep.c examples/tutorial/heat.F90
    local pictures
    mapfile -t pictures < <(grep -o 'docs/pictures/[a-z-]*\.webp' README.md)
    [ "${#pictures[@]}" -gt 0 ]
    ls "${pictures[@]}"
}

@test "the module file makes tool, manual, library and Python interface those of the prefix" {
    make -s -C "$top" lib tool
    installs "memphis-$version" "$PWD/prefix"
    # shellcheck disable=SC2016 # the inner shell's
    run -0 env -i PATH=/usr/bin:/bin HOME="$HOME" bash -c '
        . /usr/share/modules/init/bash
        module use "$0/share/modulefiles"
        module load memphis
        type -P memphis
        echo "$LD_LIBRARY_PATH $PYTHONPATH $CMAKE_PREFIX_PATH"
        PYTHONDONTWRITEBYTECODE=1 python3 -c "import memphis; print(memphis.version())"
        pkg-config --variable=libdir memphis
        module unload memphis
        echo "$LD_LIBRARY_PATH"
        module load memphis && module load "memphis/$1"
        module list -t 2>&1 | grep -c memphis' "$PWD/prefix" "$version"
    expected="$PWD/prefix/bin/memphis
$PWD/prefix/lib $PWD/prefix/share/memphis/python $PWD/prefix
$version
$PWD/prefix/lib

1"
    [ "$output" = "$expected" ] || { printf 'found:\n%s\nexpected:\n%s\n' "$output" "$expected"; return 1; }
}

@test "the version is the same wherever it is written, and the list of changes stays short" {
    cd "$top"
    [ "$(sed -n 's/^version: //p' CITATION.cff)" = "$version" ]
    [ "$(sed -n 's/^version = "\(.*\)"/\1/p' libsampler/api/python/pyproject.toml)" = "$version" ]
    [ "$(sed -n 's/^Version: *//p' packaging/rpm/*.spec | sort -u)" = "$version" ]
    [ "$(sed -n 's/^## \([^ ]*\).*/\1/p;T;q' CHANGELOG.md)" = "$version" ]
    [ "$(wc -l < CHANGELOG.md)" -le 60 ]
}

# bats test_tags=more
@test "the archive builds where there is no git, in an empty directory, and the installed tool records and reports" {
    mkdir -p none elsewhere
    printf '#!/bin/sh\necho git is called >&2\nexit 1\n' > none/git
    chmod +x none/git
    tar -xzf "one/dist/$archive" -C elsewhere
    run -0 env PATH="$PWD/none:$PATH" make -s -C "elsewhere/memphis-$version" install prefix="$PWD/elsewhere/prefix"
    [[ "$output" != *'git is called'* ]]
    cat > touch.c <<'TEXT'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char *tx = malloc(1 << 20);

	memset(tx, 1, 1 << 20);
	return tx[17] != 1;
}
TEXT
    gcc -g -o touch touch.c
    elsewhere/prefix/bin/memphis record -q --backend none -o run -- ./touch
    run -0 elsewhere/prefix/bin/memphis report run
    [[ "$output" == *touch* ]]
}
