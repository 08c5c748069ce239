#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Files that perf has recorded, in the place of sample files: their fields, sources, nodes, names and losses. If these tests fail, users without the
# module or the library get wrong reports from perf.data, or none. The files are written by tests/cli/perfdata/recording.py.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    make -s -C "$root/tests/unit/postproc" BUILD="$root/build" tool
    cd -P "$BATS_FILE_TMPDIR"
    gcc -O0 -g -no-pie -fcf-protection=none -x c -o prog - <<'C'
double table[4096];
static double halo[64];
int main(void) { table[7] = halo[3]; return 0; }
C
    echo "host $(uname -n)" > host
    cat >> host <<'TEXT'
release 6.12.0
arch x86_64
cpu AMD EPYC 9654
cpuid AuthenticAMD,25,17,1
command perf mem record ./prog --steps 6
node 0 1024 0-1
node 1 2048 2-3
memory 0x8000000 0 0 1
memory 0x8000000 1 2 3
pmu 11 ibs_op
TEXT
    # Sources: the values of perf's data_src are those of a load with a level, as Linux 4.4 and 6.1 have them.
    { cat host; cat <<'TEXT'; } > loads
event 4 0x1cd 1000 ip,tid,time,addr,cpu,weight,data_src,phys config1=30 name=cpu/mem-loads,ldlat=30/P enable_on_exec=1
object prog prog
comm 40 40 bash 0
comm 40 40 prog 1000 exec
maps 40 prog 1000
TEXT
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    # With sanitizers, a finding gives an exit status other than 1.
    tool=$root/build/unit/postproc/memphis
}

# recorded FILE [OPTION...]: writes a recording from the description on standard input.
recorded() {
    local file=$1

    shift
    python3 "$root/tests/cli/perfdata/recording.py" "$@" "$file"
}

# shown FILE KEY...: prints these values of each sample, as memphis dump shows them.
shown() {
    "$tool" dump "$1" | sed -nE 's/^sample //p' | python3 -c '
import sys
for line in sys.stdin:
    pairs = dict(word.split("=") for word in line.split())
    print(*(pairs[key] for key in sys.argv[1:]))' "${@:2}"
}

@test "variables, lines, nodes and the accounting of a recording" {
    { cat loads; cat <<'TEXT'; } | recorded full.data
sample 0 ip=prog!main tid=40/41 time=2000 addr=prog!table+64 cpu=0 weight=400 data_src=0x3a00000002 phys=0x10000000
sample 0 ip=prog!main tid=40/41 time=2001 addr=prog!table+72 cpu=2 weight=200 data_src=0x200000002 phys=0x10000000
sample 0 ip=prog!main tid=40/41 time=2002 addr=prog!halo cpu=0 weight=400 data_src=0x3a00000002 phys=0x18000000
sample 0 mode=kernel ip=0xffffffff81000000 tid=40/41 time=2003 addr=0xffff888000000000 cpu=0 weight=7 data_src=0x200000002
lost 0 5 40 41 2004
throttle 0 40 41 2005
lost_samples 0 8
exit 40 40 41 2006
TEXT
    run -0 "$tool" report --full --binaries "$PWD" full.data
    echo "$output"
    grep -qx 'command:     ./prog --steps 6' <<< "$output"
    grep -qx "run:         1 process, 1 thread, 1 host ($(uname -n))" <<< "$output"
    grep -q 'Intel PEBS, backend perf.data, event load-latency, period 1000' <<< "$output"
    grep -Eq '^ +1 +50.0 % .*\[bss\]:table ' <<< "$output"
    grep -Eq '^ +1 +50.0 % .*\[bss\]:halo ' <<< "$output"
    grep -Eq '^ +1 +50.0 % .*<stdin>:3 \(main\) ' <<< "$output"
    grep -q 'NODE 0: 2 samples' <<< "$output"
    grep -qx 'books: 9 interrupts = 3 kept + 5 lost + 1 filtered (kernel-pc 1)' <<< "$output"
    grep -q '^throttled: perf paused sampling 1 time, ' <<< "$output"
    grep -qx 'note: process 40: 3 samples were lost by perf in threads that are unknown or left out' <<< "$output"
}

@test "data sources of old and new kernels, stores, and what is no access" {
    # Bits of the level (mem_lvl), as Linux has them before 4.14; its number (mem_lvl_num), remote and hops.
    { cat loads; cat <<'TEXT'; } | recorded sources.data
sample 0 ip=prog!main tid=40 time=2001 addr=prog!table cpu=0 weight=11 data_src=0x142
sample 0 ip=prog!main tid=40 time=2002 addr=prog!table cpu=0 weight=12 data_src=0x242
sample 0 ip=prog!main tid=40 time=2003 addr=prog!table cpu=0 weight=13 data_src=0x442
sample 0 ip=prog!main tid=40 time=2004 addr=prog!table cpu=0 weight=14 data_src=0x842
sample 0 ip=prog!main tid=40 time=2005 addr=prog!table cpu=0 weight=15 data_src=0x1042
sample 0 ip=prog!main tid=40 time=2006 addr=prog!table cpu=0 weight=16 data_src=0x2042
sample 0 ip=prog!main tid=40 time=2007 addr=prog!table cpu=0 weight=17 data_src=0x808042
sample 0 ip=prog!main tid=40 time=2008 addr=prog!table cpu=0 weight=18 data_src=0x882
sample 0 ip=prog!main tid=40 time=2009 addr=prog!table cpu=0 weight=519 data_src=0x2000142
sample 0 ip=prog!main tid=40 time=2010 addr=prog!table cpu=0 weight=20 data_src=0x10000142
sample 0 ip=prog!main tid=40 time=2011 addr=prog!table cpu=0 weight=21 data_src=0x200000002
sample 0 ip=prog!main tid=40 time=2012 addr=prog!table cpu=0 weight=22 data_src=0x1a00000002
sample 0 ip=prog!main tid=40 time=2013 addr=prog!table cpu=0 weight=23 data_src=0x3a00000002
sample 0 ip=prog!main tid=40 time=2014 addr=prog!table cpu=0 weight=24 data_src=0x83600000002
sample 0 ip=prog!main tid=40 time=2015 addr=prog!table cpu=0 weight=25 data_src=0x103600000002
sample 0 ip=prog!main tid=40 time=2016 addr=prog!table cpu=0 weight=26 data_src=0x1200000002
sample 0 ip=prog!main tid=40 time=2017 addr=prog!table cpu=0 weight=27 data_src=0x1e00000002
sample 0 ip=prog!main tid=40 time=2018 addr=prog!table cpu=0 weight=70000 data_src=0x1a00000002
sample 0 ip=prog!main tid=40 time=2019 addr=prog!table cpu=0 weight=29 data_src=0x144
sample 0 ip=prog!main tid=40 time=2020 addr=prog!table cpu=0 weight=30 data_src=0x3a00000006
sample 0 ip=prog!main tid=40 time=2021 addr=0 cpu=0 weight=31 data_src=0x1
sample 0 ip=prog!main tid=40 time=2022 addr=0 cpu=0 weight=32 data_src=0x142
sample 0 ip=prog!main tid=40 time=2023 addr=0xffff888000000000 cpu=0 weight=33 data_src=0x142
sample 0 exact=0 ip=prog!main tid=40 time=2024 addr=prog!table cpu=0 weight=34 data_src=0x142
sample 0 mode=guest ip=prog!main tid=40 time=2025 addr=prog!table cpu=0 weight=35 data_src=0x142
TEXT
    expect "$(cat <<'TEXT'
2001 l1 load 11
2002 fill-buffer load 12
2003 l2 load 13
2004 l3 load 14
2005 dram load 15
2006 dram load,remote 16
2007 peer-cache load,remote,hitm 17
2008 unknown load 18
2009 l1 load,locked 519
2010 l1 load,l1-tlb-miss,l2-tlb-miss 20
2011 l1 load 21
2012 dram load 22
2013 dram load,remote 23
2014 peer-cache load 24
2015 peer-cache load,remote 25
2016 extension load 26
2017 unknown load 27
2018 dram load 65535
2019 unknown store 0
2020 dram load,store,remote 30
TEXT
)" "$(shown sources.data time_ns source flags latency_cycles)"
    run -0 "$tool" report --full sources.data
    grep -q 'books: 25 interrupts = 20 kept + 0 lost + 5 filtered (invalid 1, not-memory 1, no-address 1, kernel-address 1, guest 1)' <<< "$(tr -s ' \n' '  ' <<< "$output")"
}

@test "raw registers of IBS, and the node of a page by its physical address" {
    # Registers: control, RIP, data, data 2, data 3, linear and physical address. Data 3: a load that missed L1 and L2, both addresses valid, latency 104;
    # data 2: from the DRAM, of another node with bit 4.
    { cat host; cat <<'TEXT'; } | recorded raw.data
event 11 0x80000 16384 ip,tid,time,addr,cpu,raw name=ibs_op//
object prog prog
comm 40 40 prog 1000 exec
maps 40 prog 1000
sample 0 ip=prog!main tid=40 time=2000 addr=prog!table cpu=0 raw=0x1bff,0x40000,prog!main,0,0x13,0x6800160081,prog!table,0x10000000
sample 0 ip=prog!main tid=40 time=2001 addr=prog!table cpu=0 raw=0x1bff,0x40000,prog!main,0,0x3,0x6800160081,prog!table,0x8000000
sample 0 ip=prog!main tid=40 time=2002 addr=prog!table cpu=3 raw=0x1bff,0x40000,prog!main,0,0,0x60002,prog!table,0x20000000
sample 0 ip=prog!main tid=40 time=2003 addr=0 cpu=0 raw=0x1bff,0x40000,prog!main,0,0,0,0,0
sample 0 ip=0 tid=40 time=2004 addr=0 cpu=0 raw=0x1bff,0x40000,0,0,0,0,0,0
TEXT
    expect "$(cat <<'TEXT'
2000 dram load,remote 104 0 1
2001 dram load 104 0 0
2002 unknown store 0 1 65535
TEXT
)" "$(shown raw.data time_ns source flags latency_cycles node home_node)"
    run -0 "$tool" report --full raw.data
    grep -q 'AMD IBS, backend perf.data, period 16384 ops, attached while running' <<< "$output"
    grep -qx 'books: 5 interrupts = 3 kept + 0 lost + 2 filtered (invalid 1, not-memory 1)' <<< "$output"
}

@test "processes: fork, exec, threads of the same number, and maps without data" {
    { cat host; cat <<'TEXT'; } | recorded tasks.data
event 4 0x1cd 1000 ip,tid,time,addr,cpu,data_src
object prog prog
comm 40 40 sh 1000 exec
maps 40 prog 1000 data
sample 0 ip=prog!main tid=40 time=1500 addr=prog!table cpu=0 data_src=0x142
fork 41 40 41 1600
sample 0 ip=prog!main tid=41 time=1700 addr=prog!halo cpu=0 data_src=0x142
comm 41 41 other 1800 exec
map1 41 0x400000 0x500000 r-xp 0 /nowhere/other 1800
map1 41 0x600000 0x700000 rw-p 0x100000 /nowhere/other 1801
map1 41 0x800000 0x900000 rw-p 0x7000000 //anon 1802
sample 0 ip=0x400010 tid=41/42 time=1900 addr=0x810000 cpu=0 data_src=0x142
exit 41 41 42 1950
fork 41 41 42 2000
sample 0 ip=0x400010 tid=41/42 time=2050 addr=0x600010 cpu=0 data_src=0x142
sample 0 mode=kernel ip=0xffffffff81000000 tid=7 time=2100 addr=0xffff888000000000 cpu=0 data_src=0x142
TEXT
    run -0 "$tool" report --full --select all tasks.data
    echo "$output"
    grep -qx "run:         3 processes, 4 threads, 1 host ($(uname -n))" <<< "$output"
    grep -Eq '\[bss\]:table' <<< "$output"
    # The child has the maps of its parent.
    grep -Eq '\[bss\]:halo' <<< "$output"
    grep -q 'recorded-by-perf 1 ' <<< "$output"
    grep -q 'mapped-file 1 ' <<< "$output"
    "$tool" dump tasks.data > tasks.txt
    grep -q '^file path=tasks.data:41.1 kind=process ' tasks.txt
    # The offset of anonymous memory is left out.
    grep -qx '  0x800000 0x900000 rw-p 0x0 - ' tasks.txt
    [ "$(grep -c '^file .* kind=thread .* tid=42 ' tasks.txt)" -eq 2 ]
    # Without the real time, the processes have the axis of perf's clock: the second one begins at 1600, the first one at 1000, in microseconds.
    "$tool" export --format trace -o tasks.json tasks.data
    expect '[0.0, 0.6, 0.8]' "$(python3 -c 'import json; print(sorted(e["ts"] for e in json.load(open("tasks.json"))["traceEvents"] if e["name"] == "sampled"))')"
    # A process without samples of its own is left out.
    run -1 grep -q 'pid=7 ' tasks.txt
}

@test "a PID that is used again, and programs executed before any sample is kept" {
    { cat loads; cat <<'TEXT'; } | recorded again.data
sample 0 ip=prog!main tid=40 time=2000 addr=prog!table cpu=0 data_src=0x142
fork 41 40 41 2001
sample 0 mode=kernel ip=0xffffffff81000000 tid=41 time=2002 addr=0xffff888000000000 cpu=0 data_src=0x142
comm 41 41 other 2003 exec
sample 0 ip=prog!main tid=41 time=2004 addr=prog!table cpu=0 data_src=0x142
exit 41 40 41 2005
fork 41 40 41 2006
sample 0 ip=prog!main tid=41 time=2007 addr=prog!table cpu=0 data_src=0x142
TEXT
    "$tool" dump again.data > again.txt
    expect 'again.data:40
again.data:41
again.data:41.1' "$(sed -nE 's/^file path=(\S+) kind=process .*/\1/p' again.txt)"
    run -0 "$tool" report --full --select all again.data
    echo "$output"
    grep -q '^run:         3 processes' <<< "$output"
    grep -q '^note: process 40: 1 sample is left out: from processes without kept samples or sample files, ' <<< "$output"
    # The end of a thread is recorded, but not that of the process, whose main thread is known only by its sample.
    { cat loads; cat <<'TEXT'; } | recorded worker.data
exit 40 40 44 1999
sample 0 ip=prog!main tid=40 time=2000 addr=prog!table cpu=0 data_src=0x142
TEXT
    run -0 "$tool" report --full --select all worker.data
    grep -q '\[bss\]:table' <<< "$output"
    # A process without maps is forked, and only the child maps something.
    { cat loads; cat <<'TEXT'; } | recorded empty.data
fork 61 60 61 2001
map1 61 0x400000 0x500000 r-xp 0 /nowhere/other 2002
sample 0 ip=0x400010 tid=61 time=2003 addr=0x400020 cpu=0 data_src=0x142
TEXT
    run -0 "$tool" report --full --select all empty.data
    # Processes without samples of their own, of which there is no other: both have files.
    { cat loads; cat <<'TEXT'; } | recorded none.data
sample 0 mode=kernel ip=0xffffffff81000000 tid=40 time=2000 addr=0xffff888000000000 cpu=0 data_src=0x142
comm 40 40 other 2003 exec
sample 0 mode=kernel ip=0xffffffff81000000 tid=40 time=2004 addr=0xffff888000000000 cpu=0 data_src=0x142
TEXT
    run -0 "$tool" report --full none.data
    grep -qx 'books: 2 interrupts = 0 kept + 0 lost + 2 filtered (kernel-pc 2)' <<< "$output"
}

@test "losses count once, also those in the turn of a process that is left out" {
    { cat loads; cat <<'TEXT'; } | recorded losses.data
sample 0 ip=prog!main tid=40 time=2000 addr=prog!table cpu=0 data_src=0x142
fork 41 40 41 2001
sample 0 ip=prog!main tid=41 time=2002 addr=prog!table cpu=0 data_src=0x142
lost 0 5 39 39 2003
lost 0 2 41 41 2004
lost_samples 0 8
TEXT
    run -0 "$tool" report --full --select all losses.data
    grep -qx 'books: 4 interrupts = 2 kept + 2 lost + 0 filtered' <<< "$output"
    grep -qx 'note: process 40: 6 samples were lost by perf in threads that are unknown or left out' <<< "$output"
}

@test "the period is that of loads, whatever else was recorded" {
    { cat host; cat <<'TEXT'; } | recorded periods.data
event 4 0x82d0 50 identifier,ip,tid,time,addr,period,data_src id=10 freq=1
event 4 0x1cd 50 identifier,ip,tid,time,addr,period,data_src id=20 freq=1
event 4 0x1cd 7000 identifier,ip,tid,time,addr,period,data_src id=30
event 0 0 50 identifier,ip,tid,time,addr,period,data_src id=40 freq=1
comm 40 40 prog 1000 exec
map 40 0x400000 0x401000 r-xp 0 /bin/prog 1000
sample 0 identifier=10 ip=0x400010 tid=40 time=2000 addr=0x600010 period=900000 data_src=0x144
sample 1 identifier=20 ip=0x400010 tid=40 time=2001 addr=0x600010 period=1000 data_src=0x142
sample 1 identifier=20 ip=0x400010 tid=40 time=2002 addr=0x600010 period=4000 data_src=0x142
sample 2 identifier=30 ip=0x400010 tid=40 time=2003 addr=0x600010 period=1 data_src=0x142
sample 3 identifier=40 ip=0x400010 tid=40 time=2004 addr=0x600010 period=800000 data_src=0x142
TEXT
    "$tool" dump periods.data | grep -qx '  period 4000'
}

@test "a sample stands for as many accesses as the period of its own event" {
    { cat host; cat <<'TEXT'; } | recorded own.data
event 4 0x1cd 1000 identifier,ip,tid,time,addr,data_src id=10
event 4 0x2d3 500 identifier,ip,tid,time,addr,data_src id=20
event 4 0x82d0 7000 identifier,ip,tid,time,addr,data_src id=30
comm 40 40 prog 1000 exec
map 40 0x400000 0x401000 r-xp 0 /bin/prog 1000
sample 0 identifier=10 ip=0x400010 tid=40 time=2000 addr=0x600010 data_src=0x142
sample 0 identifier=10 ip=0x400010 tid=40 time=2001 addr=0x600010 data_src=0x2042
sample 1 identifier=20 ip=0x400010 tid=40 time=2002 addr=0x600010 data_src=0x142
sample 1 identifier=20 ip=0x400010 tid=40 time=2003 addr=0x600010 data_src=0x142
sample 2 identifier=30 ip=0x400010 tid=40 time=2004 addr=0x600010 data_src=0x144
TEXT
    expect '  period 1000
  period_remote-dram 500
  period_stores 7000' "$("$tool" dump own.data | grep '^  period')"
    # Two samples of loads, two of loads by source, and one of a store.
    run -0 "$tool" report --format json --select all own.data
    expect '[10000]
[7000,1000,1000,1000]' "$(jq -c '[.matrix[]? | .accesses], [.threads[].accesses]' <<< "$output")"
    # Remote DRAM: a sample of load latency, and two of loads by source.
    expect 2000 "$("$tool" report --format csv own.data | cut -d, -f15 | tail -n 1)"
}

@test "build-ids of the header and of maps, and a program of another machine" {
    { cat <<'TEXT'; } | recorded ids.data
host elsewhere
event 4 0x1cd 1000 ip,tid,time,addr,data_src
build_id /lib/libone.so 0123456789abcdef0123456789abcdef01234567
comm 40 40 prog 1000 exec
map 40 0x400000 0x401000 r-xp 0 /bin/prog 1000
map 40 0x500000 0x501000 r-xp 0 /lib/libone.so 1000
map 40 0x600000 0x601000 r-xp 0 /lib/libtwo.so 1000 89abcdef
sample 0 ip=0x400010 tid=40 time=1500 addr=0x600010 data_src=0x142
TEXT
    "$tool" dump ids.data > ids.txt
    grep -qx '  0x400000 0x401000 r-xp 0x0 ?elsewhere /bin/prog' ids.txt
    grep -qx '  0x500000 0x501000 r-xp 0x0 0123456789abcdef0123456789abcdef01234567 /lib/libone.so' ids.txt
    grep -qx '  0x600000 0x601000 r-xp 0x0 89abcdef /lib/libtwo.so' ids.txt
    sed '/^host/d' <<'TEXT' | recorded here.data
event 4 0x1cd 1000 ip,tid,time,addr,data_src
comm 40 40 prog 1000 exec
map 40 0x400000 0x401000 r-xp 0 /bin/prog 1000
sample 0 ip=0x400010 tid=40 time=1500 addr=0x600010 data_src=0x142
TEXT
    touch -d @1.5 here.data
    "$tool" dump here.data | grep -qx '  0x400000 0x401000 r-xp 0x0 ?77.1500000000 /bin/prog'
    "$tool" report --full here.data | grep -q '^note: .*perf recorded no CPU with the samples, so that their nodes are unknown'
}

@test "a program without recorded build-id that is not the recorded file any more gives no names" {
    cp prog built
    { sed 's/ prog$/ built/; s/ prog 1000$/ built 1000/' loads; echo 'sample 0 ip=built!main tid=40 time=2000 addr=built!table+64 cpu=0 data_src=0x3a00000002'; } > built.txt
    sed -i 's/^object .*/object built built/' built.txt
    recorded built.data < built.txt
    "$tool" report --full built.data | grep -Eq '\[bss\]:table '
    # Another file is in its place, of the same age; then, the same file is newer than the recording.
    cp -p built other
    mv other built
    run -0 "$tool" report --full built.data
    run -1 grep ':table ' <<< "$output"
    recorded built.data < built.txt
    touch -d tomorrow built
    run -0 "$tool" report --full built.data
    echo "$output"
    run -1 grep ':table ' <<< "$output"
    "$tool" report --full built.data | tr -s ' \n' '  ' | grep -q 'built is not the recorded file any more (perf recorded no build-id; by its machine, inode or time)'
    mkdir kept
    cp prog kept/built
    "$tool" report --full --binaries kept built.data | grep -Eq '\[bss\]:table '
    # The old record of a map has no inode: without the name of the host, the file may be of any machine.
    sed '/^host/d; s/^maps .*/map1 40 0x400000 0x401000 r-xp 0 \/bin\/true 1000/; s/built!main/0x400010/; s/built!table.64/0x600010/' built.txt | recorded old.data
    "$tool" dump old.data | grep -qx '  0x400000 0x401000 r-xp 0x0 ?elsewhere /bin/true'
}

@test "several events: ids, the auxiliary event, loads by source, and the CPU of a buffer" {
    { cat host; cat <<'TEXT'; } | recorded events.data
event 4 0x8203 1000 identifier,ip,tid,time,addr,data_src id=10,11
event 4 0x1cd 1000 identifier,ip,tid,time,addr,data_src id=20,21 freq=1
event 4 0x2d3 500 identifier,ip,tid,time,addr,data_src id=30
event 0 0 4000 identifier,ip,tid,time,addr,data_src id=40
place 21 3
comm 40 40 prog 1000 exec
map 40 0x400000 0x401000 r-xp 0 /bin/prog 1000
sample 0 identifier=10 ip=0x400010 tid=40 time=2000 addr=0x600010 data_src=0x142
sample 1 identifier=20 ip=0x400010 tid=40 time=2001 addr=0x600010 data_src=0x142
sample 1 identifier=21 ip=0x400010 tid=40 time=2002 addr=0x600010 data_src=0x442
sample 2 identifier=30 ip=0x400010 tid=40 time=2003 addr=0x600010 data_src=0x142
sample 2 identifier=99 ip=0x400010 tid=40 time=2004 addr=0x600010 data_src=0x142
TEXT
    expect '2001 l1 load 0 65535
2002 l2 load 3 1
2003 dram load,remote,by-source 0 65535' "$(shown events.data time_ns source flags cpu node)"
    "$tool" dump events.data | grep -qx '  event load-latency,remote-dram'
}

@test "records are taken in the order of their times, across rounds" {
    { cat loads; cat <<'TEXT'; } | recorded rounds.data
sample 0 ip=prog!main tid=40 time=2003 addr=prog!table data_src=0x142
sample 0 ip=prog!main tid=40 time=2005 addr=prog!table data_src=0x142
round
sample 0 ip=prog!main tid=40 time=2004 addr=prog!table data_src=0x142
round
sample 0 ip=prog!main tid=40 time=2006 addr=prog!table data_src=0x142
sample 0 ip=prog!main tid=40 time=2001 addr=prog!table data_src=0x142
TEXT
    # The last one is older than what a round has brought.
    expect '2003
2004
2005
2001
2006' "$(shown rounds.data time_ns)"
}

one_sample='sample 0 ip=prog!main tid=40 time=2000 addr=prog!table cpu=0 data_src=0x3a00000002'

@test "callers of samples in libraries, from call chains" {
    { cat host; cat <<'TEXT'; } | recorded chains.data
event 4 0x1cd 1000 ip,tid,time,addr,chain,data_src
comm 40 40 prog 1000 exec
map 40 0x400000 0x401000 r-xp 0 /home/alice/prog 1000
map 40 0x500000 0x501000 r-xp 0 /home/alice/libown.so 1000
map 40 0x600000 0x601000 r-xp 0 /lib/libc.so 1000
sample 0 ip=0x400010 tid=40 time=2000 addr=0x1000 data_src=0x142 chain=0xfffffffffffffe00,0x400010,0x400020
sample 0 ip=0x500010 tid=40 time=2001 addr=0x1000 data_src=0x142 chain=0xfffffffffffffe00,0x500010,0x400020
sample 0 ip=0x600010 tid=40 time=2002 addr=0x1000 data_src=0x142 chain=0xffffffffffffff80,0xffffffff81000000,0xfffffffffffffe00,0x600014,0x400020,0x400030
sample 0 ip=0x600010 tid=40 time=2003 addr=0x1000 data_src=0x142 chain=0xfffffffffffffe00,0x600010,0x400020,0x400030
sample 0 ip=0x600010 tid=40 time=2004 addr=0x1000 data_src=0x142 chain=0xfffffffffffffe00,0x600910,0x400020
sample 0 ip=0x600010 tid=40 time=2005 addr=0x1000 data_src=0x142 chain=0xfffffffffffffe00,0x600010
sample 0 ip=0x600010 tid=40 time=2006 addr=0x1000 data_src=0x142 chain=0xffffffffffffff80,0xffffffff81000000
TEXT
    "$tool" dump chains.data > chains.txt
    grep -qx '  program_code /home/alice' chains.txt
    expect "$(cat <<'TEXT'
chain id=1 0=0x400020 1=0x400030
callers sample=2 chain=1
callers sample=3 chain=1
callers sample=4 unknown=skid
callers sample=5 unknown=no-rule
callers sample=6 unknown=kernel
TEXT
)" "$(grep -E '^(chain|callers) ' chains.txt)"
}

@test "callers of samples in libraries, from registers and copies of the stack" {
    mkdir libs program
    cat > work.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <ucontext.h>
/* Prints a sample of itself, as perf records it: registers from AX to IP and from R8 to R15, and 256 words of the stack. */
void work(void)
{
    static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
                                REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    ucontext_t context;
    int i;

    getcontext(&context);
    printf("sample 0 ip=%#llx tid=40 time=2000 addr=0x1000 data_src=0x142 regs=2", context.uc_mcontext.gregs[REG_RIP]);
    for (i = 0; i < 17; i++)
        printf(",%#llx", context.uc_mcontext.gregs[order[i]]);
    printf(" stack=2048");
    for (i = 0; i < 256; i++)
        printf(",%#lx", ((unsigned long *)context.uc_mcontext.gregs[REG_RSP])[i]);
    printf(",2048\n");
    fprintf(stderr, "chain id=1 0=%p", __builtin_return_address(0));
}
C
    gcc -O2 -g -shared -fPIC -fomit-frame-pointer -o libs/libwork.so work.c
    gcc -O2 -g -no-pie -fomit-frame-pointer -o program/prog -x c - -x none libs/libwork.so -Wl,-rpath,"$PWD/libs" <<'C'
#include <stdio.h>
void work(void);
__attribute__((noinline)) int outer(volatile int n)
{
    work();
    fprintf(stderr, " 1=%p", __builtin_return_address(0));
    return n;
}
int main(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long low, high, offset;
    char rights[5], path[4096];

    while (fgets(line, sizeof(line), maps))
        if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %4095s", &low, &high, rights, &offset, path) == 5 && rights[2] == 'x' && *path == '/')
            printf("map 40 %#lx %#lx %s %#lx %s 1000\n", low, high, rights, offset, path);
    return outer(3) - 3;
}
C
    ./program/prog > sample 2> expected
    cat > event <<'TEXT'
event 4 0x1cd 1000 ip,tid,time,addr,regs,stack,data_src sample_regs_user=0xff01ff sample_stack_user=2048
comm 40 40 prog 1000 exec
TEXT
    { cat host event sample; sed '/^sample/!d; s/regs=2,[^ ]* stack=[^ ]*/regs=0 stack=0/; s/time=2000/time=2001/' sample
      sed '/^sample/!d; s/ip=[^ ]*/ip=0x401000/; s/time=2000/time=2002/' sample; } | recorded stacks.data
    "$tool" dump stacks.data > stacks.txt
    expect "$(cat expected)" "$(grep '^chain ' stacks.txt)"
    expect 'callers sample=0 chain=1' "$(grep '^callers ' stacks.txt)"
    "$tool" report --full --select all stacks.data | grep -q '(outer) via work '
    # The frame of main() is larger than the copy. Without the library, nothing is known of its frame.
    sed 's|/libs/libwork.so|/libs/missing.so|' sample | cat host event - | recorded missing.data
    expect 'callers sample=0 unknown=no-rule' "$("$tool" dump missing.data | grep '^callers ')"
    # Files that libdwfl could decompress may have any size then.
    gzip -c libs/libwork.so > libs/work.gz
    sed 's|/libs/libwork.so|/libs/work.gz|' sample | cat host event - | recorded packed.data
    expect 'callers sample=0 unknown=no-rule' "$("$tool" dump packed.data | grep '^callers ')"
    # Another library was at the same addresses before.
    gcc -O2 -shared -fPIC -o libs/before.so -x c - <<< 'int before(int n) { return n + 1; }'
    { cat host event; grep -v libwork sample | grep '^map'; grep libwork sample | sed 's/libwork/before/'; grep '^sample' sample | sed 's/time=2000/time=1500/'
      grep libwork sample | sed 's/ 1000$/ 1600/'; grep '^sample' sample; } | recorded over.data
    expect 'callers sample=0 unknown=no-rule
callers sample=1 chain=1' "$("$tool" dump over.data | grep '^callers ')"
    # More files of all processes together than may be open.
    { cat host event; for pid in {40..79}; do sed "s/^map 40/map $pid/; s/tid=40 time=2000/tid=$pid time=20$pid/" sample; done; } | recorded many.data
    expect 40 "$(ulimit -n 100; "$tool" dump many.data | grep -c '^callers sample=0 chain=1$')"
    # Code whose address in the file is not its offset, as ld.lld places it.
    gcc -O2 -g -shared -fPIC -fomit-frame-pointer -fno-plt -nostartfiles -Wl,-z,separate-code,-Ttext=0x40000 -o libs/libwork.so work.c
    ./program/prog > sample 2> expected
    cat host event sample | recorded moved.data
    expect "$(cat expected)" "$("$tool" dump moved.data | grep '^chain ')"
}

@test "a stream, compressed records, and a directory have the same samples as a file" {
    { cat loads; echo "$one_sample"; } > one
    recorded file.data < one
    recorded stream.data --stream < one
    touch -r file.data stream.data
    "$tool" dump file.data | sed 's/file.data/stream.data/' > file.txt
    "$tool" dump stream.data | cmp - file.txt
    # Of a thousand records, which are several parts of a compressed stream and end in the middle of it.
    { cat loads; for i in {3000..3999}; do echo "sample 0 ip=prog!main tid=40 time=$i addr=$((i * 7919 % 65536 * 977)) cpu=0 weight=$((i * 31 % 997)) data_src=0x142"; done; } > many
    recorded plain.data < many
    recorded small.data --compressed < many
    touch -r plain.data small.data
    [ "$(stat -c %s small.data)" -lt "$(($(stat -c %s plain.data) / 2))" ]
    "$tool" dump plain.data | sed 's/plain.data/small.data/' > plain.txt
    "$tool" dump small.data | cmp - plain.txt
    head -c -3000 small.data > cut.data
    run -1 --separate-stderr "$tool" dump cut.data
    # perf wrote all of it, or not the end, which is the end of the second block of 128 KiB.
    { cat loads; for i in {3000..6999}; do echo "${one_sample/2000/$i}"; done; } > many
    recorded ended.data --compressed < many
    run -0 "$tool" report --full ended.data
    grep -q '^books: 4000 interrupts' <<< "$output"
    run -1 grep 'perf compressed' <<< "$output"
    recorded lost.data --compressed --kept -6 < many
    "$tool" report --full lost.data | tr -s '\n ' ' ' > lost.txt
    grep -q ' note: process 40: the end of what perf compressed is missing, up to 128 KiB of records: perf does not always write it; record without -z' lost.txt
    run -1 grep 'books: 4000 interrupts' lost.txt
    grep -q 'books: 3[0-9]* interrupts = 3[0-9]* kept + 0 lost' lost.txt
    # A directory: the samples of two buffers are in the order of their times.
    { cat loads; echo 'buffer 0'; echo "$one_sample"; echo "${one_sample/2000/2005}"; echo 'buffer 1'; echo "${one_sample/2000/2003}"; } > two
    recorded dir.data/ < two
    expect '2000
2003
2005' "$(shown dir.data time_ns)"
    recorded dir2.data/ --compressed < two
    expect '2000
2003
2005' "$(shown dir2.data time_ns)"
}

@test "every command takes a recording" {
    { cat loads; for i in {1000..1059}; do echo "sample 0 ip=prog!main tid=40 time=$i addr=prog!table cpu=0 weight=400 data_src=0x3a00000002"; done; } | recorded many.data
    "$tool" compare --full many.data many.data | grep -q 'table'
    "$tool" export --format csv -o many.csv many.data
    grep -q table many.csv
    "$tool" top -n 1 many.data | grep -q 'table'
    "$memphis" reduce -o many.mprof many.data
    "$memphis" merge -o merged.mprof many.mprof
    "$memphis" report merged.mprof > merged.txt
    "$memphis" report many.data | cmp - merged.txt
    # The same recording twice would count twice.
    cp many.data copy.data
    run -1 --separate-stderr "$tool" report many.data copy.data
    grep -q 'a process file of the same run as many.data:40; give each file once' <<< "$stderr"
}

@test "what can't be read is refused with a reason" {
    { cat loads; echo "$one_sample"; } > one
    recorded swapped.data --swapped < one
    run -1 --separate-stderr "$tool" report swapped.data
    grep -q '^memphis report: swapped.data: recorded on a machine of the other byte order' <<< "$stderr"
    printf 'PERFFILE%096d' 0 > old.data
    run -1 --separate-stderr "$tool" report old.data
    grep -q '^memphis report: old.data: the format of perf before Linux 3.7' <<< "$stderr"
    printf 'event 0 0 1000 ip,tid,time name=cycles\nsample 0 ip=1 tid=40 time=9\n' | recorded cycles.data
    run -1 --separate-stderr "$tool" report cycles.data
    grep -q '^memphis report: cycles.data: no event of accesses to memory with their addresses was recorded (cycles); record with perf mem record' <<< "$stderr"
    recorded empty.data < loads
    run -1 --separate-stderr "$tool" report empty.data
    grep -q '^memphis report: empty.data: no samples of programs' <<< "$stderr"
    { cat loads; echo "record 9 0x4002 00"; } | recorded short.data
    run -1 --separate-stderr "$tool" report short.data
    grep -q '^memphis report: short.data: a sample is too short' <<< "$stderr"
    { cat loads; printf '%s\n' "$one_sample" 'record 3 0 0000'; } | recorded name.data
    run -1 --separate-stderr "$tool" report name.data
    grep -q '^memphis report: name.data: a record of a name is too short' <<< "$stderr"
}

@test "a recording cut anywhere is reported, and one that perf could not finish is used" {
    local bytes at

    { cat loads; echo "$one_sample"; } > one
    recorded whole.data < one
    bytes=$(stat -c %s whole.data)
    for ((at = 8; at < bytes; at += at < 300 ? 7 : 61)); do
        head -c "$at" whole.data > cut.data
        run --separate-stderr "$tool" report cut.data
        [ "$status" -eq 1 ] || { echo "$at: status $status"; false; }
        [[ "$stderr" == *"the file is damaged or was cut short"* ]] || { echo "$at: $stderr"; false; }
    done
    recorded killed.data --unfinished < one
    expect 2000 "$(shown killed.data time_ns)"
    run -0 "$tool" report --full killed.data
    grep -q 'were not closed' <<< "$output"
    # IBS, of which the header does not say so. What its data sources mean depends on the CPU, which is not known either.
    printf '%s\n' 'event 11 0x80000 16384 ip,tid,time,addr,cpu,raw' 'comm 40 40 prog 1000 exec' \
        'sample 0 ip=0x400010 tid=40 time=2000 addr=0x500000 cpu=0 raw=0x1bff,0x40000,0x400010,0,0x13,0x6800160081,0x500000,0x10000000' |
        recorded ibs.data --unfinished
    expect '2000 unknown load 104' "$(shown ibs.data time_ns source flags latency_cycles)"
    # Without the header's facts, and with half a record at its end.
    head -c -5 killed.data > half.data
    run -1 --separate-stderr "$tool" report half.data
    grep -q 'no samples of programs' <<< "$stderr"
}

@test "a stream cut anywhere, and a directory of a perf that was killed, are used up to there" {
    local bytes at

    { cat loads; echo "$one_sample"; echo "${one_sample/2000/2003}"; } > two
    recorded stream.data --stream < two
    run -0 "$tool" report --full stream.data
    run -1 grep 'were not closed' <<< "$output"
    bytes=$(stat -c %s stream.data)
    # The second sample has 72 bytes.
    for at in 1 9 71; do
        head -c -"$at" stream.data > cut.data
        expect 2000 "$(shown cut.data time_ns)"
        run -0 "$tool" report --full cut.data
        grep -q 'were not closed' <<< "$output"
    done
    for ((at = 17; at < bytes - 144; at += 211)); do
        head -c "$at" stream.data > cut.data
        run --separate-stderr "$tool" report cut.data
        [ "$status" -eq 1 ] || { echo "$at: status $status"; false; }
        [[ "$stderr" == *": no samples of programs;"* || "$stderr" == *" (no event); record with perf"* ]] || { echo "$at: $stderr"; false; }
    done
    { cat loads; echo 'buffer 0'; echo "$one_sample"; echo "${one_sample/2000/2003}"; echo 'buffer 1'; echo "${one_sample/2000/2001}"; } > two
    recorded killed/ --unfinished < two
    truncate -s -5 killed/data.0
    expect '2000
2001' "$(shown killed time_ns)"
    "$tool" report --full killed | grep -q 'were not closed'
    # One that perf has finished was cut later.
    recorded whole/ < two
    truncate -s -5 whole/data.0
    run -1 --separate-stderr "$tool" report whole
    grep -q '^memphis report: whole/data.0: offset 0x48: the file ends inside a record; ' <<< "$stderr"
}

@test "more files than a process may have at first, and more processes than it may have files at all" {
    local n

    { cat loads; for n in {0..59}; do echo "buffer $n"; echo "${one_sample/2000/$((2000 + n))}"; done; } | recorded wide/
    (ulimit -Sn 40; shown wide time_ns) | tail -1 | grep -qx 2059
    { cat loads; for n in {100..160}; do echo "fork $n 40 $n 1999"; echo "${one_sample/tid=40/tid=$n}"; done; } | recorded processes.data
    expect 61 "$(ulimit -n 20; "$tool" dump processes.data | grep -c '^sample ')"
}

@test "processes share the maps of their parent until they map files themselves" {
    local n

    { cat loads; for n in {1000..2999}; do echo "map 40 ${n}000 ${n}800 r--p 0 /nowhere/$n 1000"; done
      for n in {5000..9999}; do echo "fork $n 40 $n 2000"; done; echo 'map 7000 0x700000 0x701000 r--p 0 /nowhere/own 2001'
      for n in 6000 7000 8000; do echo "${one_sample/tid=40/tid=$n}" | sed s/time=2000/time=2002/; done
      for n in {10000..12999}; do echo "fork $n 40 $n $n"; echo "map $n 0x700000 0x701000 r--p 0 /nowhere/own $n"; echo "exit $n 40 $n $n"; done; } | recorded forks.data
    (ulimit -v 400000; exec "$memphis" dump forks.data) > forks.txt
    expect '6000 2000
7000 2001
8000 2000' "$(awk '/^file .* kind=process /{ sub(".*:", "", $2); pid = $2 } / \/nowhere\//{ maps[pid]++ } END { for (pid in maps) print pid, maps[pid] }' forks.txt | sort)"
}

@test "a crafted recording takes no longer than one of its size" {
    local n

    # Each of many events has the ids of all of them.
    { cat loads; for n in {0..99}; do echo "event 0 0 1000 identifier,ip,tid,time id=$n,$((n + 1000)),$((n + 2000))"; done; } | recorded overlap.data
    python3 - overlap.data <<'PYTHON'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
each, at, size = struct.unpack_from("<3Q", data, 16)
for entry in range(at, at + size, each):
    struct.pack_into("<2Q", data, entry + each - 16, 0, len(data) // 8 * 8)
open(sys.argv[1], "wb").write(data)
PYTHON
    run -1 --separate-stderr "$tool" report overlap.data
    grep -q '^memphis report: overlap.data: offset 0x10: its events are malformed; ' <<< "$stderr"
    # Facts of the header between all records, and many ids; then a second name of the PMU and of the events, which change nothing.
    { cat loads; python3 -c '
import struct
for n in range(100):
    print("record 64 0", (struct.pack("<IIQQQ96x", 0, 128, 0, 1000, 7) + struct.pack("<7000Q", *range(n * 10000, n * 10000 + 7000))).hex())'
      for n in {10000..39999}; do printf 'record 80 0 030000000000000002000000780000\ncomm 40 40 prog %d\n' "$n"; done; echo "$one_sample"
      echo 'record 80 0 10000000000000000100000004000000070000006962735f6f7000'; echo "${one_sample/2000/4001}"; } | recorded facts.data --stream
    expect '2000
4001' "$(timeout 300 "$tool" dump facts.data | sed -nE 's/^sample .*time_ns=([0-9]+) .*/\1/p')"
}

@test "a recording of 25,000 short processes, and one of 65,000 files, are reported" {
    { cat loads; seq 100000 124999 | awk -v sample="$one_sample" '{ text = sample; sub("tid=40", "tid=" $1, text); print "fork", $1, 40, $1, 1999; print text }'; } | recorded short.data
    "$memphis" report short.data > short.txt
    grep -q '^25000 processes, 25000 threads, ' short.txt
    # A process that has mapped as many files as Linux permits.
    { cat loads; seq 65000 | awk '{ printf "map 40 %d %d r-xp 0 /nowhere/%d 1999\n", $1 * 8192 + 268435456, $1 * 8192 + 268439552, $1 }'; echo "$one_sample"; } | recorded files.data
    "$memphis" report files.data | grep -q '^1 process, 1 thread, '
}

@test "allocations that the library has recorded, and samples of perf, of one process" {
    cat > run.txt <<TEXT
process 40 $(uname -n)
setting backend none
setting host $(uname -n)
setting alloc_min_bytes 4096
setting threads_without_data 1
setting start_time_ns 1100
setting stop_time_ns 9000
node 0 1048576 0-1 10,21
node 1 2097152 2-3 21,10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 1200
end
thread 40
fact start_time_ns 1100
fact stack 0x7000000-0x7010000
stack 1 0x401000 0x402000
malloc 1500 0x1000000 65536 1
name 1501 0x1000000 65536 field
end
thread 41
fact start_time_ns 1600
end
TEXT
    samples run < run.txt
    sed 's/^event .*/& use_clockid=1 clockid=1/' loads > mono
    cat > joined <<'TEXT'
sample 0 ip=prog!main tid=40/40 time=2000 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/41 time=2001 addr=0x1000080 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/42 time=2002 addr=prog!table cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=39 time=2003 addr=prog!table cpu=0 weight=400 data_src=0x3a00000002
TEXT
    cat mono joined | recorded mono.data
    run -0 "$tool" report --full --select all run mono.data
    echo "$output"
    grep -qx "run:         1 process, 3 threads, 1 host ($(uname -n))" <<< "$output"
    grep -q 'Intel PEBS, backend perf, event load-latency, period 1000' <<< "$output"
    grep -Eq '^ +2 +66.7 % .*\[heap\]:field ' <<< "$output"
    grep -qx 'books: 3 interrupts = 3 kept + 0 lost + 0 filtered' <<< "$output"
    # A thread that has ended, none of whose samples was kept, and another one of its number.
    { cat mono; cat <<'TEXT'; cat joined; } | recorded ended.data
sample 0 mode=kernel ip=0xffffffff81000000 tid=40/41 time=1700 addr=0xffff888000000000 cpu=0 data_src=0x142
exit 40 40 41 1800
fork 40 40 41 1900
TEXT
    "$tool" report --full --select all run ended.data | grep -qx 'books: 4 interrupts = 3 kept + 0 lost + 1 filtered (kernel-pc 1)'
    # In the other order, and without the library's files.
    "$tool" report --full --select all mono.data run | diff - <(echo "$output")
    run -0 "$tool" report --full --select all mono.data
    grep -q 'recorded-by-perf 3 ' <<< "$output"
    # By another clock, nothing tells which of the times of both are the same.
    cat loads joined | recorded other.data
    run -1 --separate-stderr "$tool" report run other.data
    grep -q '^memphis report: other.data: process 40 was also recorded by memphis record --backend none, .* record with perf record -k mono' <<< "$stderr"
    # That is no matter if the process began when the recording was complete, or executes another program.
    touch -d @1000000000 other.data
    sed 's/^setting start_time_ns.*/&\nsetting start_realtime_ns 1000000001000000000/' run.txt | samples later
    "$tool" report --full --select all later other.data | grep -q '^run:         3 processes'
    sed 's/^setting start_time_ns.*/&\nsetting executable \/bin\/strange/' run.txt | samples strange
    "$tool" report --full --select all strange other.data | grep -q '^run:         3 processes'
    sed "s|^setting start_time_ns.*|&\nsetting executable $PWD/prog|" run.txt | samples same
    run -1 --separate-stderr "$tool" report same other.data
    grep -q 'process 40 was also recorded' <<< "$stderr"
    # Alone, or where both are not joined.
    expect 'No findings: no samples were taken; --backend none takes none, only times (--by
    region); if perf has recorded samples, give its file' "$("$tool" report --width 80 run | grep -A1 '^No findings')"
    run -2 --separate-stderr "$tool" top -n 1 run mono.data
    grep -q "^memphis top: recordings of perf can't be joined to other files here; use memphis report" <<< "$stderr"
    mkdir only
    cp mono.data only/perf.data
    run -1 --separate-stderr "$tool" report only/
    expect 'memphis report: only/: no sample files (*.memphis) here, but a recording of perf: give only/perf.data' "$stderr"
    "$tool" reduce -o joined.mprof run mono.data
    "$tool" compare --full joined.mprof joined.mprof | grep -q 'field'
    # Samples belong to the innermost caliper that was recorded over time in their thread.
    { sed 's/^maps 1200/&\nregion 1 0 Loop\nregion 2 1 Inner/' run.txt | sed 's/^fact stack .*/&\nspan 2000 2002 2\nspan 1900 2003 1\nspan 2005 0 1/'; } > spans.txt
    samples spans < spans.txt
    { cat mono; cat <<'TEXT'; } | recorded spans.data
sample 0 ip=prog!main tid=40/40 time=1899 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/40 time=1900 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/40 time=2001 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/41 time=2001 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/40 time=2002 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/40 time=2003 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
sample 0 ip=prog!main tid=40/40 time=2006 addr=0x1000040 cpu=0 weight=400 data_src=0x3a00000002
TEXT
    expect '4 of 7 samples
1 of 7 samples' "$(for name in Loop Inner; do "$tool" report --full --select all --region $name spans spans.data | grep -o '[0-9] of 7 samples' | head -n 1; done)"
    # The open caliper of a process that was killed has no end.
    awk '/^end$/ && n++ < 2 {next} 1' spans.txt | samples killed
    expect '4 of 7 samples' "$("$tool" report --full --select all --region Loop killed spans.data | grep -o '[0-9] of 7 samples' | head -n 1)"
    # A process that had the number at another time.
    { sed -E 's/^(comm|maps)(.*) 1000/\1\2 20000/' mono; sed 's/time=200/time=2000/' joined; } > late
    recorded late.data < late
    run -0 "$tool" report --full --select all run late.data
    grep -q '^run:         3 processes' <<< "$output"
}
