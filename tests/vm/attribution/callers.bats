#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Callers of samples in libraries, against what the programs did. If these tests fail, samples in memcpy, BLAS or MPI have the
# line of a wrong call, or none.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load attribution

setup_file()
{
	# The frame pointer is omitted, as compilers do by default.
	prepare_programs -O2 -fomit-frame-pointer
	gcc "${cflags[@]}" -o "$bin/calls" "$from/callers/calls.c" "${link[@]}"
	gcc "${cflags[@]}" -o "$bin/small" "$from/callers/small.c" "${link[@]}"
	gcc "${cflags[@]}" -pthread -o "$bin/frames" "$from/callers/frames.c" "${link[@]}"
	more=(--put build/bin/memphis --put build/lib/libmemphis.so.0)
	local programs=(calls small frames calls-attached calls-perf calls-attached-perf)
	if at_level_more; then
		gcc "${cflags[@]}" -o "$bin/uses" "$from/callers/uses.c" "${link[@]}" -l:libopenblas.so.0
		mpicc.mpich "${cflags[@]}" -o "$bin/exchange" "$from/callers/exchange.c" "${link[@]}"
		gfortran "${cflags[@]}" -J "$work" -c -o "$work/workload.o" "$from/common/workload.F90"
		gfortran "${cflags[@]}" -J "$work" -o "$bin/copies" "$from/callers/copies.F90" "$work/workload.o" "${link[@]}"
		more+=(--put "$(realpath /usr/bin/mpirun.mpich):/usr/bin/mpirun.mpich" --put /usr/bin/hydra_pmi_proxy)
		programs+=(copies uses exchange copies-perf)
	fi
	run_programs callers 4096 "$top/build/bin/memphis" "${programs[@]}"
}

# holds PROGRAM[-attached][-perf] SOURCE: compares callers with what the program did, on each machine.
holds()
{
	local machine

	for machine in $machines; do
		# Before Linux 6.2, perf can't sample a thread by IBS.
		[[ "$1 $machine" != *-perf\ 6.1 ]] || continue
		[ "$(< "$work/$machine/out/$1.status")" = 0 ]
		build/bin/memphis report --select all --binaries "$work/bin" --format json -o "$work/$machine/$1.json" "$work/$machine/out/$1"
		run -0 "$top/tests/vm/attribution/callers/check.py" "$work/$machine" "$1" "$top/tests/workloads/callers/$2"
		echo "$machine: $output"
		[[ "$output" != *BAD* ]]
		[ "$(grep -c '^ok' <<< "$output")" -eq 6 ]
	done
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, and the programs print nothing but their results" {
	all_ended_well
	for machine in $machines; do
		# Perf on 6.1 refuses IBS.
		[ "$(find "$work/$machine/out" -name '*.err' ! -name '*-perf.err' -exec cat {} +)" = "" ]
	done
}

@test "chains of one to eight calls that lead to memcpy are those that the program made" {
	holds calls calls.c
}

@test "by perf, too" {
	holds calls-perf calls.c
}

@test "of a process that runs already, too, by the module and by perf" {
	holds calls-attached calls.c
	holds calls-attached-perf calls.c
	# The program has its own list of what its code is, and no session of its own.
	for machine in $machines; do
		[ "$(cat "$work/$machine/out/calls-attached.err")" = "" ]
		run -0 build/bin/memphis report --format json "$work/$machine/out/calls-attached"
		run -0 jq -r '.processes[0].settings | .mode + " " + .stack_bytes' <<< "$output"
		[ "$output" = 'attached 512' ]
	done
}

# bats test_tags=more
@test "two array assignments of Fortran, done by memcpy, have the samples of their arrays" {
	holds copies copies.F90
	holds copies-perf copies.F90
}

# bats test_tags=more
# OpenBLAS packs parts of both matrices into buffers of its own, which its kernel in assembly, without call frame information, then
# reads: the callers of these samples are unknown.
@test "copies of near and remote arrays, and a product of matrices by OpenBLAS, have the samples of their arrays" {
	holds uses uses.c
}

# bats test_tags=more
@test "MPI_Sendrecv within a node has the samples of the arrays that are sent" {
	holds exchange exchange.c
}

# Data in the frames of the program's own functions, without a name from a caliper.
@test "arrays on the stacks of threads have their names or those of their functions, also where a callee reads them" {
	local machine

	for machine in $machines; do
		[ "$(< "$work/$machine/out/frames.status")" = 0 ]
		build/bin/memphis report --select all --top 0 --binaries "$work/bin" --format json -o "$work/$machine/out/frames.json" "$work/$machine/out/frames"
		run -0 tests/vm/attribution/callers/frames.py "$work/$machine/out/frames"
		echo "$machine: $output"
		[[ "$output" != *BAD* ]]
		[ "$(grep -c '^ok' <<< "$output")" -eq 3 ]
	done
}

# With the library's default, a ring has far fewer stacks than records, and has to be read long before the records are due.
@test "with rings of the default size, the callers of nearly all samples are found in a program that is long in memcpy" {
	local machine

	for machine in $machines; do
		# The other machines sample loads that miss caches, of which this program has few.
		case $(machine_cpu "$machine") in milan | genoa | turin) ;; *) continue ;; esac
		[ "$(< "$work/$machine/out/small.status")" = 0 ]
		run -0 build/bin/memphis report --select all --binaries "$work/bin" --format json "$work/$machine/out/small"
		run -0 jq -c '.accounting.callers | [.known > 2500, .known > 19 * .lost]' <<< "$output"
		[ "$output" = '[true,true]' ]
	done
}
