#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program once under sampling as the user of a site, with the library's defaults for callers.
# usage: guest.sh DIR OUT PERIOD PROGRAM[-perf]...     -perf: sampled by perf
set -u

programs=$1
out=$2
period=$3
export LD_LIBRARY_PATH="$programs"
shift 3
# MPI needs the network's loop.
ip link set lo up
mkdir -p "$out" && chown user "$out"
for name in "$@"; do
	case $name in
	# Rings of the default size
	small) export MEMPHIS_PERIOD=8192 MEMPHIS_RING_RECORDS=8192 ;;
	# The emulated CPUs share the host's: the drain may be late.
	*) export MEMPHIS_PERIOD="$period" MEMPHIS_RING_RECORDS=65536 ;;
	esac
	# Perf copies stacks only on request.
	case $name in
	*-perf)
		export MEMPHIS_BACKEND=perf MEMPHIS_CALLERS=512
		paranoid=1
		;;
	# Frames of OpenBLAS and MPI are large.
	uses | exchange)
		export MEMPHIS_CALLERS=4096
		paranoid=3
		;;
	*)
		unset MEMPHIS_BACKEND MEMPHIS_CALLERS
		paranoid=3
		;;
	esac
	# Of the ranks, each with its part of the node, the first one is sampled.
	case $name in
	exchange) start='env MEMPHIS_RANKS=0 mpirun.mpich -n 2' ;;
	*) start='taskset 1 env OPENBLAS_NUM_THREADS=1' ;;
	esac
	# shellcheck disable=SC2086 # words of a command
	MEMPHIS_OUTPUT=$out/$name site-user --perf-event-paranoid $paranoid $start "$programs/${name%-perf}" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
done
