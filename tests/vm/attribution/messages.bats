#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis place on eight ranks that send each other messages, on a machine of four nodes: in pairs, and in a ring, placed at random by the launcher
# of Open MPI. They run again as proposed, and the machine counts which lines of the messages cross nodes. If these tests fail, users bind ranks as
# the tool says and gain nothing, or a launcher refuses the options.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks
load attribution

jobs=(ring.copied)
if at_length; then jobs+=(pairs.copied ring.kernel pairs.kernel); fi
bytes=65536
steps=16

setup_file()
{
	local machine job run number todo=()

	prepare_programs -O2
	mkdir "$bin/memphis"
	cp build/lib/memphis/libmemphis-mpi-openmpi.so "$bin/memphis"
	mpicc.openmpi "${cflags[@]}" -o "$bin/exchange" tests/vm/attribution/messages/exchange.c -L"$bin" -lmemphis -Wl,-rpath,'$ORIGIN'
	more=(--nodes 4 --cpus 2 --memory 384 --l1 4 --l2 16 --l3 64 --put "$top/build/bin/memphis:/usr/bin/memphis" --truth "$work/MACHINE.tsv"
		--put "$(realpath /usr/bin/mpirun.mpich):/usr/bin/mpirun.mpich" --put /usr/bin/hydra_pmi_proxy
		--put "$(realpath /usr/bin/mpirun.openmpi):/usr/bin/mpirun.openmpi" --put /usr/bin/orted
		--put /usr/lib/x86_64-linux-gnu/openmpi --put /usr/share/openmpi --put "$(command -v env):/usr/bin/env")
	for job in "${jobs[@]}"; do todo+=("$job=$steps"); done
	run_programs messages 4096 "$bytes" "${todo[@]}"
	# The counts take 200 MB each.
	for machine in $machines; do
		number=1
		for job in "${jobs[@]}"; do
			for run in scattered proposed; do
				tests/vm/attribution/messages/check.py "$work/$machine.tsv.$number" $((8 * steps * bytes / 64)) > "$work/$machine/$job.$run" || :
				rm -f "$work/$machine.tsv.$number"
				number=$((number + 1))
			done
		done
	done
}

setup()
{
	cd "$top" || exit
}

# expect EXPECTED ACTUAL: fails with a diff unless both are equal.
expect()
{
	diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# holds EXPRESSION: whether the comparison of numbers is true.
holds()
{
	awk "BEGIN { exit !($1) }"
}

# field MACHINE JOB RUN EXPRESSION: of the JSON of memphis place.
field()
{
	jq -r ".[0] | $4" "$work/$1/out/$2.$3.json"
}

@test "the launchers accept the options, the kernels log no complaint, and the ranks receive what was sent" {
	local machine job run

	all_ended_well
	for machine in $machines; do
		cat "$work/$machine.txt" "$work/$machine.err"
		for job in "${jobs[@]}"; do
			for run in scattered proposed; do
				grep -q "^$job.$run status 0$" "$work/$machine.txt"
				expect '0 1 2 3 4 5 6 7' "$(sort "$work/$machine/out/$job.$run.out" | grep '^[0-9]$' | paste -sd ' ')"
			done
		done
		expect "$(field "$machine" "${jobs[-1]}" scattered '.threads | sort_by(.rank)[] | "\(.rank) \(.cpu)"')" "$(sort "$work/$machine/out/mpich")"
	done
}

@test "the proposal joins the ranks of each pair, and neighbours of the ring, each on a CPU of its own" {
	local machine job

	for machine in $machines; do
		for job in "${jobs[@]}"; do
			cat "$work/$machine/out/$job.scattered.txt"
			expect true "$(field "$machine" "$job" scattered .better)"
			expect '4 8' "$(field "$machine" "$job" scattered '.threads | "\(map(.node) | unique | length) \(map(.cpu) | unique | length)"')"
		done
		for job in "${jobs[@]}"; do
			[[ $job = pairs.* ]] || continue
			expect '0 1,2 3,4 5,6 7' "$(field "$machine" "$job" scattered '[.threads | group_by(.node)[] | map(.rank) | sort | join(" ")] | sort | join(",")')"
		done
	done
}

@test "as proposed, ranks run on the proposed CPUs" {
	local machine job

	for machine in $machines; do
		for job in "${jobs[@]}"; do
			expect "$(field "$machine" "$job" scattered '[.threads | sort_by(.rank)[] | .node] | join(" ")')" \
				"$(field "$machine" "$job" proposed '[.threads | sort_by(.rank)[] | .node_now] | join(" ")')"
		done
	done
}

# Variables of MPI, and what the kernel copies besides, come on top of the lines; those that a cache still has may be missing, up to 1 %. A line that an
# interrupt evicts while it is copied moves again, and a busy host has more interrupts for each instruction: 99.8 % of the lines moved with nothing
# else on the host, 105.5 to 113.4 % beside other work, and 5 to 17 % of those that should not. None, half and all are far enough apart. By the model's
# clock, which would not see the host, the ranks' waiting takes more than 15 minutes.
@test "the exact share of lines that cross nodes is the predicted one: nearly all at random; nearly none as proposed in pairs, half in a ring" {
	local machine job now after

	for machine in $machines; do
		for job in "${jobs[@]}"; do
			read -r now _ < "$work/$machine/$job.scattered"
			read -r after _ < "$work/$machine/$job.proposed"
			echo "$machine $job: $now %, then $after %; $(field "$machine" "$job" scattered '.messages | tojson')"
			holds "$now > 97 && $now < 140"
			case $job in pairs.*) holds "$after < 30" ;; *) holds "$after > 47 && $after < 80" ;; esac
			holds "$after >= 100 * $(field "$machine" "$job" scattered .messages.between_nodes_proposed.low) - 1"
			holds "$after <= 100 * $(field "$machine" "$job" scattered .messages.between_nodes_proposed.high) + 30"
		done
	done
}

# inside MACHINE JOB SHARE NUMBER: whether the number is in the interval of .SHARE of the proposal, 2.6 times as wide as that of 95 %: a right one fails once
# in 1,000,000 times. Remote loads of libraries' constants, which are not MPI's memory, come on top, up to 1 %.
inside()
{
	holds "$4 >= $(field "$1" "$2" scattered "100 * (.$3.share - 2.6 * (.$3.share - .$3.low))") && $4 <= 1 + $(field "$1" "$2" scattered "100 * (.$3.share + 2.6 * (.$3.high - .$3.share))")"
}

# Where ranks copy messages themselves.
@test "the exact share of remote loads now and as proposed is in the measured and in the predicted interval" {
	local machine job now after

	for machine in $machines; do
		for job in "${jobs[@]}"; do
			[[ $job = *.copied ]] || continue
			read -r _ now < "$work/$machine/$job.scattered"
			read -r _ after < "$work/$machine/$job.proposed"
			echo "$machine $job: $now %, then $after %; $(field "$machine" "$job" scattered '[.remote, .proposed] | tojson')"
			inside "$machine" "$job" remote "$now"
			inside "$machine" "$job" proposed "$after"
			holds "$(field "$machine" "$job" scattered .messages.loads) >= 20"
			holds "$after < 0.7 * $now"
		done
	done
}

@test "a good placement is left alone, and the tool says so" {
	local machine job

	for machine in $machines; do
		for job in "${jobs[@]}"; do
			cat "$work/$machine/out/$job.proposed.txt"
			expect false "$(field "$machine" "$job" proposed .better)"
			grep -q '^No other placement of the threads is clearly better: leave them where they are.' "$work/$machine/out/$job.proposed.txt"
			run ! grep -q 'mpiexec\|rankfile' "$work/$machine/out/$job.proposed.txt"
		done
	done
}
