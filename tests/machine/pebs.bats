#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Detection of PEBS by Debian's own kernels on each generation, and comparison of its samples with the machine's exact counts. If these tests fail, the
# module has no sampling hardware on an Intel machine, or gets wrong samples.

bats_require_minimum_version 1.5.0
load common

# A prime, so that it is not a multiple of a loop's length.
period=499
loads=250000

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	gcc -std=gnu11 -O2 -static -no-pie -Wl,-Ttext-segment=0x10000000 -Wall -Wextra -Werror -o "$work/loads" "$BATS_TEST_DIRNAME/fixtures/loads.c"
	boot skylake 6.12
	# Test page-table isolation, too, which real machines of this kind use: the PEBS buffer is mapped in both page tables.
	boot cascadelake 6.1 --append pti=on
	boot icelake 6.1
	boot sapphirerapids 6.12
	boot graniterapids 6.12
}

cpus='skylake cascadelake icelake sapphirerapids graniterapids'

# boot CPU KERNEL OPTIONS...: runs all loads in one boot; the tests read the output and the exact counts.
boot()
{
	local cpu=$1 kernel=$2 status=0

	shift 2
	"$machine/run" --kernel "$kernel" --cpu "$cpu" --timeout "$limit" --log "$logs/pebs-$cpu.log" "$@" \
		--truth "$work/$cpu.tsv" --put "$work/loads:/root/loads" --put "$BATS_TEST_DIRNAME/fixtures/loads.sh:/root/loads.sh" \
		-- sh /root/loads.sh "$period" "$loads" > "$work/$cpu.txt" || status=$?
	echo "$status" > "$work/$cpu.status"
}

# column CPU NODE NAME [EVENT]: prints the numbers after the word NAME in the lines on loads from memory of NODE, of an event or all.
column()
{
	awk -v node="$2" -v name="$3" -v event="${4:-}" '
		$1 == "node" && $2 == node && index($3, event) == 1 {for (i = 4; i < NF; i++) if ($i == name) print $(i + 1)}' "$work/$1.txt"
}

# sum: adds the numbers on stdin; fails on anything else and on empty input.
sum()
{
	awk '!/^[0-9]+$/ {bad = 1} {sum += $1} END {if (bad || !NR) exit 1; printf "%.0f\n", sum}'
}

# eligible CPU LEVEL...: prints the exact number of loads from these levels that advanced the sampling counter.
eligible()
{
	local file=$work/$1.tsv

	shift
	awk -F '\t' -v levels="$*" '
		BEGIN {split("l1 l2 l3 peer rpeer ldram rdram other", name, " "); for (i in name) at[name[i]] = 20 + 2 * i; n = split(levels, level, " ")}
		$1 == "pc" {for (i = 1; i <= n; i++) sum += $at[level[i]]}
		$1 == "end" {printf "%.0f\n", sum}' "$file"
}

# equal WHAT A B: fails unless both numbers are equal.
equal()
{
	echo "$1: $2 and $3"
	[ "$2" = "$3" ]
}

# detects CPU MODEL FORMAT EVENTS: the kernel has found this model, and says this of its PEBS. Kernels place further remarks, such as
# "AnyThread deprecated" on CPUs with architectural events of version 5, before or after the name of the events.
detects()
{
	cat "$work/$1.txt"
	[ "$(cat "$work/$1.status")" -eq 0 ]
	grep -Fxq "cpu family 6" "$work/$1.txt"
	grep -Fxq "model $2" "$work/$1.txt"
	grep -Eq "^Performance Events: PEBS $3, ( ?AnyThread deprecated, )?$4 events, (AnyThread deprecated, )?full-width counters, Intel PMU driver\.$" "$work/$1.txt"
}

@test "Debian's kernels detect PEBS on each model, with the record format of its generation, without a complaint" {
	detects skylake 85 'fmt3\+' Skylake
	detects cascadelake 85 'fmt3\+' Skylake
	detects icelake 106 'fmt4\+-baseline' Icelake
	detects sapphirerapids 143 'fmt4\+-baseline' 'Sapphire Rapids'
	detects graniterapids 173 'fmt4\+-baseline' 'Granite Rapids'
	grep -Fxq "Kernel/User page tables isolation: enabled" "$work/cascadelake.txt"
}

@test "each record contains the load's instruction and address, and with load latency a latency over the threshold" {
	local cpu node others
	for cpu in $cpus; do
		for node in 0 1; do
			equal "wrong and unknown records, $cpu, node $node" \
				"$(for name in address latency unknown; do column "$cpu" "$node" "$name"; done | sort -u)" 0
			# Other loads are so close to each other that a run has no more than one sample of them.
			others=$(column "$cpu" "$node" others | sort -nr | head -n 1)
			echo "$cpu, node $node: at most $others records of other instructions"
			[ "$others" -le 1 ]
		done
	done
}

@test "every sample of DRAM is local for the own node's memory and remote for the other node's" {
	local cpu
	for cpu in $cpus; do
		cat "$work/$cpu.txt"
		equal "remote of node 0, $cpu" "$(column "$cpu" 0 remote | sum)" 0
		equal "local of node 1, $cpu" "$(column "$cpu" 1 local | sum)" 0
		# With 32 MiB and an L3 of 2 MiB, 15 of 16 loads miss. By chance alone, 1000 samples do not drop to a third.
		[ "$(column "$cpu" 0 local | sum)" -gt 333 ]
		[ "$(column "$cpu" 1 remote | sum)" -gt 333 ]
	done
}

@test "the events count exactly the eligible loads and no store, with one sample for each period and none lost" {
	local cpu node
	for cpu in $cpus; do
		cat "$work/$cpu.txt"
		for node in 0 1; do
			equal "samples and whole periods, $cpu, node $node" "$(column "$cpu" "$node" samples)" "$(column "$cpu" "$node" due)"
		done
		equal "events and exact count, $cpu" "$({ column "$cpu" 0 count; column "$cpu" 1 count; } | sum)" \
			"$(eligible "$cpu" l1 l2 l3 peer rpeer ldram rdram other)"
		equal "received and delivered, $cpu" "$({ column "$cpu" 0 samples; column "$cpu" 1 samples; } | sum)" \
			"$(sed -n 's/^all //p' "$work/$cpu.txt")"
		equal "eligible stores, $cpu" "$(awk -F '\t' '$1 == "pc" {for (i = 23; i <= 37; i += 2) sum += $i} END {print sum + 0}' "$work/$cpu.tsv")" 0
	done
}

@test "the events of local and remote DRAM count loads from there only, and their records have no source" {
	local cpu
	for cpu in $cpus; do
		cat "$work/$cpu.txt"
		# 15 of 16 loads miss the L3; apart from them, the program loads next to nothing from memory.
		[ "$(column "$cpu" 0 count local-dram)" -gt $((loads * 9 / 10)) ]
		[ "$(column "$cpu" 1 count remote-dram)" -gt $((loads * 9 / 10)) ]
		[ "$(column "$cpu" 0 count remote-dram)" -lt $((loads / 100)) ]
		[ "$(column "$cpu" 1 count local-dram)" -lt $((loads / 100)) ]
		equal "samples without source, $cpu" "$({ column "$cpu" 1 elsewhere remote-dram; column "$cpu" 1 others remote-dram; } | sum)" \
			"$(column "$cpu" 1 samples remote-dram)"
	done
}

@test "on Sapphire Rapids perf has the auxiliary event, and refuses load latency without it; the others need none" {
	local cpu
	grep -Fxq 'events/mem-loads-aux:event=0x03,umask=0x82' "$work/sapphirerapids.txt"
	grep -Fxq 'node 0 alone-single loads: perf_event_open: No data available' "$work/sapphirerapids.txt"
	for cpu in skylake cascadelake icelake graniterapids; do
		run ! grep -q 'mem-loads-aux' "$work/$cpu.txt"
		grep -Fxq 'format/ldlat:config1:0-15' "$work/$cpu.txt"
	done
}

@test "L3 is sampled as often as it serves loads by the exact count" {
	local cpu samples exact
	for cpu in $cpus; do
		samples=$({ column "$cpu" 0 l3; column "$cpu" 1 l3; } | sum)
		exact=$(eligible "$cpu" l3)
		echo "$cpu: $samples samples of L3 where $exact loads expect $((exact / period))"
		# The position of the sampled load in its period is independent of the load's random address. So the number of samples
		# is a Poisson variable with a mean of at least 20; it deviates by 5.5 standard deviations less than once in 100,000 times.
		awk -v got="$samples" -v due="$((exact / period))" 'BEGIN {exit !(due >= 20 && (got - due) ^ 2 <= 5.5 ^ 2 * due)}'
	done
}

@test "samples and exact counts show each load of a string instruction's repetitions at its own address" {
	ops_hold 6.12 skylake pebs "$period"
}
