#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: runs a program of each language, sampled as the user of a site; the reports are made on the host.
# usage: guest.sh PROGRAMS OUT
set -u

programs=$1
out=$2
mkdir -p "$out" && chown user "$out"
export MEMPHIS_PERIOD=32768 LD_LIBRARY_PATH="$programs" PYTHONPATH="$programs"

# sampled NAME COMMAND...: runs a command with sampling; results go to OUT/NAME.
sampled()
{
	name=$1
	shift
	MEMPHIS_OUTPUT=$out/$name site-user "$@" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
}

sampled cpp "$programs/timestep-cpp" 1000000 10
sampled kokkos env KOKKOS_TOOLS_LIBS="$programs/libmemphis.so.0" "$programs/kokkos_core" 4000000
sampled python env LD_PRELOAD="$programs/libmemphis.so.0" python3 "$programs/timestep.py" 1000000 10
exit 0
