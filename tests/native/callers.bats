#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Callers of accesses in libraries, against what the programs do. The chains are those of the C compiler's unwinder; that the library finds the
# same ones by copies of the stack is for tests on the machine. If these tests fail, samples in memcpy, BLAS or MPI have the line of a wrong
# call in a report, or none.

# shellcheck disable=SC2034,SC2154 # variables of native.bash and helper.bash
bats_require_minimum_version 1.5.0
load ../environment
load native

setup_file()
{
	begin
	local from=$root/tests/workloads/callers

	# The frame pointer is omitted, as compilers do by default.
	cflags+=(-O2 -fomit-frame-pointer)
	build calls "$from/calls.c"
	build copies "$from/copies.F90"
	build uses "$from/uses.c" -l:libopenblas.so.0
	mpicc.mpich "${cflags[@]}" -o "$bin/exchange" "$from/exchange.c" "${link[@]}"
}

setup()
{
	again
}

# holds PROGRAM SOURCE [COMMAND...]
holds()
{
	sampled "$1" "${3:-$1}" "${@:4}"
	report "$1"
	mv "$work/out/$1.json" "$work"
	run -0 "$root/tests/vm/attribution/callers/check.py" "$work" "$1" "$root/tests/workloads/callers/$2"
	echo "$output"
	[[ "$output" != *BAD* ]]
	[ "$(grep -c '^ok' <<< "$output")" -eq 6 ]
}

@test "memcpy below one to eight calls has the line that called it, and the chain of calls that the program made" {
	holds calls calls.c
}

@test "two array assignments of Fortran, done by memcpy, have the samples of their arrays" {
	holds copies copies.F90
}

@test "copies of near and remote arrays, and a product of matrices by OpenBLAS, have the samples of their arrays" {
	# The kernels for a CPU that OpenBLAS does not know can't be unwound.
	OPENBLAS_CORETYPE=Nehalem OPENBLAS_NUM_THREADS=1 holds uses uses.c
}

@test "MPI_Sendrecv within a node has the samples of the arrays that are sent" {
	MEMPHIS_RANKS=0 holds exchange exchange.c mpirun.mpich -n 2 "$bin/exchange"
}
