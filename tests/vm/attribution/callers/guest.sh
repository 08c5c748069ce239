#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each program once under sampling as the user of a site, with the library's defaults for callers.
# usage: guest.sh DIR OUT PERIOD MEMPHIS PROGRAM[-attached][-perf]...     -attached: by memphis record -p, when it runs; -perf: by perf
set -u

programs=$1
out=$2
period=$3
memphis=$4
export LD_LIBRARY_PATH="$programs"
shift 4
# MPI needs the network's loop.
ip link set lo up
mkdir -p "$out" && chown user "$out"

# attached NAME PROGRAM PARANOID: samples a program that does not load the library, while it waits for its input.
attached()
{
	mkfifo "$1.go"
	MEMPHIS_DISABLE=1 site-user "$2" wait < "$1.go" > "$1.out" 2>> "$1.err" &
	program=$!
	exec 3> "$1.go"
	until grep -q ready "$1.out"; do sleep 0.1; done
	pid=$(sed -n 's/^ready //p' "$1.out")
	site-user --ptrace-scope 0 --perf-event-paranoid "$3" "$memphis" record -p "$pid" -o "$1" 2> "$1.tool" &
	tool=$!
	until grep -q 'is sampled' "$1.tool"; do
		sleep 0.1
		kill -0 $tool || break
	done
	echo >&3
	exec 3>&-
	wait $program
	status=$?
	wait $tool || status=$?
	return $status
}

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
		export MEMPHIS_CALLERS=2048
		paranoid=3
		;;
	*)
		unset MEMPHIS_BACKEND MEMPHIS_CALLERS
		paranoid=3
		;;
	esac
	case $name in
	*-attached*)
		(attached "$out/$name" "$programs/${name%%-*}" $paranoid) > "$out/$name.log" 2>&1
		echo $? > "$out/$name.status"
		continue
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
