#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs in the guest: prints, as lines NAME INSTRUCTIONS, what a pair of calipers takes with each setting. Events: those that Zen 3 counts at once.
# usage: pair-guest.sh DIR-OF-PROGRAMS
set -eu

# The kernel's timer and samples interrupt the thread, too: samples are as rare as the hardware allows.
export MEMPHIS_PERIOD=1048544 MEMPHIS_OUTPUT=/tmp/out
events=r129,cache-misses,branch-misses,branches

# pair NAME SETTING OPTION...
pair()
{
	name=$1 setting=$2
	shift 2
	echo "$name $(env "$setting" site-user "$@" "$programs/pair_instructions")"
}

programs=$1
pair inner_untimed MEMPHIS_REGION_TIMES=0
pair inner_times MEMPHIS_REGION_TIMES=1
pair inner_counters MEMPHIS_REGION_COUNTERS=1 --perf-event-paranoid 2
pair inner_events MEMPHIS_REGION_COUNTERS=$events --perf-event-paranoid 2
pair inner_counters_device MEMPHIS_REGION_COUNTERS=1
pair inner_events_device MEMPHIS_REGION_COUNTERS=$events
