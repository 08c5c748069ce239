#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs in the guest: each variant of the case study on each side, at each number of time steps. Prints a line per run:
#   VARIANT SIDE STEPS instructions N interrupts N
# usage: halo-guest.sh DIR-OF-PROGRAMS DIR-OF-EXAMPLES STEPS...
set -eu

programs=$1
examples=$2
shift 2
# Reduce noise: memory addresses decide how many large pages are used.
echo 0 > /proc/sys/kernel/randomize_va_space
echo never > /sys/kernel/mm/transparent_hugepage/enabled
export OMP_NUM_THREADS=1 MEMPHIS_OUTPUT=out

# run SIDE PROGRAM VARIANT STEPS
run()
{
	echo "$3 $1 $4 $("$programs/measure" "$programs/interleave" "$examples/$2" --variant "$3" --steps "$4" 2> error | grep '^instructions ')"
	rm -rf out
}

for variant in base mod1 mod2; do
	run warm-up cice_halo "$variant" 1
	for steps in "$@"; do
		run unlinked cice_halo-plain "$variant" "$steps"
		MEMPHIS_DISABLE=1 run off cice_halo "$variant" "$steps"
		run recorded cice_halo "$variant" "$steps"
	done
done
