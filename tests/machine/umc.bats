#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Counters of the memory controllers: Debian's own driver and perf against the machine's exact counts. If these tests fail, the bytes of
# controllers in reports are compared with wrong numbers.

load common

rounds=24

# counted CPU KERNEL: perf counts as the machine does.
counted()
{
	local work=$BATS_TEST_TMPDIR perf

	perf=$("$BATS_TEST_DIRNAME/../perf-tool" 6.12)
	gcc -std=gnu11 -O2 -mavx -static -no-pie -pthread -Wall -Wextra -Werror -o "$work/writes" "$BATS_TEST_DIRNAME/fixtures/writes.c"
	guest --kernel "$2" --cpu "$1" --truth "$work/truth.tsv" --put "$work/writes:/root/writes" --put "$perf:/root/perf.tar" \
		--put "$BATS_TEST_DIRNAME/fixtures/controllers.sh:/root/controllers.sh" --get "/root/out:$work/out" -- sh /root/controllers.sh /root/out "$rounds"
	[ "$status" -eq 0 ]
	[[ "$output" != *failed* ]]
	"$BATS_TEST_DIRNAME/writes_truth.py" controllers "$work/out" "$rounds" "$work/truth.tsv"
}

@test "perf stat of the controllers of Zen 4 counts reads and writes of each channel as the machine does exactly" {
	counted genoa 6.12
}

@test "perf stat of the controllers of Zen 5 counts reads and writes of each channel as the machine does exactly" {
	counted turin 7.2
}

@test "machines before Zen 4, and Intel's, show no controllers, and drivers do not complain" {
	local cpu
	for cpu in milan skylake; do
		guest --kernel 6.12 --cpu "$cpu" -- sh -c 'ls /sys/bus/event_source/devices | grep -c "^amd_umc\|^uncore"'
		[ "$output" = 0 ]
	done
}
