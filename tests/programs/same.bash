# SPDX-License-Identifier: BSD-3-Clause
# What the two test files of the table `rows` share. They set `level` to that of the rows that they run.

setup_file() {
    export rows=$top/tests/programs/run
    make -s -C "$top/libsampler" BUILD="${BUILD:-$top/build}" >&2
    make -s -C "$top/postproc" BUILD="${BUILD:-$top/build}" >&2
}

# same GROUP: runs the rows of a group that can run on this host; those that fail are shown.
same() {
    run "$rows" --level "$level" --group "$1"
    grep -v '^ok ' <<< "$output"
    [ "$status" -eq 0 ]
}

# Fails unless the file has a test of each group.
check_groups() {
    run -0 "$rows" --groups
    [ "$output" = "$(sed -n 's/^    same //p' "$BATS_TEST_FILENAME")" ]
}

# Fails if a row needs a package that is missing. Skips if rows need what the host forbids.
check_left_out() {
    run -0 "$rows" --level "$level" --left-out
    [[ "$output" != *package:* ]]
    [ "$output" = '' ] || skip "rows of programs need what is forbidden here: $(sed 's/.* needs //' <<< "$output" | sort -u | paste -sd, )"
}
