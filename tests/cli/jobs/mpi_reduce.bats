#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis-mpi-reduce with MPICH and Open MPI: the profile is that of memphis reduce and memphis merge, byte for byte, whatever the number of ranks.
# If these tests fail, the report of a job misses ranks, has some twice, or the reduction hangs.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup()
{
	cd -P "$BATS_TEST_TMPDIR" || exit
	unset "${!SLURM_@}" "${!PMI_@}" "${!PMIX_@}" "${!OMPI_@}"
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 TMPDIR=$PWD/tmp
	mkdir tmp
}

# job COUNT: sample files of this many processes, each in a directory rank-N, with N samples.
job()
{
	local i

	for ((i = 0; i < $1; i++)); do
		samples "rank-$i" <<-TEXT
			process $((100 + i)) n$((i / 2))
			setting command ./model
			setting host n$((i / 2))
			setting period 1000
			setting rank $i
			map 0x1000000 0x1100000 rw-p 0x0 - [heap]
			maps 100
			end
			thread $((100 + i))
			fact name model
			malloc 1000 $((0x1000000)) 8192 0
			name 1001 $((0x1000000)) 8192 block
			books $((i + 1)) $((i + 1)) 0
			repeat $((i + 1)) 64 sample 2000 0x401000 $((0x1000000)) dram LR 0 1 0 700
			end
		TEXT
	done
}

# ranks MPI COUNT ARGUMENT...: runs the program.
ranks()
{
	timeout 300 "mpirun.$1" -n "$2" "$(dirname "$memphis")/memphis-mpi-reduce.$1" "${@:3}"
}

@test "with any number of ranks, the profile of all directories is that of memphis reduce" {
	local mpi count
	job 7
	"$memphis" reduce rank-* -o all.mprof
	for mpi in mpich openmpi; do
		for count in 1 2 5 9; do
			ranks $mpi $count rank-* -o "$mpi.$count.mprof"
			cmp all.mprof "$mpi.$count.mprof"
			ranks $mpi $count --shared rank-* -o "$mpi.$count.mprof"
			cmp all.mprof "$mpi.$count.mprof"
		done
	done
	expect 28 "$("$memphis" report --format json all.mprof | jq .accounting.kept)"
	expect '' "$(ls tmp | grep memphis)"
}

@test "profiles are merged, and damaged ones are left out, named and counted" {
	local i
	job 5
	for i in 0 1 2 3 4; do "$memphis" reduce rank-$i -o $i.mprof; done
	"$memphis" merge [0-4].mprof -o all.mprof
	ranks mpich 3 [0-4].mprof -o merged.mprof
	cmp all.mprof merged.mprof
	head -c 200 2.mprof > part && mv part 2.mprof
	# The part of a rank that has more than one.
	run -0 ranks mpich 2 [0-4].mprof -o merged.mprof
	echo "$output"
	[[ "$output" == *"2.mprof: "*"left out"* ]]
	[[ "$output" == *"note: 1 profile was damaged"* ]]
	run -0 "$memphis" report --full merged.mprof
	[[ "$output" == *"1 profile was damaged"* ]]
	expect 12 "$("$memphis" report --format json merged.mprof | jq .accounting.kept)"
}

@test "each host has its own files: directories of other hosts may be missing; files that all hosts see need --shared" {
	job 4
	mkdir host0 host1
	mv rank-0 rank-1 host0
	mv rank-2 rank-3 host1
	(cd host0 && "$memphis" reduce rank-* -o ../0.mprof)
	(cd host1 && "$memphis" reduce rank-* -o ../1.mprof)
	"$memphis" merge 0.mprof 1.mprof -o all.mprof
	# Without shared memory, each rank of MPICH is a host.
	export MPIR_CVAR_NOLOCAL=1
	timeout 300 mpirun.mpich -n 3 sh -c 'cd "host$PMI_RANK" 2> /dev/null || cd tmp
		exec "$0" rank-0 rank-1 rank-2 rank-3 -o ../here.mprof' "$(dirname "$memphis")/memphis-mpi-reduce.mpich"
	cmp all.mprof here.mprof
	run -1 ranks mpich 3 host0/rank-0 -o none.mprof
	echo "$output"
	[[ "$output" == *"process 100 is in two of these profiles"* ]]
	[[ "$output" == *"if all hosts see the same inputs, give --shared"* ]]
	[ ! -e none.mprof ]
	"$memphis" reduce host?/rank-* -o all.mprof
	ranks mpich 3 --shared host?/rank-* -o shared.mprof
	cmp all.mprof shared.mprof
}

@test "errors end all ranks, leave no output and no file, and are said once" {
	job 3
	run -2 ranks mpich 3 rank-*
	[ "$(grep -c 'no output; give -o FILE' <<< "$output")" = 1 ]
	run -2 ranks openmpi 2 --by rank rank-* -o x.mprof
	[ "$(grep -c -- '--by: "rank" is not thread' <<< "$output")" = 1 ]
	run -1 ranks mpich 3 nowhere -o x.mprof
	[[ "$output" == *"nowhere: "*"No such file or directory"* ]]
	# One of several that is on no host is an error, too.
	run -1 ranks openmpi 2 rank-0 nowhere rank-1 -o x.mprof
	[[ "$output" == *"rank 1 on "*": nowhere: "*"No such file or directory"* ]]
	[ ! -e x.mprof ]
	run -1 ranks mpich 3 --shared rank-0 nowhere rank-1 -o x.mprof
	[[ "$output" == *"rank 1 on "*": nowhere: cannot open: No such file or directory"* ]]
	run -1 ranks openmpi 3 rank-* -o nowhere/x.mprof
	[[ "$output" == *"rank 0 on "*"nowhere/x.mprof: cannot"* ]]
	TMPDIR=/nonexistent run -1 ranks mpich 3 rank-* -o x.mprof
	[[ "$output" == *"set TMPDIR"* ]]
	[ ! -e x.mprof ]
	expect '' "$(ls tmp | grep memphis)"
}
