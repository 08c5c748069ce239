#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis node on simulated machines (files of machine/make), and its measurements on
# this machine. If these tests fail, a prolog hands out unfit nodes, or refuses fit ones.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    gcc -shared -fPIC -Wall -Wextra -Werror "$root/tests/cli/machine/nanosleep.c" -o "$BATS_FILE_TMPDIR/nanosleep.so"
    "$root/tests/cli/machine/make" "$BATS_FILE_TMPDIR/two" 2 2 0 '10 21' '21 10'
    "$memphis" node --measure --interval 0 --save "$BATS_FILE_TMPDIR/here" > "$BATS_FILE_TMPDIR/here.out" || [ $? -eq 3 ]
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    rm -rf machine
    cp -r two machine
    system=machine/sys/devices/system
    kernel=machine/proc/sys/kernel
}

# The directory contains no device, so the checks that need one are left out.
node() {
    run --separate-stderr "$memphis" node --root machine --interval 0 --ignore device,locked-memory "$@"
}

# finds NAME VERDICT EVIDENCE: checks the verdict and evidence of this check, and that all other checks are ok.
finds() {
    node --format json
    expect "$1: $2: $3" "$(jq -r ".checks[] | select(.name == \"$1\") | \"\(.name): \(.verdict): \(.evidence)\"" <<< "$output")"
    expect '' "$(jq -r ".checks[] | select(.name != \"$1\" and .verdict != \"ok\") | \"\(.name): \(.verdict): \(.evidence)\"" <<< "$output")"
    case $2 in
    fail) [ "$status" -eq 3 ] ;;
    *) [ "$status" -eq 0 ] ;;
    esac
    # A check that warns or fails has a remedy.
    [ "$2" = unknown ] || jq -e ".checks[] | select(.name == \"$1\") | (.remedy | length) > 10" <<< "$output"
}

@test "a healthy machine is fit, and every check is shown" {
    node
    [ "$status" -eq 0 ]
    expect 'amber: fit (0 failed, 0 warnings, 0 not known of 28 checks)
AMD EPYC 7313 16-Core Processor, packages: 2, nodes: 2, CPUs: 4, memory: 128 GiB

  ok      nodes           node 0: CPUs 0-1, 65536 MiB; node 1: CPUs 2-3, 65536 MiB
  ok      memory-only     none
  ok      memory          65536 to 65536 MiB on each
  ok      free-memory     node 0: 90 %, node 1: 90 %
  ok      interleaving    packages: 2, nodes: 2
  ok      sub-numa        nodes of package 0: 0; package 1: 1
  ok      balancing       off (kernel.numa_balancing is 0)
  ok      huge-pages      always
  ok      governor        performance on 4 of 4 CPUs
  ok      boost           off
  ok      smt             off: 4 CPUs on 4 cores
  ok      throttling      package 0: never; package 1: never
  ok      memory-errors   2 memory controllers since boot: none
  ok      pcie-errors     2 devices since boot: none
  ok      fabric-errors   1 port since the last reset of the counters: none
  ok      machine-checks  0 since boot
  ok      kernel          6.12.107-amd64
  ok      module          memphis 0.1.0
  ok      pmu             ibs_op (cnt_ctl), ibs_fetch
  ok      events          ops, as sysfs lists them: this user can use neither the device nor perf
  ok      filters         none: they need Zen 4 and Linux 5.19
  ok      period          default 1048592 ops; below about 40000 perf'\''s limit of samples per second may be reached
  ok      latency-meaning time from the L1 miss to the arrival of the line, of loads only; 0 for a hit in the L1
  ok      perf            kernel.perf_event_paranoid is 1
  ok      perf-limits     100000 samples per second and CPU, 25 % of its time; watchdog off
  ok      load            0.00 CPUs busy in SECONDS
  ok      interrupts      0 per second, most on CPU 0: 0
  ok      clock           tsc, of tsc hpet acpi_pm' "$(sed 's/busy in [0-9.]* s$/busy in SECONDS/' <<< "$output")"
    [ "$stderr" = '' ]
}

@test "nodes are as the kernel reports them: four nodes, a memory-only node, and distances" {
    "$root/tests/cli/machine/make" machine 2 3 1 '10 21 31 17' '21 10 31 28' '31 31 10 28' '17 28 28 10'
    node --format json
    [ "$status" -eq 0 ]
    expect '{"node":0,"memory_bytes":68719476736,"free_bytes":61847528448,"cpus":"0-1","distances":[10,21,31,17]}
{"node":1,"memory_bytes":68719476736,"free_bytes":61847528448,"cpus":"2-3","distances":[21,10,31,28]}
{"node":2,"memory_bytes":68719476736,"free_bytes":61847528448,"cpus":"4-5","distances":[31,31,10,28]}
{"node":3,"memory_bytes":68719476736,"free_bytes":61847528448,"cpus":"","distances":[17,28,28,10]}' "$(jq -c '.nodes[]' <<< "$output")"
    expect '["ok","1","node 3 with 65536 MiB"]' "$(jq -c '.checks[] | select(.name == "memory-only") | [.verdict, .value, .evidence]' <<< "$output")"
    expect '["amber","AMD EPYC 7313 16-Core Processor, packages: 3, nodes: 4, CPUs: 6, memory: 256 GiB","fit",3,6,6]' \
        "$(jq -c '[.host, .class, .verdict, .packages, .cores, .cpus]' <<< "$output")"
}

@test "faults of nodes and their memory are reported" {
    "$root/tests/cli/machine/make" machine 2 1 0 10
    finds nodes fail 'node 0: CPUs 0-1, 65536 MiB'
    "$root/tests/cli/machine/make" machine 2 2 0 '10 21' '21 10'
    sed -i 's/MemTotal: *67108864/MemTotal: 57108864/' "$system/node/node1/meminfo"
    finds memory warn '55770 to 65536 MiB on each'
    # Firmware may reserve 10 %.
    sed -i 's/MemTotal: *67108864/MemTotal: 67000000/' "$system/node/node0/meminfo"
    sed -i 's/MemTotal: *57108864/MemTotal: 60299999/' "$system/node/node1/meminfo"
    finds memory warn '58886 to 65429 MiB on each'
    sed -i 's/MemTotal: *60299999/MemTotal: 60300000/' "$system/node/node1/meminfo"
    node --format json
    [ "$(jq -c '[.checks[] | select(.verdict != "ok")]' <<< "$output")" = '[]' ]
    setup
    sed -i 's/MemFree: *60397977/MemFree: 10000000/' "$system/node/node0/meminfo"
    finds free-memory warn 'node 0: 15 %, node 1: 90 %'
    setup
    echo 1 > "$kernel/numa_balancing"
    finds balancing warn 'on (kernel.numa_balancing is 1)'
    setup
    echo 'always madvise [never]' > machine/sys/kernel/mm/transparent_hugepage/enabled
    finds huge-pages warn never
    setup
    rm -r "$system/edac"
    finds memory-errors unknown 'no EDAC driver counts them here'
}

@test "several packages on one node are reported as memory interleaving by the BIOS" {
    "$root/tests/cli/machine/make" machine 4 1 0 10
    local cpu
    for cpu in 2 3; do
        echo 1 > "$system/cpu/cpu$cpu/topology/physical_package_id"
        echo 0000000c > "$system/cpu/cpu$cpu/topology/package_cpus"
        echo 0000000c > "$system/cpu/cpu$cpu/topology/core_siblings"
    done
    for cpu in 0 1; do
        echo 00000003 > "$system/cpu/cpu$cpu/topology/package_cpus"
        echo 00000003 > "$system/cpu/cpu$cpu/topology/core_siblings"
    done
    node --format json
    [ "$status" -eq 3 ]
    expect '["nodes","fail"]
["interleaving","fail"]' "$(jq -c '.checks[] | select(.verdict != "ok") | [.name, .verdict]' <<< "$output")"
    [[ $(jq -r '.checks[] | select(.name == "interleaving").remedy' <<< "$output") == *'node interleaving'* ]]
}

@test "faults of CPUs are reported" {
    echo powersave > "$system/cpu/cpu3/cpufreq/scaling_governor"
    finds governor warn 'performance on 3 of 4 CPUs'
    setup
    echo 1 > "$system/cpu/cpufreq/boost"
    finds boost warn on
    mkdir "$system/cpu/intel_pstate"
    echo 1 > "$system/cpu/intel_pstate/no_turbo"
    node --expect boost=off
    [ "$status" -eq 0 ]
    setup
    echo 1 > "$system/cpu/smt/active"
    finds smt warn 'on: 4 CPUs on 4 cores'
    setup
    echo 7 > "$system/cpu/cpu2/thermal_throttle/package_throttle_count"
    echo 2 > "$system/cpu/cpu3/thermal_throttle/core_power_limit_count"
    finds throttling warn 'package 0: never; package 1: 7 by heat since boot, 2 by power of cores since boot'
    setup
    sed -i 's/^MCE: *0/MCE: 2/' machine/proc/interrupts
    finds machine-checks warn '2 since boot'
    setup
    echo hpet > "$system/clocksource/clocksource0/current_clocksource"
    finds clock warn 'hpet, of tsc hpet acpi_pm'
}

# while_waiting FILE VALUE: runs the checks; FILE contains VALUE at the second reading. Prints the failed checks.
while_waiting() {
    run --separate-stderr env LD_PRELOAD="$PWD/nanosleep.so" COUNTER="$PWD/$1" VALUE="$2" \
        "$memphis" node --root machine --ignore device,locked-memory --format json
    [ "$status" -eq 3 ]
    jq -r '.checks[] | select(.verdict == "fail") | "\(.name): \(.evidence)"' <<< "$output"
}

@test "throttling and memory errors during the check make the machine unfit" {
    echo 7 > "$system/cpu/cpu2/thermal_throttle/package_power_limit_count"
    expect 'throttling: package 0: never; package 1: 9 by power since boot, 2 of them during the check' \
        "$(while_waiting "$system/cpu/cpu2/thermal_throttle/package_power_limit_count" 9)"
    setup
    expect 'memory-errors: 2 memory controllers since boot: mc0: 4 corrected, 4 during the check' \
        "$(while_waiting "$system/edac/mc/mc0/ce_count" 4)"
    setup
    expect 'machine-checks: 1 since boot, 1 of them during the check' \
        "$(while_waiting machine/proc/interrupts "$(sed 's/^MCE: *0/MCE: 1/' machine/proc/interrupts)")"
}

@test "the load and the interrupts of each CPU are counted" {
    local answer
    # The second reading follows at once, so each increase exceeds its threshold.
    answer=$(env LD_PRELOAD="$PWD/nanosleep.so" COUNTER="$PWD/machine/proc/stat" VALUE="$(sed 's/^cpu2 1000/cpu2 9000/' machine/proc/stat)" \
        "$memphis" node --root machine --ignore device,locked-memory --format json)
    [[ $(jq -r '.checks[] | select(.name == "load").evidence' <<< "$answer") == *'; 1 for more than 10 %, most CPU 2 with '* ]]
    setup
    answer=$(env LD_PRELOAD="$PWD/nanosleep.so" COUNTER="$PWD/machine/proc/interrupts" VALUE="$(sed 's/^LOC: *1000 *1000/& 9999/' machine/proc/interrupts)" \
        "$memphis" node --root machine --ignore device,locked-memory --format json)
    [[ $(jq -r '.checks[] | select(.name == "interrupts").evidence' <<< "$answer") == *', most on CPU 2: '* ]]
    expect '"warn"' "$(jq '.checks[] | select(.name == "interrupts").verdict' <<< "$answer")"
}

@test "the requirements for sampling are checked: module, perf and kernel" {
    rm -r machine/sys/module/memphis
    finds module fail 'not loaded'
    setup
    echo 0.0.9 > machine/sys/module/memphis/version
    finds module warn 'memphis 0.0.9, this tool is 0.1.0'
    setup
    echo 3 > "$kernel/perf_event_paranoid"
    finds perf warn 'kernel.perf_event_paranoid is 3'
    setup
    echo 25000 > "$kernel/perf_event_max_sample_rate"
    finds perf-limits warn '25000 samples per second and CPU, 25 % of its time; watchdog off'
    expect 'interrupts took too long once, and the kernel has lowered the rate for good; as root: sysctl kernel.perf_event_max_sample_rate=100000' \
        "$(jq -r '.checks[] | select(.name == "perf-limits").remedy' <<< "$output")"
    # 4 * 10^9 ops per second, one in 1048592: 3815 samples per second.
    echo 3815 > "$kernel/perf_event_max_sample_rate"
    finds perf-limits warn '3815 samples per second and CPU, 25 % of its time; watchdog off'
    echo 3814 > "$kernel/perf_event_max_sample_rate"
    finds perf-limits warn '3814 samples per second and CPU, 25 % of its time; watchdog off; the default period takes up to 3815 samples, of which perf then drops some'
    expect 'interrupts took too long once, and the kernel has lowered the rate for good, so that samples are lost; as root: sysctl kernel.perf_event_max_sample_rate=100000' \
        "$(jq -r '.checks[] | select(.name == "perf-limits").remedy' <<< "$output")"
    node --strict
    [ "$status" -eq 3 ]
    node --expect perf-limits=100000+
    [ "$status" -eq 3 ]
    setup
    echo 4.18.0-553.el8 > "$kernel/osrelease"
    finds kernel fail '4.18.0-553.el8'
}

# processor VENDOR FAMILY MODEL NAME [FLAG...]: the machine has this CPU, and no sampling hardware yet.
processor() {
    rm -rf machine
    cp -r two machine
    rm -r machine/sys/bus/event_source/devices/*
    printf 'processor\t: 0\nvendor_id\t: %s\ncpu family\t: %s\nmodel\t\t: %s\nmodel name\t: %s\nflags\t\t: fpu %s\n' "$1" "$2" "$3" "$4" "${*:5}" > machine/proc/cpuinfo
}

# core_pmu EVENT [NAME]: Intel's PMU, with mem-loads as this event.
core_pmu() {
    local pmu=machine/sys/bus/event_source/devices/${2:-cpu}

    counters 3 "$pmu"
    mkdir "$pmu/events" "$pmu/format"
    echo "$1" > "$pmu/events/mem-loads"
    echo config1:0-15 > "$pmu/format/ldlat"
}

# counters PRECISION [PMU]: Intel's PMU without mem-loads; perf's events have at most this precision, 0 without PEBS.
counters() {
    local pmu=${2:-machine/sys/bus/event_source/devices/cpu}

    mkdir -p "$pmu/caps"
    echo 4 > "$pmu/type"
    echo "$1" > "$pmu/caps/max_precise"
}

load_latency='event=0xcd,umask=0x1,ldlat=3'
auxiliary=machine/sys/bus/event_source/devices/cpu/events/mem-loads-aux

# check NAME: verdict, value and evidence of a check.
check() {
    jq -r ".checks[] | select(.name == \"$1\") | \"\(.verdict) \(.value): \(.evidence)\"" <<< "$output"
}

# refused VALUE EVIDENCE REMEDY: the check pmu fails for this CPU, and the checks that need the hardware are unknown; no other check
# fails. The text is that of the module and the library, tests/unit/kmod/obstacle_test.c.
refused() {
    node --format json
    [ "$status" -eq 3 ]
    expect "fail $1: $2" "$(check pmu)"
    expect "$3" "$(jq -r '.checks[] | select(.name == "pmu").remedy' <<< "$output")"
    expect 'pmu fail
events unknown
filters unknown
period unknown
latency-meaning unknown' "$(jq -r '.checks[] | select(.verdict != "ok") | "\(.name) \(.verdict)"' <<< "$output")"
}

other_cpu='use an AMD CPU with IBS, or an Intel server with performance cores'

@test "an AMD CPU that can't be sampled is refused with its model, the reason and what helps" {
    rm -r machine/sys/bus/event_source/devices/ibs_op
    refused none "ibs_fetch; AMD EPYC 7313 16-Core Processor (AuthenticAMD, family 0x19, model 0x1) can't be sampled: it offers Instruction-Based Sampling (IBS), but perf has no events of it (PMU ibs_op)" \
        'see the lines with IBS or LVT in dmesg: often the BIOS set-up left IBS without an interrupt (enable it there), or the kernel lacks CONFIG_CPU_SUP_AMD'
    processor AuthenticAMD 25 1 'AMD EPYC 7313'
    refused none "AMD EPYC 7313 (AuthenticAMD, family 0x19, model 0x1) can't be sampled: Instruction-Based Sampling (IBS) is off" 'enable IBS in the BIOS set-up'
    processor AuthenticAMD 25 1 'AMD EPYC 7313' hypervisor
    refused none "AMD EPYC 7313 (AuthenticAMD, family 0x19, model 0x1) can't be sampled: the hypervisor hides Instruction-Based Sampling (IBS), or the host has it off" 'sample on the host'
    processor AuthenticAMD 15 95 'AMD Athlon 64'
    refused none "AMD Athlon 64 (AuthenticAMD, family 0xf, model 0x5f) can't be sampled: AMD has Instruction-Based Sampling (IBS) since family 10h" "$other_cpu"
    processor HygonGenuine 24 0 'Hygon C86 7185'
    refused none "Hygon C86 7185 (HygonGenuine, family 0x18, model 0) can't be sampled: Instruction-Based Sampling (IBS) is off" 'enable IBS in the BIOS set-up'
    processor CentaurHauls 7 59 'ZHAOXIN KaiXian'
    core_pmu "$load_latency"
    refused none "cpu: mem-loads (ldlat); ZHAOXIN KaiXian (CentaurHauls, family 0x7, model 0x3b) can't be sampled: no sampling hardware of this vendor is known" "$other_cpu"
}

@test "an Intel CPU that can't be sampled is refused with its model, the reason and what helps" {
    local event5d0='its Atom cores sample loads by event 0x5d0 instead of 0x1cd, which is not supported'
    local auxiliary_why='load latency needs an auxiliary event in its group, which is impossible in the kernel'

    processor GenuineIntel 6 143 'Intel Xeon Platinum 8480+' hypervisor ibs
    refused none "Intel Xeon Platinum 8480+ (GenuineIntel, family 0x6, model 0x8f) can't be sampled: the hypervisor gives this guest no performance counters" \
        'have it pass on the PMU and PEBS, or sample on the host'
    counters 0
    refused none "Intel Xeon Platinum 8480+ (GenuineIntel, family 0x6, model 0x8f) can't be sampled: the hypervisor hides PEBS from this guest" \
        'have it pass on PEBS, or sample on the host'
    processor GenuineIntel 6 44 'Intel Xeon X5690'
    counters 2
    refused other "Intel Xeon X5690 (GenuineIntel, family 0x6, model 0x2c) can't be sampled: Intel has the load latency event 0x1cd since Sandy Bridge" "$other_cpu"
    # Nehalem and Westmere have mem-loads, but as event 0x10b.
    core_pmu event=0x0b,umask=0x10,ldlat=3
    refused other "cpu: mem-loads (ldlat); Intel Xeon X5690 (GenuineIntel, family 0x6, model 0x2c) can't be sampled: Intel has the load latency event 0x1cd since Sandy Bridge" "$other_cpu"
    # Granite Rapids with a kernel that does not know it.
    processor GenuineIntel 6 173 'Intel Xeon 6980P'
    counters 3
    refused other "Intel Xeon 6980P (GenuineIntel, family 0x6, model 0xad) can't be sampled: this kernel does not know Granite Rapids" 'use a kernel later than 6.1, such as 6.12'
    processor GenuineIntel 6 133 'Intel Xeon Phi 7295'
    counters 2
    refused other "Intel Xeon Phi 7295 (GenuineIntel, family 0x6, model 0x85) can't be sampled: its cores have no load latency event" "$other_cpu"
    processor GenuineIntel 6 76 'Intel Atom x5-Z8350'
    counters 2
    refused other "Intel Atom x5-Z8350 (GenuineIntel, family 0x6, model 0x4c) can't be sampled: its cores have no load latency event" "$other_cpu"
    processor GenuineIntel 6 175 'Intel Xeon 6780E'
    core_pmu event=0xd0,umask=0x5,ldlat=3
    refused other "cpu: mem-loads (ldlat); Intel Xeon 6780E (GenuineIntel, family 0x6, model 0xaf) can't be sampled: $event5d0" "$other_cpu"
    processor GenuineIntel 6 190 'Intel N100'
    core_pmu event=0xd0,umask=0x5,ldlat=3
    refused other "cpu: mem-loads (ldlat); Intel N100 (GenuineIntel, family 0x6, model 0xbe) can't be sampled: $event5d0" "$other_cpu"
    # A model that is not known.
    processor GenuineIntel 6 254 'Intel Xeon 7'
    core_pmu event=0xd0,umask=0x5,ldlat=3
    refused other "cpu: mem-loads (ldlat); Intel Xeon 7 (GenuineIntel, family 0x6, model 0xfe) can't be sampled: perf does not recognise load latency (event 0x1cd) on this part" \
        'use a kernel that is newer than the part, or another CPU'
    # Diamond Rapids: perf has the event, but the module and the library refuse its data sources.
    processor GenuineIntel 19 1 'Intel Xeon 7 DMR'
    core_pmu "$load_latency"
    refused other "cpu: mem-loads (ldlat); Intel Xeon 7 DMR (GenuineIntel, family 0x13, model 0x1) can't be sampled: its data sources name regions of memory (Diamond Rapids), and not whether they are remote" "$other_cpu"
    # Clients with an auxiliary event: Bartlett Lake, and Alder Lake without E-cores; hybrids have two PMUs.
    processor GenuineIntel 6 215 'Intel Core 9 273PE'
    core_pmu "$load_latency"
    echo event=0x03,umask=0x82 > "$auxiliary"
    refused other "cpu: mem-loads (ldlat), which needs mem-loads-aux in its group; Intel Core 9 273PE (GenuineIntel, family 0x6, model 0xd7) can't be sampled: $auxiliary_why" \
        'sample without the module (MEMPHIS_BACKEND=perf)'
    processor GenuineIntel 6 151 'Intel Core i3-12100'
    core_pmu "$load_latency"
    echo event=0x03,umask=0x82 > "$auxiliary"
    refused other "cpu: mem-loads (ldlat), which needs mem-loads-aux in its group; Intel Core i3-12100 (GenuineIntel, family 0x6, model 0x97) can't be sampled: $auxiliary_why" \
        'sample without the module (MEMPHIS_BACKEND=perf)'
    processor GenuineIntel 6 151 'Intel Core i9-12900K'
    core_pmu "$load_latency" cpu_core
    core_pmu event=0xd0,umask=0x5,ldlat=3 cpu_atom
    refused hybrid "cpu_core: mem-loads (ldlat); Intel Core i9-12900K (GenuineIntel, family 0x6, model 0x97) can't be sampled: hybrid CPUs, whose cores have different events (PMUs cpu_core, cpu_atom), are not supported" "$other_cpu"
}

@test "the filters of the hardware that sysfs lists are reported, with what they do to counts" {
    local format=machine/sys/bus/event_source/devices/ibs_op/format
    local note='as sysfs lists them: this user can use neither the device nor perf; by perf without the module, counts of rare loads are too high in threads that are interrupted often'

    echo config:16 > "$format/l3missonly"
    node --format json --expect filters=l3-miss
    [ "$status" -eq 0 ]
    expect "ok l3-miss: l3-miss, $note" "$(check filters)"
    echo config1:0-11 > "$format/ldlat"
    node --format json --expect filters=l3-miss+latency
    [ "$status" -eq 0 ]
    expect "ok l3-miss+latency: l3-miss, latency, $note" "$(check filters)"
    # PEBS has a format of the same name, which is not a filter.
    processor GenuineIntel 6 79 'Intel Xeon E5-2690 v4'
    core_pmu "$load_latency"
    node --format json --expect filters=none
    [ "$status" -eq 0 ]
    expect "ok none: none: only AMD's CPUs have them" "$(check filters)"
}

@test "what a supported CPU offers: its events, periods, and the meaning of its latencies" {
    local by_source=local-dram+remote-dram+remote-hitm+remote-forward

    node --format json --expect pmu=ibs,events=ops,period=1048592,latency-meaning=l1-miss
    [ "$status" -eq 0 ]
    # Broadwell: load latency alone.
    processor GenuineIntel 6 79 'Intel Xeon E5-2690 v4'
    core_pmu "$load_latency"
    node --format json --expect pmu=pebs,events=load-latency,period=20011,latency-meaning=dispatch-to-data
    [ "$status" -eq 0 ]
    expect 'ok pebs: cpu: mem-loads (ldlat)' "$(check pmu)"
    # A client before Alder Lake (Rocket Lake) needs no auxiliary event.
    processor GenuineIntel 6 167 'Intel Core i9-11900K'
    core_pmu "$load_latency"
    node --expect pmu=pebs,events=load-latency
    [ "$status" -eq 0 ]
    processor GenuineIntel 6 106 'Intel Xeon Platinum 8358'
    core_pmu "$load_latency"
    node --format json --expect pmu=pebs,events=load-latency+$by_source,latency-meaning=dispatch-to-data
    [ "$status" -eq 0 ]
    expect "ok load-latency+$by_source: load-latency, local-dram, remote-dram, remote-hitm, remote-forward, as sysfs lists them: this user can use neither the device nor perf" "$(check events)"
    expect "ok 20011: default 20011 loads, with events of loads by source 10007; below about 1333 perf's limit of samples per second may be reached" "$(check period)"
    processor GenuineIntel 6 143 'Intel Xeon Platinum 8480+'
    core_pmu "$load_latency"
    echo event=0x03,umask=0x82 > "$auxiliary"
    node --format json --expect pmu=pebs,events=$by_source,period=10007,latency-meaning=none
    [ "$status" -eq 0 ]
    expect 'ok pebs: cpu: mem-loads (ldlat), which needs mem-loads-aux in its group' "$(check pmu)"
    expect 'ok none: none: events of loads by source have no latency' "$(check latency-meaning)"
    processor GenuineIntel 6 173 'Intel Xeon 6980P'
    core_pmu "$load_latency"
    node --expect pmu=pebs,events=load-latency+$by_source,latency-meaning=cache-access
    [ "$status" -eq 0 ]
}

@test "several nodes per package are a warning that names them, with the BIOS settings of each vendor" {
    "$root/tests/cli/machine/make" machine 1 4 0 '10 12 21 21' '12 10 21 21' '21 21 10 12' '21 21 12 10'
    local cpu file

    for cpu in 0 1 2 3; do
        echo "$((cpu / 2))" > "$system/cpu/cpu$cpu/topology/physical_package_id"
        for file in package_cpus core_siblings; do
            printf '%08x\n' $((3 << cpu / 2 * 2)) > "$system/cpu/cpu$cpu/topology/$file"
        done
    done
    finds sub-numa warn 'nodes of package 0: 0, 1; package 1: 2, 3'
    expect 2 "$(jq -r '.checks[] | select(.name == "sub-numa").value' <<< "$output")"
    [[ $(jq -r '.checks[] | select(.name == "sub-numa").remedy' <<< "$output") == 'NPS, or L3 as NUMA domain: '*': NPS1, and L3 as NUMA domain off in the BIOS set-up' ]]
    sed -i 's/AuthenticAMD/GenuineIntel/' machine/proc/cpuinfo
    node --expect sub-numa=2
    [ "$status" -eq 0 ]
    node --format json
    [[ $(jq -r '.checks[] | select(.name == "sub-numa").remedy' <<< "$output") == 'sub-NUMA clusters: '*': SNC off in the BIOS set-up' ]]
}

@test "the device is missing, without permission, or another device" {
    run "$memphis" node --root machine --interval 0
    [ "$status" -eq 3 ]
    [[ $output == *'fail    device          /dev/memphis: No such file or directory'* ]]
    mkdir machine/dev
    touch machine/dev/memphis
    run "$memphis" node --root machine --interval 0
    [ "$status" -eq 3 ]
    [[ $output == *'/dev/memphis is not a Memphis device: Inappropriate ioctl for device'* ]]
    run "$memphis" node --root machine --interval 0 --device /dev/null
    [ "$status" -eq 3 ]
    [[ $output == *'/dev/null: No such file or directory'* ]]
    run "$memphis" node --interval 0 --device /dev/null
    [ "$status" -eq 3 ]
    [[ $output == *'/dev/null is not a Memphis device: Inappropriate ioctl for device'* ]]
}

@test "an expectation that is met turns a warning into ok, and any other expectation into a failure" {
    echo 1 > "$kernel/numa_balancing"
    node --strict
    [ "$status" -eq 3 ]
    node --strict --ignore balancing
    [ "$status" -eq 0 ]
    node --strict --expect balancing=on,nodes=2,memory-only=0
    [ "$status" -eq 0 ]
    [[ $output == *'ok      balancing       on '* ]]
    node --expect nodes=4
    [ "$status" -eq 3 ]
    [[ $output == *'fail    nodes           node 0: CPUs 0-1, 65536 MiB; node 1: CPUs 2-3, 65536 MiB; 4 was expected'* ]]
    node --expect memory=65000+ --expect nodes=2+
    [ "$status" -eq 0 ]
    node --expect memory=65537+
    [ "$status" -eq 3 ]
    node --expect kernel=6.12.107-amd64
    [ "$status" -eq 0 ]
}

@test "a check that can't be decided makes the exit status 1 if it is required or has an expectation" {
    rm "$system/cpu/cpufreq/boost"
    node
    [ "$status" -eq 0 ]
    [[ $output == *'unknown boost '* ]]
    node --expect boost=off
    [ "$status" -eq 1 ]
    [[ $output == 'amber: could not be checked (0 failed, 0 warnings, 1 not known of 28 checks)'* ]]
    rm -r machine/sys/bus/event_source
    node
    [ "$status" -eq 1 ]
    # A known failure takes precedence over an unknown check.
    rm -r machine/sys/module
    node
    [ "$status" -eq 3 ]
}

@test "wrong usage is reported" {
    local wrong
    for wrong in '--expect nodes' '--expect nodes=' '--expect nod=4' '--ignore nod' '--tolerance x' '--interval -1' '--format xml' \
        '--color red' '--save file' '--baseline file' '--measure --root machine' '--selftest --measure' '--selftest --root machine' '--selftest --ignore load' \
        '--selftest --expect nodes=2' '--controllers maybe' '--controllers on --ignore load' '--controllers off --selftest' 'here' '--no-such-option'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr "$memphis" node $wrong
        [ "$status" -eq 2 ] || { echo "$wrong: $status"; false; }
        [[ $stderr == *"run 'memphis node --help' for usage" ]]
    done
    run "$memphis" node --help
    [ "$status" -eq 0 ]
    [[ $output == 'usage: memphis node [options]'* ]]
}

@test "the counters of memory controllers are passed to the module, and taken back" {
    local imc=machine/sys/bus/event_source/devices/uncore_imc_0 parameter=machine/sys/module/memphis/parameters/controllers event

    run --separate-stderr "$memphis" node --root machine --controllers on
    [ "$status" -eq 1 ]
    expect 'memphis node: --controllers: the kernel shows no counters of memory controllers, as in virtual machines; on AMD since Zen 4, load their driver: modprobe amd_uncore' "$stderr"
    mkdir -p "$imc/format" "$imc/events"
    echo 20 > "$imc/type"
    echo 0 > "$imc/cpumask"
    mkdir -p "$system/node/node0/cpu0"
    echo config:0-7 > "$imc/format/event"
    echo event=4 > "$imc/events/cas_count_read"
    echo event=5 > "$imc/events/cas_count_write"
    for event in read write; do
        echo MiB > "$imc/events/cas_count_$event.unit"
        echo 6.103515625e-5 > "$imc/events/cas_count_$event.scale"
    done
    run --separate-stderr "$memphis" node --root machine --controllers on
    [ "$status" -eq 1 ]
    expect "memphis node: --controllers: $parameter: No such file or directory; load the module of this version (modprobe memphis)" "$stderr"
    mkdir -p "${parameter%/*}"
    : > "$parameter"
    run --separate-stderr "$memphis" node --root machine --controllers on
    [ "$status" -eq 0 ]
    grep -qxF 'read 64 20 0x4 0 0 0:0 imc cas_count_read' "$parameter"
    grep -qxF 'write 64 20 0x5 0 0 0:0 imc cas_count_write' "$parameter"
    [[ $output == 'all who may open the device can now read the memory traffic of this machine: imc cas_count_'*', imc cas_count_'* ]]
    run --separate-stderr "$memphis" node --root machine --controllers off
    expect 'the device shows no memory traffic of this machine' "$output"
    expect '' "$(cat "$parameter")"
}

@test "a self-test that can't take samples fails with the reason, and its program is not a command for users" {
    run --separate-stderr env MEMPHIS_BACKEND=device "$memphis" node --selftest --device "$PWD/none"
    [ "$status" -eq 1 ]
    [ "$output" = '' ]
    [ "$stderr" = "memphis node: --selftest: $PWD/none: No such file or directory" ]
    run --separate-stderr env MEMPHIS_BACKEND=device "$memphis" node --selftest --device /dev/null
    [ "$status" -eq 1 ]
    [ "$stderr" = 'memphis node: --selftest: /dev/null: Inappropriate ioctl for device' ]
    run --separate-stderr env MEMPHIS_BACKEND=perf MEMPHIS_LIB="$PWD/none" "$memphis" node --selftest
    [ "$status" -eq 1 ]
    [ "$stderr" = "memphis node: --selftest: MEMPHIS_LIB: $PWD/none: No such file or directory" ]
    run "$memphis" selftest-pattern
    [ "$status" -eq 2 ]
    [ "$output" = 'memphis: selftest-pattern is the program of memphis node --selftest, on x86-64' ]
    run "$memphis" --help
    [[ $output != *selftest-pattern* ]]
}

# baseline LATENCY-FACTOR BANDWIDTH-FACTOR: compares a measurement with the values in `here`, multiplied by these factors.
baseline() {
    awk -v latency="$1" -v bandwidth="$2" '/^latency/ { $4 *= latency } /_gb / { $4 *= bandwidth } /^dgemm/ { $3 *= 0.001 } 1' here > baseline
    run --separate-stderr "$memphis" node --measure --interval 0 --baseline baseline --format json
    # If the comparison with what is expected fails, this is shown.
    echo "status $status: ${stderr:-}$(tail -c 300 <<< "$output")" >&2
    jq -r '.checks[] | select(.name == "baseline") | "\(.verdict): \(.evidence)"' <<< "$output" | tee /dev/stderr
}

# The factors are larger than any noise.
@test "measured values are saved, and values worse than the baseline are reported" {
    expect 'memphis-node 1' "$(head -1 here)"
    expect "host $(hostname)" "$(sed -n 2p here)"
    grep -Eq '^latency_ns 0 0 [0-9.]+$' here
    grep -Eq '^bandwidth_gb 0 0 [0-9.]+$' here
    for kind in read write copy; do grep -Eq "^${kind}_gb 0 0 [0-9.]+\$" here; done
    grep -q '^latency of a load from memory, ns' here.out
    [[ $(baseline 1000 0.001) == 'ok: 0 of '* ]]
    [[ $(baseline 0.001 0.001) == 'fail: '*'; most the latency from node '* ]]
    [[ $(baseline 1000 1000) == 'fail: '*'; most the bandwidth '* ]]
    sed -i 's/^host .*/host other/' here
    [[ $(baseline 1000 0.001) == 'ok: 0 of '*' values of other are worse'* ]]
    sed -i 's/^class .*/class other machine/' here
    expect 'unknown: it is of another kind of machine: other machine' "$(baseline 1000 0.001)"
}

@test "a file that is not a file of saved values is refused" {
    printf 'memphis-node 2\n' > bad
    run "$memphis" node --measure --baseline bad
    [ "$status" -eq 1 ]
    [ "$output" = 'memphis node: bad: not a file of memphis node --save' ]
    printf 'memphis-node 1\nnodes 0 1\nlatency_ns 0 2 10\n' > bad
    run "$memphis" node --measure --baseline bad
    [ "$status" -eq 1 ]
    [ "$output" = 'memphis node: bad, line 3: not what memphis node --save writes' ]
    run "$memphis" node --measure --baseline none
    [ "$status" -eq 1 ]
    [ "$output" = 'memphis node: none: No such file or directory' ]
}
