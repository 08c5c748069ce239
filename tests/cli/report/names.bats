#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of variables and lines in real C and Fortran programs. If these tests fail, samples get wrong names.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    gcc -g -O0 -no-pie "$programs/heap.c" -o heap
    gcc -g -O0 -pie -fPIE "$programs/heap.c" -o heap-pie
    gcc -g -O1 -no-pie "$programs/heap.c" -o heap-inlined
    gcc -g -O1 -shared -fPIC "$programs/shared.c" -o libshared.so
    gfortran -g -O2 -no-pie "$programs/fields.F90" -o fields
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    heap=$programs/heap.c
    shared=$programs/shared.c
    fields=$programs/fields.F90
    sum=$(line "$heap" 's += x[i]')
}

teardown() {
    [ -z "${server:-}" ] || kill "$server"
}

# Prints [segment]:name of each variable row, sorted by name.
rows() {
    grep -E '^[0-9]+\) ' | sed -E 's/^[0-9]+\) //; s/ \[ 0x.*//' | sort
}

# heap_samples PROGRAM BASE: writes a process with the program at BASE, one allocation of each kind, and one sample in each block.
heap_samples() {
    local main

    main()
    {
        echo "a^heap.c:$(line "$heap" "$1")#1"
    }
    cat <<TEXT
process 100
object a $BATS_FILE_TMPDIR/$1 $2
object s $BATS_FILE_TMPDIR/libshared.so 0x7f0000000000
map 0x100000000 0x100100000 rw-p 0x0 - [heap]
maps 100
holder 2000 a!field 0x100010000
holder 2000 a!grid+8 0x100020000
holder 2000 a!grid+16 0x100028000
holder 2000 a!rows+24 0x100030000
end
thread 100
stack 1 $(main 'double *x = malloc')
stack 2 $(main '*p = malloc') $(main 'y = xmalloc')
stack 3 $(main 'return malloc') $(main 'simple(8000)')
stack 4 $(main '*p = malloc') $(main 'field = xmalloc')
stack 5 $(main '*out = malloc') $(main 'fill(&w')
stack 6 $(main 'g->tx = calloc')
stack 7 $(main 'rows[i] = malloc')
stack 8 $(main 'sum(malloc(80)')
stack 9 $(main 'grid.tx = malloc')
stack 10 $(main 'grid.halo.low = malloc')
malloc 1000 0x100001000 8000 1
malloc 1001 0x100003000 8000 2
malloc 1002 0x100005000 8000 3
malloc 1003 0x100010000 8000 4
malloc 1004 0x100007000 8000 5
malloc 1005 0x100009000 8000 6
malloc 1006 0x100030000 8000 7
malloc 1007 0x100032000 80 8
malloc 1008 0x100020000 8000 9
malloc 1009 0x100028000 8000 10
malloc 1010 0x100034000 8000 0
malloc 1011 0x100036000 8000 7
books 15 15 0
$(for address in 0x100001000 0x100003000 0x100005000 0x100007000 0x100009000 0x100010000 0x100020000 0x100028000 \
    0x100030000 0x100032000 0x100034000 'a!table' 'a!scratch+8' 'a!weights'; do
    echo "sample 3000 a@heap.c:$sum $address dram LR 0 1"
done)
sample 3100 s@shared.c:$(line "$shared" 'shared_sum += ') s!shared_table+16 dram LR 1 0
end
TEXT
}

heap_rows='[bss]:scratch
[bss]:shared_table
[data]:table
[heap]:field
[heap]:g->tx
[heap]:grid.halo.low
[heap]:grid.tx
[heap]:<main:68>
[heap]:<no-stack>
[heap]:rows[]
[heap]:w
[heap]:x
[heap]:y
[heap]:z
[rodata]:weights'

@test "C variables are named: static ones, and blocks by holder, by line and through wrappers" {
    samples c < <(heap_samples heap 0)
    run --separate-stderr paper --top 0 c
    [ "$status" -eq 0 ]
    [ "$(line "$heap" 'sum(malloc(80)')" = 68 ]
    expect "$(sort <<< "$heap_rows")" "$(rows <<< "$output")"
    expect '    shared.c:8:0x* [ 0x* - 0x* ] 1' "$(grep -A 1 shared_table <<< "$output" | tail -1 | masked)"
    grep -qx 'attributed: 15 of 15 (100.0 %) to a variable' <<< "$output"
}

@test "a position-independent program gives the same names, and link-time addresses of instructions" {
    samples pie < <(heap_samples heap-pie 0x555500000000)
    run paper --top 0 pie
    expect "$(sort <<< "$heap_rows")" "$(rows <<< "$output")"
    pc=$(grep -A 1 ':table ' <<< "$output" | grep -oE ':0x[0-9a-f]+ ' | tr -d ': ')
    run addr2line -e heap-pie "$pc"
    [[ $output = */heap.c:$sum* ]]
}

@test "JSON has the source of each name, and the allocation site" {
    samples c < <(heap_samples heap 0)
    run "$memphis" report --format json c
    names() {
        jq -r --arg how "$1" '.nodes[].variables[] | select(.how == $how) | "\(.name) \(.site) \(.holder) \(.reason)"' \
            <<< "$output" | sort
    }
    expect "$(sort <<TEXT
field heap.c:$(line "$heap" 'field = xmalloc') field null
grid.tx heap.c:$(line "$heap" 'grid.tx = ') grid.tx null
grid.halo.low heap.c:$(line "$heap" 'grid.halo.low = ') grid.halo.low null
rows[] heap.c:$(line "$heap" 'rows[i] = ') rows[] null
TEXT
)" "$(names holder)"
    expect "$(sort <<TEXT
g->tx heap.c:$(line "$heap" 'g->tx = ') null null
w heap.c:$(line "$heap" 'fill(&w') null null
x heap.c:$(line "$heap" 'x = malloc') null null
y heap.c:$(line "$heap" 'y = xmalloc') null null
z heap.c:$(line "$heap" 'z = (double') null null
TEXT
)" "$(names assigned)"
    expect '<main:68> heap.c:68 null line-names-nothing
<no-stack> null null no-stack' "$(names site)"
    [ "$(jq -r '[.nodes[].variables[] | select(.how == "debug-info") | .name] | sort | join(" ")' <<< "$output")" = \
        'scratch shared_table table weights' ]
}

@test "inlined calls are expanded" {
    samples inlined <<TEXT
process 100
object a $BATS_FILE_TMPDIR/heap-inlined 0
object s $BATS_FILE_TMPDIR/libshared.so 0x7f0000000000
map 0x100000000 0x100100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 a^heap.c:$(line "$heap" '*p = malloc')#1
malloc 1000 0x100001000 8000 1
books 2 2 0
sample 3000 a@heap.c:$sum 0x100001000 dram LR 0 1
sample 3100 s@shared.c:8 s!shared_table+16 dram LR 1 0
end
TEXT
    run "$memphis" report --format json inlined
    [ "$(jq -r '.nodes[0].variables[0] | "\(.name) \(.site)"' <<< "$output")" = "y heap.c:$(line "$heap" 'y = xmalloc')" ]
    expect '["add",8,[["shared_walk",16]]]' "$(jq -c '.nodes[1].variables[0].instructions[0] |
        [.function, .line, [.inlined[] | [.function, .line]]]' <<< "$output")"
    [ "$(line "$shared" 'add(i);')" = 16 ]
}

fortran_samples() {
    cat <<TEXT
process 200
object a $BATS_FILE_TMPDIR/fields 0
map 0x100000000 0x100100000 rw-p 0x0 - [heap]
maps 100
holder 2000 a!__ice_state_MOD_tx 0x100010000
holder 2000 a!__ice_state_MOD_work 0x100020000
holder 2000 a!__ice_state_MOD_grid+8 0x100030000
end
thread 200
stack 1 a^fields.F90:$1#1
stack 2 a^fields.F90:$1#2
stack 3 a^fields.F90:$1#3
stack 4 a^fields.F90:$(line "$fields" 'allocate(work')#1
stack 5 a^fields.F90:$(line "$fields" 'allocate(grid%tx')#1
stack 6 a^fields.F90:$2#1
stack 7 a^fields.F90:$2#2
stack 8 a^fields.F90:$2#3
malloc 1001 0x100010000 8000 1
malloc 1002 0x100012000 8000 2
malloc 1003 0x100014000 8000 3
malloc 1004 0x100020000 8000 4
malloc 1005 0x100030000 8000 5
malloc 1006 0x100040000 8000 6
malloc 1007 0x100042000 8000 7
malloc 1008 0x100044000 8000 8
books 13 13 0
$(for address in 0x100010000 0x100012000 0x100014000 0x100020000 0x100030000 0x100040000 0x100042000 0x100044000 \
    'a!__ice_state_MOD_aicen+16' 'a!metrics_+16' 'a!metrics_+1608' 'a!local.0' 'a!__ice_state_MOD_tx+24'; do
    echo "sample 3000 a@fields.F90:$(line "$fields" 'beta(i) = ') $address dram LR 0 1"
done)
end
TEXT
}

@test "Fortran variables are named: module arrays, COMMON, allocatables, pointers, components" {
    samples f < <(fortran_samples "$(line "$fields" 'allocate(tx')" $(($(line "$fields" 'allocate(alpha') + 1)))
    run paper --top 0 f
    [ "$status" -eq 0 ]
    expect "$(sort <<'TEXT'
[bss]:/metrics/hte
[bss]:/metrics/htn
[bss]:fields::local
[bss]:ice_state::aicen
[bss]:ice_state::tx
[heap]:alpha
[heap]:beta
[heap]:gamma
[heap]:grid%tx
[heap]:tc
[heap]:tx
[heap]:ty
[heap]:work
TEXT
)" "$(rows <<< "$output")"
    run "$memphis" report --format json f
    [ "$(jq -r '.nodes[0].variables[] | select(.name == "tx") | .holder' <<< "$output")" = 'ice_state::tx' ]
    [ "$(jq -r '.nodes[0].variables[] | select(.name == "grid%tx") | .holder' <<< "$output")" = 'ice_state::grid%tx' ]
}

@test "a library without debug information still has names from its symbols" {
    cp libshared.so libstripped.so
    strip -g libstripped.so
    samples stripped <<TEXT
process 100
object s $BATS_FILE_TMPDIR/libstripped.so 0x7f0000000000
maps 100
end
thread 100
books 1 1 0
sample 3100 s!shared_walk s!shared_table+16 dram LR 1 0
end
TEXT
    run paper stripped
    [ "$(masked <<< "${lines[1]}")" = '000) [bss]:shared_table [ 0x* - 0x* ] 1' ]
    [ "$(masked <<< "${lines[2]}")" = '    libstripped.so:0:0x* [ 0x* - 0x* ] 1' ]
    grep -qx "note: $BATS_FILE_TMPDIR/libstripped.so has no debug information: for lines and variables compile it with -g, or install its debug package" <<< "$output"
    run "$memphis" report --format json stripped
    [ "$(jq -r '.nodes[0].variables[0] | .how, .instructions[0].function' <<< "$output" | xargs)" = 'symbol shared_walk' ]
}

# missing FILE: checks the note about libsplit.so if its debug information is in FILE, which was not read.
missing() {
    run -0 paper split
    grep -qxF "note: $BATS_FILE_TMPDIR/libsplit.so has debug information in files that were not read ($1): variables and functions of it have no names; keep *.dwo where the compiler put them, and the common file of dwz where it was, or give its directory with --binaries (elfutils before 0.191 reads no *.dwp)" <<< "$output"
    run -0 "$memphis" report --format json split
    [ "$(jq -r '.binaries[0].debug_missing' <<< "$output")" = "$1" ]
    "$memphis" reduce split -o "$BATS_TEST_TMPDIR/split.mprof"
    run -0 "$memphis" report --format json "$BATS_TEST_TMPDIR/split.mprof"
    [ "$(jq -r '.binaries[0].debug_missing' <<< "$output")" = "$1" ]
}

@test "debug information in .dwo files is read; missing or packed files are reported" {
    gcc -g -gsplit-dwarf -gdwarf-5 -fPIC -O1 -c -o split.o "$programs/shared.c"
    gcc -shared -o libsplit.so split.o
    samples split <<TEXT
process 100
object s $BATS_FILE_TMPDIR/libsplit.so 0x7f0000000000
maps 100
end
thread 100
books 1 1 0
sample 3100 s!shared_walk s!shared_table+16 dram LR 1 0
end
TEXT
    run -0 "$memphis" report --format json split
    [ "$(jq -r '.binaries[0].debug_missing, .nodes[0].variables[0].how' <<< "$output" | xargs)" = 'null debug-info' ]
    mv split.dwo away.dwo
    missing split.dwo
    # Some versions of libdw do not support packages, so the content of a package is never read.
    : > libsplit.so.dwp
    missing "$BATS_FILE_TMPDIR/libsplit.so.dwp"
}

@test "debug information in the common file of dwz is read, also from a --binaries directory; a missing one is reported" {
    mkdir -p common
    gcc -g -fPIC -O1 -shared -o libsplit.so "$programs/shared.c"
    gcc -g -fPIC -O1 -shared -DOTHER -o libother.so "$programs/shared.c"
    dwz -m common.debug -r libsplit.so libother.so
    samples split <<TEXT
process 100
object s $BATS_FILE_TMPDIR/libsplit.so 0x7f0000000000
maps 100
end
thread 100
books 1 1 0
sample 3100 s!shared_walk s!shared_table+16 dram LR 1 0
end
TEXT
    run -0 "$memphis" report --format json split
    [ "$(jq -r '.binaries[0].debug_missing, .nodes[0].variables[0].how' <<< "$output" | xargs)" = 'null debug-info' ]
    mv common.debug common/
    missing common.debug
    run -0 "$memphis" report --format json --binaries common split
    [ "$(jq -r '.binaries[0].debug_missing, .nodes[0].variables[0].how' <<< "$output" | xargs)" = 'null debug-info' ]
}

@test "debug information in a separate file is found by build-id, or by link" {
    mkdir -p debug/.build-id
    cp libshared.so libsplit.so
    id=$(readelf -n libsplit.so | sed -n 's/.*Build ID: //p')
    mkdir -p "debug/.build-id/${id:0:2}"
    objcopy --only-keep-debug libsplit.so "debug/.build-id/${id:0:2}/${id:2}.debug"
    strip libsplit.so
    sed "s/libshared/libsplit/" > description <<TEXT
process 100
object s $BATS_FILE_TMPDIR/libshared.so 0x7f0000000000
maps 100
end
thread 100
books 1 1 0
sample 3100 0x7f0000001113 0x7f0000004050 dram LR 1 0
end
TEXT
    samples split < description
    run paper split
    grep -q 'no debug information' <<< "$output"
    run paper --binaries debug split
    [ "${lines[1]%% \[ *}" = '000) [bss]:shared_table' ]
    [[ ${lines[2]} = '    shared.c:'* ]]
    cp "debug/.build-id/${id:0:2}/${id:2}.debug" libsplit.debug
    objcopy --add-gnu-debuglink=libsplit.debug libsplit.so
    run paper split
    [[ ${lines[2]} = '    shared.c:'* ]]
}

# serve DIRECTORY: starts a server of files by build-id, as build machines run.
serve() {
    python3 - "$1" > port 3>&- <<'TEXT' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
TEXT
    server=$!
    until [ -s port ]; do sleep 0.1; done
}

@test "programs and debug information come from debuginfod servers if DEBUGINFOD_URLS lists them, and only then" {
    local id
    mkdir -p served/buildid
    gcc -g -O1 -shared -fPIC -DSERVED "$programs/shared.c" -o libserved.so
    id=$(readelf -n libserved.so | sed -n 's/.*Build ID: //p')
    mkdir "served/buildid/$id"
    samples served-samples <<TEXT
process 100
object s $BATS_FILE_TMPDIR/libserved.so 0x7f0000000000
maps 100
end
thread 100
books 1 1 0
sample 3100 s@shared.c:8 s!shared_table+16 dram LR 1 0
end
TEXT
    objcopy --only-keep-debug libserved.so "served/buildid/$id/debuginfo"
    strip libserved.so
    mv libserved.so "served/buildid/$id/executable"
    serve served 2> log
    export DEBUGINFOD_CACHE_PATH=$BATS_TEST_TMPDIR/cache HOME=$BATS_TEST_TMPDIR
    run paper served-samples
    [[ $output = *'binary-missing 1 '* ]]
    [ ! -s log ]
    DEBUGINFOD_URLS=http://127.0.0.1:$(< port) run paper served-samples
    [ "$(masked <<< "${lines[1]}")" = '000) [bss]:shared_table [ 0x* - 0x* ] 1' ]
    [[ ${lines[2]} = '    shared.c:8:'* ]]
    grep -q "GET /buildid/$id/executable .* 200" log
    grep -q "GET /buildid/$id/debuginfo .* 200" log
}

@test "a changed binary is reported and not used; the recorded one is found elsewhere" {
    mkdir -p new kept/new
    cp libshared.so new/lib.so
    samples moved <<TEXT
process 100
object s $BATS_FILE_TMPDIR/new/lib.so 0x7f0000000000
maps 100
end
thread 100
books 1 1 0
sample 3100 s@shared.c:8 s!shared_table+16 dram LR 1 0
end
TEXT
    mv new/lib.so kept/new/lib.so
    run paper moved
    [ "$(masked <<< "${lines[1]}")" = '000) [lib.so]:<not-found> [ 0x* - 0x* ] 1' ]
    grep -q '^    binary-missing 1 ' <<< "$output"
    grep -q "^note: $BATS_FILE_TMPDIR/new/lib.so is not here: " <<< "$output"
    gcc -g -O2 -shared -fPIC -DOTHER "$programs/shared.c" -o new/lib.so
    run paper moved
    grep -q '^    binary-changed 1 ' <<< "$output"
    grep -q "^note: $BATS_FILE_TMPDIR/new/lib.so is not the recorded file any more (recorded build-id [0-9a-f]*): " <<< "$output"
    [ "$("$memphis" report --format json moved | jq -r .binaries[0].state)" = changed ]
    for place in kept kept/new; do
        run paper --binaries new --binaries "$place" moved
        [ "$(masked <<< "${lines[1]}")" = '000) [bss]:shared_table [ 0x* - 0x* ] 1' ]
        [[ ${lines[2]} = '    shared.c:8:'* ]]
    done
}

@test "--source finds sources in other directories; a missing source is reported as a reason" {
    mkdir -p src/deep
    cp "$heap" src/deep/heap.c
    (cd src && gcc -g -O0 -no-pie deep/heap.c -o ../heap-elsewhere)
    mkdir -p moved-src/src
    mv src/deep moved-src/src/
    samples elsewhere <<TEXT
process 100
object a $BATS_FILE_TMPDIR/heap-elsewhere 0
map 0x100000000 0x100100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 a^heap.c:$(line "$heap" 'g->tx = calloc')#1
malloc 1000 0x100001000 8000 1
books 1 1 0
sample 3000 a@heap.c:$sum 0x100001000 dram LR 0 1
end
TEXT
    run "$memphis" report --format json elsewhere
    [ "$(jq -r '.nodes[0].variables[0] | "\(.name) \(.reason)"' <<< "$output")" = \
        "<main:$(line "$heap" 'g->tx = calloc')> source-not-found" ]
    for place in moved-src moved-src/src/deep; do
        run paper --source "$place" elsewhere
        [[ ${lines[1]} = '000) [heap]:g->tx '* ]] || { printf '%s\n' "$output"; false; }
    done
}

@test "a source that was changed after the program was built names nothing, which is reported as the reason" {
    cp "$heap" edited.c
    gcc -g -O0 -no-pie edited.c -o heap-edited
    samples edited <<TEXT
process 100
object a $BATS_FILE_TMPDIR/heap-edited 0
map 0x100000000 0x100100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 a^edited.c:$(line "$heap" 'g->tx = calloc')#1
malloc 1000 0x100001000 8000 1
books 1 1 0
sample 3000 a@edited.c:$sum 0x100001000 dram LR 0 1
end
TEXT
    name() { "$memphis" report --format json edited | jq -r '.nodes[0].variables[0] | "\(.name) \(.reason)"'; }
    [ "$(name)" = 'g->tx null' ]
    touch -d '+1 minute' edited.c
    [ "$(name)" = "<main:$(line "$heap" 'g->tx = calloc')> source-changed" ]
    # clang notes a digest of the contents, which decides, whatever the time.
    clang -g -gdwarf-5 -O0 -no-pie edited.c -o heap-edited
    samples edited <<TEXT
process 100
object a $BATS_FILE_TMPDIR/heap-edited 0
map 0x100000000 0x100100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 a^edited.c:$(line "$heap" 'g->tx = calloc')#1
malloc 1000 0x100001000 8000 1
books 1 1 0
sample 3000 a@edited.c:$sum 0x100001000 dram LR 0 1
end
TEXT
    touch -d '+2 minutes' edited.c
    [ "$(name)" = 'g->tx null' ]
    sed -i 's/g->tx = calloc/g->ty = calloc/' edited.c
    touch -d '-1 hour' edited.c
    [ "$(name)" = "<main:$(line "$heap" 'g->tx = calloc')> source-changed" ]
}

@test "message-passing libraries allocate on behalf of their callers; libraries with similar names do not" {
    printf '%s\n' '#include <stdlib.h>' 'static double *buffer;' 'double *coupler(long bytes)' '{' \
        '    double *exchanged = malloc(bytes);' '    return buffer = exchanged, NULL;' '}' > coupler.c
    printf '%s\n' 'double *coupler(long);' 'double *mine;' 'int main(void)' '{' '    mine = coupler(8192);' '    return 0;' '}' > user.c
    for library in libmpi.so.40 libmpich.so.12 libmpi_cray.so.12 libmpicxx.so.12 libsma.so.1 libpsm2.so.2 libother.so libpsmile.so libsmartredis.so libmpir.so; do
        gcc -g -O0 -shared -fPIC coupler.c -o "$library"
        gcc -g -O0 -no-pie -o user user.c "./$library"
        samples "allocates-$library" <<TEXT
process 100
setting alloc_min_bytes 4096
object user $PWD/user 0
object library $PWD/$library 0x7f0000000000
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
stack 1 library^coupler.c:5#1 user^user.c:5#1
malloc 1000 0x1000000 8192 1
sample 2000 user@user.c:5 0x1000000 dram LR 0 1
books 1 1 0
end
TEXT
        echo "$library $("$memphis" report --format json "allocates-$library" | jq -r '.nodes[0].variables[0].name')"
    done > allocating
    expect 'libmpi.so.40 mine
libmpich.so.12 mine
libmpi_cray.so.12 mine
libmpicxx.so.12 mine
libsma.so.1 mine
libpsm2.so.2 mine
libother.so exchanged
libpsmile.so exchanged
libsmartredis.so exchanged
libmpir.so exchanged' "$(cat allocating)"
}

@test "flang: procedures have the names of the source, with and without debug information" {
    local flags
    gcc -g -c "$programs/touch.c" -o touch.o
    for flags in -g -g0; do
        flang-new-19 -w "$flags" -fopenmp -c "$programs/locals.F90" -o locals.o
        gcc -no-pie -Wl,--unresolved-symbols=ignore-all locals.o touch.o -o flang
        samples flang-run <<TEXT
process 100
object p $PWD/flang 0
maps 100
end
thread 100
sample 2000 p!_QMlocals_mPobjects+8 0x1000000 dram LR 0 1
sample 2000 p!_QMlocals_mPparallel..omp_par+8 0x1000000 dram LR 0 1
sample 2000 p!_QQmain+8 0x1000000 dram LR 0 1
books 3 3 0
end
TEXT
        "$memphis" report --by function --format json flang-run > "flang$flags.json"
    done
    expect '["MAIN__","locals_m::parallel (OpenMP)","objects"]' "$(jq -c '[.nodes[0].variables[0].instructions[].function] | sort' flang-g.json)"
    expect '["MAIN__","locals_m::objects","locals_m::parallel (OpenMP)"]' "$(jq -c '[.nodes[0].variables[0].instructions[].function] | sort' flang-g0.json)"
}
