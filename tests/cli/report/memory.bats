#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Memory at an address at the time of a sample: blocks, forks, maps. If these tests fail, samples have the name of other memory.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

@test "without a threshold, released memory is reported as released" {
    samples exact <<'TEXT'
process 100
setting alloc_min_bytes 1
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 64 0
free 2000 0x1000000
malloc 3000 0x1000100 64 0
malloc 3000 0x7000000 64 0
free 4000 0x7000000
books 4 4 0
sample 2500 0x401000 0x1000000 dram LR 0 1
sample 2501 0x401000 0x1000100 dram LR 0 1
sample 2502 0x401000 0x1000200 dram LR 0 1
sample 5000 0x401000 0x7000000 dram LR 0 1
end
TEXT
    run paper exact
    expect '    freed-block 2
    not-yet-allocated 1
    before-tracking 1' "$(sed -n 's/^\(    [a-z-]* [0-9]*\) (.*/\1/p' <<< "$output")"
}

@test "a name is valid until it is removed, for blocks and for memory without a recorded allocation" {
    samples unnamed <<'TEXT'
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
name 1001 0x1080000 4096 pool
name 3000 0x1000000 4096
name 3000 0x1080000 4096
books 12 12 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram LR 0 1
repeat 3 8 sample 4000 0x401000 0x1000000 dram LR 0 1
repeat 1 8 sample 4000 0x401000 0x1001000 dram LR 0 1
repeat 4 8 sample 2000 0x401000 0x1080000 dram LR 0 1
repeat 2 8 sample 4000 0x401000 0x1080000 dram LR 0 1
TEXT
    run paper unnamed
    [ "$status" -eq 0 ]
    expect '000) [heap]:pool [ 0x1080000 - 0x1080018 ] 4
001) [heap]:<no-stack> [ 0x1000000 - 0x1000010 ] 3
002) [heap]:tx [ 0x1000000 - 0x1001000 ] 3
003) [heap]:<not-found> [ 0x1080000 - 0x1080008 ] 2' "$(grep ') \[heap\]' <<< "$output")"
}

@test "a frame that was recorded with a sample is the owner only of addresses that lie in it" {
    gcc -g -O1 -o heap "$programs/heap.c"
    samples framed <<TEXT
process 100
object heap $PWD/heap 0x555500000000
map 0x7fe000 0x800000 rw-p 0x0 - [stack]
map 0x900000 0x910000 rw-p 0x0 -
maps 100
end
thread 100
frame 1 heap!main+8 0x7ff000 0x7ff400 0x7ff3f0 0
repeat 2 1023 sample 2000 heap!main 0x7ff000 dram LR 0 1
sample 2001 heap!main 0x7ff400 dram LR 0 1
sample 2002 heap!main 0x7fefff dram LR 0 1
sample 2003 heap!main 0x900000 dram LR 0 1
in_frame 0 1
in_frame 0 1
in_frame 0 1
in_frame 0 1
in_frame 0 1
books 5 5 0
end
TEXT
    run -0 paper framed
    expect '000) [stack]:<frame of main> [ 0x7ff000 - 0x7ff3ff ] 2
001) [stack]:<not-found> [ 0x7fefff - 0x7ff400 ] 2
002) [mmap]:<not-found> [ 0x900000 - 0x900000 ] 1' "$(grep '^00' <<< "$output")"
}

# Two processes, at other addresses. The library's frames do not name a block, since the program's are further out.
@test "without the program's file, each of its calls that allocate has a row, the same in all processes" {
    local pid base
    for pid in 100 200; do
        base=$((0x55f000000000 + pid * 0x100000))
        printf '%s\n' "process $pid" 'setting start_time_ns 1000' 'setting executable /gone/model' \
            "$(printf 'map %#x %#x r-xp 0x1000 - /gone/model' $((base + 0x1000)) $((base + 0x9000)))" \
            'map 0x7f0000001000 0x7f0000005000 r-xp 0x1000 - /gone/libmesh.so.3' 'map 0x1000000 0x1100000 rw-p 0x0 - [heap]' 'maps 1000' end \
            "thread $pid" "$(printf 'stack 1 0x7f0000001234 %#x' $((base + 0x1564)))" "$(printf 'stack 2 %#x' $((base + 0x2345)))" 'stack 3 0x7f0000001888' \
            'malloc 1000 0x1000000 8192 1' 'malloc 1001 0x1010000 8192 2' 'malloc 1002 0x1020000 8192 3' 'books 6 6 0' \
            "$(printf 'repeat 3 8 sample 6000 %#x 0x1000010 dram LR 0 1' $((base + 0x3000)))" \
            "$(printf 'repeat 2 8 sample 6000 %#x 0x1010010 dram LR 0 1' $((base + 0x3000)))" \
            "$(printf 'sample 6000 %#x 0x1020010 dram LR 0 1' $((base + 0x3000)))" end
    done | samples gone
    "$memphis" report --format json gone > gone.json
    expect '["<model+0x1564>",6,[["0x3000",6]]]
["<model+0x2345>",4,[["0x3000",4]]]
["<libmesh.so.3+0x1888>",2,[["0x3000",2]]]' "$(jq -c '.nodes[].variables[] | [.name, .count, [.instructions[] | [.pc, .count]]]' gone.json)"
}

@test "a forked process has the blocks of its parent" {
    samples forked <<'TEXT'
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 0x401000
stack 2 0x402000
malloc 1000 0x1000000 8192 2
malloc 1001 0x1010000 8192 1
free 1002 0x1010000
malloc 5000 0x1020000 8192 1
books 0 0 0
end
process 200
setting parent_run 11223344556677886464646464646464
setting start_time_ns 3000
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 3000
end
thread 200
books 3 3 0
sample 6000 0x401000 0x1000010 dram LR 0 1
sample 6000 0x401000 0x1010010 dram LR 0 1
sample 6000 0x401000 0x1020010 dram LR 0 1
end
TEXT
    run paper forked
    [ "${lines[1]}" = '000) [heap]:<not-found> [ 0x1010010 - 0x1020010 ] 2' ]
    [ "${lines[3]}" = '001) [heap]:<no-line-in-stack> [ 0x1000010 - 0x1000010 ] 1' ]
}

@test "a forked process inherits the names of its parent, until it changes them or the memory is released" {
    samples forked_names <<'TEXT'
process 100
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x2000000 0x2100000 rw-p 0x0 -
maps 100
end
thread 100
malloc 1000 0x1000000 4096 0
malloc 1010 0x1010000 4096 0
malloc 1020 0x1020000 4096 0
malloc 1030 0x1030000 4096 0
malloc 1040 0x1040000 4096 0
malloc 1050 0x1050000 4096 0
name 1100 0x1000000 4096 kept
name 1110 0x1010000 4096 freed
name 1120 0x1020000 4096 renamed
name 1130 0x1030400 1024 part
name 1140 0x1040000 4096 early
name 1150 0x2000000 4096 memory
malloc 1200 0x1060000 4096 0
name 1210 0x1060000 4096 grown
free 1220 0x1060000
malloc 1230 0x1070000 8192 0 0x1060000
name 3500 0x1040000 4096 late
free 3500 0x1000000
malloc 3600 0x1000000 4096 0
name 3700 0x1000000 4096 other
free 4000 0x1030000
name 4000 0x1050000 4096 late
books 1 1 0
sample 4500 0x401000 0x1040000 dram LR 0 1
end
process 200
setting parent_run 11223344556677886464646464646464
setting fork_time_ns 3000
setting start_time_ns 5000
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x2000000 0x2100000 rw-p 0x0 -
maps 5000
end
thread 200
free 3100 0x1010000
malloc 3200 0x1010000 4096 0
name 3300 0x1020000 4096 again
name 5500 0x1040000 4096
books 9 9 0
sample 5100 0x401000 0x1040000 dram LR 0 1
sample 6000 0x401000 0x1000000 dram LR 0 1
sample 6000 0x401000 0x1010000 dram LR 0 1
sample 6000 0x401000 0x1020000 dram LR 0 1
sample 6000 0x401000 0x1030400 dram LR 0 1
sample 6000 0x401000 0x1040008 dram LR 0 1
sample 6000 0x401000 0x1050000 dram LR 0 1
sample 6000 0x401000 0x1071000 dram LR 0 1
sample 6000 0x401000 0x2000000 dram LR 0 1
end
process 300
setting parent_run 1122334455667788c8c8c8c8c8c8c8c8
setting fork_time_ns 5400
setting start_time_ns 7000
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x2000000 0x2100000 rw-p 0x0 -
maps 7000
end
thread 300
books 4 4 0
sample 8000 0x401000 0x1000010 dram LR 0 1
sample 8000 0x401000 0x1020010 dram LR 0 1
sample 8000 0x401000 0x1040010 dram LR 0 1
sample 8000 0x401000 0x2000010 dram LR 0 1
end
TEXT
    run paper forked_names
    [ "$status" -eq 0 ]
    # Parent: "late". Child: "early", then no name; also no name for the block after "freed", and for blocks that the parent named after the
    # fork.
    expect '000) [heap]:<no-stack> [ 0x1010000 - 0x1050000 ] 3
001) [heap]:again [ 0x1020000 - 0x1020010 ] 2
002) [heap]:early [ 0x1040000 - 0x1040010 ] 2
003) [heap]:kept [ 0x1000000 - 0x1000010 ] 2
004) [mmap]:memory [ 0x2000000 - 0x2000010 ] 2
005) [heap]:grown [ 0x1071000 - 0x1071000 ] 1
006) [heap]:late [ 0x1040000 - 0x1040000 ] 1
007) [heap]:part [ 0x1030400 - 0x1030400 ] 1' "$(grep -E '^[0-9]+\) ' <<< "$output")"
}

@test "a program's map at the address of an unloaded library belongs to the program from then on" {
    samples unloaded <<'TEXT'
process 100
map 0x5000000 0x5100000 rw-p 0x0 aabbccdd /lib/plugin.so
maps 100
forget
map 0x5000000 0x5100000 rw-p 0x0 - 
maps 5000
end
thread 100
map_block 3000 0x5000000 1048576 0
books 6 6 0
repeat 2 8 sample 2000 0x401000 0x5000100 dram LR 0 1
repeat 3 8 sample 4000 0x401000 0x5000100 dram LR 0 1
sample 6000 0x401000 0x5000100 dram LR 0 1
end
TEXT
    run paper unloaded
    [ "$status" -eq 0 ]
    expect '000) [mmap]:<no-stack> [ 0x5000100 - 0x5000110 ] 4
001) [plugin.so]:<not-found> [ 0x5000100 - 0x5000108 ] 2' "$(grep ') \[' <<< "$output")"
}

@test "memory without an allocation is named after its kind, not by the kernel's name" {
    samples kernel <<TEXT
process 100
map 0x10000000 0x10001000 rw-s 0x0 - /SYSV00000000 (deleted)
map 0x11000000 0x11001000 rw-s 0x0 - /dev/zero (deleted)
map 0x12000000 0x12001000 rw-s 0x0 - /memfd:pool (deleted)
map 0x13000000 0x13001000 rw-s 0x0 - /dev/shm/exchange.17
map 0x14000000 0x14001000 rw-s 0x0 - [anon_shmem:ring]
map 0x15000000 0x15001000 rw-s 0x0 - /anon_hugepage (deleted)
map 0x20000000 0x20001000 rw-p 0x0 - /anon_hugepage (deleted)
map 0x21000000 0x21001000 rw-p 0x0 - [anon:arena]
map 0x22000000 0x22001000 rw-p 0x0 - /dev/zero
map 0x23000000 0x23001000 rw-p 0x0 - 
map 0x30000000 0x30001000 rw-s 0x0 - /data/climate.nc (deleted)
map 0x31000000 0x31001000 r-xp 0x0 aabb /memfd:code (deleted)
maps 100
end
thread 100
books 20 20 0
$(for i in 0 1 2 3 4 5; do echo "sample 20$i 0x401000 0x1${i}000100 dram LR 0 1"; done)
$(for i in 0 1 2 3; do echo "repeat 3 8 sample 21$i 0x401000 0x2${i}000100 dram LR 0 1"; done)
sample 300 0x401000 0x30000100 dram LR 0 1
sample 301 0x401000 0x31000100 dram LR 0 1
end
TEXT
    run paper --top 0 kernel
    [ "$status" -eq 0 ]
    expect '[climate.nc]:<not-found> 1
[memfd:code]:<not-found> 1
[mmap]:<not-found> 12
[shm]:<not-found> 6' "$(sed -nE 's/^[0-9]+\) (.*) \[ 0x.* \] ([0-9]+)$/\1 \2/p' <<< "$output" | sort)"
}

@test "a program's map that was released before a library was loaded there belongs to the program until then" {
    samples before <<'TEXT'
process 100
maps 100
map 0x5000000 0x5100000 rw-p 0x0 aabbccdd /lib/plugin.so
maps 5000
end
thread 100
map_block 1000 0x5000000 1048576 0
unmap 3000 0x5000000 1048576
books 5 5 0
repeat 2 8 sample 2000 0x401000 0x5000100 dram LR 0 1
repeat 3 8 sample 6000 0x401000 0x5000100 dram LR 0 1
end
TEXT
    run paper before
    [ "$status" -eq 0 ]
    expect '000) [plugin.so]:<not-found> [ 0x5000100 - 0x5000110 ] 3
001) [mmap]:<no-stack> [ 0x5000100 - 0x5000108 ] 2' "$(grep ') \[' <<< "$output")"
}
