#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: loads of known origin with a filter of the hardware, and their exact counts; then, if STEPS is given, the case study
# without a filter, with the filter by the device, and by perf. Only root may load the module and read the machine's counts.
# usage: guest.sh DIR OUT OFFERED FILTER [STEPS PERIOD MIN-LATENCY]     OFFERED: expected memphis_query.hardware_filters
set -eu

programs=$1
out=$2
offered=$3
filter=$4
mkdir -p "$out" && chown user "$out"

insmod "$programs/memphis.ko"
site-user "$programs/filters" "$offered" forbidden
rmmod memphis
insmod "$programs/memphis.ko" period_min_cpu=2048 hardware_filters=1
truth start
FILE_MSR=8 site-user "$programs/filters" "$offered" "$filter" "$out/samples" 8< /dev/cpu/0/msr
truth stop
truth dump
[ $# -gt 4 ] || exit 0

steps=$5
period=$6
export MEMPHIS_MIN_LATENCY="$7"
"$programs/demo-guest" "$out" "$programs/cice_halo" "none:base:$steps:$period"
export MEMPHIS_HARDWARE_FILTER="$filter"
"$programs/demo-guest" "$out" "$programs/cice_halo" "device:base:$steps:$period"
MEMPHIS_BACKEND=perf SITE_USER='site-user --perf-event-paranoid 1' "$programs/demo-guest" "$out" "$programs/cice_halo" "perf:base:$steps:$period"
