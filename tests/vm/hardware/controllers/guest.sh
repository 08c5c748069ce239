#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: the counters of memory controllers by the device. usage: guest.sh DIR OUT MODULE MEMPHIS
set -u

programs=$1
out=$2
module=$3
memphis=$4
parameter=/sys/module/memphis/parameters/controllers
mkdir -p "$out" && chown user "$out"

ok()
{
	name=$1
	shift
	if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

insmod "$module"
# Which CPU comes and goes, and the parameter, are root's to open.
FILE_PARAMETER=6 FILE_ONLINE2=7 FILE_ONLINE3=8 LIST=$("$memphis" node --controllers on > "$out/on.txt" && cat "$parameter" && "$memphis" node --controllers off > "$out/off.txt")
TYPE_MSR=$(cat /sys/bus/event_source/devices/msr/type)
# Of several events of a PMU, Linux 7.2 moves only the first one away from a CPU that goes offline, and switches the others off.
case $(uname -r) in 7.2*) export LEFT_BEHIND=1 ;; esac
export FILE_PARAMETER FILE_ONLINE2 FILE_ONLINE3 LIST TYPE_MSR
echo "$LIST" > "$out/list"
ok "the parameter is root's alone" [ "$(stat -c '%a %U' "$parameter")" = "600 root" ]
ok "off: the parameter is empty" [ -z "$(cat "$parameter")" ]
site-user "$memphis" node --controllers on > "$out/user.txt" 2>&1
echo $? > "$out/user.status"
site-user "$memphis" record -q --counters uncore -o "$out/refused" -- "$programs/copies" 1 > "$out/refused.txt" 2>&1
site-user "$programs/switched" 6<> "$parameter" 7<> /sys/devices/system/cpu/cpu2/online 8<> /sys/devices/system/cpu/cpu3/online
ok "switched ends well" [ $? -eq 0 ]

"$memphis" node --controllers on > /dev/null
tar -xf /root/perf.tar -C /root
mkfifo /root/control /root/ack
# perf stat is root's, the program the user's; each of the four descriptors is opened by root.
exec 3<> /root/control 4<> /root/ack 5<> /dev/cpu/0/msr
FILE_CONTROL=3 FILE_ACK=4 FILE_MSR=5 /root/perf/ld.so --library-path /root/perf/lib /root/perf/perf stat -a --no-merge -x , -D -1 --control fifo:/root/control,/root/ack \
	-e umc_cas_cmd.rd,umc_cas_cmd.wr -o "$out/perf" -- site-user "$programs/around" 24 > "$out/around.txt"
ok "around ends well" [ $? -eq 0 ]
grep -v '^bytes' "$out/around.txt"
for pmu in /sys/bus/event_source/devices/amd_umc_*; do
	echo "${pmu##*/} $(cat /sys/devices/system/cpu/cpu"$(cat "$pmu/cpumask")"/topology/physical_package_id)"
done > "$out/places"
exec 3>&- 4>&- 5>&-

# With the library: the same work in a caliper's place, by the device and by perf.
site-user "$memphis" record -q --counters uncore -o "$out/device" -- "$programs/copies" 24 > "$out/device.txt" 2>&1
ok "record by the device ends well" [ $? -eq 0 ]
site-user --perf-event-paranoid -1 "$memphis" record -q --counters uncore -o "$out/by-perf" -- "$programs/copies" 24 > "$out/by-perf.txt" 2>&1
ok "record by perf ends well" [ $? -eq 0 ]
# shellcheck disable=SC3045 # the shell of the guest has it
(ulimit -n 4096; exec site-user --perf-event-paranoid -1 "$memphis" record -q --counters uncore -o "$out/forks" -- "$programs/forks")
ok "forks ends well" [ $? -eq 0 ]

# By pmcd and by the device, in the same run.
ok "a user reads by pmcd and by the device" sh "$programs/pcp.sh" "$programs" "$out" "$memphis"

# A CPU whose counters are read by perf goes offline for a second, after the counters have been read once.
mkfifo /root/end
exec 9<> /root/end
(
	tries=0
	until grep -qs cas_read "$out"/unplugged/*.process.memphis || [ "$tries" -eq 600 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	sleep 1
	echo 0 > /sys/devices/system/cpu/cpu2/online
	sleep 1
	echo 1 > /sys/devices/system/cpu/cpu2/online
	echo > /root/end
) &
site-user --perf-event-paranoid -1 "$memphis" record -q --counters uncore -o "$out/unplugged" -- "$programs/head" -n 1 <&9
ok "unplugged ends well" [ $? -eq 0 ]
ok "counters were read before their CPU went offline" sh -c "grep -q cas_read $out/unplugged/*.process.memphis"
wait
exec 9>&-

# Readers, while root writes the list, empties it, and CPUs come and go.
site-user "$programs/storm" 6<> "$parameter" 7<> /sys/devices/system/cpu/cpu2/online 8<> /sys/devices/system/cpu/cpu3/online
ok "storm ends well" [ $? -eq 0 ]
# Writers, while the module comes and goes.
for _ in 1 2; do
	while [ ! -e /root/stop ]; do
		cat "$out/list" 2> /dev/null > "$parameter"
		cat "$parameter" > /dev/null
	done 2> /dev/null &
done
rounds=0
while [ "$rounds" -lt 10 ]; do
	rmmod memphis && insmod "$module" && rounds=$((rounds + 1))
done
ok "the module is unloaded while its parameter is written" [ "$rounds" -eq 10 ]
touch /root/stop
wait
rmmod memphis
ok "nothing of the module is left" [ ! -e "$parameter" ]
exit 0
