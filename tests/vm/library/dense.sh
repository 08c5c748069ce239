# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by scripts in the guest.

# sample_densely OPS: exports settings with which programs get many samples on each CPU, with OPS as the period of IBS. PEBS counts all
# loads here, which are fewer. Where the kernel demands the auxiliary event beside load latency (Sapphire Rapids), the default is loads by source: only
# those that missed the L3.
sample_densely()
{
	if ! grep -q GenuineIntel /proc/cpuinfo; then
		export MEMPHIS_PERIOD="$1"
	elif [ -e /sys/bus/event_source/devices/cpu/events/mem-loads-aux ]; then
		export MEMPHIS_PERIOD=2039
	else
		export MEMPHIS_PERIOD=4093 MEMPHIS_MIN_LATENCY=3
	fi
}
