#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# If these tests fail, reports have other I/O than the files, or call a rank a single writer that is none.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# rank N WRITTEN NS [FUNCTION]: a rank that was sampled for a second, 0.6 s of it in a step with an output, in which it writes WRITTEN bytes for NS by a
# function; then come further lines of its thread.
rank()
{
    cat <<TEXT
process $((100 + $1))
setting command ./model
setting hardware ibs
setting count ops
setting period 8192
setting active_ns 1000000000
setting mode caliper
setting mpi_rank $1
setting mpi_compared 1
region 1 0 Step
region 2 1 Output
region 3 2 ${4:-pwrite}
region 4 1 MPI_Barrier
region 5 2 open
region 6 1 fprintf
region 7 0 read
file 1 /data/field.nc
file 2 /dev/pts/3
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread $((100 + $1))
time 1 1 100000000
time 2 1 400000000
time 4 4 100000000
io 3 1 10 0 0 $2 0 $3 0 0 0
io 5 0 2 0 0 0 0 1000000 0 0 0
io 7 1 1 0 0 0 500 1000 0 0 0
TEXT
}

# job NAME WRITTEN-BY-OTHERS [NS [FUNCTION]]: rank 0 writes 9000 bytes, ranks 1 to 3 wait for it outside the region of the output.
job()
{
    local number

    {
        rank 0 9000 "${3:-300000000}" "${4:-pwrite}"
        printf '%s\n' 'mpi 4 -1 4 0 0 0 0 1000000 4 4 0' 'io 6 2 100 0 0 1000000 0 2000000 0 0 0' end
        for number in 1 2 3; do
            rank "$number" "$2" 0 "${4:-pwrite}"
            printf '%s\n' 'mpi 4 -1 4 0 0 0 0 310000000 4 0 0' 'mpi 4 0 0 0 0 0 0 0 0 4 300000000' end
        done
    } | samples "$1"
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    job one 0
    job most 333       # 90.01 %
    job less 334       # 89.98 %
    job brief 0 149999999
    job mpi 0 300000000 MPI_File_write_at
}

setup() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
}

# findings JOB: patterns of its findings.
findings() {
    "$memphis" report --format json "$1" | jq -r '.mpi.findings[] | .pattern'
}

@test "the section has shares of computing, MPI and I/O of each rank, and tables of functions and files" {
    "$memphis" report --by io one | sed -n '/^MPI AND I.O$/,/^ACCOUNTING/p' | sed '$d' > "$BATS_TEST_TMPDIR/section"
    cat "$BATS_TEST_TMPDIR/section"
    diff "$BATS_TEST_TMPDIR/section" - <<'TEXT'
MPI AND I/O
4 ranks: 931 ms in MPI, 23.3 % of their time; 900 ms waiting for other ranks, 22.5 %; 306 ms in I/O,
    7.7 %, 1.01 MB written

1. single-writer: MPI_Barrier
   what:     ranks 1, 2, 3 wait 50.0 % of their time in region Step in MPI_Barrier for rank 0, which
             writes 100 % of the bytes
   evidence: 900 ms of waiting; known of 16 of 16 calls; rank 0 writes 9 kB and is in I/O for 301 ms
   try:      let each rank write its part: MPI_File_write_at_all() on one file, or a file for each
             rank or node; or let rank 0 write while the others go on

  rank  compute      MPI      I/O  waiting    in MPI     calls      sent  received   written      read
     0   69.6 %    0.1 %   30.3 %    0.0 %      1 ms         4         -         -   1.01 MB         -
     1   68.9 %   31.0 %    0.1 %   30.0 %    310 ms         4         -         -         -         -
     2   68.9 %   31.0 %    0.1 %   30.0 %    310 ms         4         -         -         -         -
     3   68.9 %   31.0 %    0.1 %   30.0 %    310 ms         4         -         -         -         -

   in MPI    waited     calls      sent  received  ranks  function, region
    931 ms    900 ms        16         -         -      4  MPI_Barrier, Step

   in I/O     calls   written      read  ranks  function, region
    300 ms        40      9 kB         -      4  pwrite, Step/Output
      4 ms         8         -         -      4  open, Step/Output
      2 ms       100      1 MB         -      1  fprintf, Step
      4 us         4         -      2 kB      4  read, (not sampled)

   in I/O     calls   written      read  ranks  file
    300 ms        40      9 kB         -      4  /data/field.nc
      4 ms         8         -         -      4  (none or unknown)
      2 ms       100      1 MB         -      1  /dev/pts/3

TEXT
    diff <("$memphis" report --by io one) <("$memphis" report --by mpi one)
}

@test "JSON has I/O apart from MPI; from profiles, also merged ones, it is the same" {
    "$memphis" report --format json one | jq .mpi > "$BATS_TEST_TMPDIR/json"
    [ "$(jq -c '.ranks[0] | [.calls, .mpi_ns, .io_calls, .io_ns, .written_bytes, .read_bytes]' "$BATS_TEST_TMPDIR/json")" = '[4,1000000,112,303000000,1009000,0]' ]
    [ "$(jq -c '.calls | map(.function)' "$BATS_TEST_TMPDIR/json")" = '["MPI_Barrier"]' ]
    [ "$(jq -c '.io_calls | map([.function, .region, .sampled, .ranks, .io_calls, .read_bytes]) | .[2:]' "$BATS_TEST_TMPDIR/json")" = \
        '[["fprintf","Step",true,1,100,0],["read",null,false,4,4,2000]]' ]
    [ "$(jq -c '.files | map([.file, .written_bytes])' "$BATS_TEST_TMPDIR/json")" = '[["/data/field.nc",9000],[null,0],["/dev/pts/3",1000000]]' ]
    [ "$(jq -c '.findings[0] | [.pattern, .late, .ranks, .share, .bytes_share, .written_bytes, .io_ns]' "$BATS_TEST_TMPDIR/json")" = \
        '["single-writer",0,[1,2,3],0.5,1,9000,301000000]' ]
    "$memphis" reduce -o "$BATS_TEST_TMPDIR/one.mprof" one
    diff "$BATS_TEST_TMPDIR/json" <("$memphis" report --format json "$BATS_TEST_TMPDIR/one.mprof" | jq .mpi)
    "$memphis" merge -o "$BATS_TEST_TMPDIR/merged.mprof" "$BATS_TEST_TMPDIR/one.mprof"
    diff "$BATS_TEST_TMPDIR/json" <("$memphis" report --format json "$BATS_TEST_TMPDIR/merged.mprof" | jq .mpi)
}

@test "a single writer writes 90 % of the bytes, and half as long as the others wait; by MPI, too" {
    [ "$(findings most)" = single-writer ]
    [ "$(findings less)" = late-rank ]
    # 150 ms: the calls of open() are I/O, too.
    [ "$(findings brief)" = single-writer ]
    job briefer 0 148999999
    [ "$(findings briefer)" = late-rank ]
    [ "$(findings mpi)" = single-writer ]
    [ "$("$memphis" report --format json mpi | jq -c '[.mpi.calls, .mpi.io_calls | map(.function)]')" = '[["MPI_Barrier"],["MPI_File_write_at","open","fprintf","read"]]' ]
}

@test "a process without MPI has a table of I/O alone" {
    { rank 0 9000 300000000 | sed '/mpi_/d'; echo end; } | samples alone
    "$memphis" report --by io alone > report
    cat report
    grep -q '^I/O$' report
    grep -q '^1 process: 301 ms in I/O, 30.1 %, 9 kB written$' report
    grep -q '^   100   69.9 %    0.0 %   30.1 %' report
}

@test "dump has the sums with their files; a file in a chunk of MPI is an error, and a rank in one of I/O" {
    [ "$("$memphis" dump one/*.100.thread.memphis | grep '^io' | head -n 1)" = \
        'io region=3 partner=1073741825 calls=10 sent=0 received=0 sent_bytes=9000 received_bytes=0 ns=300000000 waits=0 known=0 waited_ns=0' ]
    [ "$("$memphis" dump one/*100.process.memphis | grep -c '^  1 /data/field.nc$\|^  2 /dev/pts/3$')" = 2 ]
    { rank 0 0 0; printf '%s\n' 'mpi 3 1073741824 1 0 0 0 0 1 0 0 0' end; } | samples damaged
    run -1 "$memphis" report --full damaged
    { rank 0 0 0; printf '%s\n' 'io 3 -1 1 0 0 0 0 1 0 0 0' end; } | samples damaged2
    run -1 "$memphis" report --full damaged2
}

@test "a file without a path is one without a name" {
    samples nameless <<'TEXT'
process 100
setting active_ns 1000
region 1 0 fwrite
file 1 
end
thread 100
io 1 1 5 5 0 100 0 1000 0 0 0
TEXT
    run -0 "$memphis" report --by io nameless
    [[ "$output" == *"100 B"*"(none or unknown)"* ]]
}
