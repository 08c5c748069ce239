#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Comparison of runs. If these tests fail, an improvement is overlooked, or noise is reported as a change.

bats_require_minimum_version 1.5.0
load ../environment
load helper

# one_run NAME PERIOD ACTIVE_NS INTERRUPTS [COUNT] < the samples of thread 100 (node 0) and 101 (node 1)
one_run()
{
    {
        cat << TEXT
process 100
setting period $2
setting count ${5-ops}
setting active_ns $3
region 1 0 Loop
object heap $PWD/heap 0x555500000000
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x2000000 8192 0
name 1001 0x2000000 8192 tx
malloc 1000 0x2010000 8192 0
name 1001 0x2010000 8192 ty
malloc 1000 0x2020000 8192 0
name 1001 0x2020000 8192 tc
TEXT
        cat
        echo end
    } | samples "$1"
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -g -O1 -o heap "$programs/heap.c"
    one_run base 1000 4000000000 1000 << 'TEXT'
books 1000 460 0 1=540
repeat 300 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 100 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 60 8 sample 2000 heap!main 0x2010000 dram LR 1 0
TEXT
    one_run mod 1000 2000000000 1000 << 'TEXT'
books 1000 244 0 1=756
repeat 30 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 104 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 60 8 sample 2000 heap!main 0x2010000 dram LR 1 0
repeat 50 8 sample 2000 heap!main 0x2020000 dram LR 1 0
TEXT
    # The same program with half the period: twice the samples of the same accesses.
    one_run dense 500 4000000000 2000 << 'TEXT'
books 2000 920 0 1=1080
repeat 600 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 200 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 120 8 sample 2000 heap!main 0x2010000 dram LR 1 0
TEXT
    # More samples, which stand for fewer accesses.
    one_run fewer 500 4000000000 2000 << 'TEXT'
books 2000 500 0 1=1500
repeat 500 8 sample 2000 heap!main 0x2000000 dram LR 0 1
TEXT
}

@test "changes come first, and changes within the noise are marked" {
    run -0 --separate-stderr "$memphis" compare --full base mod
    expect 'run 0: base: 460 samples, each of 1000 accesses, 4.000 s, 1e+06 operations
run 1: mod: 244 samples, each of 1000 accesses, 2.000 s (-50.0 %), 1e+06 operations (+0.0 %)

all remote-dram, per run: 460 -> 244 (-47.0 %, 95 % CI -54.6 to -38.1)

NODE: 0 total: 400 -> 134 (-66.5 %, 95 % CI -72.4 to -59.3)
000) [heap]:tx 300 -> 30 (-90.0 %, 95 % CI -93.1 to -85.5)
    heap.c:N 300 -> 30 (-90.0 %, 95 % CI -93.1 to -85.5)
001) [heap]:ty 100 -> 104 (+4.0 %, 95 % CI -20.9 to +36.7; within the noise)
    heap.c:N 100 -> 104 (+4.0 %, 95 % CI -20.9 to +36.7; within the noise)

NODE: 1 total: 60 -> 110 (+83.3 %, 95 % CI +34.0 to +150.8)
000) [heap]:tc 0 -> 50 (new)
    heap.c:N 0 -> 50 (new)
001) [heap]:ty 60 -> 60 (+0.0 %, 95 % CI -29.9 to +42.8; within the noise)
    heap.c:N 60 -> 60 (+0.0 %, 95 % CI -29.9 to +42.8; within the noise)

note: intervals and noise cover sampling alone; how much runs of one program differ is not known: give several of each (memphis compare A1 A2 A3 -- B1 B2 B3)' "$(sed -E 's/heap\.c:[0-9]+/heap.c:N/' <<< "$output")"
}

@test "the first screen has the largest changes of all nodes, with their lines, and says how many variables are noise" {
    run -0 --separate-stderr "$memphis" compare --width 80 base mod
    expect 'base -> mod
Fewer samples of remote-dram: 460 -> 244 (-47.0 %, 95 % CI -54.6 to -38.1)
Sampled time: 4 s -> 2 s (-50.0 %)
CHANGES BEYOND THE NOISE         node         samples  change, 95 % CI
[heap]:tx                           0       300 -> 30  -90.0 % (-93.1 to -85.5)
  at heap.c:N (main)
[heap]:tc                           1         0 -> 50  new
  at heap.c:N (main)
2 variables are within the noise

note: intervals and noise cover sampling alone; how much runs of one program
      differ is not known: give several of each (memphis compare A1 A2 A3 -- B1
      B2 B3)
nodes, variables with their lines, regions, counters: --full' "$(sed -E 's/heap\.c:[0-9]+/heap.c:N/' <<< "$output")"
    run -0 --separate-stderr "$memphis" compare --width 80 base dense
    expect 'base -> dense
No clear change in accesses of remote-dram: 460 samples of 1000 accesses -> 920
  samples of 500 accesses (+0.0 %, 95 % CI -10.6 to +11.8; within the noise)
Sampled time: 4 s -> 4 s (+0.0 %)
3 variables are within the noise' "$(head -5 <<< "$output")"
    run -0 --separate-stderr "$memphis" compare --width 80 base fewer
    expect 'base -> fewer
Fewer accesses of remote-dram: 460 samples of 1000 accesses -> 500 samples of
  500 accesses (-45.7 %, 95 % CI -52.1 to -38.3)
Sampled time: 4 s -> 4 s (+0.0 %)
CHANGES BEYOND THE NOISE         node         samples  accesses, 95 % CI' "$(head -5 <<< "$output")"
    run -0 --separate-stderr "$memphis" compare --full base fewer
    [[ "$output" == *'all remote-dram, per run, samples, and changes of their accesses: 460 -> 500 (-45.7 %, 95 % CI -52.1 to -38.3)'* ]]
}

# many_changes NAME SAMPLES [PERIOD]: samples of each of 40 variables, whose names fill the line.
many_changes()
{
    {
        printf 'process 100\nsetting period %s\nsetting count ops\nsetting active_ns 4000000000\nregion 1 0 Loop\nobject heap %s/heap 0x555500000000\n' "${3-1000}" "$PWD"
        printf 'map 0x2000000 0x2100000 rw-p 0x0 - [heap]\nmaps 100\nend\nthread 100\n'
        for ((i = 10; i < 50; i++)); do
            printf 'malloc 1000 0x20%d000 4096 0\nname 1001 0x20%d000 4096 a_variable_whose_name_is_longer_than_a_line_of_eighty_columns_has_room_for_%d\n' "$i" "$i" "$i"
        done
        for ((i = 10; i < 50; i++)); do echo "repeat $2 8 sample 2000 heap!main 0x20${i}000 dram LR 0 1 0 300"; done
        echo end
    } | samples "$1"
}

@test "the first screen of any number of runs has at most 40 lines of 80 columns, and says what it leaves out" {
    many_changes long_name_of_a_run_that_was_recorded_first 5
    for run in second third fourth fifth; do many_changes "long_name_of_a_run_that_was_recorded_$run" 100; done
    "$memphis" compare --width 80 long_name_of_a_run_that_was_recorded_{first,second} > two.txt
    "$memphis" compare --width 80 long_name_of_a_run_that_was_recorded_{first,second,third} > three.txt
    "$memphis" compare --width 80 long_name_of_a_run_that_was_recorded_{first,second,third,fourth,fifth} > five.txt
    grep -qx '34 more variables' two.txt
    [ "$(grep -cx '37 more variables' three.txt)" -eq 2 ]
    grep -qx '1 more run: --full' five.txt
    [ "$(grep -cx '38 more variables' five.txt)" -eq 3 ]
    for screen in two three five; do
        awk 'length > 80 {print FILENAME ": too wide: " $0; bad = 1} END {print NR " lines"; exit bad || NR > 40}' "$screen.txt"
    done
    # With the longer lines of other periods, three comparisons would have more than 40 lines.
    for period in 900 800 700 600; do many_changes period_$period 100 $period; done
    run -0 --separate-stderr "$memphis" compare --width 80 --per second long_name_of_a_run_that_was_recorded_first period_{900,800,700,600}
    echo "$output"
    [ "$(wc -l <<< "$output")" -le 40 ]
    grep -qx '2 more runs: --full' <<< "$output"
}

# times NAME SAMPLES SECONDS: a run with a region of that time.
times()
{
    one_run "$1" 1000 "$3"000000000 1000 << TEXT
books 1000 $2 0 1=$((1000 - $2))
time 1 1 ${3}000000000
repeat $2 8 sample 2000 heap!main 0x2000000 dram LR 0 1 1 100
TEXT
}

@test "several runs of each side show how much runs differ" {
    times a0 90 10
    times a1 110 12
    times b0 45 22
    times b1 55 22
    run -0 --separate-stderr "$memphis" compare --lines 0 a0 a1 -- b0 b1
    # tests/unit/postproc/view/compare_test.c has the statistics.
    grep -q '^before, run 1: a1: 110 samples, each of 1000 accesses, 12.000 s, 1e+06 operations$' <<< "$output"
    grep -q '^after, run 2: b0: 45 samples' <<< "$output"
    grep -q '^time in calipers: 11.000 s -> 22.000 s (+100.0 %, 95 % CI +35.3 to +195.7)$' <<< "$output"
    grep -q '^all remote-dram, per run: 100.0 -> 50.0 (-50.0 %, 95 % CI -74.7 to -5.9; within the noise); waited 10.0 M -> 5.00 M (-50.0 %, 95 % CI -72.8 to -8.1) cycles$' <<< "$output"
    grep -q '^region: Loop: calls: 1 -> 1 (+0.0 %); time: 11 s -> 22 s (+100.0 %, 95 % CI +35.3 to +195.7); ' <<< "$output"
    grep -q '^note: counts, times and waiting are means of 2 and 2 runs; intervals and noise cover how much these differ$' <<< "$output"
    "$memphis" compare --format json a0 a1 -- b0 b1 > sides.json
    expect '[["a0",0],["a1",0],["b0",1],["b1",1]] [90,110,45,55] 1' "$(jq -c '.runs | map([.name, .side])' sides.json) $(jq -c '.counts, (.changes | length)' sides.json | paste -sd ' ')"
}

@test "a figure that has grown beyond the noise fails, on request" {
    times c0 100 10
    times c1 150 11
    run -3 --separate-stderr "$memphis" compare --fail-if 'samples > 5 %' c0 c1 -o out
    expect 'memphis compare: samples has grown by 50.0 %, more than 5 %' "$stderr"
    run -0 --separate-stderr "$memphis" compare --fail-if 'samples > 51 %' --fail-if 'time>11%' -o out c0 c1
    run -3 --separate-stderr "$memphis" compare --fail-if 'time > 9 %' --fail-if 'remote-waiting > 10 %' -o out c0 c1
    expect 'memphis compare: time has grown by 10.0 %, more than 9 %
memphis compare: remote-waiting has grown by 50.0 %, more than 10 %' "$stderr"
    # 10 samples more of 100 are noise, also of what they waited.
    times c4 110 10
    run -0 "$memphis" compare --fail-if 'samples > 5 %' --fail-if 'waiting > 5 %' -o out c0 c4
    # Runs that differ as much among themselves.
    times c2 140 12
    times c3 110 9
    run -0 "$memphis" compare --fail-if 'samples > 5 %' --fail-if 'time > 1 %' -o out c0 c2 -- c1 c3
    one_run timeless 1000 0 1 <<< 'books 0 0 0'
    run -1 --separate-stderr "$memphis" compare --fail-if 'time > 5 %' -o out c0 timeless
    expect 'memphis compare: --fail-if: time: how it changed is not known: a run was not sampled, or did not measure it' "$stderr"
    run -2 --separate-stderr "$memphis" compare --fail-if 'speed > 5 %' c0 c1
    [ "${stderr_lines[0]}" = 'memphis compare: --fail-if: "speed > 5 %" is not FIGURE > N %, with one of samples, waiting, remote-waiting, time as FIGURE' ]
    for number in much inf nan 1e999 0x10 -1 +1 . 1e '' '5 5' 5e5x; do
        run -2 --separate-stderr "$memphis" compare --fail-if "time > $number %" c0 c1
        expect "memphis compare: --fail-if: \"time > $number %\" has no decimal number, at least 0, and % after >" "${stderr_lines[0]}"
    done
    for number in 2e1 20. .2e2 020; do
        "$memphis" compare --fail-if "time > $number %" -o out c0 c1
    done
}

@test "from 0, any growth fails, and none is no growth; what was not sampled is not known" {
    one_run none 1000 4000000000 1000 <<< 'books 1000 0 0 1=1000'
    one_run some 1000 4000000000 1000 <<< $'books 1000 100 0 1=900\nrepeat 100 8 sample 2000 heap!main 0x2000000 dram LR 0 1 1 100'
    one_run unsampled 1000 0 0 <<< 'books 0 0 0'
    conditions=(--fail-if 'samples > 5 %' --fail-if 'waiting > 5 %' --fail-if 'remote-waiting > 5 %' --fail-if 'time > 5 %')
    run -0 --separate-stderr "$memphis" compare "${conditions[@]}" -o out none none
    expect '' "$stderr"
    run -0 --separate-stderr "$memphis" compare "${conditions[@]}" -o out some none
    expect '' "$stderr"
    run -3 --separate-stderr "$memphis" compare "${conditions[@]}" -o out none some
    expect 'memphis compare: samples has grown from 0, more than 5 %
memphis compare: waiting has grown from 0, more than 5 %
memphis compare: remote-waiting has grown from 0, more than 5 %' "$stderr"
    run -1 --separate-stderr "$memphis" compare --fail-if 'samples > 5 %' -o out some unsampled
    expect 'memphis compare: --fail-if: samples: how it changed is not known: a run was not sampled, or did not measure it' "$stderr"
    run -1 "$memphis" compare --fail-if 'waiting > 5 %' -o out unsampled none
    # Stores have no latency.
    run -1 "$memphis" compare --select stores --fail-if 'waiting > 5 %' -o out none none
}

@test "a run that was not sampled is no run without samples" {
    one_run unsampled 1000 0 0 <<< 'books 0 0 0'
    "$memphis" compare --full base unsampled > unsampled.txt
    grep -q '^run 1: unsampled: 0 samples, not sampled$' unsampled.txt
    grep -q '^all remote-dram, per run: 460 -> ? (can.t be compared)$' unsampled.txt
    grep -q '^note: runs that were not sampled are left out of the counts; memphis report tells why nothing was sampled$' unsampled.txt
    # memphis record --backend none, whose calipers have times.
    one_run counted 1000 2000000000 0 "ops
setting backend none" <<< 'books 0 0 0'
    "$memphis" compare base counted > counted.txt
    expect "base -> counted
Samples of remote-dram: 460 -> ? (can't be compared)
Sampled time: 4 s -> 2 s (-50.0 %)" "$(sed '/^$/,$d' counted.txt)"
    "$memphis" compare counted base | grep -qx 'Samples of remote-dram: ? -> 460 (can.t be compared)'
    "$memphis" compare --full base base -- base unsampled base > unsampled.txt
    grep -q '^all remote-dram, per run: 460.0 -> 460.0 (+0.0 %, ' unsampled.txt
    expect '[true,false] [[460,0],[null]]' "$("$memphis" compare --format json base unsampled | jq -c '(.runs | map(.sampled)), [.counts, (.changes | map(.ratio))]' | paste -sd ' ')"
    # With several comparisons, one note is shown, and the others are counted.
    "$memphis" compare base mod unsampled > unsampled.txt
    grep -q '^note: runs that were not sampled are left out of the counts; ' unsampled.txt
    grep -qx '1 more note: --full' unsampled.txt
}

@test "if no change is seen, the smallest ones that could have been are told" {
    times same0 100 10
    times same1 110 11
    times same2 104 12
    # Of single runs, only sampling is known: 104 of 204 samples have an interval of 0.442 to 0.578 of the share.
    run -0 "$memphis" compare --full same0 same2
    expect 'note: this comparison could not have shown changes of all remote-dram between -23.9 % and +31.5 %' "$(grep 'could not have shown' <<< "$output")"
    run -0 "$memphis" compare --full same0 same1 -- same2 same0
    grep -q '^time in calipers: 10.500 s -> 11.000 s (+4.8 %, 95 % CI -32.6 to +62.9; within the noise)$' <<< "$output"
    expect 'note: this comparison could not have shown changes of all remote-dram between -34.7 % and +53.3 %, of the time in calipers between -35.7 % and +55.5 %' \
        "$(grep 'could not have shown' <<< "$output")"
    # A change that is seen needs no such note.
    times less 20 10
    "$memphis" compare --full same0 less > less.txt
    [ "$(grep -c 'could not have shown' less.txt)" -eq 0 ]
    expect '[0.76,1.31]' "$("$memphis" compare --format json same0 same2 | jq -c '.changes[0] | [.visible_below, .visible_above | . * 100 | round / 100]')"
}

@test "less per operation is no improvement if threads spun" {
    one_run spun 1000 4000000000 4000 <<< $'books 4000 460 0 1=3540\nrepeat 460 8 sample 2000 heap!main 0x2000000 dram LR 0 1'
    "$memphis" compare --full --per operation base spun > spun.txt
    grep -q '^note: the runs made 1e+06 and 4e+06 operations: threads that spin while they wait make operations without work, and less per operation is then no improvement; compare per run$' spun.txt
    "$memphis" compare --full base spun > spun.txt
    [ "$(grep -c spin spun.txt)" -eq 0 ]
}

@test "with another period, each sample represents another number of accesses" {
    run -0 "$memphis" compare --full base dense
    grep -q '^all remote-dram, per run, samples, and changes of their accesses: 460 -> 920 (+0.0 %, 95 % CI -10.6 to +11.8; within the noise)$' <<< "$output"
    run -0 "$memphis" compare --full --per operation base dense
    grep -q '^all remote-dram, per operation, samples, and changes of their accesses: 460 -> 920 (+0.0 %' <<< "$output"
    run -0 "$memphis" compare --full --per second base mod
    grep -q '^001) \[heap\]:ty 60 -> 60 (+100.0 %, 95 % CI +40.1 to +185.5)$' <<< "$output"
}

@test "a run without selected samples has its period, too" {
    one_run none 500 4000000000 1000 <<< 'books 1000 0 0 1=1000'
    one_run half 1000 4000000000 1000 <<< $'books 1000 230 0 1=770\nrepeat 230 8 sample 2000 heap!main 0x2000000 dram LR 0 1'
    "$memphis" compare --full base none > none.txt
    grep -q '^run 1: none: 0 samples, each of 500 accesses, ' none.txt
    grep -q '^all remote-dram, per run, samples, and changes of their accesses: 460 -> 0 (-100.0 %, 95 % CI -100.0 to -99.6)$' none.txt
    "$memphis" compare --full none base -- half half > none.txt
    # 460 samples of 1/500 and 1/1000, then of 2/1000
    grep -q '^all remote-dram, per run, samples, and changes of their accesses: 230.0 -> 230.0 (+50.0 %, ' none.txt
    "$memphis" compare --width 80 none base -- half half > none.txt
    grep -qx 'No clear change in accesses of remote-dram: 230.0 samples -> 230.0 samples of' none.txt
    expect '[500,1000]' "$("$memphis" compare --format json none half | jq -c '.runs | map(.accesses_per_sample)')"
}

@test "samples whose periods count cycles stand for as many cycles, and for no known number of accesses" {
    one_run cycles 1000 4000000000 100 cycles <<< $'books 100 100 0\nrepeat 100 8 sample 2000 heap!main 0x2000000 dram LR 0 1'
    one_run finer 500 4000000000 200 cycles <<< $'books 200 200 0\nrepeat 200 8 sample 2000 heap!main 0x2000000 dram LR 0 1'
    "$memphis" compare --full cycles finer > cycles.txt
    grep -q '^run 0: cycles: 100 samples, 4.000 s$' cycles.txt
    grep -q '^all remote-dram, per run: 100 -> 200 (+0.0 %, ' cycles.txt
    [ "$(grep -c 'counts no accesses' cycles.txt)" -eq 0 ]
    expect '[null,null]' "$("$memphis" compare --format json cycles finer | jq -c '.runs | map(.accesses_per_sample)')"
    one_run ops 1000 4000000000 200 <<< $'books 200 200 0\nrepeat 200 8 sample 2000 heap!main 0x2000000 dram LR 0 1'
    "$memphis" compare --full cycles ops > cycles.txt
    grep -q '^all remote-dram, per run: 100 -> 200 (+100.0 %, ' cycles.txt
    grep -q '^note: the period of some runs counts no accesses: their samples are taken to stand for as many as those of the others, so that changes may be wrong by any factor$' cycles.txt
}

@test "each further run is compared with the first; JSON has the same numbers" {
    run -0 "$memphis" compare --top 1 --lines 0 --node 0 base mod dense
    grep -q '^000) \[heap\]:tx 300 -> 30 (-90.0 %, 95 % CI -93.1 to -85.5) -> 600 (+0.0 %, .*; within the noise)$' <<< "$output"
    "$memphis" compare --format json base mod dense > compare.json
    expect '["tx",[300,30,600],[0.1,true,false],[1,true,true]]
["ty",[100,104,200],[1.04,true,true],[1,true,true]]' "$(jq -c '.nodes[0].variables[] |
        [.name, .counts, (.changes[] | [.ratio, (.ratio_low < .ratio and .ratio < .ratio_high), .noise])]' compare.json)"
    expect '[["base",4,1000000,1000],["mod",2,1000000,1000],["dense",4,1000000,500]]' \
        "$(jq -c '.runs | map([.name, .seconds, .operations, .accesses_per_sample])' compare.json)"
    [ "$(jq -c '.nodes[1].variables[0].changes[0] | [.ratio, .noise]' compare.json)" = '[null,false]' ]
}

@test "the n-th change of a number of changes is corrected for the number of those from it on" {
    # The p-values of 10 -> 0, 9 -> 1 and 10 -> 10 are 2/1024, 22/1024 and 1 (binomial distribution): 3 * 2/1024 and 2 * 22/1024
    # are below 0.05.
    one_run three 1000 4000000000 1000 << 'TEXT'
repeat 10 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 9 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    one_run three-mod 1000 4000000000 1000 << 'TEXT'
sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    "$memphis" compare --format json three three-mod > three.json
    expect '["tc",[10,10],true]
["tx",[10,0],false]
["ty",[9,1],false]' "$(jq -c '[.nodes[].variables[]] | sort_by(.name)[] | [.name, .counts, .changes[0].noise]' three.json)"
    # 3 * 22/1024 is above 0.05, and what follows is noise, too.
    one_run equal 1000 4000000000 1000 << 'TEXT'
repeat 9 8 sample 2000 heap!main 0x2000000 dram LR 0 1
repeat 9 8 sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    one_run equal-mod 1000 4000000000 1000 << 'TEXT'
sample 2000 heap!main 0x2000000 dram LR 0 1
sample 2000 heap!main 0x2010000 dram LR 0 1
repeat 10 8 sample 2000 heap!main 0x2020000 dram LR 0 1
TEXT
    "$memphis" compare --format json equal equal-mod > equal.json
    [ "$(jq -c '[.nodes[].variables[].changes[0].noise]' equal.json)" = '[true,true,true]' ]
}

@test "a comparison that is impossible is refused, with the remedy" {
    run -2 --separate-stderr "$memphis" compare base
    [ "${stderr_lines[0]}" = 'memphis compare: fewer than two runs; give two or more directories of sample files' ]
    run -2 --separate-stderr "$memphis" compare base --
    [ "${stderr_lines[0]}" = 'memphis compare: no runs after --; give those that are compared with the ones before it' ]
    run -2 --separate-stderr "$memphis" compare base -- mod -- dense
    [ "${stderr_lines[0]}" = 'memphis compare: more than one --; there are two sides, with one -- between them' ]
    run -2 --separate-stderr "$memphis" compare -- base mod --
    [ "${stderr_lines[0]}" = 'memphis compare: more than one --; there are two sides, with one -- between them' ]
    run -0 "$memphis" compare --full -- base mod
    run -2 --separate-stderr "$memphis" compare --per hour base mod
    [ "${stderr_lines[0]}" = 'memphis compare: --per: "hour" is not one of run, second, operation' ]
    one_run timeless 1000 0 1 <<< 'books 0 0 0'
    run -1 --separate-stderr "$memphis" compare --per second base timeless
    [ "$stderr" = 'memphis compare: timeless: it is not known how long sampling was on; compare per run' ]
    run -1 --separate-stderr "$memphis" compare base nothing
    [ "$stderr" = 'memphis compare: nothing: cannot open: No such file or directory' ]
}

@test "the waiting of runs, variables and lines is compared, where latencies are known" {
    one_run slow 1064 4000000000 1000 << 'TEXT'
books 1000 40 0 2=960
repeat 40 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 400
TEXT
    one_run fast 1064 4000000000 1000 << 'TEXT'
books 1000 20 0 2=980
repeat 20 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 200
TEXT
    run -0 "$memphis" compare --full slow fast
    # 1064 x 40 x 400, and 1064 x 20 x 200: these files do not name the hardware.
    grep -q '^000) \[heap\]:tx 40 -> 20 (.*); waited 17\.0 M -> 4\.26 M cycles$' <<< "$output"
    [ "$("$memphis" compare --format json slow fast | jq -c '[.nodes[0].variables[0].waited[].cycles]')" = '[17024000,4256000]' ]
    # Without latencies in one run
    run -0 "$memphis" compare --full slow mod
    grep -q '^00.) \[heap\]:tx 40 -> 30 (.*); waited 17\.0 M -> ? cycles$' <<< "$output"
}
