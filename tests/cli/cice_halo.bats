#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The case study on this machine, without sampling hardware. If these tests fail, its
# variants compute different results, and comparing their reports is meaningless.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    make -s -C examples/cice_halo BUILD="$PWD/build" plain
    export program=$PWD/build/examples/cice_halo/cice_halo-plain
    export OMP_WAIT_POLICY=passive
}

small() {
    "$program" --nx 5 --ny 7 --k 3 --l 2 --blocks 6 --steps 9 --verify "$@"
}

@test "fields are identical to the last bit for every variant, distribution and number of threads" {
    for threads in 1 2 3 4 7; do
        for variant in base mod1 mod2; do
            for distribution in roundrobin contiguous; do
                OMP_NUM_THREADS=$threads small --variant $variant --distribution $distribution > "$BATS_TEST_TMPDIR/out"
                grep -x 'wrong ghost cells 0' "$BATS_TEST_TMPDIR/out"
                grep '^checksum ' "$BATS_TEST_TMPDIR/out" >> "$BATS_TEST_TMPDIR/checksums"
            done
        done
    done
    [ "$(wc -l < "$BATS_TEST_TMPDIR/checksums")" = 30 ]
    [ "$(sort -u "$BATS_TEST_TMPDIR/checksums")" = "checksum F0812132DE4405BE" ]
}

@test "the checksum differs for another number of steps" {
    run -0 small --steps 8
    [[ "$output" != *"checksum F0812132DE4405BE"* ]]
}

@test "timers are printed with their number of calls" {
    run -0 small
    [[ "$output" =~ TimeLoop\ +[0-9.]+\ s\ +1\ calls ]]
    [[ "$output" =~ Bound\ +[0-9.]+\ s\ +9\ calls ]]
    [[ "$output" =~ ice_halo4dr8\ +[0-9.]+\ s\ +36\ calls ]]
    [[ "$output" =~ ice_halo4dr8_lclcpy\ +[0-9.]+\ s\ +36\ calls ]]
}

@test "sizes beyond the static arrays are refused, and the error names where the limit is defined" {
    run -2 "$program" --nx 15
    [ "$output" = "cice_halo: --nx 15: must be from 2 to 14 (limits: ice_domain_size.F90)" ]
    run -2 "$program" --blocks 0
    [ "$output" = "cice_halo: --blocks 0: must be from 1 to 16 (limits: ice_domain_size.F90)" ]
}

@test "unknown options and values are refused" {
    run -2 "$program" --variant mod3
    [ "$output" = "cice_halo: --variant mod3: must be base, mod1 or mod2" ]
    run -2 "$program" --steps 1e3
    [ "$output" = "cice_halo: --steps 1e3: not a number" ]
    run -2 "$program" --frobnicate
    [ "$output" = "cice_halo: --frobnicate: unknown option, or its value is missing; see --help" ]
}
