#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: counts events of regions as the user of a site, where perf is allowed, and where it is not. usage: guest.sh DIR OUT PERIOD MEMPHIS
set -u

programs=$1
out=$2
mkdir -p "$out" && chown user "$out"
export MEMPHIS_PERIOD="$3"
memphis=$4
if grep -q GenuineIntel /proc/cpuinfo; then
	loads=cpu/event=0xd0,umask=0x81/
	register=r1cd
	named=papi:PAPI_LD_INS
else
	loads=cpu/event=0x29,umask=0x1/
	register=r1000000000129 # a bit of the kernel's
	named=loads=papi:LS_DISPATCH:LD_DISPATCH # Zen has no preset for loads
fi

# counted NAME RUN LIST OPTION...: sample files in OUT/NAME, and exact counts with the number RUN
counted()
{
	name=$1 run=$2 list=$3
	shift 3
	MEMPHIS_OUTPUT=$out/$name MEMPHIS_REGION_COUNTERS=$list truth run "$run" site-user "$@" "$programs/counted" > "$out/$name.out" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
}

counted rdpmc 1 "$loads,cache-misses" --perf-event-paranoid 2
counted device 2 "$loads,cache-misses"
counted plain 3 1
# By a name of PAPI, which PAPI itself refuses to count where perf_event_paranoid is 3.
truth run 4 site-user "$memphis" record -q -o "$out/papi" --region-events "$named,papi:PAPI_TOT_INS" -- "$programs/counted" > "$out/papi.out" 2> "$out/papi.err"
echo $? > "$out/papi.status"
for event in PAPI_VEC_DP PAPI_L1_XYZ perf::PAGE-FAULTS; do
	site-user "$memphis" record --region-events "papi:$event" -- true 2>&1
done > "$out/papi-refused"
# More and more events, until there are too many; perf list names those of this CPU, of which none occurs here.
for way in "rdpmc --perf-event-paranoid 2" device; do
	# shellcheck disable=SC2086 # words
	set -- $way
	name=$1
	shift
	list=
	for event in cache-misses branch-misses branches cache-references L1-dcache-loads r29; do
		list=$list${list:+,}$event
		MEMPHIS_OUTPUT=$out/more-$name MEMPHIS_REGION_COUNTERS=$list site-user "$@" "$programs/counted" 2>&1 > "$out/more.out" | sed "s/^/$name: /"
	done
	MEMPHIS_OUTPUT=$out/no-$name MEMPHIS_REGION_COUNTERS=cache-misses,$register site-user "$@" "$programs/counted" 2>&1 > "$out/more.out" | sed "s/^/$name: /"
done > "$out/refused"
exit 0
