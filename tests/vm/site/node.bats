#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis node on the emulated machine: with two nodes and faults planted in its kernel, and with three nodes and a memory-only
# one; each is booted once. If these tests fail, the command reports an unfit machine as fit, or contradicts the kernel.

bats_require_minimum_version 1.5.0
load ../../environment

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.."
    export top=$PWD work=$PWD/build/test/node
    rm -rf "$work"
    mkdir -p "$work"
    module=$top/build/kmod/6.12/memphis.ko
    machine/kbuild 6.12 kmod "${module%/*}"
    for kind in OPTIMISED CLOCK; do
        gcc -O2 -shared -fPIC -Wall -Wextra -Werror "-D$kind" tests/cli/machine/blas.c -o "$work/$kind.so"
    done
    # look NAME OPTION...: stores the JSON of memphis node, and its exit status in a separate file.
    cat > "$work/look.sh" <<'TEXT'
# A BLAS with 0.5 GFLOP/s on each core by its own clock.
export MEMPHIS_BLAS=/usr/lib/test-blas.so LD_PRELOAD=/usr/lib/test-clock.so
look()
{
	name=$1
	shift
	status=0
	memphis node --format json -o "out/$name.json" "$@" || status=$?
	echo "$status" > "out/$name.status"
}
mkdir -p out
TEXT
    {
        cat "$work/look.sh"
        cat <<'TEXT'
look missing
insmod /root/memphis.ko
chmod 600 /dev/memphis
look well
echo 1 > /proc/sys/kernel/numa_balancing
look balancing
echo 0 > /proc/sys/kernel/numa_balancing
echo never > /sys/kernel/mm/transparent_hugepage/enabled
look never
look strict --strict --ignore load
look user-expects --expect nodes=2,huge-pages=never,memory-only=0,pmu=ibs
echo always > /sys/kernel/mm/transparent_hugepage/enabled
chmod 777 out
su user -c '. /root/look.sh; look user'
site-user sh -c '. /root/look.sh; look site'
look measured --measure --save out/saved
rmmod memphis
look removed
TEXT
    } > "$work/two.sh"
    {
        cat "$work/look.sh"
        cat <<'TEXT'
insmod /root/memphis.ko
begun=$(cut -d' ' -f1 /proc/uptime)
look measured --measure --save out/saved
echo "$begun $(cut -d' ' -f1 /proc/uptime)" > out/uptime
cp /sys/devices/system/node/node*/distance out 2>&1
awk '/^latency_ns 1 0/ { $4 /= 1e6 } /^latency/ { $4 *= 1000 } /_gb / { $4 /= 1000 } /^dgemm/ { $3 /= 1000 } 1' out/saved > out/baseline
look baseline --measure --baseline out/baseline
TEXT
    } > "$work/four.sh"
    in_guest two --nodes 2 --cpus 2
    in_guest four --nodes 3 --cpus 1 --memory 400 --memory-only-node 300 --distances '10,21,31,21;21,10,31,31;31,31,10,31;21,31,31,10'
}

# in_guest NAME OPTION...: runs $work/NAME.sh as root; /root/out comes back as $work/NAME.
in_guest() {
    local name=$1

    shift
    machine/run --kernel 6.12 --timeout 1800 "$@" --put "$top/build/bin/memphis:/usr/bin/memphis" \
        --put "$top/build/lib/libmemphis.so.0:/usr/lib/libmemphis.so.0" --put "$work/look.sh:/root/look.sh" \
        --put "$work/OPTIMISED.so:/usr/lib/test-blas.so" --put "$work/CLOCK.so:/usr/lib/test-clock.so" \
        --put "$top/build/kmod/6.12/memphis.ko:/root/memphis.ko" --put "$work/$name.sh:/root/$name.sh" \
        --get "/root/out:$work/$name" --log "$work/$name.log" -- sh "/root/$name.sh" > "$work/$name.txt" 2>&1
}

setup() {
    cd "$work"
}

# expect EXPECTED ACTUAL: fails with a diff unless both are equal; bats shows the diff.
expect() {
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# not_well FILE: prints checks that are neither ok nor unknown, except load and interrupts, which the emulator causes itself.
not_well() {
    jq -r '.checks[] | select(.verdict == "warn" or .verdict == "fail") | select(.name | IN("load", "interrupts") | not) | "\(.name): \(.verdict)"' "$1.json"
}

@test "on two nodes the command reports what the kernel reports, and the machine is fit" {
    expect 0 "$(< two/well.status)"
    expect '' "$(not_well two/well)"
    expect '{"node":0,"cpus":"0-1","distances":[10,20]}
{"node":1,"cpus":"2-3","distances":[20,10]}' "$(jq -c '.nodes[] | {node, cpus, distances}' two/well.json)"
    expect '["fit",2,4]' "$(jq -c '[.verdict, .packages, .cpus]' two/well.json)"
    expect 'ibs' "$(jq -r '.checks[] | select(.name == "pmu").value' two/well.json)"
    [[ $(jq -r '.checks[] | select(.name == "device").evidence' two/well.json) == '/dev/memphis: ABI 2, ibs_op, an event per thread, '* ]]
}

# check NAME CHECK: value and evidence of a check.
check() {
    jq -r ".checks[] | select(.name == \"$2\") | \"\(.value): \(.evidence)\"" "two/$1.json"
}

@test "what the CPU offers is queried from the device, else from perf as the library sees it, else read from sysfs" {
    expect 'ops: ops, by device' "$(check well events)"
    expect 'ops: ops, by device' "$(check site events)"
    expect 'ops: ops, by perf' "$(check missing events)"
    expect 'ops: ops, as sysfs lists them: this user can use neither the device nor perf' "$(check user events)"
    [[ $(check well period) == '1048592: default 1048592 ops; below about '*'; shortest 1024 (by device)' ]]
    [[ $(check missing period) == '1048592: default 1048592 ops; below about '*'; shortest 1024 (by perf)' ]]
    expect 'l1-miss' "$(jq -r '.checks[] | select(.name == "latency-meaning").value' two/well.json)"
    expect '1: nodes of package 0: 0; package 1: 1' "$(check well sub-numa)"
}

@test "planted faults are reported: a missing module, automatic balancing, huge pages and a closed device" {
    local name
    for name in missing removed; do
        expect 3 "$(< "two/$name.status")"
        expect $'module: fail\ndevice: fail\nperf: warn' "$(not_well "two/$name")"
    done
    expect 0 "$(< two/balancing.status)"
    expect 'balancing: warn' "$(not_well two/balancing)"
    expect 0 "$(< two/never.status)"
    expect 'huge-pages: warn' "$(not_well two/never)"
    expect 3 "$(< two/strict.status)"
    expect 0 "$(< two/user-expects.status)"
    expect '' "$(not_well two/user-expects)"
    expect 3 "$(< two/user.status)"
    expect $'device: fail\nperf: warn\nlocked-memory: warn' "$(not_well two/user)"
    # For a member of the device's group, with the same limits, nothing is missing.
    expect 0 "$(< two/site.status)"
    expect '' "$(not_well two/site)"
    expect '/dev/memphis: Permission denied' "$(jq -r '.checks[] | select(.name == "device").evidence' two/user.json)"
}

@test "three nodes and a memory-only one are reported with their distances" {
    expect '{"node":0,"cpus":"0","distances":[10,21,31,21]}
{"node":1,"cpus":"1","distances":[21,10,31,31]}
{"node":2,"cpus":"2","distances":[31,31,10,31]}
{"node":3,"cpus":"","distances":[21,31,31,10]}' "$(jq -c '.nodes[] | {node, cpus, distances}' four/measured.json)"
    expect '["1","node 3"]' "$(jq -c '.checks[] | select(.name == "memory-only") | [.value, .evidence[0:6]]' four/measured.json)"
    # A memory-only node has no CPU from which it could be measured.
    expect '[true,true,true,true]
[true,true,true,true]
[true,true,true,true]
[false,false,false,false]' "$(jq -c '.latency_ns[] | map(. != null and . > 0)' four/measured.json)"
    expect "$(jq -c '.latency_ns | map(map(. != null))' four/measured.json)" "$(jq -c '.bandwidth_gb_per_s | map(map(. != null and . > 0))' four/measured.json)"
    expect 12 "$(grep -c '^latency_ns ' four/saved)"
    for kind in read write copy bandwidth; do expect 12 "$(grep -c "^${kind}_gb " four/saved)"; done
    # Nodes with one core have no other one.
    expect 0 "$(jq '.loaded_latency | length' four/measured.json)"
}

@test "the rate of DGEMM of each node is the sum of the rates of its own cores, with a thread on each" {
    expect '[1,1] OpenBLAS 9.8.7 TEST /usr/lib/test-blas.so' "$(jq -cj '.dgemm_gflop_per_s, " ", .blas, " ", .blas_path' two/measured.json)"
    expect '[0.5,0.5,0.5,null]' "$(jq -c .dgemm_gflop_per_s four/measured.json)"
    expect 'dgemm_gflop 0 0.5
dgemm_gflop 1 0.5
dgemm_gflop 2 0.5' "$(grep ^dgemm four/saved)"
}

@test "the latency under load is measured while the other core of a node reads" {
    expect '[[0,0,1,true,true],[0,1,1,true,true],[1,0,1,true,true],[1,1,1,true,true]]' \
        "$(jq -c '[.loaded_latency[] | [.from, .to, .share_of_cores, .read_gb_per_s > 0, .latency_ns > 0]]' two/measured.json)"
    expect 4 "$(grep -Ec '^loaded [01] [01] 4 [0-9.e-]+ [0-9.]+$' two/saved)"
}

@test "a pair of nodes that is much slower than the baseline is reported" {
    expect 3 "$(< four/baseline.status)"
    [[ $(jq -r '.checks[] | select(.name == "baseline").evidence' four/baseline.json) == *'; most the latency from node 1 to node 0: '* ]]
}
