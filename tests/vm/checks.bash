# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Selects the machines that the tests of this folder boot, boots them, and looks up the checks that the programs of a boot
# printed: lines "ok NAME" or "not ok NAME ..." in $work/MACHINE.txt.

# A kernel is there with CPUs that it knows: 5.10 with those until 2021, 6.1 until 2022.
# shellcheck disable=SC2034 # of the files that load this
all_machines='5.10 6.1 6.12 7.2 6.12@genoa 6.12@turin 7.2@turin 5.10@skylake 6.1@skylake 6.12@skylake 7.2@skylake
	6.1@cascadelake 6.12@cascadelake 6.1@icelake 6.12@icelake 6.1@sapphirerapids 6.12@sapphirerapids 6.12@graniterapids 7.2@graniterapids'

machine_kernel()
{
	printf '%s\n' "${1%@*}"
}

machine_cpu()
{
	case $1 in
	*@*) printf '%s\n' "${1#*@}" ;;
	*) echo milan ;;
	esac
}

# Prints the target of perf's events: with IBS, a task since Linux 6.2 and a CPU before; with the core PMU, always a task.
machine_sampler()
{
	case $(machine_kernel "$1")-$(machine_cpu "$1") in
	5.10-milan | 6.1-milan) echo cpu ;;
	*) echo task ;;
	esac
}

# with_latency: prints the selected machines whose samples have a latency, possibly none: Sapphire Rapids offers the device only events
# of loads by source.
with_latency()
{
	printf '%s\n' $machines | grep -v '@sapphirerapids$' || :
}

# chosen_machines SUITE: prints the machines that MEMPHIS_TEST_MACHINES lists (several, or "all"), or else those of `make test`, or of
# `make test-more` if that is the level. A suite that runs in only one of them has its machines at either level.
chosen_machines()
{
	local machine chosen=${MEMPHIS_TEST_MACHINES:-}

	if [ -z "$chosen" ]; then
		chosen=$(awk -v suite="$1" -v more="${MEMPHIS_TEST_LEVEL:-}" '
			$1 == suite { found = $2 == "-" || (more && $3 != "-") ? $3 : $2; gsub(",", " ", found); print found }' "${BASH_SOURCE[0]%/*}/../machines")
	elif [ "$chosen" = all ]; then
		chosen=$all_machines
	fi
	for machine in $chosen; do
		case " ${all_machines//[$'\t\n']/ } " in *" $machine "*) ;; *) echo "no such machine: $machine; there are $all_machines" >&2; return 1 ;; esac
	done
	[ -n "${chosen// /}" ] || { echo "no machine is selected for $1 (tests/machines, MEMPHIS_TEST_MACHINES)" >&2; return 1; }
	printf '%s\n' "$chosen"
}

# at_length: succeeds if machines were selected explicitly. Then the programs also run at full length, for `make test-all`.
at_length()
{
	[ -n "${MEMPHIS_TEST_MACHINES:-}" ]
}

# at_level_more: succeeds for `make test-more`, and if machines were selected explicitly: then all programs of the suite run.
at_level_more()
{
	[ "${MEMPHIS_TEST_LEVEL:-}" = more ] || at_length
}

# Machines whose boots are checked; never an empty set.
suite=${BATS_TEST_FILENAME##*/}
suite=${suite%.bats}
machines=$(chosen_machines "$suite") || exit 1

# results_dir: prints the directory for a file's results. It depends on the level and the selected machines, so that runs on others can go
# on at the same time.
results_dir()
{
	local chosen=${MEMPHIS_TEST_MACHINES:-${MEMPHIS_TEST_LEVEL:-}}

	printf '%s/build/test/%s%s\n' "$PWD" "$suite" "${chosen:+-${chosen// /+}}"
}

# module_of MACHINE: prints memphis.ko and its parameters for --module. Emulated CPUs are slow: with the default minimum period
# of per-CPU sampling, tests would run for hours.
module_of()
{
	printf 'build/kmod/%s/memphis.ko period_min_cpu=1024\n' "$(machine_kernel "$1")"
}

# boot_machine MACHINE OPTION...: calls machine/run with this machine's kernel and CPU. The time limit is shorter than that of a test
# in tests/run, because machine/run also saves the state of the guest's CPUs.
boot_machine()
{
	local machine=$1 limit=1800 caches=()
	shift

	if at_length; then limit=3000; fi
	# Only loads that miss the L3 are sampled there by default; with a small one, programs of 64 KiB have enough of them.
	case $(machine_cpu "$machine") in sapphirerapids) caches=(--l1 4 --l2 8 --l3 16) ;; esac

	machine/run --kernel "$(machine_kernel "$machine")" --cpu "$(machine_cpu "$machine")" --timeout "$limit" "${caches[@]}" "$@"
}

# build_programs NAME...: builds programs of tests/vm/device into $work/bin, and copies guest.sh there.
build_programs()
{
	local name

	mkdir -p "$work/bin"
	for name in "$@"; do
		gcc -std=gnu11 -O1 -g -static -pthread -Wall -Wextra -Werror -Iinclude -o "$work/bin/$name" \
			"tests/vm/device/$name.c" tests/vm/device/session.c
	done
	cp tests/vm/library/dense.sh tests/vm/device/guest.sh "$work/bin"
}

# Further options of machine/run for boot_all; the word MACHINE is replaced by the machine's name.
boot_options=()

# boot_all ARGUMENT...: boots each machine once for all checks. guest.sh gets the directory of the programs, the module, the
# kind of sampler and the arguments; the checks below evaluate its output.
boot_all()
{
	local machine module status

	for machine in $machines; do
		module=build/kmod/$(machine_kernel "$machine")
		status=0
		{
			machine/kbuild "$(machine_kernel "$machine")" kmod "$module" >&2 &&
				boot_machine "$machine" "${boot_options[@]//MACHINE/$machine}" --log "$work/$machine.log" --put "$work/bin:/root/bin" \
					--put "$module/memphis.ko:/root/memphis.ko" -- \
					sh /root/bin/guest.sh /root/bin /root/memphis.ko "$(machine_sampler "$machine")" "$@"
		} > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
		echo "$status" > "$work/$machine.status"
	done
}

# all_ended_well: on every machine the command succeeded, and the kernel had no complaint.
all_ended_well()
{
	local machine

	for machine in $machines; do
		[ "$(< "$work/$machine.status")" -eq 0 ] && continue
		echo "$machine: status $(< "$work/$machine.status")"
		tail -n 20 "$work/$machine.txt" "$work/$machine.err"
		return 1
	done
}

# none_failed: no check failed on any machine, including checks that no test names.
none_failed()
{
	local machine

	for machine in $machines; do
		grep -q '^ok' "$work/$machine.txt" || return
		! grep -H '^not ok' "$work/$machine.txt" || return
	done
}

# passed NAME: the check with this name was made on every machine and held each time.
passed()
{
	local machine

	for machine in $machines; do
		if ! grep -Fxq "ok $1" "$work/$machine.txt" || grep -Fq "not ok $1" "$work/$machine.txt"; then
			echo "$machine: $(grep -F "$1" "$work/$machine.txt" || echo "no check named: $1")"
			tail -n 5 "$work/$machine.err"
			return 1
		fi
	done
}

# all_passed PATTERN COUNT: on every machine, exactly COUNT checks have names that match PATTERN, and all of them held.
all_passed()
{
	local machine found

	for machine in $machines; do
		found=$(grep -E "^ok $1" "$work/$machine.txt" | sort -u | wc -l)
		if [ "$found" -ne "$2" ] || grep -Eq "^not ok $1" "$work/$machine.txt"; then
			echo "$machine: $found of $2 checks held"
			grep -E "^not ok $1" "$work/$machine.txt"
			return 1
		fi
	done
}
