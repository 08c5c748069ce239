# SPDX-License-Identifier: BSD-3-Clause
# What the tests of the commands share: the tool, the maker of samples, and the programs they point into.
# shellcheck disable=SC2034  # used by the tests that load this

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
memphis=$root/build/bin/memphis
programs=$root/tests/cli/programs

# Builds the tool, and the maker of samples into $BATS_FILE_TMPDIR.
build_tools()
{
    make -s -C "$root/postproc" BUILD="$root/build" > /dev/null || return 1
    gcc -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -I"$root/include" "$root"/tests/cli/samples/*.c \
        -o "$BATS_FILE_TMPDIR/make_samples" -ldw -lelf
}

# samples DIRECTORY < DESCRIPTION
samples()
{
    rm -rf "$1"
    mkdir -p "$1"
    "$BATS_FILE_TMPDIR/make_samples" "$1"
}

# Addresses of programs depend on the compiler: 0x* in their place.
masked()
{
    sed -E 's/0x[0-9a-f]+/0x*/g'
}

# Number of the first line of FILE that holds TEXT: line FILE TEXT
line()
{
    grep -nF -- "$2" "$1" | head -1 | cut -d : -f 1
}

# Like diff, in the way that bats shows: expect EXPECTED ACTUAL
expect()
{
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# The report in the format of the papers, whose lines tests pick apart: paper [OPTION|DIRECTORY|FILE...]
paper()
{
    "$memphis" report --format paper "$@"
}
