#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The programs of tests/workloads, one for every way in which a program can hold memory, with samples at accesses that they really make. If these
# tests fail, a report names the wrong variable or line, or leaves samples without a name that it should find.

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

# by_flang KIND/NAME LEVEL: builds NAME-flang-LEVEL, with automatic arrays on the heap: the stack is too small for them.
by_flang()
{
	local name=${1##*/} source

	mkdir -p "$work/flang-$2"
	(
		cd "$work/flang-$2" || exit
		for source in libsampler/api/memphis_fortran tests/workloads/common/workload "tests/workloads/$1"; do
			flang-new-19 -g "-O$2" -module-dir . -mmlir --fdynamic-heap-array -c "$root/$source.F90" -o "${source##*/}.o"
		done
		flang-new-19 -o "$bin/$name-flang-$2" "$name.o" workload.o memphis_fortran.o "${link[@]}"
	)
}

setup_file()
{
	begin
	workloads=$root/tests/workloads
	cflags+=(-O1)
	# String instructions, in the place of calls of memcpy().
	strings=(-mmemcpy-strategy=rep_8byte:-1:noalign -mmemset-strategy=rep_8byte:-1:noalign)
	gcc "${cflags[@]}" -fPIC -shared -o "$bin/libplugin.so" "$workloads/libraries/plugin.c" -L"$root/build/native" -lworkload
	for name in static/static.c heap/member.c heap/arena.c threads/tls.c threads/sharing.c mappings/mapping.c mappings/shared.c libraries/host.c \
		libraries/reload.c heap/heap.cpp heap/cookies.cpp static/module.F90 static/common.F90 heap/component.F90 heap/automatic.F90; do
		build "$(basename "${name%.*}")" "$workloads/$name"
	done
	build copies "$workloads/static/copies.F90" "${strings[@]}"
	build stack "$workloads/threads/stack.c" -fopenmp
	for name in static/module-2 heap/component-2 heap/automatic-0 heap/automatic-2 heap/automatic-3; do
		by_flang "${name%-*}" "${name##*-}"
	done
	build cg "$workloads/programs/cg.c" -O2 -fopenmp -lm
}

setup()
{
	again
	workloads=$root/tests/workloads
}

# holds PROGRAM SOURCE ROW...
holds()
{
	sampled "$1" "$1"
	agrees "$1" "$workloads/$2" "${@:3}"
}

@test "static variables of C with file scope, external linkage and function scope are named" {
	holds static static/static.c bss:levels=levels bss:heights=heights bss:ground::soil=soil
}

@test "an array and an allocatable of a Fortran module are named" {
	holds module static/module.F90 bss:ocean_state::salinity=salinity heap:speed=speed
}

@test "members of named and of blank COMMON blocks are named" {
	holds common static/common.F90 bss:/grid/depth=depth bss:/grid/mask=mask bss://winds=winds
}

@test "in a copy by string instructions, loads belong to the array that is read and stores to the one that is written" {
	holds copies static/copies.F90 bss:/ocean/old=old@copy bss:/ocean/new=new@copy bss:/ocean/flux=flux@clear
}

@test "C++ heap blocks held by a pointer, a container, a member or a local variable are named" {
	holds heap heap/heap.cpp heap:salinity=salinity heap:temperature=temperature heap:ocean.speed=speed heap:depth=depth
}

@test "each member of a C++ array whose class has a destructor gets the samples of the line that reads the member" {
	holds cookies heap/cookies.cpp heap:particles=particles@x heap:particles=particles@y heap:particles=particles@z heap:wides=wides@low heap:wides=wides@high
}

@test "components of a Fortran derived type are named" {
	holds component heap/component.F90 heap:grid%tx=tx heap:grid%ty=ty heap:grid%area=area
}

@test "automatic arrays of Fortran are named" {
	holds automatic heap/automatic.F90 heap:tc=tc heap:tx=tx heap:ty=ty
}

@test "with flang, variables of a module, components and automatic arrays on the heap are named" {
	local level

	holds module-flang-2 static/module.F90 bss:ocean_state::salinity=salinity heap:speed=speed
	holds component-flang-2 heap/component.F90 heap:grid%tx=tx heap:grid%ty=ty heap:grid%area=area
	for level in 0 2 3; do
		holds "automatic-flang-$level" heap/automatic.F90 heap:tc=tc heap:tx=tx heap:ty=ty
	done
}

@test "blocks held by members of a C structure, and of an array of structures, are named" {
	holds member heap/member.c heap:grid.tx=tx heap:grid.ty=ty 'heap:blocks[0].field=field0@field' 'heap:blocks[1].field=field1@field'
}

@test "arrays that an arena hands out are named, each one for as long as it lives, and the rest of the arena keeps its own name" {
	holds arena heap/arena.c fields:far=far fields:near=near fields:again=again heap:arena.base=rest
}

@test "thread-local storage is named, whether its own thread or another one reads it" {
	holds tls threads/tls.c tls:scratch=own tls:scratch=lent
}

@test "stack arrays that threads share are named" {
	holds stack threads/stack.c stack:relax::column=column stack:relax::forcing=forcing
}

@test "static and heap memory of a library that was unloaded before the end is named, and so is memory that is mapped at its address later" {
	sampled host host "$bin/libplugin.so"
	agrees host "$workloads/libraries/plugin.c,$workloads/libraries/host.c" bss:table=table heap:buffer=buffer mmap:successor=successor
}

@test "a library that was loaded three times, each time at another address, is named each time" {
	sampled reload reload "$bin/libplugin.so"
	agrees reload "$workloads/libraries/plugin.c" bss:table=table heap:buffer=buffer
	[ "$(awk '$2 == "table" { print $3 }' "$work/out/reload.out" | sort -u | wc -l)" -eq 3 ]
	[ "$(jq -c '[.notes[] | select(contains("plugin"))]' "$work/out/reload.json")" = '[]' ]
}

@test "false sharing is attributed to both fields on the same cache lines" {
	holds sharing threads/sharing.c bss:cells=hits bss:cells=misses
}

@test "anonymous, file-backed and shared mappings are named" {
	sampled mapping mapping "$BATS_TEST_TMPDIR/climate.dat"
	agrees mapping "$workloads/mappings/mapping.c" mmap:pool=pool climate.dat:climate=climate shm:exchange=exchange
}

@test "shared memory of each kind is named, although it is gone at the end" {
	holds shared mappings/shared.c shm:segment=segment shm:posix=posix shm:sealed=sealed shm:common=common
}

@test "in conjugate gradients, the matrix, its columns and a vector are named" {
	holds cg programs/cg.c bss:a=a@product bss:colidx=colidx@product heap:p=p@product heap:p=p@dot? heap:p=p@step? heap:p=p@direction?
	[ "$(< "$work/out/cg.out" grep -c '^residual small$')" -eq 1 ]
}
