#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Accesses of the sampling library in the program's threads. If these tests fail, they are attributed to the program, or the program's
# accesses to the library.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    # The library is at 0x6000000 to 0x6050000; its tables are at 0x3000000.
    samples linked <<'TEXT'
process 100
region 1 0 Loop
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
map 0x3000000 0x3100000 rw-p 0x0 - 
map 0x6000000 0x6040000 r-xp 0x0 aabbccdd /opt/memphis/lib/libmemphis.so.0
map 0x6040000 0x6050000 rw-p 0x40000 aabbccdd /opt/memphis/lib/libmemphis.so.0
map 0x7000000 0x7040000 r-xp 0x0 aabbccee /usr/lib/libmemphisto.so.1
maps 100
end
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
books 25 25 0
repeat 12 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1
repeat 3 8 sample 2000 0x6000100 0x3000000 dram LR 0 1 1
repeat 2 8 sample 2000 0x603ffff 0x1000000 dram LR 0 1
repeat 1 8 sample 2000 0x401010 0x6040010 dram LR 0 1
repeat 3 8 sample 2000 0x6000100 0x3000000 l2 L 0 1 1
repeat 4 8 sample 2000 0x7000100 0x3000000 dram LR 0 1
end
TEXT
}

@test "accesses of the library's code and to its static memory are counted separately, and in no share" {
    run --separate-stderr paper linked
    [ "$status" -eq 0 ]
    expect 'NODE: 0 total: 16
000) [heap]:tx [ 0x1000000 - 0x1000058 ] 12
    ?:0:0x401000 [ 0x1000000 - 0x1000058 ] 12
001) [mmap]:<not-found> [ 0x3000000 - 0x3000018 ] 4
    libmemphisto.so.1:0:0x7000100 [ 0x3000000 - 0x3000018 ] 4

samples: 16 of 25 are remote-dram
own: 9 of 25 (36.0 %) are accesses of libmemphis itself, excluded from all shares and tables
pair: node 0 to memory of node 1: 16 (100.0 %, 95 % CI 80.6 to 100.0)
attributed: 12 of 16 (75.0 %) to a variable' "$(sed '/    anonymous-map/,$d' <<< "$output")"
}

@test "JSON has their number, heatmaps exclude them, and regions and profiles do not change it" {
    run "$memphis" report --format json linked
    [ "$(jq -c '.accounting | [.written, .selected, .own, .threads[0].own]' <<< "$output")" = '[25,16,9,9]' ]
    [ "$(jq -c '.heatmaps[] | select(.name == "tx") | .samples' <<< "$output")" = 12 ]
    run paper --region Loop linked
    grep -q '^samples: 12 of 25 are remote-dram, in region Loop$' <<< "$output"
    grep -q '^own: 9 of 25 ' <<< "$output"
    "$memphis" reduce --by thread -o linked.mprof linked
    run paper --region Loop linked.mprof
    grep -q '^samples: 12 of 25 are remote-dram, in region Loop$' <<< "$output"
    grep -q '^own: 9 of 25 ' <<< "$output"
}

@test "in a static program, the section of libmemphis.a is identified as the library" {
    cat > static.c <<'TEXT'
#include <memphis.h>
double field[4096];
int main(void)
{
	memphis_begin("Loop");
	memphis_end("Loop");
	return 0;
}
TEXT
    gcc -g -static -pthread -I"$root/include" static.c "$root/build/lib/libmemphis.a" -o static 2> /dev/null
    samples statically <<TEXT
process 100
object p $PWD/static 0
maps 100
end
thread 100
books 5 5 0
repeat 2 8 sample 2000 p!main p!field dram LR 0 1
repeat 3 8 sample 2000 p!memphis_begin+4 p!field dram LR 0 1
end
TEXT
    run paper statically
    [ "$status" -eq 0 ]
    grep -q '^samples: 2 of 5 are remote-dram$' <<< "$output"
    grep -q '^own: 3 of 5 (60.0 %) ' <<< "$output"
    grep -q '^000) \[bss\]:field .* 2$' <<< "$output"
}
