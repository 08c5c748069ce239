# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of the suites and of checks.bash
# Loaded by the suites of this folder: programs of tests/workloads, each run in a guest with the module as the user of a site.

# prepare_programs FLAG...: begins setup_file. Sets $top, $work, $bin (with the library, and libworkload.so built with these flags),
# $from (the workloads), and the arrays `cflags` and `link` for the programs (`flags` is a variable of bats itself).
prepare_programs()
{
	cd "$BATS_TEST_DIRNAME/../../.." || return
	export top=$PWD
	work=$(results_dir)
	export work
	from=tests/workloads bin=$work/bin more=()
	rm -rf "$work"
	mkdir -p "$bin"
	cp build/lib/libmemphis.so.0 "$bin"
	ln -s libmemphis.so.0 "$bin/libmemphis.so"
	cflags=("$@" -g -Wall -Wextra -Werror -I"$top/include" -I"$top/build/include" -I"$from/common")
	# shellcheck disable=SC2016,SC2054 # $ORIGIN and commas are the linker's
	link=(-L"$bin" -lworkload -Wl,--no-as-needed -lmemphis -Wl,--as-needed -Wl,-rpath,'$ORIGIN')
	gcc "${cflags[@]}" -fPIC -shared -o "$bin/libworkload.so" $from/common/workload.c
}

# run_programs SUITE OPS ARGUMENT...: ends setup_file. Runs SUITE/guest.sh on each machine: DIR OUT PERIOD ARGUMENT...; OPS is the period of
# IBS. The array `more` has further options for boot_machine; the word MACHINE is replaced by the name of the machine.
run_programs()
{
	local suite=$1 ops=$2 machine module period status
	shift 2

	cp "tests/vm/attribution/$suite/guest.sh" "$bin"
	for machine in $machines; do
		module=build/kmod/$(machine_kernel "$machine")
		machine/kbuild "$(machine_kernel "$machine")" kmod "$module" > "$work/$machine.kbuild" 2>&1
		# Loads with PEBS, ops with IBS
		period=$(case $(machine_cpu "$machine") in milan | genoa | turin) echo "$ops" ;; *) echo 101 ;; esac)
		mkdir -p "$work/$machine"
		cp -r "$bin" "$work/$machine/bin"
		status=0
		boot_machine "$machine" "${more[@]//MACHINE/$machine}" --module "$(module_of "$machine")" --log "$work/$machine.log" --put "$bin:/root/bin" \
			--get "/root/out:$work/$machine/out" -- sh /root/bin/guest.sh /root/bin /root/out "$period" "$@" \
			> "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
		echo "$status" > "$work/$machine.status"
	done
}
