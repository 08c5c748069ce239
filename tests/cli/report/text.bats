#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The complete text report. If these tests fail, a reader in a hurry misses the findings, or reads the wrong numbers.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# rank NUMBER: prints a rank of one thread on node 0, whose array tx is on node 1; the last rank has most samples of it.
rank()
{
    cat << TEXT
process $((300 + $1))
setting command ./model --steps 10
setting host n$(($1 / 2))
setting rank $1
setting ranks 4
setting hardware ibs
setting backend device
setting period 1000
setting count ops
setting mode program
node 0 1073741824 0-1 10,21
node 1 1073741824 2-3 21,10
loss names_left_out $(($1 + 1))
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 TimeLoop
end
thread $((300 + $1))
fact name model
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
books $((370 + $1)) $((370 + $1)) 0
repeat $((200 + $1)) 256 sample 2001 0x401000 0x1000000 dram LR 0 1 1 700
repeat 20 256 sample 2000 0x401000 0x1000000 l2 S 0 1 1 12
repeat 50 256 sample 2001 0x401000 0x1000000 l2 L 0 1 1 12
repeat 100 8 sample 2002 0x401000 0x1010000 l2 L 0 0 0 12
end
TEXT
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    samples one <<'TEXT'
process 100
setting command ./model
setting host n01
setting hardware ibs
setting backend device
setting period 1000
setting count ops
setting mode caliper
setting drop stores
setting min_latency 30
setting alloc_min_bytes 4096
node 0 1073741824 0-1 10,21
node 1 1073741824 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x3000000 0x3100000 rw-p 0x0 - 
map 0x5000000 0x5100000 r--s 0x0 - /data/ice file.bin
maps 100
region 1 0 TimeLoop
region 2 1 Bound
end
thread 100
fact name model
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
malloc 1002 0x1010000 8192 0
name 1003 0x1010000 8192 ty
books 190 160 2 1=28
repeat 60 256 sample 2000 0x401000 0x1000000 dram LR 0 1 1
repeat 40 256 sample 2100 0x401008 0x1000000 dram LR 0 1 2
repeat 4 8 sample 2200 0x401010 0x1010000 dram LR 0 1 1
repeat 3 8 sample 2500 0x401000 0x3000000 dram LR 0 1
sample 2700 0x401000 0x5000100 dram LR 0 1
repeat 52 8 sample 3000 0x401020 0x1000000 dram L 0 0
end
thread 101
fact name worker
fact openmp_thread 1
books 6 5 0 4=1
repeat 3 64 sample 2000 0x401000 0x1000000 dram LR 1 0 1
repeat 2 64 sample 2000 0x401000 0x1010000 dram LR 1 0 1
end
TEXT
    { rank 0; rank 1; rank 2; } | samples three
}

@test "one process: command, findings, tables, accounting" {
    run -0 --separate-stderr "$memphis" report --full one
    [ -z "$stderr" ]
    expect "$(cat <<'TEXT'
command:     ./model
run:         1 process, 2 threads, 1 host (n01)
sampled:     AMD IBS, backend device, period 1000 ops, inside calipers
filters:     without stores, at least 30 cycles
selected:    113 of 165 samples: remote-dram (loads served by another node's memory)
remote DRAM: 68.5 % of the loads from DRAM (95 % CI 61.0 to 75.1; 113 of 165), 68.5 % of the samples
waiting:     not estimated: the sampled loads have no latency

FINDINGS
1. serial-phase: [heap]:tx
   where:    process 100 on host n01; memory of nodes 0, 1; used by node 0
   what:     lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread 100
             (model) on node 0, 97 % of them
   evidence: 100 samples, 88.5 % of the loads from other nodes' memory (95 % CI 81.3 to 93.2), 60 %
             in region TimeLoop, 40 % in region Bound
   try:      divide the loop among the threads, so that each uses the data of its own node; or let
             the owners pack the data that the one thread needs

NODE 0: 108 samples, 95.6 % of those selected
  samples    share  variable, below it its instructions  code      addresses
      100   92.6 %  [heap]:tx                                      0x1000000-0x1003b00
       60   55.6 %    ?                                  0x401000  0x1000000-0x1003b00
       40   37.0 %    ?                                  0x401008  0x1000000-0x1002700
        4    3.7 %  [heap]:ty                                      0x1010000-0x1010018
        4    3.7 %    ?                                  0x401010  0x1010000-0x1010018
        3    2.8 %  [mmap]:<not-found>                             0x3000000-0x3000010
        3    2.8 %    ?                                  0x401000  0x3000000-0x3000010
        1    0.9 %  [ice file.bin]:<not-found>                     0x5000100-0x5000100
        1    0.9 %    ?                                  0x401000  0x5000100-0x5000100

NODE 1: 5 samples, 4.4 % of those selected
  samples    share  variable, below it its instructions  code      addresses
        3   60.0 %  [heap]:tx                                      0x1000000-0x1000080
        3   60.0 %    ?                                  0x401000  0x1000000-0x1000080
        2   40.0 %  [heap]:ty                                      0x1010000-0x1010040
        2   40.0 %    ?                                  0x401000  0x1010000-0x1010040

ACCESSES BETWEEN NODES
  samples    share          95 % CI    accesses     moved    from  memory of
      108   95.6 %     90.1 to 98.1      73.4 k   4.70 MB       0       1
        5    4.4 %       1.9 to 9.9      3.40 k    218 kB       1       0

ACCOUNTING
attributed: 109 of 113 (96.5 %) to a variable
    mapped-file 1 (0.9 %): a mapped file that is not a program or library
    anonymous-map 3 (2.7 %): anonymous memory that no recorded allocation covers
types: 0 of 113 (0.0 %) have the type of what they access (binary-missing 113)
books: 196 interrupts = 165 kept + 2 lost + 29 filtered (kernel-pc 28, kernel-address 1)
TEXT
)" "$output"
}

@test "omitted rows are counted, with their share" {
    run -0 "$memphis" report --top 1 --instructions 1 --node 0 one
    expect "$(cat <<'TEXT'
NODE 0: 108 samples, 100.0 % of those selected
  samples    share  variable, below it its instructions  code      addresses
      100   92.6 %  [heap]:tx                                      0x1000000-0x1003b00
       60   55.6 %    ?                                  0x401000  0x1000000-0x1003b00
       40   37.0 %    ... 1 more instruction
        8    7.4 %  ... 3 more variables
TEXT
)" "$(sed -n '/^NODE/,/^$/p' <<< "$output")"
}

@test "three ranks of four: the findings of all ranks are merged, and their notes are one line each" {
    run -0 "$memphis" report --full three
    expect "$(cat <<'TEXT'
command:     ./model --steps 10
run:         3 ranks of 4, 3 processes, 3 threads, 2 hosts (n0, n1)
sampled:     AMD IBS, backend device, period 1000 ops, from start to end
selected:    603 of 1113 samples: remote-dram (loads served by another node's memory)
remote DRAM: 100.0 % of the loads from DRAM (95 % CI 99.4 to 100.0; 603 of 603), 54.2 % of the
             samples
waiting:     287 M cycles (95 % CI 165 M to 428 M) beyond the L2: remote-dram 100.0 %
could gain:  not known: fewer than 10 loads from local DRAM were sampled; memphis node --measure
             measures their latency (--node-baseline)
verdict:     placing memory better is worth it: 379 cycles of remote latency per op (95 % CI 350 to
             411), above the limit of 0.1

FINDINGS
1. partition-mismatch: [heap]:tx
   where:    rank 2 on host n1; memory of node 1; used by node 0
   what:     lies on other nodes than those that use it: 0x1000000-0x100c900 are on node 1 and used
             by node 0
   evidence: 603 samples, 100.0 % of the loads from other nodes' memory (95 % CI 99.4 to 100.0), in
             3 of 3 processes, 100 % in region TimeLoop
   try:      bind each rank and its memory to one node before it allocates (numactl --cpunodebind=N
             --membind=N, srun --cpu-bind --mem-bind=local, mpirun --bind-to numa), so that it first
             touches its memory on the node where it stays (its initialisation was not sampled); if
             it is bound already, check whether the pages were touched before that, or whether its
             node was full

NODE 0: 603 samples, 100.0 % of those selected
  samples    share   waited  variable, below it its instructions  code      addresses
      603  100.0 %    287 M  [heap]:tx                                      0x1000000-0x100c900
      603  100.0 %    287 M    ?                                  0x401000  0x1000000-0x100c900

ACCESSES BETWEEN NODES
  samples    share          95 % CI    accesses     moved   waited    from  memory of
      603  100.0 %    99.4 to 100.0       410 k   26.2 MB    287 M       0       1

WAITING BEYOND THE L2
  samples     mean    cycles              95 % CI    share  data from
      603      700     287 M       165 M to 428 M  100.0 %  remote-dram

ACCOUNTING
attributed: 603 of 603 (100.0 %) to a variable
types: 0 of 603 (0.0 %) have the type of what they access (binary-missing 603)
books: 1113 interrupts = 1113 kept + 0 lost + 0 filtered
waiting: latencies from the miss in the L1 to the data (IBS) of sampled loads beyond the L2, each
    times the number that a sample stands for; not in it: stores, prefetches, loads from the L1 and
    L2; loads that wait at the same time are added up; the kernel's return from the interrupt is
    part of each period: the estimates may be 38 % off, which the intervals allow for
note: 3 processes (rank 0 on host n0, rank 1 on host n0, rank 2 on host n1): 6 explicit names were
    not recorded
note: ranks 0-2 of 4; the others have no files here
TEXT
)" "$output"
}

@test "by region: the table of regions, then one table for each" {
    run -0 "$memphis" report --by region --instructions 1 one
    expect "$(cat <<'TEXT'
command:     ./model
run:         1 process, 2 threads, 1 host (n01)
sampled:     AMD IBS, backend device, period 1000 ops, inside calipers
filters:     without stores, at least 30 cycles
selected:    113 of 165 samples: remote-dram (loads served by another node's memory)
remote DRAM: 68.5 % of the loads from DRAM (95 % CI 61.0 to 75.1; 113 of 165), 68.5 % of the samples
waiting:     not estimated: the sampled loads have no latency

FINDINGS
1. serial-phase: [heap]:tx
   where:    process 100 on host n01; memory of nodes 0, 1; used by node 0
   what:     lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread 100
             (model) on node 0, 97 % of them
   evidence: 100 samples, 88.5 % of the loads from other nodes' memory (95 % CI 81.3 to 93.2), 60 %
             in region TimeLoop, 40 % in region Bound
   try:      divide the loop among the threads, so that each uses the data of its own node; or let
             the owners pack the data that the one thread needs

REGIONS
          exclusive           inclusive    written     node 0     node 1  region
        69   61.1 %        109   96.5 %         69         64          5  TimeLoop
        40   35.4 %         40   35.4 %         40         40          0    Bound
         4    3.5 %          4    3.5 %         56          4          0  (outside any caliper)

REGION TimeLoop: 69 samples, 61.1 % of those selected
NODE 0: 64 samples, 56.6 % of those selected
  samples    share  variable, below it its instructions  code      addresses
       60   93.8 %  [heap]:tx                                      0x1000000-0x1003b00
       60   93.8 %    ?                                  0x401000  0x1000000-0x1003b00
        4    6.2 %  [heap]:ty                                      0x1010000-0x1010018
        4    6.2 %    ?                                  0x401010  0x1010000-0x1010018

NODE 1: 5 samples, 4.4 % of those selected
  samples    share  variable, below it its instructions  code      addresses
        3   60.0 %  [heap]:tx                                      0x1000000-0x1000080
        3   60.0 %    ?                                  0x401000  0x1000000-0x1000080
        2   40.0 %  [heap]:ty                                      0x1010000-0x1010040
        2   40.0 %    ?                                  0x401000  0x1010000-0x1010040

REGION TimeLoop > Bound: 40 samples, 35.4 % of those selected
NODE 0: 40 samples, 35.4 % of those selected
  samples    share  variable, below it its instructions  code      addresses
       40  100.0 %  [heap]:tx                                      0x1000000-0x1002700
       40  100.0 %    ?                                  0x401008  0x1000000-0x1002700

REGION (outside any caliper): 4 samples, 3.5 % of those selected
NODE 0: 4 samples, 3.5 % of those selected
  samples    share  variable, below it its instructions  code      addresses
        3   75.0 %  [mmap]:<not-found>                             0x3000000-0x3000010
        3   75.0 %    ?                                  0x401000  0x3000000-0x3000010
        1   25.0 %  [ice file.bin]:<not-found>                     0x5000100-0x5000100
        1   25.0 %    ?                                  0x401000  0x5000100-0x5000100

ACCESSES BETWEEN NODES
  samples    share          95 % CI    accesses     moved    from  memory of
      108   95.6 %     90.1 to 98.1      73.4 k   4.70 MB       0       1
        5    4.4 %       1.9 to 9.9      3.40 k    218 kB       1       0

ACCOUNTING
attributed: 109 of 113 (96.5 %) to a variable
    mapped-file 1 (0.9 %): a mapped file that is not a program or library
    anonymous-map 3 (2.7 %): anonymous memory that no recorded allocation covers
types: 0 of 113 (0.0 %) have the type of what they access (binary-missing 113)
books: 196 interrupts = 165 kept + 2 lost + 29 filtered (kernel-pc 28, kernel-address 1)
TEXT
)" "$output"
}

@test "by thread and by home: the heading of each group" {
    run -0 "$memphis" report --by thread one
    expect 'THREAD 100.100 model: 108 samples, 95.6 % of those selected
NODE 0: 108 samples, 95.6 % of those selected
THREAD 100.101 worker: 5 samples, 4.4 % of those selected
NODE 1: 5 samples, 4.4 % of those selected' "$(grep -E '^(THREAD|NODE)' <<< "$output")"
    run -0 "$memphis" report --by home one
    expect 'HOME 0: 5 samples, 4.4 % of those selected
NODE 1: 5 samples, 4.4 % of those selected
HOME 1: 108 samples, 95.6 % of those selected
NODE 0: 108 samples, 95.6 % of those selected' "$(grep -E '^(HOME|NODE)' <<< "$output")"
}

@test "by member, and by process: members replace instructions, and ranks precede the tables" {
    gcc -g -O1 -o particles "$programs/particles.c"
    samples members << TEXT
process 100
object p $PWD/particles 0x555500000000
maps 100
end
thread 100
books 115 115 0
repeat 50 64 sample 2000 p!main p!particles+24 dram LR 0 1
repeat 40 64 sample 3000 p!main p!particles+48 dram LR 0 1
repeat 25 8 sample 3000 p!main p!plain dram LR 0 1
end
TEXT
    run -0 "$memphis" report --by field members
    expect "$(cat <<'TEXT'
NODE 0: 115 samples, 100.0 % of those selected
  samples    share  variable, below it its members  addresses
       90   78.3 %  [bss]:particles[0..45]          0x*-0x*
       50   43.5 %    velocity, byte 24 of 64
       40   34.8 %    cell, byte 48 of 64
       25   21.7 %  [bss]:plain                     0x*-0x*
       25   21.7 %    <members not known>
TEXT
)" "$(sed -n '/^NODE/,/^$/p' <<< "$output" | masked)"
    run -0 "$memphis" report --by process three
    expect "$(cat <<'TEXT'
PROCESSES
  rank    process      samples       away  deviation host
     0        300          200    100.0 %          - n0, 95.2 M cycles waited, 8.70 MB moved
     1        301          201    100.0 %          - n0, 95.7 M cycles waited, 8.75 MB moved
     2        302          202    100.0 %          - n1, 96.2 M cycles waited, 8.79 MB moved
TEXT
)" "$(sed -n '/^PROCESSES/,/^$/p' <<< "$output")"
}

@test "by instruction, line and function: the file, the line and the function; code only for instructions" {
    local leaf
    gcc -g -O1 -no-pie -o heap "$programs/heap.c"
    samples lines << TEXT
process 100
object heap $PWD/heap 0
map 0x2000000 0x2100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x2000000 8192 0
name 1001 0x2000000 8192 tx
books 3 3 0
repeat 3 8 sample 2000 heap!main 0x2000000 dram LR 0 1 0 100
end
TEXT
    for leaf in instruction line function; do
        "$memphis" report --by $leaf --sort latency lines
    done | sed -n '/^  samples.*latency/,/^$/p' | masked | sed -E 's/heap\.c:[0-9]+/heap.c:N/' > leaves
    expect "$(cat <<'TEXT'
  samples    share      latency     mean     most  variable, below it its instructions  code      addresses
        3  100.0 %          300      100      100  [heap]:tx                                      0x*-0x*
        3  100.0 %          300      100      100    heap.c:N (main)                   0x*  0x*-0x*

  samples    share      latency     mean     most  variable, below it its lines  addresses
        3  100.0 %          300      100      100  [heap]:tx                     0x*-0x*
        3  100.0 %          300      100      100    heap.c:N                   0x*-0x*

  samples    share      latency     mean     most  variable, below it its functions  addresses
        3  100.0 %          300      100      100  [heap]:tx                         0x*-0x*
        3  100.0 %          300      100      100    main (heap.c)                   0x*-0x*
TEXT
)" "$(cat leaves)"
}

@test "with a baseline, variables and pairs have weights" {
    printf '%s\n' 'memphis-node 1' 'host amber' 'class one of many' 'huge_pages yes' 'nodes 0 1' 'latency_ns 0 0 100' \
        'latency_ns 0 1 180' 'latency_ns 1 0 300' 'latency_ns 1 1 120' 'bandwidth_gb 0 0 10' > saved
    run -0 "$memphis" report --node-baseline saved --top 1 --instructions 1 one
    expect "$(cat <<'TEXT'
NODE 0: 108 samples, 95.6 % of those selected
  samples    share est. weight  variable, below it its instructions  code      addresses
      100   92.6 %       180.0  [heap]:tx                                      0x1000000-0x1003b00
       60   55.6 %                ?                                  0x401000  0x1000000-0x1003b00
       40   37.0 %                ... 1 more instruction
        8    7.4 %              ... 3 more variables

NODE 1: 5 samples, 4.4 % of those selected
  samples    share est. weight  variable, below it its instructions  code      addresses
        3   60.0 %         7.5  [heap]:tx                                      0x1000000-0x1000080
        3   60.0 %                ?                                  0x401000  0x1000000-0x1000080
        2   40.0 %              ... 1 more variable

ACCESSES BETWEEN NODES
  samples    share          95 % CI    accesses     moved est. weight    from  memory of
      108   95.6 %     90.1 to 98.1      73.4 k   4.70 MB        1.80       0       1
        5    4.4 %       1.9 to 9.9      3.40 k    218 kB        2.50       1       0
TEXT
)" "$(sed -n '/^NODE/,/^ACCOUNTING/p' <<< "$output" | sed '/^ACCOUNTING/d' | sed -z 's/\n*$/\n/')"
}

# none SAMPLES [OPTION...]: prints the reason why there is no finding, without line breaks.
none()
{
    samples none <<< "process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
malloc 1000 0x1010000 65536 0
name 1001 0x1010000 65536 ty
$1
end"
    shift
    "$memphis" report --full "$@" none | sed -n '/^No findings/,/^$/p' | tr -s '\n ' '  '
}

@test "no findings: the reason is printed" {
    local local_ones='repeat 100 64 sample 2000 0x401000 0x1000000 dram L 0 0'

    expect 'No findings: no samples were kept of 5 interrupts ' "$(none 'books 5 0 0 1=5')"
    expect 'No findings: no samples were kept of 1 interrupt ' "$(none 'books 1 0 0 1=1')"
    expect 'No findings: no loads served by another node'"'"'s memory among 100 samples; nothing to do, if program, input and binding are the usual ones; --select away counts stores and loads from caches, too, if another node owns the page ' "$(none "books 100 100 0
$local_ones")"
    expect 'No findings: nothing significant among 1 variable (a finding needs 20 samples of a pattern, 2 % of its kind and 0.01 % of all); 20 stores were to pages that another node owns, but findings are about loads, as stores have no latency: --full --select away-stores lists their variables ' \
        "$(none "books 120 120 0
$local_ones
repeat 20 64 sample 2000 0x401000 0x1000000 unknown S 0 1" --select away)"
    expect "No findings: no sample is hitm (loads of lines that another cache held modified), on node 0; 100 samples in all " \
        "$(none "books 100 100 0
$local_ones" --select hitm --node 0)"
    expect 'No findings: none of 30 selected samples has a variable ' "$(none 'books 30 30 0
repeat 30 8 sample 2000 0x401000 0x1080000 dram LR 0 1')"
    expect 'No findings: too few samples, a finding needs 20 of one variable, and no variable has more than 19; sample 2 times as often, or run 2 times as long ' \
        "$(none "books 138 138 0
$local_ones
repeat 19 64 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 19 64 sample 2000 0x401000 0x1010000 dram LR 0 1")"
    expect 'No findings: nothing significant among 2 variables (a finding needs 20 samples of a pattern, 2 % of its kind and 0.01 % of all) ' \
        "$(none 'books 25 25 0
repeat 10 64 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 10 64 sample 2000 0x401000 0x1000000 dram LR 1 0
repeat 5 64 sample 2000 0x401000 0x1010000 dram LR 1 0')"
    expect 'No findings: nothing significant among 1 variable (a finding needs 20 samples of a pattern, 2 % of its kind and 0.01 % of all) ' \
        "$(none "books 100 100 0
$local_ones" --select all)"
}

@test "no findings: few samples in each of many processes, no stores, no heatmaps" {
    local rank
    for rank in 0 1; do
        printf '%s\n' "process $((400 + rank))" 'setting hardware pebs' 'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 100' 'end' \
            "thread $((400 + rank))" 'malloc 1000 0x1000000 65536 0' 'name 1001 0x1000000 65536 tx' 'books 9 9 0' \
            'repeat 9 64 sample 2000 0x401000 0x1000000 dram LR 0 1' end
    done | samples ranks
    run -0 "$memphis" report --full ranks
    expect 'No findings: too few samples, a finding needs 20 of one variable, and no variable has more than 18; sample 2 times as often, or run 2 times as long' \
        "$(sed -n '/^No findings/,/^$/p' <<< "$output" | tr -s '\n ' ' ' | sed 's/ $//')"
    samples pebs <<'TEXT'
process 100
setting hardware pebs
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 tx
books 100 100 0
repeat 100 64 sample 2000 0x401000 0x1000000 dram L 0 0
end
TEXT
    run -0 "$memphis" report --full --select local-dram pebs
    grep -qF 'no stores were sampled, so first touch is unknown' <<< "$(tr -s '\n ' ' ' <<< "$output")"
    "$memphis" reduce -o three.mprof three
    run -0 "$memphis" report --full --node 0 three.mprof
    grep -qx 'No findings: no heatmaps in this profile for a single node or region' <<< "$output"
}

@test "no findings: accesses without a data source, samples of the library, and the limits of each statement" {
    local elsewhere='repeat 100 64 sample 2000 0x401000 0x1000000 unknown S 0 1'
    local hint='; nothing to do, if program, input and binding are the usual ones; --select away counts stores and loads from caches, too, if another node owns the page '

    expect "No findings: no loads served by another node's memory among 100 samples$hint" \
        "$(none "books 100 100 0
$elsewhere")"
    expect "No findings: no loads served by another node's memory, on node 1; 100 samples in all$hint" \
        "$(none "books 100 100 0
$elsewhere" --node 1)"
    expect 'No findings: no samples were taken; record a longer run, or with a shorter --period ' "$(none '')"
}

@test "a variable with the share of a finding is examined, however many others have more samples" {
    local v page thread
    {
        printf '%s\n' 'process 100' 'map 0x1000000 0x3000000 rw-p 0x0 - [heap]' 'maps 100' end
        for thread in 10 11; do
            printf '%s\n' "thread $thread"
            for ((v = 0; thread == 10 && v < 17; v++)); do
                printf '%s\n' "malloc 1000 $((0x1000000 + v * 0x100000)) 65536 0" "name 1001 $((0x1000000 + v * 0x100000)) 65536 v$v"
            done
            echo "books $((16 * 16 * 54 + (thread == 10 ? 550 : 0))) $((16 * 16 * 54 + (thread == 10 ? 550 : 0))) 0"
            for ((v = 0; v < 16; v++)); do
                for ((page = 0; page < 16; page++)); do
                    echo "repeat 38 8 sample $((2000 + page * 10)) 0x401000 $((0x1000000 + v * 0x100000 + page * 4096)) dram L$([ $((page % 2)) -eq $((thread - 10)) ] || echo R) $((thread - 10)) $((page % 2))"
                    echo "repeat 16 64 sample $((2005 + page * 10)) 0x401010 $((0x1000000 + v * 0x100000 + page * 4096)) dram S $((thread - 10)) $((page % 2))"
                done
            done
            [ "$thread" -eq 11 ] || echo 'repeat 550 64 sample 3000 0x401000 0x2000000 dram LR 0 1'
            echo end
        done
    } | samples seventeen
    run -0 "$memphis" report --full seventeen
    grep -qx '1. [a-z-]*: \[heap\]:v16' <<< "$output"
    run -0 "$memphis" report --format json seventeen
    expect '16 ["v16"]' "$(jq -r '"\(.heatmaps | length) \([.findings[].variable] | tostring)"' <<< "$output")"
}

@test "a note of a loss agrees with its count, and has none if it only says that something happened" {
    printf '%s\n' 'process 400' 'loss small_blocks_left_out 1' 'loss threads_unsampled 1' 'loss names_left_out 2' 'loss writers_not_made 1' \
        'maps 100' end 'thread 400' 'books 0 0 0' end | samples lossy
    expect 'note: process 400: 1 small block was not recorded: the limit on records was reached, or a buffer was
note: process 400: 2 explicit names were not recorded
note: process 400: 1 thread could not be sampled
note: process 400: no companion could be made (PID namespace, `ulimit -u`): samples beyond what' \
        "$("$memphis" report --full lossy | grep '^note: process')"
}

@test "notes about binaries and processes are grouped, and only about the processes that are selected" {
    local rank
    for rank in {0..4}; do
        printf '%s\n' "process $((400 + rank))" "setting rank $rank" "setting ranks 5" "map 0x400000 0x500000 r-xp 0x0 0$rank /tmp/job$rank/model" \
            "loss names_left_out $((rank + 1))" 'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 100' end \
            "thread $((400 + rank))" 'malloc 1000 0x1000000 65536 0' 'name 1001 0x1000000 65536 tx' 'books 30 30 0' \
            'repeat 30 64 sample 2000 0x401000 0x1000000 dram LR 0 1' end
    done > ranks5
    samples ranks5.d < ranks5
    run -0 "$memphis" report --full ranks5.d
    expect 'note: 5 processes (400, 401, 402, ...): 15 explicit names were not recorded
note: 5 binaries (/tmp/job0/model, /tmp/job1/model, /tmp/job2/model, ...) are not here: their' "$(grep '^note' <<< "$output")"
    run -0 "$memphis" report --full --process 'rank 3' ranks5.d
    expect 'note: process 403: 4 explicit names were not recorded
note: /tmp/job3/model is not here: its instructions have no lines; give its place with --binaries
    DIR' "$(sed -n '/^note/,$p' <<< "$output")"
}

@test "the reports of samples and of their profile are equal" {
    "$memphis" reduce -o three.mprof three
    cmp <("$memphis" report --full three) <("$memphis" report --full three.mprof)
    cmp <("$memphis" report --full --select all three) <("$memphis" report --full --select all three.mprof)
}

@test "accounting that does not balance is reported at the top, and a few threads are listed" {
    local thread
    {
        printf '%s\n' 'process 100' 'maps 100' end
        for thread in {100..104}; do
            printf '%s\n' "thread $thread" 'books 10 2 0 1=7' 'repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1' end
        done
    } | samples unbalanced
    run -1 --separate-stderr "$memphis" report --full unbalanced
    grep -qx 'WARNING:     the books do not balance: do not trust this report (see ACCOUNTING)' <<< "$output"
    expect "$(cat <<'TEXT'
books: 50 interrupts = 10 kept + 0 lost + 35 filtered (kernel-pc 35)
    100.100 ?: 10 interrupts = 2 kept + 0 lost + 7 filtered (kernel-pc 7)
    100.101 ?: 10 interrupts = 2 kept + 0 lost + 7 filtered (kernel-pc 7)
    100.102 ?: 10 interrupts = 2 kept + 0 lost + 7 filtered (kernel-pc 7)
    and 2 more; --threads lists all threads
THE BOOKS DO NOT BALANCE for 5 of 5 threads (listed above): samples are missing or counted twice. Do
    not trust this report.
TEXT
)" "$(sed -n '/^books/,$p' <<< "$output")"
    run -1 "$memphis" report --threads unbalanced
    [ "$(grep -c '^    100\.10[0-4] ' <<< "$output")" -eq 5 ]
}

@test "tables that are too wide have no addresses, and then shorter names" {
    samples long <<TEXT
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 65536 0
name 1001 0x1000000 65536 $(printf 'n%.0s' {1..120})
malloc 1000 0x1010000 65536 0
name 1001 0x1010000 65536 größe
books 3 3 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1
sample 2000 0x401000 0x1010000 dram LR 0 1
end
TEXT
    run -0 "$memphis" report --full --width 200 long
    expect "        2   66.7 %  [heap]:$(printf 'n%.0s' {1..120})            0x1000000-0x1000008
        2   66.7 %    ?                          $(printf ' %.0s' {1..100})0x401000  0x1000000-0x1000008" \
        "$(sed -n '/^NODE/,/^$/p' <<< "$output" | sed -n 3,4p)"
    run -0 "$memphis" report --full long
    expect "$(cat <<'TEXT'
NODE 0: 3 samples, 100.0 % of those selected
  samples    share  variable, below it its instructions                                     code
        2   66.7 %  [heap]:nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
        2   66.7 %    ?                                                                     0x401000
        1   33.3 %  [heap]:größe
        1   33.3 %    ?                                                                     0x401000
TEXT
)" "$(sed -n '/^NODE/,/^$/p' <<< "$output")"
}
