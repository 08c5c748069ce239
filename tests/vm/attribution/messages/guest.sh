#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs `exchange` with eight ranks as the user of a site, placed at random, and again as memphis place proposes, in the words of
# the launcher. Root counts the accesses of the exchange alone. WAY: `kernel` copies messages (CMA), as by default, or the ranks do, `copied` through
# shared memory, as in containers. usage: guest.sh DIR OUT PERIOD BYTES PATTERN.WAY=STEPS...
set -u

programs=$1
out=$2
period=$3
bytes=$4
shift 4
export MEMPHIS_PERIOD="$period" MEMPHIS_RING_RECORDS=65536 MEMPHIS_CALLERS=off
export OMPI_MCA_btl=self,vader OMPI_MCA_plm_rsh_agent=false
mkdir -p "$out" && chown user "$out"
echo never > /sys/kernel/mm/transparent_hugepage/enabled
ip link set lo up
# The machine stands still while it writes the counts, on a busy host for longer than RCU and the watchdog of lockups wait.
echo 1 > /sys/module/rcupdate/parameters/rcu_cpu_stall_suppress
echo 0 > /proc/sys/kernel/soft_watchdog

# bound FILE: sets $options to those of Open MPI's launcher for the proposal in FILE.
bound()
{
	sed -n 's/^    \(rank [0-9]*=.* slot=[0-9]*\)$/\1/p' "$1" > "$1.ranks"
	options="--mca rmaps_rank_file_physical 1 --rankfile $1.ranks"
}

# await NAME: until rank 0 is there, or the job has ended.
await()
{
	while [ "$(cat "$out/at" 2> /dev/null)" != "$1" ] && ! [ -e "$out/ended" ]; do sleep 0.1; done
}

# exchange PATTERN WAY STEPS NAME NUMBER: with $options; the counts have this number.
exchange()
{
	pattern=$1 steps=$3 name=$1.$2.$4 number=$5
	case $2 in
	kernel) export OMPI_MCA_btl_vader_single_copy_mechanism=cma ;;
	copied) export OMPI_MCA_btl_vader_single_copy_mechanism=none ;;
	esac
	rm -f "$out/at" "$out/begin" "$out/end" "$out/ended"
	# shellcheck disable=SC2086 # several options
	{
		MEMPHIS_OUTPUT=$out/$name/rank-%r site-user mpirun.openmpi -n 8 $options env "LD_PRELOAD=$programs/memphis/libmemphis-mpi-openmpi.so" \
			"$programs/exchange" "$pattern" "$bytes" "$steps" "$out" > "$out/$name.out" 2> "$out/$name.err"
		echo $? > "$out/ended"
	} &
	await begin
	truth reset
	truth start
	touch "$out/begin"
	await end
	truth stop
	truth dump "$number"
	touch "$out/end"
	wait
	echo "$name status $(cat "$out/ended")"
	memphis place "$out/$name"/rank-* > "$out/$name.txt"
	memphis place --format json "$out/$name"/rank-* > "$out/$name.json"
}

# Placed at random: no two neighbours share a node.
chance=4,0,6,2,1,5,3,7
echo "$chance" | tr , '\n' | awk -v host="$(hostname)" '{ printf "    rank %d=%s slot=%d\n", NR - 1, host, $1 }' > "$out/chance"
next=1
for job in "$@"; do
	way=${job#*.}
	bound "$out/chance"
	exchange "${job%%.*}" "${way%=*}" "${job#*=}" scattered "$next"
	bound "$out/$name.txt"
	exchange "${job%%.*}" "${way%=*}" "${job#*=}" proposed $((next + 1))
	next=$((next + 2))
done
# MPICH's launcher, with its options for the last proposal: rank and CPUs. An exchange with MPICH before 4.2 may never end: see docs/scale.md.
options=$(sed -n 's/^    mpiexec \(-bind-to user:[0-9,]*\)$/\1/p' "$out/${job%=*}.scattered.txt")
# shellcheck disable=SC2086,SC2016 # several options; the ranks' variables
site-user mpirun.mpich -n 8 $options sh -c 'echo "$PMI_RANK $(sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status)"' > "$out/mpich" 2>&1
exit 0
