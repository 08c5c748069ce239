#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs `exchange` with eight ranks as the user of a site, placed at random, and again as memphis place proposes, in the words of
# the launcher. Root counts the accesses of the exchange alone. usage: guest.sh DIR OUT PERIOD BYTES PATTERN.MPI=STEPS...
set -u

programs=$1
out=$2
period=$3
bytes=$4
shift 4
export MEMPHIS_PERIOD="$period" MEMPHIS_RING_RECORDS=65536 MEMPHIS_CALLERS=off
export OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=false
# Open MPI copies messages through memory that the ranks share, as in containers; MPICH lets the kernel copy them, as both do by default.
export OMPI_MCA_btl_vader_single_copy_mechanism=none
mkdir -p "$out" && chown user "$out"
echo never > /sys/kernel/mm/transparent_hugepage/enabled
ip link set lo up

# bound MPI FILE: prints the launcher's options for the proposal in FILE.
bound()
{
	case $1 in
	mpich) sed -n 's/^    mpiexec \(-bind-to user:[0-9,]*\)$/\1/p' "$2" ;;
	openmpi)
		sed -n 's/^    \(rank [0-9]*=.* slot=[0-9]*\)$/\1/p' "$2" > "$2.ranks"
		echo "--mca rmaps_rank_file_physical 1 --rankfile $2.ranks"
		;;
	esac
}

# await NAME: until rank 0 is there.
await()
{
	while [ "$(cat "$out/at" 2> /dev/null)" != "$1" ]; do sleep 0.1; done
}

# exchange PATTERN MPI STEPS NAME NUMBER OPTION...: the counts have this number.
exchange()
{
	pattern=$1 mpi=$2 steps=$3 name=$1.$2.$4 number=$5
	shift 5
	rm -f "$out/at" "$out/begin" "$out/end"
	MEMPHIS_OUTPUT=$out/$name/rank-%r site-user "mpirun.$mpi" -n 8 "$@" env "LD_PRELOAD=$programs/memphis/libmemphis-mpi-$mpi.so" \
		"$programs/exchange.$mpi" "$pattern" "$bytes" "$steps" "$out" > "$out/$name.out" 2> "$out/$name.err" &
	await begin
	truth reset
	truth start
	touch "$out/begin"
	await end
	truth stop
	truth dump "$number"
	touch "$out/end"
	wait $!
	echo "$name status $?"
	memphis place "$out/$name"/rank-* > "$out/$name.txt"
	memphis place --format json "$out/$name"/rank-* > "$out/$name.json"
}

# both PATTERN MPI STEPS NUMBER: counts with this number: placed at random, where no two neighbours share a node; with the next one: as proposed.
both()
{
	chance=4,0,6,2,1,5,3,7
	{
		echo "    mpiexec -bind-to user:$chance"
		echo "$chance" | tr , '\n' | awk -v host="$(hostname)" '{ printf "    rank %d=%s slot=%d\n", NR - 1, host, $1 }'
	} > "$out/chance"
	# shellcheck disable=SC2046 # several options
	exchange "$1" "$2" "$3" scattered "$4" $(bound "$2" "$out/chance")
	# shellcheck disable=SC2046
	exchange "$1" "$2" "$3" proposed $(($4 + 1)) $(bound "$2" "$out/$1.$2.scattered.txt")
}

number=1
for job in "$@"; do
	mpi=${job#*.}
	both "${job%%.*}" "${mpi%=*}" "${job#*=}" "$number"
	number=$((number + 2))
done
exit 0
