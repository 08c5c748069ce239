#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Runs in which the hardware dropped most accesses without a count. If these tests fail, a report seems to be about all accesses,
# or hides that counts are too high.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# filtered FILTER SAMPLER: 30 loads from remote DRAM and 10 from local DRAM.
filtered()
{
    cat << TEXT
process 100
setting command ./model
setting hardware ibs
setting period 1000
setting count ops
setting sampler $2
setting hardware_filter $1
setting min_latency 256
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
books 50 40 0 1=10
repeat 30 8 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 10 8 sample 2000 0x401000 0x1000000 dram L 0 0
end
TEXT
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    filtered l3-miss cpu | samples misses
    filtered latency task | samples slow
    filtered none task | samples all
}

# notes RUN: prints the notes of the report about the filter, one per line.
notes()
{
    "$memphis" report --format json "$1" | jq -r '.notes[]' | grep -E 'hardware sampled|HARDWARE_FILTER was'
}

@test "the head names the filter of the hardware, and of what the share of remote DRAM is a share" {
    run -0 "$memphis" report --full misses
    grep -qx 'filters:     L3 misses only (by the hardware), at least 256 cycles' <<< "$output"
    [[ "$output" == *$'\n''remote DRAM: 75.0 % of the loads from DRAM (95 % CI 59.8 to 85.8; 30 of 40), 75.0 % of the samples,
             which are L3 misses only'$'\n'* ]]
    run -0 "$memphis" report --full slow
    grep -qx 'filters:     slow L3 misses only (by the hardware), at least 256 cycles' <<< "$output"
    run -0 "$memphis" report --full all
    grep -qx 'filters:     at least 256 cycles' <<< "$output"
    grep -qx 'remote DRAM: 75.0 % of the loads from DRAM (95 % CI 59.8 to 85.8; 30 of 40), 75.0 % of the samples' <<< "$output"
}

@test "notes say what is in no count, and that counts of threads sampled without the module are too high" {
    expect 'process 100: the hardware sampled only loads that missed the L3 (MEMPHIS_HARDWARE_FILTER): stores and hits in caches are in no count, and shares are those of such loads' "$(notes misses)"
    expect 'process 100: the hardware sampled only loads that missed the L3 and took longer than its threshold (MEMPHIS_HARDWARE_FILTER): stores, hits in caches and faster loads are in no count, and shares are those of slow loads
process 100: MEMPHIS_HARDWARE_FILTER was used without the module: counts of rare loads are too high in threads that are interrupted often, and so are estimates from them' "$(notes slow)"
    [ -z "$(notes all)" ]
}

@test "the count of events of loads by source is no number of operations" {
    filtered none task | sed 's/^setting hardware ibs/setting hardware pebs\nsetting event remote-dram/' | samples by-source
    run -0 "$memphis" compare --full all by-source
    [[ "$output" == *' operations'* && "$output" != *'operations ('* ]]
    run -1 "$memphis" compare --per operation all by-source
    [ "$output" = 'memphis compare: by-source: its period counts no operations, or the hardware dropped samples without a count; compare per run or second' ]
}

@test "runs with and without the filter are compared with a note, and not per operation" {
    run -0 "$memphis" compare --full all misses
    grep -qx 'note: the runs kept different samples: hardware_filter none -> l3-miss; compare only what all of them kept (--select)' <<< "$output"
    [ "$("$memphis" compare --format json all misses | jq -c '.runs | map([.hardware_filter, .drop, .min_latency, .operations])')" = '[["none","none","256",50000],["l3-miss","none","256",0]]' ]
    run -0 "$memphis" compare --full all all
    ! grep 'different samples' <<< "$output" || false
    run -1 "$memphis" compare --per operation all misses
    [ "$output" = 'memphis compare: misses: its period counts no operations, or the hardware dropped samples without a count; compare per run or second' ]
}
