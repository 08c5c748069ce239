#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: memphis node --selftest as the user of a site, with the device, with perf, with the memory of one node only, and with
# neither device nor perf. Loading the module and restricting the cgroup need root.
# usage: guest.sh DIR MODULE OUT
set -u

PATH=$PATH:$1/bin
module=$2
out=$3
mkdir -p "$out" && chown user "$out"

# selftest NAME PARANOID OPTION...: stores JSON, messages and exit status.
selftest()
{
	name=$1
	paranoid=$2
	shift 2
	site-user --perf-event-paranoid "$paranoid" memphis node --selftest "$@" > "$out/$name" 2> "$out/$name.err"
	echo $? > "$out/$name.status"
}

selftest perf 1 --format json
selftest neither 3
insmod "$module"
selftest device 3 --format json
# With one node, the test is the same as on a machine that has only one.
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
echo 0 > /sys/fs/cgroup/site.slice/cpuset.mems
selftest one 3
