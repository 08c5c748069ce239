#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The Python interface as a wheel in a virtual environment, as a user of notebooks installs it. If these tests fail, it is found only in an installation
# of the whole, or its data frames show something else than the report.

bats_require_minimum_version 1.5.0
load ../environment
load ../cli/helper

setup_file() {
    build_tools
    make -s -C "$root" lib
    cd -P "$BATS_FILE_TMPDIR" || exit
    # Debian's interpreter has Debian's pandas.
    make -s -C "$root" wheel BUILD="$PWD" PYTHON=/usr/bin/python3
    /usr/bin/python3 -m venv --system-site-packages --without-pip venv
    /usr/bin/python3 -m pip --python venv/bin/python install -q --no-index --no-deps --disable-pip-version-check dist/*.whl
    samples one <<'TEXT'
process 100
setting command ./model
setting host far
setting rank 3
setting period 1000
setting alloc_min_bytes 4096
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
region 1 0 TimeLoop
region 2 1 Bound
end
thread 100
fact name model
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 tx
malloc 1002 0x1010000 8192 0
name 1003 0x1010000 8192 ty
books 5 5 0
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1 1 700
sample 2100 0x401008 0x1000100 l2 L 0 0 2 12
sample 2200 0x401008 0x1010000 dram LR 0 1 2 900
end
thread 101
fact name worker
books 2 2 0
repeat 2 8 sample 2000 0x401000 0x1000000 dram L 1 1 1 300
end
TEXT
}

setup() {
    cd -P "$BATS_FILE_TMPDIR" || exit
    unset "${!MEMPHIS_@}" PYTHONPATH LD_LIBRARY_PATH
}

python() {
    PATH=$root/build/bin:$PATH venv/bin/python "$@"
}

@test "the wheel is pure and has the version of the header" {
    [ "$(basename dist/*.whl)" = "memphis_numa-$(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' "$root/include/memphis/version.h")-py3-none-any.whl" ]
    # Times in an archive of this kind are even.
    [ "$(python3 -c 'import datetime, sys, zipfile; print(max(int(datetime.datetime(*entry.date_time, tzinfo=datetime.timezone.utc).timestamp()) for entry in zipfile.ZipFile(sys.argv[1]).infolist()))' dist/*.whl)" \
        -eq $(($(env -u SOURCE_DATE_EPOCH "$root/packaging/source-time") / 2 * 2)) ]
}

@test "the installed wheel finds the library beside the tool in PATH, and says what is missing without it" {
    run -0 python -c 'import memphis; print(memphis.__file__, memphis.version())'
    [[ "$output" == "$PWD/venv/lib/"*"/memphis.py $(sed -n 's/.*MEMPHIS_VERSION "\(.*\)"/\1/p' "$root/include/memphis/version.h")" ]]
    run -0 venv/bin/python -c 'import memphis; print(memphis.status())'
    [[ "$output" == 'not sampling: libmemphis.so.0: cannot open shared object file: '* ]]
}

@test "memphis.read() has the sums by variable, line, region, thread and node" {
    cat > sums.py <<'TEXT'
import memphis

run = memphis.read('one')
for name in 'by_variable', 'by_region', 'by_thread', 'by_node':
    print(name)
    print(getattr(run, name).dropna(axis='columns', how='all').to_csv(index=False), end='')
print(run.by_line[['samples', 'remote']].values.tolist())
print(run.sums('variable', 'region')[['variable', 'region', 'samples']].values.tolist())
print(len(run.samples), run.meta['select'])
TEXT
    run -0 python sums.py
    expect "by_variable
segment,variable,samples,remote,accesses,latency_cycles,bytes,waited_cycles
heap,tx,6,3,6000,2712,320000,2700000.0
heap,ty,1,1,1000,900,64000,900000.0
by_region
region,samples,remote,accesses,latency_cycles,bytes,waited_cycles
TimeLoop,5,3,5000,2700,320000,2700000.0
Bound,2,1,2000,912,64000,900000.0
by_thread
host,rank,pid,tid,thread,samples,remote,accesses,latency_cycles,bytes,waited_cycles
far,3,100,100,model,5,4,5000,3012,256000,3000000.0
far,3,100,101,worker,2,0,2000,600,128000,600000.0
by_node
node,home,samples,remote,accesses,latency_cycles,bytes,waited_cycles
0,1,4,4,4000,3000,256000,3000000.0
1,1,2,0,2000,600,128000,600000.0
0,0,1,0,1000,12,0,
[[7, 4]]
[['tx', 'TimeLoop', 5], ['ty', 'Bound', 1], ['tx', 'Bound', 1]]
4 all" "$output"
}

@test "memphis.read() takes options, profiles and databases, and raises with the tool's message" {
    "$memphis" reduce one -o one.mprof
    "$memphis" export --format sqlite --by thread one -o one.sqlite
    run -0 python -c 'import memphis
print(memphis.read("one", options=["--select", "remote"]).samples.samples.sum(), memphis.read("one.mprof", threads=False).by_thread.samples.tolist())'
    [ "$output" = '4 [7]' ]
    # A database needs no tool.
    run -0 venv/bin/python -c 'import memphis; print(memphis.read("one.sqlite").by_variable.variable.tolist())'
    [ "$output" = "['tx', 'ty']" ]
    run -1 python -c 'import memphis; memphis.read("none")'
    [ "${lines[-1]}" = 'RuntimeError: memphis export: none: cannot open: No such file or directory' ]
    run -1 venv/bin/python -c 'import memphis; memphis.read("one")'
    [ "${lines[-1]}" = 'FileNotFoundError: no memphis in PATH; install the tool, or name it: memphis.read(..., tool=PATH)' ]
}
