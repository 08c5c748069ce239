#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Detection of PEBS by Debian's own kernels, and comparison of its samples with the machine's exact counts. If these tests fail, the
# module has no sampling hardware on an Intel machine, or gets wrong samples.

load common

# A prime, so that it is not a multiple of a loop's length.
period=499
loads=250000

setup_file()
{
	export work=$BATS_FILE_TMPDIR
	gcc -std=gnu11 -O2 -static -Wall -Wextra -Werror -o "$work/loads" "$BATS_TEST_DIRNAME/fixtures/loads.c"
	boot 6.12 skylake
	# Test page-table isolation, too, which real machines of this kind use: the PEBS buffer is mapped in both page tables.
	boot 6.1 cascadelake --append pti=on
}

# boot KERNEL CPU OPTIONS...: runs all loads in one boot; the tests read the output and the exact counts.
boot()
{
	local kernel=$1 cpu=$2 status=0

	shift 2
	"$machine/run" --kernel "$kernel" --cpu "$cpu" --timeout "$limit" --log "$logs/pebs-$kernel.log" "$@" \
		--truth "$work/$kernel.tsv" --put "$work/loads:/root/loads" --put "$BATS_TEST_DIRNAME/fixtures/loads.sh:/root/loads.sh" \
		-- sh /root/loads.sh "$period" "$loads" > "$work/$kernel.txt" || status=$?
	echo "$status" > "$work/$kernel.status"
}

# column KERNEL NODE NAME: prints the numbers after the word NAME in the lines on loads from memory of NODE, single and many.
column()
{
	awk -v node="$2" -v name="$3" '$1 == "node" && $2 == node {for (i = 4; i < NF; i++) if ($i == name) print $(i + 1)}' "$work/$1.txt"
}

# sum: adds the numbers on stdin; fails on anything else and on empty input.
sum()
{
	awk '!/^[0-9]+$/ {bad = 1} {sum += $1} END {if (bad || !NR) exit 1; printf "%.0f\n", sum}'
}

# eligible KERNEL LEVEL...: prints the exact number of loads from these levels that advanced the sampling counter.
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

@test "6.12 on Skylake and 6.1 with page-table isolation on Cascade Lake detect PEBS with load latency, without a complaint" {
	local kernel
	for kernel in 6.1 6.12; do
		cat "$work/$kernel.txt"
		[ "$(cat "$work/$kernel.status")" -eq 0 ]
		grep -Fxq "Performance Events: PEBS fmt3+, Skylake events, full-width counters, Intel PMU driver." "$work/$kernel.txt"
	done
	grep -Fxq "Intel Xeon Processor (Skylake)" "$work/6.12.txt"
	grep -Fxq "Intel Xeon Processor (Cascadelake)" "$work/6.1.txt"
	grep -Fxq "Kernel/User page tables isolation: enabled" "$work/6.1.txt"
}

@test "each sample contains the load's instruction, its address and a latency over the threshold" {
	local kernel node
	for kernel in 6.1 6.12; do
		for node in 0 1; do
			equal "wrong and unknown records, kernel $kernel, node $node" \
				"$(for name in pc address latency unknown; do column "$kernel" "$node" "$name"; done | sort -u)" 0
		done
	done
}

@test "every sample of DRAM is local for the own node's memory and remote for the other node's" {
	local kernel
	for kernel in 6.1 6.12; do
		cat "$work/$kernel.txt"
		equal "remote of node 0, $kernel" "$(column "$kernel" 0 remote | sum)" 0
		equal "local of node 1, $kernel" "$(column "$kernel" 1 local | sum)" 0
		# With 64 MiB and an L3 of 2 MiB, 31 of 32 loads miss. By chance alone, 1000 samples do not drop to a third.
		[ "$(column "$kernel" 0 local | sum)" -gt 333 ]
		[ "$(column "$kernel" 1 remote | sum)" -gt 333 ]
	done
}

@test "the event counts exactly the eligible loads and no store, with one sample for each period and none lost" {
	local kernel node
	for kernel in 6.1 6.12; do
		cat "$work/$kernel.txt"
		for node in 0 1; do
			equal "samples and whole periods, kernel $kernel, node $node" \
				"$(column "$kernel" "$node" samples)" "$(column "$kernel" "$node" due)"
		done
		equal "events and exact count, $kernel" "$({ column "$kernel" 0 count; column "$kernel" 1 count; } | sum)" \
			"$(eligible "$kernel" l1 l2 l3 peer rpeer ldram rdram other)"
		equal "received and delivered, $kernel" "$({ column "$kernel" 0 samples; column "$kernel" 1 samples; } | sum)" \
			"$(sed -n 's/^all //p' "$work/$kernel.txt")"
		equal "eligible stores, $kernel" "$(awk -F '\t' '$1 == "pc" {for (i = 23; i <= 37; i += 2) sum += $i} END {print sum + 0}' "$work/$kernel.tsv")" 0
	done
}

@test "L3 is sampled as often as it serves loads by the exact count" {
	local kernel samples exact
	for kernel in 6.1 6.12; do
		samples=$({ column "$kernel" 0 l3; column "$kernel" 1 l3; } | sum)
		exact=$(eligible "$kernel" l3)
		echo "$kernel: $samples samples of L3 where $exact loads expect $((exact / period))"
		# The position of the sampled load in its period is independent of the load's random address. So the number of samples
		# is a Poisson variable with a mean of at least 20; it deviates by 5.5 standard deviations less than once in 100,000 times.
		awk -v got="$samples" -v due="$((exact / period))" 'BEGIN {exit !(due >= 20 && (got - due) ^ 2 <= 5.5 ^ 2 * due)}'
	done
}

@test "samples and exact counts show each load of a string instruction's repetitions at its own address" {
	ops_hold 6.12 skylake pebs "$period"
}
