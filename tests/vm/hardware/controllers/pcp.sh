#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest, as root: a pmcd whose agent counts what the memory controllers transfer, as docs/counters.md describes it (DIR/perfevent-conf.sh);
# a user reads it, and the device, around the same copies. usage: pcp.sh DIR OUT MEMPHIS
set -eu

programs=$1
out=$2
memphis=$3
pcp=$programs/pcp

# Names of the agent's metrics, for pmcd; other settings of PCP are those of /etc/pcp.conf.
mkdir -p /run/pcp "$pcp/log"
(PCP_PMDAS_DIR=$pcp/pmdas sh "$programs/perfevent-conf.sh")
echo "perfevent 127 pipe binary /usr/bin/env SYSFS_PREFIX=$pcp/pmdas/perfevent/sys $pcp/pmdas/perfevent/pmdaperfevent -d 127 -U root -l $pcp/log/perfevent" > "$pcp/conf"
printf 'root { perfevent }\nperfevent { hwcounters 127:*:* derived 127:*:* }\n' > "$pcp/names"
PCP_BINADM_DIR=$pcp PCP_PMDAS_DIR=$pcp/pmdas PCP_TMP_DIR=/tmp PCP_LOG_DIR=$pcp/log \
	"$pcp/pmcd" -f -A -U root -c "$pcp/conf" -n "$pcp/names" -s /run/pcp/pmcd.socket -l "$pcp/log/pmcd" -x /dev/null -q 120 &
pmcd=$!
trap 'kill $pmcd; cp -r "$pcp/log" "$out/pcp-log"' EXIT
until [ -S /run/pcp/pmcd.socket ]; do sleep 0.1; done

metrics=
for name in socket0_read socket0_write socket1_read socket1_write; do
	metrics=$metrics,perfevent.derived.$name.value
done
exec 5<> /dev/cpu/0/msr
MEMPHIS_COUNTERS_INTERVAL_MS=100 FILE_MSR=5 site-user "$memphis" record -q --counters "uncore,pcp:${metrics#,}" -o "$out/pcp" -- \
	"$programs/phase" 24 "$pcp/go" > "$out/pcp.txt" 2>&1 5<&5 &
user=$!
# Waits until both sources have answered.
until [ "$("$memphis" dump "$out"/pcp/*.process.memphis 2> /dev/null | grep -cE '^ +[0-9]+ (uncore|pcp) host (counter|refused) ')" -eq 8 ]; do
	kill -0 "$user"
	sleep 0.2
done
touch "$pcp/go"
wait "$user"
