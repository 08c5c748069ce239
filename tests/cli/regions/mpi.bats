#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# If these tests fail, reports name the wrong rank as late, or have other sums than the files.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# rank N COMPARED: the begin of a rank that was sampled for a second, 0.8 s of it in a loop; its thread follows.
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
setting mpi_compared $2
setting mpi_clock_error_ns ${1}500
setting mpi_left_out ${1}
region 1 0 Loop
region 2 1 MPI_Recv
region 3 1 MPI_Allreduce
region 4 0 MPI_Init
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread $((100 + $1))
time 1 1 300000000
time 2 10 200000000
time 3 10 300000000
mpi 4 -1 1 0 0 0 0 5000000000 0 0 0
TEXT
}

# Rank 0 waits for messages of rank 1, ranks 0 and 1 wait in MPI_Allreduce for rank 2, which waits for none.
job()
{
    rank 0 1
    cat <<TEXT
mpi 2 1 10 0 10 0 4000 200000000 10 9 160000000
mpi 3 -1 10 0 0 80 80 300000000 10 0 0
mpi 3 2 0 0 0 0 0 0 0 8 240000000
mpi 3 1 0 0 0 0 0 0 0 2 10000000
repeat 6 64 sample 2000 0x401000 0x1000000 dram LR 0 1 3 1000
repeat 2 64 sample 2000 0x401000 0x1000000 dram LR 0 1 1 1000
books 8 8 0
end
TEXT
    rank 1 1
    cat <<TEXT
mpi 2 0 10 10 0 4000 0 10000000 0 0 0
mpi 3 -1 10 0 0 80 80 300000000 10 0 0
mpi 3 2 0 0 0 0 0 0 0 10 200000000
end
TEXT
    rank 2 1
    cat <<TEXT
mpi 3 -1 10 0 0 80 80 8000000 10 0 0
mpi 3 2 0 0 0 0 0 0 0 10 0
end
TEXT
}

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    job | samples job
    { rank 0 0; printf '%s\n' 'mpi 2 1 1 0 1 0 8 5 1 0 0' 'mpi 2 1 3 0 3 0 24 15 3 0 0' end; } | samples killed
    { rank 0 1; printf '%s\n' 'mpi 2 -3 1 0 1 0 8 5 1 0 0' end; } | samples damaged
}

setup() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
}

@test "the section MPI has a summary and findings, and with --by mpi the tables of ranks and functions" {
    "$memphis" report --by mpi job > "$BATS_TEST_TMPDIR/report"
    sed -n '/^MPI$/,/^ACCESSES/p' "$BATS_TEST_TMPDIR/report" | sed '/^NODE/,$d' > "$BATS_TEST_TMPDIR/section"
    diff "$BATS_TEST_TMPDIR/section" - <<'TEXT'
MPI
3 ranks: 818 ms in MPI, 27.3 % of their time; 610 ms waiting for other ranks, 20.3 %
waits: 1 of 40 messages and collective calls are not known: beyond the limit of the log, or between
    calls that can't be compared
clocks: times of different machines may be wrong by 2.50 us

1. late-rank: MPI_Allreduce
   what:     ranks 0, 1 wait 27.5 % of their time in region Loop in MPI_Allreduce for rank 2, which
             comes last
   evidence: 440 ms of waiting; known of 30 of 30 calls
   try:      give rank 2 less work before the call: memphis report --by region --process 'rank 2'
             shows its regions
2. late-sender: MPI_Recv
   what:     rank 0 waits 20.0 % of its time in region Loop in MPI_Recv for messages that rank 1
             begins to send late
   evidence: 160 ms of waiting; known of 9 of 10 messages
   try:      let rank 1 send earlier; or let the others work while they wait, with MPI_Irecv()
             before and MPI_Wait() after the work

  rank  compute      MPI  waiting    in MPI     calls      sent  received    remote    in MPI
     0   50.0 %   50.0 %   41.0 %    500 ms        20      80 B   4.08 kB    15.7 M    47.2 M
     1   69.0 %   31.0 %   20.0 %    310 ms        20   4.08 kB      80 B         -         -
     2   99.2 %    0.8 %    0.0 %      8 ms        10      80 B      80 B         -         -
remote: cycles of waiting for remote DRAM, outside MPI and in MPI

   in MPI    waited     calls      sent  received  ranks  function, region
    608 ms    450 ms        30     240 B     240 B      3  MPI_Allreduce, Loop
    210 ms    160 ms        20      4 kB      4 kB      2  MPI_Recv, Loop
      15 s         -         3         -         -      3  MPI_Init, (not sampled)

TEXT
}

@test "the first screen has the first finding about ranks, and says where the others and the tables are" {
    "$memphis" report --width 80 job > "$BATS_TEST_TMPDIR/screen"
    [ "$(tail -4 "$BATS_TEST_TMPDIR/screen")" = "
MPI: ranks 0, 1 wait 27.5 % of their time in region Loop in MPI_Allreduce for
      rank 2, which comes last; more: --by mpi
evidence, tables by node, accounting: --full; a page: --format html" ]
    "$memphis" report --width 80 killed > "$BATS_TEST_TMPDIR/screen"
    [ "$(tail -2 "$BATS_TEST_TMPDIR/screen" | head -1)" = 'times and bytes of MPI and I/O: --by mpi' ]
}

@test "JSON has the sums of ranks and functions, the same from profiles" {
    "$memphis" report --format json job | jq .mpi > "$BATS_TEST_TMPDIR/json"
    [ "$(jq -c '.ranks[0] | [.rank, .ns, .calls, .received, .received_bytes, .mpi_ns, .waits, .known, .waited_ns]' "$BATS_TEST_TMPDIR/json")" = \
        '[0,1000000000,20,10,4080,500000000,20,19,410000000]' ]
    [ "$(jq -c '[.calls[] | [.function, .region, .sampled, .ranks, .waited_ns]]' "$BATS_TEST_TMPDIR/json")" = \
        '[["MPI_Allreduce","Loop",true,3,450000000],["MPI_Recv","Loop",true,2,160000000],["MPI_Init",null,false,3,0]]' ]
    [ "$(jq -c '[.findings[] | [.pattern, .function, .late, .ranks, .share]]' "$BATS_TEST_TMPDIR/json")" = \
        '[["late-rank","MPI_Allreduce",2,[0,1],0.275],["late-sender","MPI_Recv",1,[0],0.2]]' ]
    [ "$(jq -c '[.rank_count, .unknown, .clock_error_ns, .left_out]' "$BATS_TEST_TMPDIR/json")" = '[3,1,2500,3]' ]
    "$memphis" reduce -o "$BATS_TEST_TMPDIR/job.mprof" job
    diff "$BATS_TEST_TMPDIR/json" <("$memphis" report --format json "$BATS_TEST_TMPDIR/job.mprof" | jq .mpi)
    # Profiles need not have threads apart for this view.
    "$memphis" report --by mpi "$BATS_TEST_TMPDIR/job.mprof" | grep -q '^     0   50.0 %   50.0 %   41.0 %'
}

@test "with --by mpi, waiting for remote memory is apart for computing and MPI, and all other tables are the same" {
    [ "$("$memphis" report --format json --by mpi job | jq -c '.mpi.ranks[0] | [.remote_cycles > 0, .mpi_remote_cycles / .remote_cycles]')" = '[true,3]' ]
    diff <("$memphis" report --full job | sed '/^MPI$/,/^NODE/d') <("$memphis" report --by mpi job | sed '/^MPI$/,/^NODE/d')
}

@test "waits of a job without MPI_Finalize() are not known, and the report says so" {
    run -0 "$memphis" report --by mpi killed
    echo "$output"
    [[ "$output" == *"waits: 3 of 3 messages and collective calls are not known: ranks ended without MPI_Finalize()"* ]]
    grep -q '^     0  100.0 %    0.0 %        ?     15 ns         3         -      24 B' <<< "$output"
    [[ "$output" != *late-* ]]
}

@test "dump has the sums with their partners; a partner that can't be is an error" {
    [ "$("$memphis" dump killed/*.thread.memphis | grep '^mpi' | tail -n 1)" = \
        'mpi region=2 partner=1 calls=3 sent=0 received=3 sent_bytes=0 received_bytes=24 ns=15 waits=3 known=0 waited_ns=0' ]
    run -1 "$memphis" report --full damaged
    [[ "$output" == *"mpi"* ]]
}

@test "the page of a job lists the ranks that wait most, not all" {
    local number

    for number in {0..99}; do
        rank "$number" 1
        printf 'mpi 3 -1 10 0 0 80 80 300000000 10 0 0\nmpi 3 0 0 0 0 0 0 0 0 10 %d\nend\n' "$((number * 1000000))"
    done | samples job
    "$memphis" report --format html -o page.html job
    grep -A1 'type="application/json"' page.html | grep -o '"mpi":.*' > page.json || grep -o '"mpi":{.*' page.html > page.json
    expect 32 "$(grep -o '"remote_cycles"' page.json | wc -l)"
    grep -q '"rank":99,' page.json
    run ! grep -q '"rank":67,"ns"' page.json
    expect 100 "$("$memphis" report --format json job | jq '.mpi.ranks | length')"
}

@test "a number of a damaged file that is no rank names no other rank" {
    job | sed 's/^setting mpi_rank 2$/setting mpi_rank 4294967297/' | samples beyond
    run -0 "$memphis" report --format json --by mpi beyond
    [ "$(jq -c '[.mpi.ranks[].rank] | sort' <<< "$output")" = '[0,1,102]' ]
}
