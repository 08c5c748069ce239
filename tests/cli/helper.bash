# SPDX-License-Identifier: BSD-3-Clause
# Helpers for the tests of the commands: build the tool, make sample files, and compare output.
# shellcheck disable=SC2034  # used by the tests that load this

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
memphis=$root/build/bin/memphis
programs=$root/tests/cli/programs

# Builds the tool and make_samples, unless they are up to date.
build_tools()
{
    make -s -C "$root/postproc" BUILD="$root/build" > /dev/null || return 1
    make -s -C "$root/tests/cli/samples" BUILD="$root/build"
}

# What most files of tests do, which others replace.
setup_file()
{
    build_tools
}

setup()
{
    cd -P "$BATS_FILE_TMPDIR" || exit
}

# samples DIRECTORY < DESCRIPTION: replaces DIRECTORY with sample files that make_samples writes from the description.
samples()
{
    rm -rf "$1"
    mkdir -p "$1"
    "$root/build/cli/make_samples" "$1"
}

# Replaces addresses, which depend on the compiler, with 0x*.
masked()
{
    sed -E 's/0x[0-9a-f]+/0x*/g'
}

# line FILE TEXT: prints the number of the first line of FILE that contains TEXT.
line()
{
    grep -nF -- "$2" "$1" | head -1 | cut -d : -f 1
}

# expect EXPECTED ACTUAL: fails with a diff unless both are equal; bats shows the diff.
expect()
{
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# paper [OPTION|DIRECTORY|FILE...]: prints the report in the format of the papers, whose lines the tests parse.
paper()
{
    "$memphis" report --format paper "$@"
}
