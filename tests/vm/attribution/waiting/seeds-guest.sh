#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs each workload once in each round under sampling as the user of a site. The machine counts every access, in a file
# for each round. Rounds differ by the seed of the data and by the period. Counting and the setting of huge pages need root.
# usage: seeds-guest.sh DIR OUT PERIOD STEP FIRST LAST WORKLOAD...     the period of round N is PERIOD + N * STEP
set -u
# Job control, so that `wait` also returns when a program has stopped itself.
set -m

programs=$1
out=$2
period=$3
step=$4
first=$5
last=$6
shift 6
# Samples have the instruction itself, and no callers. Idle threads sleep, because the machine's CPUs share the host's.
export MEMPHIS_RING_RECORDS=1024 MEMPHIS_CALLERS=off LD_LIBRARY_PATH="$programs"
export OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close OMP_WAIT_POLICY=passive
mkdir -p "$out" && chown user "$out"
echo never > /sys/kernel/mm/transparent_hugepage/enabled

# start WORKLOAD COMMAND...: starts the program, whose process is then $!.
start()
{
	export MEMPHIS_OUTPUT="$out/$round/$1"
	shift
	site-user "$@" > "$MEMPHIS_OUTPUT.out" 2> "$MEMPHIS_OUTPUT.err" &
}

# stopped PID: waits until the program has stopped itself; fails if it has ended. `wait` may return at once, with a state that the program
# had before it was continued.
stopped()
{
	local state=

	until [ "$state" = T ]; do
		wait "$1"
		read -r _ _ state _ < "/proc/$1/stat" || return
	done
}

# ended PID: waits until the program has ended; returns its status.
ended()
{
	local status=$stop

	while [ "$status" -eq "$stop" ]; do
		wait -f "$1"
		status=$?
	done
	return "$status"
}

# The status of a stopped program.
stop=$((128 + $(kill -l STOP)))
for round in $(seq "$first" "$last"); do
	export MEMPHIS_PERIOD=$((period + round * step))
	mkdir "$out/$round" && chown user "$out/$round"
	pids=
	for name in "$@"; do
		[ "$name" = cice_halo ] && continue
		start "$name" "$programs/patterns" "$name" "$round"
		pids="$pids $!"
	done
	for pid in $pids; do stopped "$pid" || exit; done
	truth reset && truth start || exit
	# One after the other
	for pid in $pids; do kill -CONT "$pid" && stopped "$pid" || exit; done
	case " $* " in
	*" cice_halo "*)
		start cice_halo "$programs/cice_halo" --variant base --steps 2 --ny 8
		ended $! || exit
		;;
	esac
	truth stop && truth dump "$round" || exit
	for pid in $pids; do kill -CONT "$pid" && ended "$pid" || exit; done
done
