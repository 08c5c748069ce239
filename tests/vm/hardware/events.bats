#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The case study, once sampled by load latency and once by the event of loads from remote DRAM, in one boot of a Skylake. If these
# tests fail, what a report blames depends on the kind of sampling.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD work=$PWD/build/test/events
    local program=$top/build/examples/cice_halo/cice_halo guest=$top/examples/cice_halo/demo-guest

    rm -rf "$work"
    mkdir -p "$work"
    machine/kbuild 6.12 kmod build/kmod/6.12 > "$work/kbuild.txt" 2>&1
    machine/run --kernel 6.12 --cpu skylake --timeout 1800 --log "$work/guest.log" --module build/kmod/6.12/memphis.ko \
        --put "$program" --put "$guest" --get "/root/out/latency:$work/latency" --get "/root/out/event:$work/event" -- \
        sh -c "MEMPHIS_EVENT=load-latency $guest /root/out $program latency:base:2:401 &&
            MEMPHIS_EVENT=remote-dram $guest /root/out $program event:base:2:101" > "$work/run.txt" 2>&1 ||
        { tail -40 "$work/run.txt"; return 1; }
    for run in latency event; do
        build/bin/memphis report --format json -o "$work/$run.json" "$work/$run"
    done
}

@test "the two kinds of sampling name the same variables and lines on each node, with shares that differ by chance alone" {
    run "$top/tests/vm/hardware/events/compare.py" "$work/latency.json" "$work/event.json"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "first are the fields that the master copies, at the line of the copy" {
    line=ice_boundary.F90:$(grep -n 'array(iSrc, jSrc, k, l, srcBlock)' "$top/examples/cice_halo/ice_boundary.F90" | cut -d: -f1 | sed -n 1p)
    for run in latency event; do
        [ "$(jq -r '.nodes[] | select(.node == 0) | .variables[:4] | map(.name) | sort | join(" ")' "$work/$run.json")" = 'ice_state::trcrn tc tx ty' ]
        [ "$(jq -r '.nodes[] | select(.node == 0) | .variables[:4][].instructions[0] | "\(.file | sub(".*/"; "")):\(.line)"' "$work/$run.json" | sort -u)" = "$line" ]
    done
}
