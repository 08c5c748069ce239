#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Which allocations the files contain, and that each one is recorded or counted. The stand-in for the device takes no samples;
# the library does everything else as usual. If these tests fail, blocks have no names, or the names of other blocks.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    export build=${BUILD:-$top/build}
    export work=$build/test/library-allocations
    # shellcheck disable=SC2054 # commas are the linker's
    local link=(-I"$top/include" -I"$build/include" -L"$build/lib" -lmemphis -Wl,-rpath,"$build/lib") program

    make -s -C "$top/postproc" BUILD="$build" >&2
    rm -rf "$work"
    mkdir -p "$work"
    cd "$BATS_TEST_DIRNAME/programs/allocations" || exit
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -I"$top/include" -shared -fPIC -o "$work/idle.so" ../idle_device.c -ldl
    # Without -fno-builtin the compiler removes calls of malloc() whose result has no effect.
    for program in allocations held tally; do
        gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -Wall -Wextra -Werror -pthread -o "$work/$program" "$program.c" "${link[@]}" -ldl
    done
    gcc -std=gnu11 -O1 -g -fno-builtin -Wall -Wextra -Werror -o "$work/forked" forked.c "${link[@]}" "$work/idle.so" -Wl,-rpath,"$work"
    gcc -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-builtin -Wall -Wextra -Werror -pthread -o "$work/stacks" stacks.c "${link[@]}" "$work/idle.so" -Wl,-rpath,"$work"
    g++ -O1 -g -Wall -Wextra -Werror -fsized-deallocation -o "$work/operators" operators.cc "${link[@]}"
    g++ -O1 -g -fno-builtin -Wall -Wextra -Werror -fsized-deallocation -pthread -I"$top/include" -o "$work/small" small.cc "${link[@]}"
    gfortran -O1 -g -Wall -Werror -o "$work/allocate" allocate.F90 "${link[@]}"
}

setup() {
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/out MEMPHIS_RECORD=at-once MEMPHIS_SMALL_BYTES=0
}

# record COMMAND...: runs the command with the library. Sets $events to a file of its allocation events, one per line, in time order.
record() {
    # The variables are set by env, as programs that bats itself starts must not be recorded.
    run --separate-stderr env MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" "$@"
    [ "$status" = 0 ] || [ "$status" = 5 ]
    # shellcheck disable=SC2154 # set by run
    [ "$stderr" = "" ]
    events=$BATS_TEST_TMPDIR/events
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.memphis > "$BATS_TEST_TMPDIR/dump"
    grep -E "^(malloc|free|map|share|unmap|small) " "$BATS_TEST_TMPDIR/dump" | sort -t= -k2,2n > "$events"
}

# life BYTES: prints the events at the address of the only block of that size, from its allocation on, such as `malloc free`.
life() {
    awk -v size="size_bytes=$1" '
        { for (i = 2; i <= NF; i++) if ($i ~ /^address=/) at = $i }
        index($0 " ", " " size " ") && ($1 == "malloc" || $1 == "map" || $1 == "share" || $1 == "small") { block = at; blocks++ }
        block && at == block { text = text (text == "" ? "" : " ") $1 }
        END { print blocks == 1 ? text : blocks " blocks" }' "$events"
}

# of_process PID KEY: prints the number of the last line with that key in the process file.
of_process() {
    find "$MEMPHIS_OUTPUT" -name "*.$1.process.memphis" -exec "$build/bin/memphis" dump {} + | awk -v key="$2" '$1 == key { last = $2 } END { print last + 0 }'
}

@test "every function of the allocator is tracked, for blocks of at least the threshold" {
    local size
    record "$work/allocations"
    for size in 10003 10004 10005 10048 10007 10008 10009; do
        [ "$(life "$size" | cut -d' ' -f1,2)" = 'malloc free' ] || { echo "$size: $(life "$size")"; false; }
    done
    [ "$(life 4095)" = ' blocks' ]
    [ "$(grep -c '^malloc .* size_bytes=4096 ' "$events")" = 1 ]
    # Every allocation has a call stack.
    [ "$(grep -E '^(malloc|map) ' "$events" | grep -cv 'stack=[1-9]')" = 0 ]
}

@test "realloc records the previous block, and the end of a block that shrinks below the threshold" {
    local old
    record "$work/allocations"
    [ "$(life 10001 | cut -d' ' -f1,2)" = 'malloc free' ]
    old=$(sed -n 's/^malloc .*address=\(0x[0-9a-f]*\) size_bytes=10002 .*/\1/p' "$events")
    grep -Eq "^malloc .* size_bytes=1000020 .*previous=$old( |$)" "$events"
    [ "$(life 1000020 | cut -d' ' -f1,2)" = 'malloc free' ]
    # realloc(block, 0)
    [ "$(life 10011 | cut -d' ' -f1,2)" = 'malloc free' ]
}

@test "a name has at most 255 bytes, and does not change the name that is given next" {
    record "$work/allocations"
    [ "$(sed -nE 's/^  [0-9]+ 0x[0-9a-f]+ (10003|10004) /\1 /p' "$BATS_TEST_TMPDIR/dump")" = "10003 $(printf 'n%.0s' {1..255})
10004 other" ]
}

@test "maps are tracked (shared, file-backed, partly unmapped, replaced, moved onto other maps), and so is brk()" {
    local map heap
    record "$work/allocations"
    map=$(($(sed -n 's/^map .*address=\(0x[0-9a-f]*\) size_bytes=90112 .*/\1/p' "$events")))
    [ "$(life 49152)" = 'map unmap' ]
    # 4000 bytes are rounded up to a page.
    grep -q "^unmap .*address=$(printf 0x%x $((map + 8192))) size_bytes=4096" "$events"
    # A map at the same address replaces it; the new map is recorded, too.
    grep -q "^unmap .*address=$(printf 0x%x $((map + 16384))) size_bytes=4096" "$events"
    grep -q "^map .*address=$(printf 0x%x $((map + 16384))) size_bytes=4096" "$events"
    [ "$(life 45056)" = 'share unmap' ]
    grep -q "^map .*address=$(printf 0x%x $((map + 24576))) size_bytes=53248 .*previous=0x" "$events"
    # mremap() with an old size of 0 makes a second view; the first map stays.
    [ "$(life 57344)" = map ]
    [ "$(life 61440)" = map ]
    # mremap() with MREMAP_DONTUNMAP moves the pages; the first map stays.
    [ "$(grep -c '^map .* size_bytes=73728 ' "$events")" = 2 ]
    [ "$(grep -c '^unmap .* size_bytes=73728 ' "$events")" = 0 ]
    # shmat() with SHM_REMAP replaces a map.
    map=$(sed -n 's/^map .*address=\(0x[0-9a-f]*\) size_bytes=77824 .*/\1/p' "$events")
    [ "$(sed -En "s/^(map|unmap|share) .*address=$map size_bytes=77824 .*/\1/p" "$events" | paste -sd' ')" = 'map unmap share' ]
    heap=$(($(sed -n 's/^map .*address=\(0x[0-9a-f]*\) size_bytes=65536 .*/\1/p' "$events")))
    grep -q "^unmap .*address=$(printf 0x%x $((heap + 65536 - 8192))) size_bytes=8192" "$events"
}

@test "libnuma's memory is tracked" {
    record "$work/allocations"
    [ "$status" = 0 ]
    [ "$(life 69632)" = 'map unmap' ]
}

@test "a larger threshold omits smaller blocks, but no event of a part of a tracked map" {
    local map
    MEMPHIS_ALLOC_MIN_BYTES=20000 record "$work/allocations"
    [ "$(life 10003)" = ' blocks' ]
    map=$(($(sed -n 's/^map .*address=\(0x[0-9a-f]*\) size_bytes=90112 .*/\1/p' "$events")))
    grep -q "^unmap .*address=$(printf 0x%x $((map + 8192))) size_bytes=4096" "$events"
    grep -q "^unmap .*address=$(printf 0x%x $((map + 16384))) size_bytes=4096" "$events"
    [ "$(grep -c "^map .*size_bytes=4096" "$events")" = 0 ]
}

@test "a taken small block is recorded whatever function allocates it, and so is its end, whoever releases it" {
    local size child old
    # With a mean of a byte, each block of more than 100 bytes is taken.
    MEMPHIS_SMALL_BYTES=1 record "$work/small"
    for size in 1001 1002 1003 1005 1088 1007 1011 1013 1017 1031 1033; do
        [ "$(life "$size" | cut -d' ' -f1,2)" = 'small free' ] || { echo "$size: $(life "$size")"; false; }
    done
    # A refused realloc() leaves the block alive.
    [ "$(life 1041)" = 'small free' ]
    # Blocks that cross the threshold: the larger block follows the smaller one, a smaller one is a new block.
    [ "$(life 5001 | cut -d' ' -f1,2)" = 'malloc free' ]
    old=$(sed -n 's/^small .*address=\(0x[0-9a-f]*\) size_bytes=1013 .*/\1/p' "$events")
    grep -Eq "^malloc .* size_bytes=6001 previous=$old " "$events"
    # The child releases the block that it inherited; in the parent, it lives.
    [ "$(grep -c '^small .* size_bytes=1021 ' "$events")" = 1 ]
    old=$(sed -n 's/^small .*address=\(0x[0-9a-f]*\) size_bytes=1021 .*/\1/p' "$events")
    [ "$(grep -c "^free .*address=$old " "$events")" = 1 ]
    # Every taken block has a call stack, and the mean distance.
    [ "$(grep '^small ' "$events" | grep -cvE ' mean_bytes=1 stack=[1-9]')" = 0 ]
    [ "$(grep -c '^small ' "$events")" -ge 100000 ]
}

@test "small blocks are taken by their bytes, not at all if that is switched off, and none is lost in silence" {
    local taken
    record "$work/small"
    [ "$(grep -c '^small ' "$events")" = 0 ]
    rm -rf "$MEMPHIS_OUTPUT"
    # 6.4 million bytes at a mean of 2048 are 3125 events, 3077 blocks; 5 standard deviations are 277.
    MEMPHIS_SMALL_BYTES=2048 record "$work/small"
    taken=$(grep -c '^small .* size_bytes=64 ' "$events")
    echo "$taken blocks"
    [ "$taken" -gt 2800 ]
    [ "$taken" -lt 3354 ]
    rm -rf "$MEMPHIS_OUTPUT"
    # Half of 1000 records are for small blocks and their releases. The mean grows, and what does not fit is counted.
    MEMPHIS_SMALL_BYTES=1 MEMPHIS_ALLOC_MAX_RECORDS=1000 record "$work/small"
    [ "$(grep -c '^small ' "$events")" -le 250 ]
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/losses"
    grep -qE '^  small_blocks_left_out [1-9]' "$BATS_TEST_TMPDIR/losses"
    grep -qE '^  small_blocks_lost_ns [1-9]' "$BATS_TEST_TMPDIR/losses"
}

@test "C++: new and delete are tracked, with sizes and alignment" {
    local size
    record "$work/operators"
    for size in 11001 11002 11003 11136 11004; do
        [ "$(life "$size")" = 'malloc free' ] || { echo "$size: $(life "$size")"; false; }
    done
}

@test "Fortran: allocate, pointers, move_alloc and assignments that reallocate are tracked" {
    local size
    record "$work/allocate"
    for size in 12004 12008; do
        [ "$(life "$size")" = 'malloc free' ] || { echo "$size: $(life "$size")"; false; }
    done
    # 3003 elements, then 3004.
    [ "$(life 12012 | cut -d' ' -f1,2)" = 'malloc free' ]
    grep -Eq '^malloc .* size_bytes=12016 .*previous=0x' "$events"
}

@test "the number of records is bounded, and the report has the number of omitted allocations" {
    # Each record reserves room for its release. After the first block, only its realloc() is written without a sample.
    MEMPHIS_ALLOC_MAX_RECORDS=4 record "$work/allocations"
    [ "$(grep -Ec '^(malloc|map|share) ' "$events")" -eq 2 ]
    left_out=$(of_process '*' allocations_left_out)
    [ "$left_out" -ge 9 ]
    run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
    [[ "$output" == *": $left_out allocations were not recorded: the limit on records was reached, or a buffer was full"* ]]
}

@test "holders are recorded also for blocks that are allocated late, and just before the program ends" {
    local name slot block
    record "$work/held"
    "$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis > "$BATS_TEST_TMPDIR/process"
    [ "$(wc -l <<< "$output")" = 3 ]
    while read -r name slot block; do
        echo "$name"
        grep -q "^holder .*slot=$slot block=$block$" "$BATS_TEST_TMPDIR/process"
    done <<< "$output"
    # The library's own tables are not holders.
    block=${output##* }
    [ "$(sed -n "s/^holder .*\(slot=.*\) block=$block$/\1/p" "$BATS_TEST_TMPDIR/process" | sort -u | wc -l)" = 1 ]
}

# The grandchild's parent opened no caliper; or, with "at-once", it ended before it had files.
@test "inherited blocks keep their names and holders in a grandchild, unaffected by later events of its ancestors" {
    local how child
    for how in '' at-once; do
        export MEMPHIS_OUTPUT=$BATS_TEST_TMPDIR/forked-$how MEMPHIS_RECORD=$how
        [ -n "$how" ] || unset MEMPHIS_RECORD
        record "$work/forked"
        child=$(grep -l Child "$MEMPHIS_OUTPUT"/*.process.memphis)
        "$build/bin/memphis" dump "$child" > "$BATS_TEST_TMPDIR/process"
        grep -q "^holder .*slot=${output% *} block=${output#* }$" "$BATS_TEST_TMPDIR/process"
        [ "$("$build/bin/memphis" dump "${child%.process.memphis}".*memphis | grep -c '^  name forked$')" = 1 ]
        run -0 "$build/bin/memphis" report --format paper --select all "$MEMPHIS_OUTPUT"
        echo "$output"
        [ "$(sed -En 's/^[0-9]+\) (.*) \[ .*/\1/p' <<< "$output" | sort)" = '[bss]:corner
[heap]:first
[heap]:held
[heap]:other
[heap]:second' ]
    done
}

@test "a child that is created without fork handlers has its blocks, including those from before its first caliper" {
    unset MEMPHIS_RECORD # so that the library has not seen the child's thread
    record "$work/forked" raw
    run -0 "$build/bin/memphis" report --format paper --select all "$MEMPHIS_OUTPUT"
    [ "$(sed -En 's/^[0-9]+\) (.*) \[ .* \] (.*)/\1 \2/p' <<< "$output")" = '[heap]:held 1' ]
}

@test "a forked child whose exec fails is sampled, and its files are complete" {
    record "$work/forked" exec
    run -0 "$build/bin/memphis" report --format paper --select all "$MEMPHIS_OUTPUT"
    [ "$(sed -En 's/^[0-9]+\) (.*) \[ .* \] (.*)/\1 \2/p' <<< "$output")" = '[heap]:held 1' ]
    [ "$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*.process.memphis | grep -c 'type=end')" = 2 ]
}

# A thread has 65,535 stacks at most; the program has 131,072.
@test "call stacks that a thread could not store are counted, also after its end" {
    MEMPHIS_STACK_DEPTH=32 record "$work/stacks"
    [ "$(of_process '*' stacks_left_out)" = 65537 ]
    run -0 "$build/bin/memphis" report --format paper "$MEMPHIS_OUTPUT"
    [[ "$output" == *": 65537 "*stack* ]]
}

@test "of a thread that has many call stacks, further ones have fewer functions, so that none is left out" {
    record "$work/stacks"
    [ "$(of_process '*' stacks_left_out)" = 0 ]
}

# Checks that every allocation of a process is recorded or counted; $output contains the process's pid and its number of allocations.
balance() {
    local pid made records
    read -r pid made <<< "$output"
    records=$("$build/bin/memphis" dump "$MEMPHIS_OUTPUT"/*."$pid".*memphis | grep -Ec '^(malloc|map) ')
    unsampled=$(of_process "$pid" allocations_unsampled)
    left_out=$(of_process "$pid" allocations_left_out)
    echo "$made made, $records recorded, $unsampled unsampled, $left_out left out"
    [ $((records + unsampled + left_out)) -eq "$made" ] || return
    # Nothing was sampled, so the short-lived blocks of a thread are not recorded.
    [ "$unsampled" -gt $((made / 8)) ]
}

@test "each allocation of threads that ended before the first caliper is recorded or counted" {
    unset MEMPHIS_RECORD
    record "$work/tally" Late
    balance
}

@test "each allocation is recorded or counted with threads, signal handlers, a child, and an end right after the last one" {
    record "$work/tally"
    balance
    # Both processes have closed their files.
    [ "$(for file in "$MEMPHIS_OUTPUT"/*.process.memphis; do "$build/bin/memphis" dump "$file" | grep -c 'type=end'; done)" = "1
1" ]
}

@test "the library takes less than 16 MiB of address space, for programs that lock all their memory or have a limit" {
    local plain
    plain=$(cat /proc/self/statm)
    run -0 --separate-stderr env MEMPHIS_SMALL_BYTES=1 MEMPHIS_DEVICE=/dev/null LD_PRELOAD="$build/lib/libmemphis.so $work/idle.so" cat /proc/self/statm
    echo "$plain, with the library $output"
    # Numbers of pages.
    [ $((${output%% *} - ${plain%% *})) -gt 256 ]
    [ $((${output%% *} - ${plain%% *})) -lt 4096 ]
}
