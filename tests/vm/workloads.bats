#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Small programs with one planted defect each, one for every way in which a program can hold memory. Their reports are compared
# with the machine's exact counts. If these tests fail, a report names the wrong variable or line, or leaves samples without a
# name that it should find.
# About 60 counts are tested at a significance level of 1e-7 each: 1 of 160,000 runs fails without a defect.

bats_require_minimum_version 1.5.0
load ../environment

# Program, source, the report's --select, then each SEGMENT:VARIABLE=PRINTED@MARK that the report must show; see
# tests/vm/workloads/truth.py.
table='
static     static/static.c         remote-dram   bss:levels=levels bss:heights=heights bss:ground::soil=soil
module     static/module.F90       remote-dram   bss:ocean_state::salinity=salinity heap:speed=speed
common     static/common.F90       away          bss:/grid/depth=depth bss:/grid/mask=mask bss://winds=winds
heap       heap/heap.cpp           away          heap:salinity=salinity heap:temperature=temperature heap:ocean.speed=speed heap:depth=depth
copies     static/copies.F90       remote-dram   bss:/ocean/old=old@copy
copies     static/copies.F90       away-stores   bss:/ocean/new=new@copy bss:/ocean/flux=flux@clear
cookies    heap/cookies.cpp        away          heap:particles=particles@x heap:particles=particles@y heap:particles=particles@z heap:wides=wides@low heap:wides=wides@high
component  heap/component.F90      away          heap:grid%tx=tx heap:grid%ty=ty heap:grid%area=area
automatic  heap/automatic.F90      away          heap:tc=tc heap:tx=tx heap:ty=ty
module-flang-2     static/module.F90   remote-dram  bss:ocean_state::salinity=salinity heap:speed=speed
component-flang-2  heap/component.F90  away         heap:grid%tx=tx heap:grid%ty=ty heap:grid%area=area
automatic-flang-0  heap/automatic.F90  away         heap:tc=tc heap:tx=tx heap:ty=ty
automatic-flang-2  heap/automatic.F90  away         heap:tc=tc heap:tx=tx heap:ty=ty
automatic-flang-3  heap/automatic.F90  away         heap:tc=tc heap:tx=tx heap:ty=ty
member     heap/member.c           away          heap:grid.tx=tx heap:grid.ty=ty heap:blocks[0].field=field0@field heap:blocks[1].field=field1@field
arena      heap/arena.c            all           fields:far=far fields:near=near fields:again=again heap:arena.base=rest
arena      heap/arena.c            away          fields:far=far fields:again=again
tls        threads/tls.c           away          tls:scratch=own tls:scratch=lent
stack      threads/stack.c         remote-dram   stack:relax::column=column stack:relax::forcing=forcing
plugin     libraries/plugin.c      away          bss:table=table heap:buffer=buffer
plugin     libraries/host.c        away          mmap:successor=successor
reload     libraries/plugin.c      away          bss:table=table heap:buffer=buffer
sharing    threads/sharing.c       remote-cache  bss:cells=hits bss:cells=misses
mapping    mappings/mapping.c      away          mmap:pool=pool climate.dat:climate=climate shm:exchange=exchange
shared     mappings/shared.c       away          shm:segment=segment shm:posix=posix shm:sealed=sealed shm:common=common
cg         programs/cg.c           all           bss:a=a@product bss:colidx=colidx@product heap:p=p@product
'

build_all() {
    local from=tests/workloads bin=$work/bin name
    # -O1 keeps the loops as written.
    local warn=(-O1 -g -Wall -Wextra -Werror -pthread -I"$top/include" -I"$top/build/include" -I"$from/common")
    # Force string instructions: this compiler may prefer other code for this length.
    local strings=(-mmemcpy-strategy=rep_8byte:-1:noalign -mmemset-strategy=rep_8byte:-1:noalign)
    local link=(-L"$bin" -lworkload -Wl,--no-as-needed -lmemphis -Wl,--as-needed -Wl,-rpath,'$ORIGIN')

    gcc "${warn[@]}" -fPIC -shared -o "$bin/libworkload.so" $from/common/workload.c
    gcc "${warn[@]}" -fPIC -shared -o "$bin/libplugin.so" $from/libraries/plugin.c -L"$bin" -lworkload -Wl,-rpath,'$ORIGIN'
    for name in static/static heap/member heap/arena threads/tls threads/sharing mappings/mapping mappings/shared libraries/host libraries/reload; do
        gcc "${warn[@]}" -o "$bin/${name##*/}" $from/$name.c "${link[@]}"
    done
    gcc "${warn[@]}" -fopenmp -o "$bin/stack" $from/threads/stack.c "${link[@]}"
    gcc "${warn[@]}" -O2 -fopenmp -o "$bin/cg" $from/programs/cg.c "${link[@]}" -lm
    for name in heap cookies; do
        g++ "${warn[@]}" -o "$bin/$name" $from/heap/$name.cpp "${link[@]}"
    done
    gfortran "${warn[@]}" -J "$work" -c -o "$work/workload.o" $from/common/workload.F90
    gfortran "${warn[@]}" "${strings[@]}" -J "$work" -o "$bin/copies" "$from/static/copies.F90" "$work/workload.o" "${link[@]}"
    for name in static/module static/common heap/component heap/automatic; do
        gfortran "${warn[@]}" -J "$work" -o "$bin/${name##*/}" "$from/$name.F90" "$work/workload.o" "${link[@]}"
    done
}

# by_flang KIND/NAME LEVEL: builds NAME-flang-LEVEL, with automatic arrays on the heap: the stack is too small for them.
by_flang() {
    local name=${1##*/} source options=(-g "-O$2" -module-dir . -mmlir --fdynamic-heap-array)

    mkdir -p "$work/flang-$2"
    (
        cd "$work/flang-$2"
        for source in libsampler/api/memphis_fortran tests/workloads/common/workload "tests/workloads/$1"; do
            flang-new-19 "${options[@]}" -c "$top/$source.F90" -o "${source##*/}.o"
        done
        flang-new-19 -o "$work/bin/$name-flang-$2" "$name.o" workload.o memphis_fortran.o -L"$work/bin" -lworkload -lmemphis \
            -Wl,-rpath,'$ORIGIN'
    )
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    export work=$top/build/test/workloads

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    build_all
    by_flang static/module 2
    by_flang heap/component 2
    for level in 0 2 3; do
        by_flang heap/automatic $level
    done
    cp tests/vm/workloads/guest.sh "$work/bin"
    machine/run --kernel 6.12 --timeout 1800 --module build/kmod/6.12/memphis.ko --put "$work/bin:/root/bin" \
        --env LD_LIBRARY_PATH=/root/bin --truth "$work/all.tsv" --get "/root/out:$work/out" --log "$work/guest.log" -- \
        sh /root/bin/guest.sh /root/bin /root/out > "$work/guest.txt" 2>&1
    echo "$?" > "$work/guest.status"
    # Most rows are of the kernel and of instructions without eligible accesses. Neither can have been sampled; drop both.
    awk -F '\t' '
        /^pc/ { if ($5 ~ /^0xffff/) next; any = 0; for (i = 22; i <= 37; i++) any += $i; if (!any) next }
        /^page/ && ($5 ~ /^0xffff/ || !($10 + $11)) { next }
        { print }' "$work/all.tsv" > "$work/truth.tsv"
}

# holds PROGRAM SOURCE [SELECTION]: compares the report on PROGRAM with the exact counts, for the variables of SOURCE.
holds() {
    local program source selection rows

    read -r program source selection rows < <(awk -v program="$1" -v file="$2" -v selection="${3:-}" '
        $1 == program && $2 == file && (selection == "" || $3 == selection)' <<< "$table")
    cat "$work/out/$program.err"
    [ "$(cat "$work/out/$program.status")" -eq 0 ]
    "$top/build/bin/memphis" report --select "$selection" --binaries "$work/bin" --source "$top/tests/workloads/${source%%/*}" --format json \
        -o "$work/$program-${source##*/}.json" "$work/out/$program"
    # shellcheck disable=SC2086  # words
    "$top/tests/vm/workloads/truth.py" "$work/truth.tsv" "$work/out/$program" "$top/tests/workloads/$source" \
        "$work/$program-${source##*/}.json" "$selection" $rows
}

@test "all workloads exit with status 0, and the kernel logged no complaint" {
    cat "$work/guest.txt"
    [ "$(cat "$work/guest.status")" -eq 0 ]
    [ "$(cat "$work"/out/*.status | sort | uniq -c | tr -s ' ')" = " $(awk 'NF {print $1}' <<< "$table" | sort -u | wc -l) 0" ]
    [ "$(cat "$work"/out/*.err)" = "" ]
}

@test "static variables of C with file scope, external linkage and function scope are named" {
    holds static static/static.c
}

@test "an array and an allocatable of a Fortran module are named" {
    holds module static/module.F90
}

@test "members of named and of blank COMMON blocks are named" {
    holds common static/common.F90
}

@test "in a copy by string instructions, loads belong to the array that is read and stores to the one that is written" {
    holds copies static/copies.F90 remote-dram
    holds copies static/copies.F90 away-stores
}

@test "C++ heap blocks held by a pointer, a container, a member or a local variable are named" {
    holds heap heap/heap.cpp
}

@test "each member of a C++ array whose class has a destructor gets the samples of the line that reads the member" {
    local member

    holds cookies heap/cookies.cpp
    "$top/build/bin/memphis" report --select away --by field --binaries "$work/bin" --source "$top/tests/workloads/heap" --format json \
        -o "$work/fields.json" "$work/out/cookies"
    for member in x y z low high; do
        line=$(grep -nE "LINE: $member( |$)" "$top/tests/workloads/heap/cookies.cpp" | cut -d : -f 1)
        of_line=$(jq "[.nodes[].variables[] | select(.name == \"particles\" or .name == \"wides\") | .instructions[] | select(.line == $line) | .count] | add" \
            "$work/cookies-cookies.cpp.json")
        of_member=$(jq "[.nodes[].variables[].fields[]? | select(.field == \"$member\") | .count] | add" "$work/fields.json")
        echo "$member: $of_member samples, its line has $of_line"
        [ "$of_line" -gt 40 ]
        [ "$of_member" -eq "$of_line" ]
    done
}

@test "components of a Fortran derived type are named" {
    holds component heap/component.F90
}

@test "automatic arrays of Fortran are named" {
    holds automatic heap/automatic.F90
}

@test "with flang, variables of a module, components and automatic arrays on the heap are named" {
    holds module-flang-2 static/module.F90
    holds component-flang-2 heap/component.F90
    for level in 0 2 3; do
        holds automatic-flang-$level heap/automatic.F90
    done
}

@test "blocks held by members of a C structure, and of an array of structures, are named" {
    holds member heap/member.c
}

@test "arrays that an arena hands out are named, each one for as long as it lives, and the rest of the arena keeps its own name" {
    holds arena heap/arena.c all
    holds arena heap/arena.c away
    # Of the two arrays that live at the same time, only the one on the other node is accessed from away.
    jq -e '[.nodes[].variables[] | select(.name == "near")] == []' "$work/arena-arena.c.json"
}

@test "thread-local storage is named, whether its own thread or another one reads it" {
    holds tls threads/tls.c
}

@test "stack arrays that threads share are named" {
    holds stack threads/stack.c
}

@test "static and heap memory of a library that was unloaded before the end is named" {
    holds plugin libraries/plugin.c
}

@test "memory mapped later at the address of an unloaded library is named after its own kind" {
    holds plugin libraries/host.c
}

@test "a library that was loaded three times, each time at another address, is named each time" {
    holds reload libraries/plugin.c
    [ "$(awk '$2 == "table" { print $3 }' "$work/out/reload.out" | sort -u | wc -l)" -eq 3 ]
    run -0 python3 -c 'import json, sys; print([note for note in json.load(open(sys.argv[1]))["notes"] if "plugin" in note])' \
        "$work/reload-plugin.c.json"
    [ "$output" = '[]' ]
}

@test "false sharing is attributed to both fields on the same cache lines" {
    holds sharing threads/sharing.c
}

@test "anonymous, file-backed and shared mappings are named" {
    holds mapping mappings/mapping.c
}

@test "shared memory of each kind is named, although it is gone at the end" {
    holds shared mappings/shared.c
}

@test "in conjugate gradients, less than 1 % of all samples have no variable" {
    holds cg programs/cg.c
    [ "$(grep -c '^residual small$' "$work/out/cg.out")" -eq 1 ]
    run -0 python3 -c '
import json, sys
books = json.load(open(sys.argv[1]))["accounting"]
print(books["selected"] >= 1000 and (books["selected"] - books["attributed"]) * 100 < books["selected"], books)' "$work/cg-cg.c.json"
    [[ "$output" == True* ]]
}

# static TRUTH ROW...: compares the report on the workload `static` with TRUTH, for other expectations than the table's.
static() {
    local truth=$1
    shift
    "$top/build/bin/memphis" report --select remote-dram --binaries "$work/bin" --format json -o "$work/again.json" "$work/out/static"
    "$top/tests/vm/workloads/truth.py" "$truth" "$work/out/static" "$top/tests/workloads/static/static.c" "$work/again.json" remote-dram "$@"
}

@test "the comparison detects a wrong variable, a wrong line, and counts that chance does not explain" {
    run -0 static "$work/truth.tsv" bss:levels=levels
    run -1 static "$work/truth.tsv" bss:heights=levels
    [ "$(grep -c '^BAD' <<< "$output")" -eq 1 ]
    [[ "$output" == *'BAD bss:heights '*': 0 samples in the report, '* ]]
    run -1 static "$work/truth.tsv" bss:levels=levels@heights
    [[ "$output" == *'BAD bss:levels '*': 0 samples in the report, 0 belong there'* ]]
    [[ "$output" =~ 'BAD static.c:'[0-9]+': '([0-9]+)' accesses were served by DRAM, '([0-9]+)' of them elsewhere' ]]
    [ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
    # About 96 samples are expected: of four times as many accesses, they are some 14 standard errors away, and 5 are allowed.
    awk -F '\t' -v OFS='\t' '/^pc/ { for (i = 22; i <= 37; i++) $i *= 4 } { print }' "$work/truth.tsv" > "$work/more.tsv"
    run -1 static "$work/more.tsv" bss:levels=levels
    [ "$(grep -c '^BAD' <<< "$output")" -eq 1 ]
    [[ "$output" == *'BAD static.c:'*' samples, '*' accesses, '*' expected, -'* ]]
}
