#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Guests that are resumed instead of booted. If these tests fail, a run depends on what an earlier one left behind: its time, its random
# numbers, its counts; or a damaged snapshot ends the run.
# shellcheck disable=SC2154 # of common.bash and of bats

load common

# An argument that makes the kernel's command line that of this test alone.
own()
{
	printf 'memphis.test=%s.%s.%s\n' "$BATS_TEST_NUMBER" "$$" "$EPOCHSECONDS"
}

# snapshot: prints the path of the snapshot that the last run has resumed.
snapshot()
{
	sed -n 's/.*, resumed from //p' <<< "$stderr"
}

# What must differ between runs: numbers that the kernel makes once, or for each process, and the addresses of a process. Then the time.
numbers='cat /proc/sys/kernel/random/boot_id /proc/sys/kernel/random/uuid; head -c 8 /dev/urandom | od -An -tx8; grep -m 1 stack /proc/self/maps | cut -d- -f1; date +%s'

@test "the second run of a machine resumes the guest of the first, with numbers of its own, the host's time, and the kernel's log from the start" {
	local own begun first second third

	own=$(own)
	guest -v --append "$own" -- sh -c "$numbers"
	[ "$status" -eq 0 ]
	[[ $stderr == *" s, booted"* ]]
	first=$output
	begun=$EPOCHSECONDS
	guest -v --append "$own" -- sh -c "$numbers"
	[ "$status" -eq 0 ]
	[ -n "$(snapshot)" ]
	second=$output
	[ "$(tail -n 1 <<< "$second")" -ge "$begun" ]
	[ "$(tail -n 1 <<< "$second")" -le "$EPOCHSECONDS" ]
	grep -q "Command line: .*$own" "$log"
	guest -v --append "$own" -- sh -c "$numbers"
	[ "$status" -eq 0 ]
	third=$output
	[ "$(printf '%s\n' "$first" "$second" "$third" | grep -vx '[0-9]\{10\}' | sort -u | wc -l)" -eq 12 ]
	rm -r "$(snapshot)"
}

@test "a resumed guest has counted nothing, and counts all accesses of what it runs" {
	local own work=$BATS_TEST_TMPDIR run

	own=$(own)
	gcc -O1 -static -o "$work/loads" -x c - <<-'C'
		static volatile long data[1024];
		int main(void)
		{
			for (int i = 0; i < 100000; i++)
				(void)data[i % 1024];
			return 0;
		}
	C
	for run in booted resumed; do
		guest -v --append "$own" --truth "$work/$run.tsv" --put "$work/loads:/root/loads" -- \
			sh -c 'truth start; ./loads; truth stop; truth dump'
		[ "$status" -eq 0 ]
		[[ $stderr == *" s, $run"* ]]
	done
	# The busiest instruction is the load of the loop.
	for run in booted resumed; do
		[ "$(awk -F '\t' '$1 == "pc" { print $5 + $6 }' "$work/$run.tsv" | sort -n | tail -n 1)" -ge 100000 ]
	done
	guest -v --append "$own" --truth "$work/empty.tsv" -- truth dump
	[ "$status" -eq 0 ]
	[ "$(grep -c '^pc' "$work/empty.tsv")" -eq 0 ]
	rm -r "$(snapshot)"
}

# bats test_tags=more
@test "a snapshot that can't be resumed is removed, and the guest is booted" {
	local own path

	own=$(own)
	guest -v --append "$own" -- true
	guest -v --append "$own" -- true
	path=$(snapshot)
	truncate -s 100000 "$path/state"
	guest -v --append "$own" -- echo good
	[ "$status" -eq 0 ]
	[ "$output" = good ]
	[[ $stderr == *"a booted guest could not be resumed: "*"restarting the machine"*" s, booted"* ]]
	# The second attempt has kept its guest again.
	guest -v --append "$own" -- echo good
	[ "$(snapshot)" = "$path" ]
	rm -r "$path"
}

# bats test_tags=more
@test "with --cold, and where time is that of the model clock, the guest is booted, and none is kept" {
	local own way

	own=$(own)
	for way in --cold --deterministic -v; do
		guest -v "$way" --append "$own" -- true
		[ "$status" -eq 0 ]
		[[ $stderr == *" s, booted"* ]]
	done
	guest -v --append "$own" -- true
	rm -r "$(snapshot)"
}
