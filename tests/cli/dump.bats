#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# If these tests fail, users can't see the content of a sample file.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    samples all <<'TEXT'
process 100
setting command ./model -n 3
node 0 1024 0-1 10,21
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 TimeLoop
holder 2000 0x5000 0x1000000
loss write_errors 0
end
thread 101
fact name model
stack 1 0x401000 0x402000
malloc 1000 0x1000000 8192 1
map_block 1000 0x7000000 8192 1
free 3000 0x1000000
name 1001 0x1000000 8192 t x
sample 2000 0x401000 0x1000000 dram LR 0 1 1 300
sample 2010 0x401008 0x1000040 unknown S 1 0 1
sample 2020 0x401008 0x1000040 peer-cache LRHKtT 1 0 2
books 5 3 0 1=1 2=1
TEXT
}

@test "every chunk is shown as text" {
    run --separate-stderr "$memphis" dump all/host.100.process.memphis all/host.100.101.thread.memphis
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    expect "$(cat <<'TEXT'
file path=all/host.100.process.memphis kind=process version=1 run=11223344556677886464646464646464 pid=100 start_time_ns=1000 start_realtime_ns=1700000000000000000
chunk type=settings offset=0x40 bytes=21 count=1
  command ./model -n 3
chunk type=topology offset=0x70 bytes=22 count=1
  node 0 1024 0-1 10,21
chunk type=maps offset=0xa0 bytes=50 count=2
  time_ns 100
  0x1000000 0x1100000 rw-p 0x0 - [heap]
chunk type=regions offset=0xf0 bytes=13 count=1
  1 0 TimeLoop
chunk type=holders offset=0x118 bytes=24 count=1
holder time_ns=2000 slot=0x5000 block=0x1000000
chunk type=losses offset=0x148 bytes=15 count=1
  write_errors 0
chunk type=end offset=0x170 bytes=0 count=0
file path=all/host.100.101.thread.memphis kind=thread version=1 run=11223344556677886464646464646464 pid=100 tid=101 start_time_ns=1000 start_realtime_ns=1700000000000000000
chunk type=thread offset=0x40 bytes=11 count=1
  name model
chunk type=stacks offset=0x68 bytes=24 count=1
stack id=1 0=0x401000 1=0x402000
chunk type=allocations offset=0x98 bytes=120 count=3
malloc time_ns=1000 address=0x1000000 size_bytes=8192 stack=1
map time_ns=1000 address=0x7000000 size_bytes=8192 stack=1
free time_ns=3000 address=0x1000000 size_bytes=0 stack=0
chunk type=names offset=0x128 bytes=22 count=1
  1001 0x1000000 8192 t
chunk type=samples offset=0x158 bytes=37 count=3
sample time_ns=2000 pc=0x401000 address=0x1000000 source=dram flags=load,remote latency_cycles=300 cpu=0 node=0 home_node=1 region=1
sample time_ns=2010 pc=0x401008 address=0x1000040 source=unknown flags=store latency_cycles=0 cpu=2 node=1 home_node=0 region=1
sample time_ns=2020 pc=0x401008 address=0x1000040 source=peer-cache flags=load,remote,hitm,locked,l1-tlb-miss,l2-tlb-miss latency_cycles=0 cpu=2 node=1 home_node=0 region=2
chunk type=accounting offset=0x198 bytes=160 count=1
accounting interrupts=5 kept=3 lost=0 throttled=0 kernel-pc=1 not-memory=1
unfinished offset=0x250
TEXT
)" "$output"
}

@test "JSON has one object per line" {
    "$memphis" dump --format json all/host.100.101.thread.memphis > out
    [ "$(jq -c .what out | tr -d '\n')" = '"file""chunk""line""chunk""stack""chunk""malloc""map""free""chunk""line""chunk""sample""sample""sample""chunk""accounting""unfinished"' ]
    expect '{"what":"sample","time_ns":2010,"pc":"0x401008","address":"0x1000040","source":"unknown","flags":"store","latency_cycles":0,"cpu":2,"node":1,"home_node":0,"region":1}' \
        "$(grep '"sample"' out | sed -n 2p)"
}

@test "the content before damage is printed, then the error" {
    head -c 350 all/host.100.101.thread.memphis > cut.memphis
    run --separate-stderr "$memphis" dump cut.memphis
    [ "$status" -eq 1 ]
    grep -qx '  1001 0x1000000 8192 t' <<< "$output"
    expect 'memphis dump: cut.memphis: offset 0x158: the file ends inside a chunk header; the file is damaged or was cut short; take a fresh copy from where it was recorded' "$stderr"
}

@test "wrong usage exits with status 2" {
    run "$memphis" dump
    [ "$status" -eq 2 ]
    run "$memphis" dump --format xml all/host.100.process.memphis
    [ "$status" -eq 2 ]
    run --separate-stderr "$memphis" dump nowhere.memphis
    [ "$status" -eq 1 ]
    expect 'memphis dump: nowhere.memphis: cannot open: No such file or directory' "$stderr"
    run --separate-stderr "$memphis" dump all
    [ "$status" -eq 1 ]
    expect 'memphis dump: all: a directory; give the files in it: all/*.memphis' "$stderr"
}

@test "readings of counters and marks are printed" {
    samples counters <<'TEXT'
process 100
region 1 0 TimeLoop
metric 1 io process counter - bytes read bytes
metric 0 pcp host lost - - pmcd: gone
mark 1000 1
reading 1500 20 1 0.5
reading 1600 21 1 4096 gap
end
TEXT
    expect "$(cat <<'TEXT'
chunk type=counter-metrics offset=0x68 bytes=71 count=2
  1 io process counter - bytes read bytes
  0 pcp host lost - - pmcd: gone
chunk type=counter-marks offset=0xc8 bytes=16 count=1
mark time_ns=1000 region=1
chunk type=counters offset=0xf0 bytes=64 count=2
reading time_ns=1500 took_ns=20 metric=1 value=0.5 flags=
reading time_ns=1600 took_ns=21 metric=1 value=4096 flags=gap
chunk type=end offset=0x148 bytes=0 count=0
TEXT
)" "$("$memphis" dump counters/host.100.process.memphis | tail -n +4)"
    expect '{"what":"reading","time_ns":1600,"took_ns":21,"metric":1,"value":4096.000000,"flags":"gap"}' \
        "$("$memphis" dump --format json counters/host.100.process.memphis | grep 1600)"
}

@test "chains of callers, and the samples that have them" {
    samples callers <<'TEXT'
process 100
end
thread 101
chain 1 0x401005 0x402005
chain 3 0x401005
repeat 4 8 sample 2000 0x7000000 0x1000000 dram LR 0 1
callers 1 chain 3
callers 0 unknown 5
callers 0 chain 1
end
TEXT
    expect "$(cat <<'TEXT'
chunk type=chains offset=0x40 bytes=40 count=2
chain id=1 0=0x401005 1=0x402005
chain id=3 0=0x401005
TEXT
)" "$("$memphis" dump callers/host.100.101.thread.memphis | sed -n 2,4p)"
    expect "$(cat <<'TEXT'
callers sample=1 chain=3
callers sample=2 unknown=short
callers sample=3 chain=1
TEXT
)" "$("$memphis" dump callers/host.100.101.thread.memphis | grep '^callers')"
    expect '{"what":"chain","id":3,"0":"0x401005"}
{"what":"callers","sample":1,"chain":3}
{"what":"callers","sample":2,"unknown":"short"}' \
        "$("$memphis" dump --format json callers/host.100.101.thread.memphis | grep -e '"chain","id":3' -e '"sample":[12],')"
}

@test "frames of a stack, and the samples that lie in them" {
    samples frames <<'TEXT'
process 100
end
thread 101
frame 1 0x401005 0x7ff000 0x7ff400 0x7ff3f0 0
frame 2 0x401105 0x7ff400 0x7ff800 0 2
repeat 3 8 sample 2000 0x401000 0x7ff100 dram LR 0 1
in_frame 0 1
in_frame 1 2
end
TEXT
    expect "$(cat <<'TEXT'
sampled-frame id=1 pc=0x401005 low=0x7ff000 cfa=0x7ff400 bp=0x7ff3f0 flags=0x0
sampled-frame id=2 pc=0x401105 low=0x7ff400 cfa=0x7ff800 bp=0x0 flags=0x2
in-frame sample=0 frame=1
in-frame sample=2 frame=2
TEXT
)" "$("$memphis" dump frames/host.100.101.thread.memphis | grep -e "^sampled-frame" -e "^in-frame")"
}

@test "messages and collective calls of MPI are printed" {
    samples mpi <<'TEXT'
process 100
region 1 0 MPI_Send
end
thread 100
event 1 1000 1200 0xab 64 0 1 3 -1
event 2 1300 1500 0xab 0 128 1 -2 7
event 3 1600 1700 0xcd 8 80 1 -1 0
end
TEXT
    expect 'send begin_ns=1000 end_ns=1200 region=1 partner=3 tag=-1 comm=0xab sent_bytes=64 received_bytes=0
receive begin_ns=1300 end_ns=1500 region=1 partner=-2 tag=7 comm=0xab sent_bytes=0 received_bytes=128
collective begin_ns=1600 end_ns=1700 region=1 partner=-1 tag=0 comm=0xcd sent_bytes=8 received_bytes=80' \
        "$("$memphis" dump mpi/*.100.thread.memphis | grep _ns= | grep -v ^file)"
    run -0 --separate-stderr "$memphis" dump --format json mpi/*.100.thread.memphis
    [ "$(jq -r 'select(.what == "receive") | .partner' <<< "$output")" = -2 ]
}
