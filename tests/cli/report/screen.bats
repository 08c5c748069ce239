#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The first screen of the text report. If these tests fail, a reader in a hurry reads the wrong thing first, or too much.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# process PID HOST COMMAND: begins a process on a machine with two nodes.
process()
{
    printf 'process %d\nsetting host %s\nsetting command %s\n' "$1" "$2" "$3"
    printf 'setting %s\n' 'hardware ibs' 'backend device' 'period 1000' 'count ops' 'mode program'
    printf '%s\n' 'node 0 1073741824 0-1 10,21' 'node 1 1073741824 2-3 21,10' 'map 0x1000000 0x9000000 rw-p 0x0 - [heap]'
}

# rank NUMBER VARIABLES: prints a rank on node 0 whose variables, and those that no other rank has, are on node 1.
rank()
{
    local i

    process $((1000 + $1)) "node$(printf %03d $(($1 / 2)))" "'/home/alice/ocean model/bin/$(printf 'x%.0s' {1..90})' --steps 10"
    printf 'setting rank %d\nsetting ranks 64\nmaps 100\nend\nthread %d\nfact name model\n' "$1" $((1000 + $1))
    for ((i = 0; i < $2; i++)); do
        printf 'malloc %d 0x%x 65536 0\nname %d 0x%x 65536 %s\n' $((100 + i)) $((0x1000000 + 65536 * i)) \
            $((100 + i)) $((0x1000000 + 65536 * i)) "a_very_long_name_of_a_field_of_the_ocean_model_number_$i"
    done
    echo "books $(((30 + 20) * $2)) $(((30 + 20) * $2)) 0"
    for ((i = 0; i < $2; i++)); do
        printf 'repeat 30 256 sample 2001 0x%x 0x%x dram LR 0 1 1 700\n' $((0x401000 + 4 * i)) $((0x1000000 + 65536 * i))
        printf 'repeat 20 256 sample 2002 0x%x 0x%x dram L 0 0 0 200\n' $((0x401000 + 4 * i)) $((0x1000000 + 65536 * i))
    done
    echo end
}

# many: prints a process with seven variables, each on a node of its own, read by a function of its own: one half by a thread on node 0, the other by one there.
many()
{
    local distances i j

    printf 'process 200\nsetting host n01\nsetting command ./model\n'
    printf 'setting %s\n' 'hardware ibs' 'backend device' 'period 1000' 'count ops' 'mode program'
    for ((i = 0; i < 8; i++)); do
        printf -v distances '%s,' "$(for ((j = 0; j < 8; j++)); do echo $((i == j ? 10 : 21)); done | paste -sd,)"
        printf 'node %d 1073741824 %d-%d %s\n' "$i" $((2 * i)) $((2 * i + 1)) "${distances%,}"
    done
    printf 'map 0x1000000 0x9000000 rw-p 0x0 - [heap]\nmap 0x400000 0x500000 r-xp 0x0 - /nowhere/model\nmaps 100\nend\nthread 200\n'
    for ((i = 0; i < 7; i++)); do
        printf 'malloc %d 0x%x 65536 0\nname %d 0x%x 65536 field_%d\n' $((100 + i)) $((0x1000000 + 65536 * i)) $((100 + i)) \
            $((0x1000000 + 65536 * i)) "$i"
    done
    echo 'books 700 700 0'
    for ((i = 0; i < 7; i++)); do
        printf 'repeat 100 256 sample 2001 0x%x 0x%x dram LR 0 %d 1 700\n' $((0x401000 + 256 * i)) $((0x1000000 + 65536 * i)) $((i + 1))
    done
    for ((i = 0; i < 7; i++)); do
        printf 'end\nthread %d\nbooks 100 100 0\n' $((201 + i))
        printf 'repeat 100 256 sample 2001 0x%x 0x%x dram L %d %d 0 200\n' $((0x401000 + 256 * i)) $((0x1008000 + 65536 * i)) $((i + 1)) $((i + 1))
    done
    echo end
}

# scattered: prints a process whose two threads, on two nodes, read all pages of an interleaved variable.
scattered()
{
    local thread page

    process 200 n01 ./model
    printf 'map 0x400000 0x500000 r-xp 0x0 - /nowhere/model\nmaps 100\n'
    for thread in 0 1; do
        printf 'end\nthread %d\n' $((200 + thread))
        [ "$thread" = 1 ] || printf 'malloc 100 0x1000000 65536 0\nname 100 0x1000000 65536 grid\n'
        echo 'books 320 320 0'
        for ((page = 0; page < 16; page++)); do
            if [ $((page % 2)) = "$thread" ]; then
                printf 'repeat 20 64 sample 2001 0x401000 0x%x dram L %d %d 0 200\n' $((0x1000000 + 4096 * page)) "$thread" "$thread"
            else
                printf 'repeat 20 64 sample 2001 0x401000 0x%x dram LR %d %d 1 700\n' $((0x1000000 + 4096 * page)) "$thread" $((1 - thread))
            fi
        done
    done
    echo end
}

setup_file()
{
    local i

    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    for ((i = 0; i < 64; i++)); do
        rank "$i" 100
    done | samples job
    rank 0 1 | samples one
    many | samples many
    scattered | samples scattered
    cat <(process 100 n01 ./model) - <<'TEXT' | samples none
maps 100
end
thread 100
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
books 1130 1020 100 1=10
repeat 1000 8 sample 2001 0x401000 0x1000000 dram L 0 0 0 200
repeat 10 256 sample 2001 0x401000 0x1000000 dram LR 0 1 1 700
repeat 10 256 sample 2001 0x401000 0x7000000 dram LR 0 1 1 700
end
TEXT
}

# screen COLUMNS [OPTION...]: prints the first screen; fails if there are more than 40 lines, or if one is wider.
screen()
{
    local columns=$1 screen=$BATS_TEST_TMPDIR/screen

    shift
    COLUMNS=$columns "$memphis" report "$@" > "$screen"
    cat "$screen"
    [ "$(wc -l < "$screen")" -le 40 ] || return
    [ "$(wc -L < "$screen")" -le "$columns" ]
}

@test "64 ranks with 100 variables, each with 1 % of the samples: one cause, on one screen" {
    run -0 screen 80 job
    expect 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxx --steps 10
64 ranks, 64 processes, 64 threads, 32 hosts (node000, node001, node002, ...)
AMD IBS, backend device, period 1000 ops, from start to end

60.0 % of the loads from DRAM go to another node (95 % CI 59.8 to 60.2). Waiting
for remote DRAM is 84.0 % of all waiting for data from beyond the L2; if all
data were local, at most 60.0 % would be saved (95 % CI 37.3 to 83.0).
Verdict: placing memory better is worth it: 420 cycles of remote latency per op
(95 % CI 418 to 422), above the limit of 0.1

CAUSES                                        could save at most, of the waiting
1  at an unknown place                                                    60.0 %
   serial-phase: one thread on node 0 makes 100 % of the remote accesses; the
   data are on nodes 0, 1; in 64 of 64 processes
   [heap]:a_very_long_...ean_model_number_0 and 99 more
   Try: bind the process and its memory to one node before it allocates

evidence, tables by node, accounting: --full; a page: --format html' "$output"
}

@test "more causes than fit: five of seven, what limits the report, and how to see the others" {
    run -0 screen 80 many
    expect 'note: /nowhere/model is not here: its instructions have no lines; give its place
      with --binaries DIR

CAUSES                                        could save at most, of the waiting
1  at an unknown place                                                     7.9 %
   first-touch: on node 1, used by nodes 0, 1, each a different part
   [heap]:field_0
   Try: initialise in parallel, each thread the part that it uses' "$(sed -n '10,17p' <<< "$output")"
    expect '   [heap]:field_4
   Try: initialise in parallel, each thread the part that it uses

2 more causes: --full
evidence, tables by node, accounting: --full; a page: --format html' "$(tail -5 <<< "$output")"
}

@test "the narrowest screen, and a wide one" {
    run -0 screen 72 many
    COLUMNS=200 run -0 "$memphis" report --width 72 one
    expect 'Verdict: placing memory better is worth it: 420 cycles of remote latency
per op (95 % CI 283 to 600), above the limit of 0.1' "$(grep -A 1 '^Verdict' <<< "$output")"
    run -0 screen 200 many
    [ "${#lines[3]}" -gt 190 ]
}

@test "no finding: the reason; lost samples and those without a variable are told" {
    run -0 screen 80 none
    expect 'Verdict: placing memory better is worth it: 13.7 cycles of remote latency per op
(95 % CI 8.38 to 21.2), above the limit of 0.1
note: 8.9 % of the samples were lost
note: 50 % of these samples have no variable; --explain says why

No findings: too few samples, a finding needs 20 of one variable, and no
    variable has more than 10; sample 3 times as often (--period 333), or run 3
    times as long

evidence, tables by node, accounting: --full; a page: --format html' "$(sed -n '8,$p' <<< "$output")"
}

# shared LATENCY: prints a process whose two threads, on two nodes, share cache lines; one makes ten remote loads of this latency.
shared()
{
    local thread

    process 200 n01 ./model
    echo 'maps 100'
    for thread in 0 1; do
        printf 'end\nthread %d\n' $((200 + thread))
        [ "$thread" = 1 ] || printf 'malloc 100 0x1000000 65536 0\nname 100 0x1000000 65536 sums\n'
        echo 'books 80 80 0'
        printf 'repeat 40 0 sample 2001 0x401000 0x%x peer-cache LRH %d %d 1 100\n' $((0x1000000 + 8 * thread)) "$thread" "$thread"
        printf 'repeat 30 0 sample 2002 0x401008 0x%x unknown S %d %d 0 0\n' $((0x1000000 + 8 * thread)) "$thread" "$thread"
        if [ "$thread" = 0 ]; then
            echo 'repeat 10 256 sample 2003 0x401010 0x1004000 dram L 0 0 0 200'
        else
            echo "repeat 10 256 sample 2003 0x401010 0x1004000 dram LR 1 0 1 $1"
        fi
    done
    echo end
}

@test "findings of which none can be about placement: the reason follows, unless placement is not the problem" {
    shared 2000 | samples few
    run -0 screen 80 few
    expect '   Try: pad or align what each thread writes
Placement: too few samples, a finding needs 20 of one variable, and no variable
   has more than 10; sample 3 times as often (--period 333), or run 3 times as
   long

evidence, tables by node, accounting: --full; a page: --format html' "$(tail -6 <<< "$output")"
    shared 700 | samples by_caches
    run -0 screen 80 by_caches
    [[ "$output" == *'Verdict: sharing less data between nodes is worth it'* && "$output" != *'Placement:'* ]]
}

@test "a variable with most samples that no finding explains is named" {
    run -0 screen 80 scattered
    expect 'No findings: nothing significant among 1 variable (a finding needs 20 samples of
    a pattern, 2 % of its kind and 0.01 % of all)
No pattern fits [heap]:grid: 320 of the 320 samples' "$(sed -n '13,15p' <<< "$output")"
}

@test "other selections: what waits is remote DRAM, the patterns of remote loads are not looked for, and what is selected is told" {
    run -0 screen 80 --select local-dram scattered
    [[ "$output" == *'320 of 640 samples are local-dram'*'Waiting for remote'*'DRAM is 77.8 %'* ]]
    [[ "$output" != *'No pattern fits'* ]]
    run -0 screen 80 --node 1 scattered
    expect 'only node 1' "${lines[3]}"
}

@test "options that ask for tables print the whole report; a width below 72 is refused" {
    local option

    for option in --full '--by line' '--by process' '--sort latency' '--sort count' '--by instruction' '--top 3' '--instructions 2' --threads --explain; do
        # shellcheck disable=SC2086
        [[ "$("$memphis" report $option none)" == *'ACCOUNTING'* ]]
    done
    run -2 "$memphis" report --width 71 none
    [[ "$output" == *'at least 72, and at most 1000'* ]]
    expect "$(COLUMNS=80 "$memphis" report none)" "$(COLUMNS=-1 "$memphis" report none)"
    run -0 screen 1000 --width 1000 none
}

@test "the JSON report, and so the page, has the words and numbers of the screen" {
    local input words

    for input in job many scattered none; do
        words=$("$memphis" report --width 1000 "$input" | tr -s ' \n' ' ')
        "$memphis" report --format json "$input" > "$BATS_TEST_TMPDIR/report"
        while IFS= read -r line; do
            [[ "$words" == *"$line"* ]] || { echo "$input: $line"; return 1; }
        done < <(jq -r '.answer | .run, .sampling, .sentence, .verdict, .none, .unexplained, .limits[:3][], (.causes[:5][] | .place, .problem, .remedy, .saving) | values' "$BATS_TEST_TMPDIR/report")
    done
    "$memphis" report --format json many > "$BATS_TEST_TMPDIR/report"
    expect '7 1 7.9 % 0.079 all waiting for data from beyond the L2' \
        "$(jq -r '.answer | "\(.causes | length) \(.limits | length) \(.causes[0].saving) \(.causes[0].share * 1000 | round / 1000) \(.whole)"' "$BATS_TEST_TMPDIR/report")"
    "$memphis" report --format json none > "$BATS_TEST_TMPDIR/report"
    expect '0 No findings: ' "$(jq -r '.answer | "\(.causes | length) \(.none[:13])"' "$BATS_TEST_TMPDIR/report")"
    "$memphis" report --format json --node 1 scattered > "$BATS_TEST_TMPDIR/report"
    expect 'only node 1' "$(jq -r .answer.selected "$BATS_TEST_TMPDIR/report")"
}

@test "what all nodes read, and is on several of them, is not to be interleaved" {
    local node page

    {
        process 100 machine ./graph
        printf '%s\n' 'maps 100' end 'thread 100' 'malloc 1000 0x1000000 262144 0' 'name 1001 0x1000000 262144 neighbours' 'books 704 704 0'
        for node in 0 1; do
            [ "$node" = 0 ] || printf '%s\n' end 'thread 101' 'books 704 704 0'
            for ((page = 0; page < 64; page++)); do
                [ "$((page / 32))" != "$node" ] || echo "repeat 2 64 sample 200000 0x401000 $((0x1000000 + 4096 * page)) unknown S $node $node"
                if [ "$((page / 32))" = "$node" ]; then
                    echo "repeat 10 64 sample 900000000 0x401004 $((0x1000000 + 4096 * page)) dram L $node $node"
                else
                    echo "repeat 10 64 sample 900000000 0x401004 $((0x1000000 + 4096 * page)) dram LR $node $((1 - node)) 1 700"
                fi
            done
        done
        echo end
    } | samples graph
    run -0 screen 80 graph
    expect '   read-shared: read by nodes 0, 1, all the same parts, hardly written
   [heap]:neighbours
   Try: give each node a copy, or make a dynamic schedule static' "$(grep -A2 'read-shared:' <<< "$output")"
}

@test "what is on several nodes in parts, and all nodes write, is to be divided as it was initialised" {
    local node page home

    {
        process 100 machine ./model
        printf '%s\n' 'maps 100' end 'thread 100' 'malloc 1000 0x1000000 262144 0' 'name 1001 0x1000000 262144 field' 'books 768 768 0'
        for node in 0 1; do
            [ "$node" = 0 ] || printf '%s\n' end 'thread 101' 'books 768 768 0'
            for ((page = 0; page < 64; page++)); do
                home=$((page / 32))
                echo "repeat 10 64 sample 900000000 0x401004 $((0x1000000 + 4096 * page)) dram L$([ "$home" = "$node" ] || echo R) $node $home 1 700"
                echo "repeat 2 64 sample 900000001 0x401008 $((0x1000000 + 4096 * page)) unknown S $node $home"
            done
        done
        echo end
    } | samples divided
    run -0 screen 80 divided
    expect '   schedule-mismatch: each part is on one node, but several nodes use it
   [heap]:field
   Try: divide the loop as the initialisation was (schedule) if each thread
        needs a part; else pack or copy the data' "$(grep -A3 'schedule-mismatch:' <<< "$output")"
}

@test "what is on one node, and all nodes write, can be spread, or divided" {
    local node page

    {
        process 100 machine ./model
        printf '%s\n' 'maps 100' end 'thread 100' 'malloc 1000 0x1000000 262144 0' 'name 1001 0x1000000 262144 field' 'books 768 768 0'
        for node in 0 1; do
            [ "$node" = 0 ] || printf '%s\n' end 'thread 101' 'books 768 768 0'
            for ((page = 0; page < 64; page++)); do
                echo "repeat 10 64 sample 900000000 0x401004 $((0x1000000 + 4096 * page)) dram $([ "$node" = 0 ] && echo "L 0 0 1 200" || echo "LR 1 0 1 700")"
                echo "repeat 2 64 sample 900000001 0x401008 $((0x1000000 + 4096 * page)) unknown S $node 0"
            done
        done
        echo end
    } | samples shared
    run -0 screen 80 shared
    expect '   first-touch: on node 0, used by nodes 0, 1, all the same parts
   [heap]:field
   Try: interleave the pages, or make a dynamic schedule static and initialise
        in parallel' "$(grep -A3 'first-touch:' <<< "$output")"
}

@test "of interleaved memory whose parts are used by one node each, the first advice is not to interleave it" {
    local node page

    {
        process 100 machine ./model
        printf '%s\n' 'maps 100' end 'thread 100' 'malloc 1000 0x1000000 262144 0' 'name 1001 0x1000000 262144 field' 'books 640 640 0'
        for node in 0 1; do
            [ "$node" = 0 ] || printf '%s\n' end 'thread 101' 'books 640 640 0'
            for ((page = 32 * node; page < 32 * node + 32; page++)); do
                if [ "$((page % 2))" = "$node" ]; then
                    echo "repeat 20 64 sample 900000000 0x401000 $((0x1000000 + 4096 * page)) dram L $node $node"
                else
                    echo "repeat 20 64 sample 900000000 0x401000 $((0x1000000 + 4096 * page)) dram LR $node $((1 - node)) 1 700"
                fi
            done
        done
        echo end
    } | samples spread
    run -0 screen 80 spread
    expect '   partition-mismatch: pages are spread over several nodes, each of which uses a
   part
   [heap]:field
   Try: do not interleave the pages; initialise by the threads that use the
        data, with the same schedule' "$(grep -A4 'partition-mismatch:' <<< "$output")"
}
