#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Planted defects on the emulated machine: one program for each pattern that the report names, and programs without a defect. If
# these tests fail, the report gives wrong advice, or none where it is needed.

bats_require_minimum_version 1.5.0
load ../environment

# Zen 4, because its samples mark lines that another cache held modified. Two nodes with CPUs; node 2 is memory-only.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    export work=$top/build/test/diagnosis
    local status=0

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 tests/vm/diagnosis/guest.sh "$work/bin"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -Iinclude -Ibuild/include -o "$work/bin/defects" tests/vm/diagnosis/defects.c \
        -Lbuild/lib -lmemphis -Wl,-rpath,'$ORIGIN'
    # Without PIE, since the exact counts have run-time addresses.
    gcc -O2 -g -Wall -Wextra -Werror -no-pie -Iinclude -Ibuild/include -o "$work/bin/walks" tests/vm/diagnosis/walks.c \
        -Lbuild/lib -lmemphis -Wl,-rpath,'$ORIGIN'
    machine/kbuild 6.12 kmod build/kmod/6.12 > "$work/kbuild.txt" 2>&1
    machine/run --kernel 6.12 --cpu genoa --memory-only-node 512 --l3 1024 --timeout 1800 --module build/kmod/6.12/memphis.ko \
        --put "$work/bin" --get "/root/out:$work/out" --truth "$work/truth.tsv" --log "$work/guest.log" -- \
        sh "$work/bin/guest.sh" "$work/bin/defects" /root/out first-touch first-touch-all first-touch-library read-shared partition interleaved-parts serial moved-thread \
        moved-pages memory-only false-sharing true-sharing local borders interleaved padded > "$work/guest.txt" 2>&1 || status=$?
    echo "$status" > "$work/guest.status"
}

line_of() {
    grep -n "LINE: $1 " "$top/tests/vm/diagnosis/defects.c" | cut -d: -f1
}

# findings PROGRAM SELECTION: prints the findings of the report with sample counts, shares, threads and addresses masked, since
# these differ between runs. The barrier between the threads causes true sharing of its words; whether enough for a finding is
# chance, so that finding is dropped. So are findings of strides: most programs use one element of each cache line, to miss the caches.
findings() {
    "$top/build/bin/memphis" report --format paper --select "$2" "$work/out/$1" |
        sed 's/; [^;]* is read in small parts at .*//; s/; and interchange the loops .*//' |
        sed -n '/^finding: \[bss\]:barrier /{n; d}; /^finding: .* is read in small parts /{n; d}; /^finding: /p; /^try: /p' |
        sed -E 's/: [0-9]+ samples, [0-9.]+ % of the [^(]+ \(95 % CI [0-9.]+ to [0-9.]+\)//; s/thread [0-9]+ /thread N /g
            s/0x[0-9a-f]+-0x[0-9a-f]+/RANGE/g; s/\([0-9.]+ % of the samples are stores\)/(few stores)/'
}

@test "the programs end as they do without Memphis, and the kernel logged no complaint" {
    cat "$work/guest.txt"
    [ "$(cat "$work/guest.status")" -eq 0 ]
    [ "$(cat "$work"/out/*.status | sort | uniq -c | tr -s ' ')" = " 17 0" ]
    [ "$(cat "$work"/out/*.err)" = "" ]
}

# More than 60 samples are expected for each pattern below; fewer than the 20 that a finding needs have a probability below
# 1e-9.

@test "a variable first touched by one thread and used by two nodes is found" {
    run -0 findings first-touch remote-dram
    [ "$output" = "finding: [heap]:field lies on node 0, where thread N (defects) wrote it first at defects.c:$(line_of initialise) (write_all), and is used by nodes 0 and 1, each using a different part, 100 % in region first-touch
try: initialise it in parallel at defects.c:$(line_of initialise) (write_all), with each thread writing the part that it uses later at defects.c:$(line_of update) (update) (allocated at defects.c:$(line_of allocation)); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %" ]
    run -0 findings first-touch-all remote-dram
    [ "$output" = "finding: [heap]:field lies on node 0, where thread N (defects) wrote it first at defects.c:$(line_of initialise) (write_all), and is used by nodes 0 and 1, all using the same parts, 100 % in region first-touch-all
try: interleave its pages, allocated at defects.c:$(line_of allocation): node 0's part of these accesses would go from 100 % to 50 %, which spreads them, but makes few of them local; if the schedule is dynamic, make it static instead, and let each thread initialise the part that it uses" ]
}

@test "a variable first touched by memset has the line of the program that called it" {
    run -0 findings first-touch-library remote-dram
    [ "$output" = "finding: [heap]:field lies on node 0, where thread N (defects) wrote it first at defects.c:$(line_of clear) (main_clears) via memset, and is used by nodes 0 and 1, each using a different part, 100 % in region first-touch-library
try: initialise it in parallel at defects.c:$(line_of clear) (main_clears) via memset, with each thread writing the part that it uses later at defects.c:$(line_of update) (update) (allocated at defects.c:$(line_of allocation)); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %" ]
}

@test "a variable that all threads read is found" {
    run -0 findings read-shared remote-dram
    [ "$output" = "finding: [heap]:field is read by nodes 0 and 1, all reading the same parts, and since then hardly written (few stores); it lies on node 0, 100 % in region read-shared
try: give each node a copy (allocated at defects.c:$(line_of allocation); initialised at defects.c:$(line_of initialise) (write_all)); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %" ]
}

@test "a variable is found whose node-local parts are each used by the other node" {
    run -0 findings partition remote-dram
    [ "$output" = "finding: [heap]:field lies on other nodes than those that use it: RANGE are on node 0 and used by node 1; RANGE are on node 1 and used by node 0, 100 % in region partition
try: let those threads that use a part initialise it at defects.c:$(line_of initialise) (write_all) (allocated at defects.c:$(line_of allocation)), or divide the work at defects.c:$(line_of update) (update) as the initialisation was: the same schedule, threads bound to CPUs" ]
}

@test "a variable is found whose pages are interleaved, although each node uses a part" {
    run -0 findings interleaved-parts remote-dram
    [ "$output" = "finding: [heap]:field lies on other nodes than those that use it: RANGE are on several nodes and used by node 0; RANGE are on several nodes and used by node 1, 100 % in region interleaved-parts
try: let those threads that use a part initialise it at defects.c:$(line_of initialise) (write_all) (allocated at defects.c:$(line_of allocation)), without interleaving (numactl, mbind(2)), or divide the work at defects.c:$(line_of update) (update) as the initialisation was: the same schedule, threads bound to CPUs" ]
}

@test "a variable is found that is distributed over the nodes but used by one thread" {
    run -0 findings serial remote-dram
    [ "$output" = "finding: [heap]:field lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread N (defects) on node 0, 100 % of them, most at defects.c:$(line_of read) (read_all), 100 % in region serial
try: divide the loop at defects.c:$(line_of read) (read_all) among the threads, so that each uses the data of its own node; or let the owners pack the data that the one thread needs" ]
}

@test "a variable is found whose threads moved away from its pages, and one whose pages moved away from its threads" {
    run -0 findings moved-thread remote-dram
    [ "$output" = "finding: [heap]:field was left behind: thread N (defects) began to use it on node 0, where its pages are, and now uses it from node 1, 100 % in region moved-thread
try: bind threads to CPUs (OMP_PROC_BIND, taskset, numactl --cpunodebind), or move the pages after them (migratepages(8), move_pages(2))" ]
    run -0 findings moved-pages remote-dram
    [ "$output" = "finding: [heap]:field was moved away from node 0, whose threads go on using it, 100 % in region moved-pages
try: find out who moves the pages (automatic NUMA balancing, migratepages, cpusets), and bind the memory to its users' node (mbind(2), numactl)" ]
}

@test "a variable on a memory-only node is found" {
    run -0 findings memory-only remote-dram
    [ "$output" = "finding: [heap]:field lies on node 2, which has no CPUs: every access is remote, 100 % in region memory-only
try: place it on a node with CPUs (mbind(2), numactl --membind), allocated at defects.c:$(line_of allocation), and leave less used data there" ]
}

# Chance decides which two of the four members lead, and how many of the 16 reported lines were sampled in two threads.
@test "cache lines that several threads write are found, for false and for true sharing" {
    run -0 findings false-sharing hitm
    [ "$(sed -E 's/\((first|second|third|fourth), (first|second|third|fourth)\)/(MEMBERS)/; s/same ([2-9]|1[0-6]) cache lines/same N cache lines/' <<< "$output")" = "finding: [bss]:together has false sharing: threads use different words (MEMBERS) of the same N cache lines, which go to and fro between the caches of 4 threads, most at defects.c:$(line_of together) (count_together), 100 % in region false-sharing
try: pad or align what each thread writes, so that it has cache lines of its own" ]
    run -0 findings true-sharing hitm
    [ "$(sed -E 's/words in ([2-9]|1[0-6]) cache lines/words in N cache lines/' <<< "$output")" = "finding: [bss]:totals is written by several threads: they share words in N cache lines, which go to and fro between the caches of 4 threads, most at defects.c:$(line_of totals) (count_totals), 100 % in region true-sharing
try: give each thread a copy of its own and combine them at the end; take a lock less often, or split it" ]
}

@test "nothing is found in programs without a defect: local data, exchange at borders, even distribution, separate cache lines" {
    local program selection

    for program in local borders interleaved padded; do
        for selection in remote-dram dram; do
            run -0 findings "$program" "$selection"
            [ "$output" = "" ]
        done
    done
    for program in local padded; do
        run -0 findings "$program" hitm
        [ "$output" = "" ]
    done
}

# walk FUNCTION: prints the report's loads of the marked line of a walk, as JSON.
walk()
{
    "$top/build/bin/memphis" report --format json --select dram "$work/out/walks" |
        jq -c --argjson line "$(grep -n "LINE: $1 " "$top/tests/vm/diagnosis/walks.c" | cut -d: -f1)" \
            '.heatmaps[] | select(.variable == "matrix") | .loads[] | select(.line == $line)'
}

@test "of a matrix that is read along its rows and along its columns, the walk along the columns is found, and only that" {
    run -0 cat "$work/out/walks.out"
    [ "$output" = "walks done" ]
    run -0 jq -c '[.findings[] | .strided // (select(.pattern == "strided") | .evidence + {variables}) | [.variables[0].variable, .line, .function]]' \
        <("$top/build/bin/memphis" report --format json "$work/out/walks")
    [ "$output" = "[[\"matrix\",$(grep -n "LINE: columns " "$top/tests/vm/diagnosis/walks.c" | cut -d: -f1),\"along_columns\"]]" ]
    run -0 "$top/build/bin/memphis" report --full "$work/out/walks"
    [[ $(tr -s ' \n' '  ' <<< "$output") == *" strided: [bss]:matrix "*"is read in small parts at walks.c:"*" (along_columns): 8 of the 64 bytes of each cache line that it fetches (95 % CI 8 to 9) evidence: "* ]]
}

# The exact bytes lie outside 2.6 times the interval, about five standard deviations, in 1 of 1,000,000 runs.
@test "the bytes that are read of each cache line agree with the exact counts of loads and misses" {
    local name exact fetched

    for name in rows columns; do
        read -r exact fetched <<< "$(tests/vm/diagnosis/read_bytes.py "$work/truth.tsv" "$work/bin/walks" "along_$name" 8)"
        echo "$name: exactly $exact bytes, $fetched lines"
        walk "$name"
        walk "$name" | jq -e --argjson exact "$exact" '.fetched >= 20 and .read_bytes.low <= .read_bytes.bytes and .read_bytes.bytes <= .read_bytes.high
            and ([$exact, 64] | min) >= .read_bytes.bytes - 2.6 * (.read_bytes.bytes - .read_bytes.low)
            and ([$exact, 64] | min) <= .read_bytes.bytes + 2.6 * (.read_bytes.high - .read_bytes.bytes) + 0.01'
    done
}
