#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The tool without its optional libraries. If these tests fail, it can't be built without them, or does not report which one is missing.

bats_require_minimum_version 1.5.0
load ../environment
load helper
load ../compiler

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    compiler_without "$PWD/compiler" capstone/capstone.h scotch/scotch.h hwloc.h otf2/otf2.h sqlite3.h zlib.h zstd.h protobuf-c/protobuf-c.h libstdc++
    make -s -C "$root/postproc" BUILD="$PWD/build" CC="$PWD/compiler/cc" > build.txt 2>&1 || { cat build.txt; return 1; }
    samples one <<'TEXT'
process 100
setting command ./model
setting host far
setting period 1000
setting alloc_min_bytes 4096
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 TimeLoop
end
thread 100
fact name model
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
books 5 5 0
repeat 5 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1 700
end
TEXT
    : > one.mprof
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    without=$BATS_FILE_TMPDIR/build/bin/memphis
}

@test "make lists the missing packages, and their purpose" {
    [ "$(grep '^packages: ' build.txt)" = 'packages: left out, because a package is missing: -lstdc++ (demangled names of C++ functions), <zstd.h> (.mprof files, zstd-compressed DWARF), <zlib.h> (export to pprof), <protobuf-c/protobuf-c.h> (.mprof files, export to pprof), <sqlite3.h> (export to SQLite), <otf2/otf2.h> with OTF2_VERSION_MAJOR>=3 (export to OTF2), <hwloc.h> (nodes and --measure of memphis node), <scotch/scotch.h> (the first proposal of memphis place on large machines), <capstone/capstone.h> with CS_API_MAJOR>=4 (names of most automatic arrays)
packages:   remedy on Debian, Ubuntu: apt-get install g++ libzstd-dev zlib1g-dev libprotobuf-c-dev libsqlite3-dev libotf2-trace-dev libhwloc-dev libscotch-dev libcapstone-dev
packages:   remedy on Fedora, RHEL: dnf install gcc-c++ libzstd-devel zlib-devel protobuf-c-devel sqlite-devel otf2-devel hwloc-devel scotch-devel capstone-devel
packages:   remedy on SUSE: zypper install gcc-c++ libzstd-devel zlib-devel libprotobuf-c-devel sqlite3-devel otf2-devel hwloc-devel scotch-devel libcapstone-devel' ]
}

@test "memphis --version lists the parts that tool and library have, and lack" {
    unset MEMPHIS_LIB
    mkdir -p build/lib/memphis
    touch build/lib/libmemphis.so.0 build/lib/memphis/libmemphis-mpi-openmpi.so build/lib/memphis/memphis-pcp
    run -0 "$without" --version
    expect "memphis $(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' "$root/include/memphis/version.h")
tool without: capstone,demangle,hwloc,otf2,protobuf,scotch,sqlite,zlib,zstd
library: $PWD/build/lib/libmemphis.so.0
library with: openmpi,pcp
library without: abi,mpich,papi" "$output"
    rm -r build/lib
    run -0 "$without" --version
    [ "${lines[2]}" = 'library: not found' ]
}

@test "sample files are reported as with the libraries" {
    for format in text paper json csv html; do
        "$memphis" report --full --format "$format" one > full
        "$without" report --full --format "$format" one > small
        cmp full small
    done
    grep -q 'tx' full
}

# lacks WORDS COMMAND...: checks that the command fails, prints these words after the file's name, and leaves no file.
lacks() {
    local words=$1

    shift
    run -1 "$without" "$@"
    [ "$output" = "memphis $1: $words" ]
    [ ! -e out ]
}

@test "a function that needs a missing library names the library, and writes nothing" {
    lacks 'out: this memphis was built without libprotobuf-c and libzstd, which profiles (.mprof) need' reduce one -o out
    lacks 'one.mprof: this memphis was built without libprotobuf-c and libzstd, which profiles (.mprof) need' merge one.mprof -o out
    lacks 'one.mprof: this memphis was built without libprotobuf-c and libzstd, which profiles (.mprof) need' report one.mprof
    lacks 'out: this memphis was built without libprotobuf-c and zlib, which files for pprof need' export --format pprof one -o out
    lacks 'out: this memphis was built without libsqlite3, which databases need' export --format sqlite one -o out
    lacks 'out: this memphis was built without OTF2 3.0 or later, which its archives need' export --format otf2 one -o out
}

@test "memphis node without hwloc reports the nodes as unknown" {
    run "$without" node --interval 0.1
    [[ "$output" == *'this memphis was built without hwloc'* ]]
}

@test "without a disassembler, the arrays of a line share their names, unless their sizes differ; no name is wrong" {
    gcc -shared -fPIC -O1 -D_GNU_SOURCE -o recorder.so "$root/tests/cli/locals/recorder.c" -ldl
    gcc -g -O2 -c "$programs/touch.c" -o touch.o
    gfortran -g -O2 -fopenmp "$programs/locals.F90" touch.o -o locals
    run -0 env MEMPHIS="$without" MAKE_SAMPLES="$root/build/cli/make_samples" RECORDER_LIBRARY="$PWD/recorder.so" \
        python3 "$root/tests/cli/locals/locals.py" names "$PWD/locals"
    expect '2400 ia|ib|ic local which-object-is-unclear
2424 ia|ib|ic local which-object-is-unclear
2448 ia|ib|ic local which-object-is-unclear
3200 tx|ty|tz local which-object-is-unclear
4800 tx|ty|tz local which-object-is-unclear
8168 pa assigned -
8176 pb assigned -
8184 pc assigned -
8192 pd assigned -
8248 sa|sb local which-object-is-unclear
8256 sa|sb local which-object-is-unclear
8328 ea|eb local which-object-is-unclear
8336 ea|eb local which-object-is-unclear
8408 ga|gb local which-object-is-unclear
8416 ga|gb local which-object-is-unclear
32000 tx|ty|tz local which-object-is-unclear
40120 za local -
56168 zb local -
96000 tc local -' "$(grep -v ' site ' <<< "$output")"
}
