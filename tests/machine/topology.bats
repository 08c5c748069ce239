#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The topology of the guest's kernel. If these tests fail, "node 0" in a report may be another node.

load common

settings='cd /proc/sys/kernel; cat perf_cpu_time_max_percent numa_balancing perf_event_max_sample_rate'
node_lists='cd /sys/devices/system/node; cat online; for node in node*; do echo "$node $(cat $node/cpulist) $(cat $node/distance)"; done'

# Calibration by the kernel fails on a busy host, so the runner passes the frequency. If calibration succeeds with a slightly
# different result, the kernel reports the result as the frequency of the processor, and the passed value as that of the TSC.
two_ghz()
{
	grep 'tsc: ' "$log"
	grep -Eq 'tsc: Detected 2000\.000 MHz (processor|TSC)' "$log"
}

@test "without options there are two nodes of two CPUs at 2 GHz, perf does not throttle and pages do not migrate" {
	guest -- sh -c "$node_lists; grep MemTotal node*/meminfo | wc -l; $settings"
	[ "$status" -eq 0 ]
	[ "$output" = "0-1
node0 0-1 10 20
node1 2-3 20 10
2
0
0
10000000" ]
	two_ghz
}

@test "four nodes have the requested distances, and the other kernel runs at 2 GHz as well" {
	guest --kernel 6.12 --nodes 4 --cpus 1 --memory 256 --distances "10,12,30,30;12,10,30,30;30,30,10,12;30,30,12,10" -- sh -c "$node_lists"
	[ "$status" -eq 0 ]
	[ "$output" = "0-3
node0 0 10 12 30 30
node1 1 12 10 30 30
node2 2 30 30 10 12
node3 3 30 30 12 10" ]
	two_ghz
}

@test "a memory-only node has memory and no CPU, and pages migrate on request" {
	guest --memory-only-node 256 --keep-numa-balancing -- sh -c "$node_lists; cat has_cpu /proc/sys/kernel/numa_balancing; test \$(sed -n 's/.*MemTotal: *//p' node2/meminfo | cut -d' ' -f1) -gt 200000"
	[ "$status" -eq 0 ]
	[ "$output" = "0-2
node0 0-1 10 20 20
node1 2-3 20 10 20
node2  20 20 10
0-1
1" ]
}

@test "two machines run at the same time, each with its own output" {
	"$machine/run" --timeout "$limit" --log "$logs/$test_name-first.log" --nodes 1 -- sh -c 'sleep 2; echo first' > "$BATS_TEST_TMPDIR/first" &
	local pid=$!
	guest --nodes 1 -- sh -c 'sleep 2; echo second'
	[ "$status" -eq 0 ]
	[ "$output" = second ]
	wait "$pid"
	[ "$(cat "$BATS_TEST_TMPDIR/first")" = first ]
}
