#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Counters of memory controllers that ordinary users read by the device, if root has switched them on, beside root's perf and the machine's
# exact counts. If these tests fail, users get wrong bytes, or the traffic of others without the consent of the site.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file()
{
	cd "$BATS_TEST_DIRNAME/../../.." || exit
	export top=$PWD
	work=$(results_dir)
	export work
	local machine module status name flags pcp=build/packages/pcp/usr/lib/pcp

	rm -rf "$work"
	mkdir -p "$work/bin"
	for name in around storm switched copies phase forks; do
		# copies, forks and phase are linked dynamically, so that the library can be loaded into them.
		case $name in
		copies | forks) flags=() ;;
		phase) flags=(-Ibuild/include -Lbuild/lib -lmemphis -Wl,-rpath,"$top/build/lib") ;;
		*) flags=(-static) ;;
		esac
		gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -Iinclude -o "$work/bin/$name" \
			"tests/vm/hardware/controllers/$name.c" tests/vm/hardware/controllers/traffic.c tests/vm/device/session.c "${flags[@]}"
	done
	cp tests/vm/hardware/controllers/{guest,pcp}.sh "$work/bin"
	# The commands of the documentation.
	sed -n '/^# perfevent.conf of PCP/,/^```$/p' docs/counters.md | sed '$d' > "$work/bin/perfevent-conf.sh"
	for machine in $machines; do
		module=build/kmod/$(machine_kernel "$machine")
		machine/kbuild "$(machine_kernel "$machine")" kmod "$module" > "$work/$machine.kbuild" 2>&1
		status=0
		boot_machine "$machine" --put "$module/memphis.ko:/root/memphis.ko" --put "$work/bin:/root/bin" --put "$work/bin/copies:/root/bin/copies" --put "$work/bin/phase:/root/bin/phase" --put "$work/bin/forks:/root/bin/forks" --put /usr/bin/head:/root/bin/head \
			--put "$pcp/bin/pmcd:/root/bin/pcp/pmcd" --put "$pcp/bin/pmcpp:/root/bin/pcp/pmcpp" --put /etc/pcp.conf --put build/lib/memphis/memphis-pcp \
			--put "$pcp/pmdas/perfevent/pmdaperfevent:/root/bin/pcp/pmdas/perfevent/pmdaperfevent" \
			--put build/bin/memphis --put build/lib/libmemphis.so.0 --put "$(tests/perf-tool "$(machine_kernel "$machine")"):/root/perf.tar" \
			--truth "$work/$machine.tsv" --get "/root/out:$work/$machine" --log "$work/$machine.log" -- \
			sh /root/bin/guest.sh /root/bin /root/out /root/memphis.ko "$top/build/bin/memphis" > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
		echo "$status" > "$work/$machine.status"
	done
}

setup()
{
	cd "$top" || exit
}

@test "the kernels log no complaint, all programs end with success, and no check fails" {
	all_ended_well
	none_failed
	all_passed '(switched|around|storm|record by the device|record by perf|forks|unplugged) ends well' 7
}

@test "the counters are off until root switches them on; only root can" {
	passed "the parameter is root's alone"
	passed 'off: the parameter is empty'
	all_passed 'off: none are available' 1
	all_passed 'EACCES: ' 2
	for machine in $machines; do
		[ "$(< "$work/$machine/user.status")" -eq 1 ]
		[ "$(< "$work/$machine/user.txt")" = 'memphis node: --controllers: /sys/module/memphis/parameters/controllers: Permission denied; only root may do this' ]
		[ "$(< "$work/$machine/on.txt")" = 'all who may open the device can now read the memory traffic of this machine: amd_umc cas_read, amd_umc cas_write' ]
		[ "$(< "$work/$machine/off.txt")" = 'the device shows no memory traffic of this machine' ]
	done
}

@test "--counters uncore names the remedies while they are off" {
	for machine in $machines; do
		build/bin/memphis report --format json "$work/$machine/refused" > "$work/json" 2> "$work/stderr"
		jq -e '.counters.problems | length == 1 and (.[0].text | test("perf_event_paranoid is 3: .*memphis node --controllers on; now: root has switched them off"))' "$work/json"
	done
}

@test "a session has what comes after its begin, and each has all of it" {
	passed 'a session begins with what comes after it'
	all_passed 'each session has all traffic of its time' 1
	all_passed 'ESTALE: ' 3
	all_passed 'on: ' 5
}

@test "bytes by node are those of root's perf stat of the same copies, and the machine's, within 0.1 %" {
	for machine in $machines; do
		tests/vm/hardware/controllers/compare.py "$work/$machine" "$work/$machine.tsv"
	done
}

@test "--counters uncore has the same names and units by the device as by perf, and the bytes of the copies" {
	for machine in $machines; do
		for name in device by-perf; do
			build/bin/memphis report --format json "$work/$machine/$name" > "$work/$machine/$name.json" 2> "$work/stderr"
		done
		tests/vm/hardware/controllers/compare.py "$work/$machine" --recorded "$work/$machine/device.json" "$work/$machine/by-perf.json"
	done
}

@test "a user reads the same bytes by pmcd as by the device and as the machine counts, within 0.1 %" {
	passed 'a user reads by pmcd and by the device'
	for machine in $machines; do
		build/bin/memphis report --format json "$work/$machine/pcp" > "$work/$machine/pcp.json" 2> "$work/stderr"
		tests/vm/hardware/controllers/compare.py "$work/$machine" --by-pmcd "$work/$machine/pcp.json" "$work/$machine.tsv.1"
	done
}

@test "the module refuses malformed lists, and events that are not of a memory controller" {
	all_passed 'EINVAL: ' 4
	passed 'ENOENT: a PMU that does not exist'
	passed 'EFAULT: controllers to a bad pointer'
	passed 'EPERM: controllers read by a child'
}

@test "counting goes on when a CPU goes offline, and is never silent about a counter that is gone" {
	local expected
	passed 'counters were read before their CPU went offline'
	for machine in $machines; do
		build/bin/memphis report --format json "$work/$machine/unplugged" > "$work/$machine/unplugged.json" 2> "$work/stderr"
		expected='[]'
		[ "$(machine_kernel "$machine")" != 7.2 ] || expected='["uncore: a counter has gone away with its CPU"]'
		[ "$(jq -c '[.counters.problems[].text]' "$work/$machine/unplugged.json")" = "$expected" ]
		if [ "$(machine_kernel "$machine")" = 7.2 ]; then
			grep -qx 'ok hotplug: counters that the kernel has not moved are gone' "$work/$machine.txt"
		else
			grep -qx 'ok hotplug: the other CPU of the node goes on counting' "$work/$machine.txt"
		fi
	done
	all_passed 'ENXIO: ' 3
}

@test "a forked child keeps its descriptors, also those with the numbers that the counters have in their companion" {
	passed 'forks: the program has numbers of the companion'
	passed 'forks: a child has all descriptors of its program'
}

@test "sessions read while root writes the list and CPUs come and go; the module unloads while the list is written" {
	all_passed 'storm: ' 2
	passed 'the module is unloaded while its parameter is written'
	passed "nothing of the module is left"
}
