#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis node --selftest on emulated CPUs, whose samples are right: with the device and with perf, as the user of a site. If these tests
# fail, the self-test calls a good CPU bad, or judges nothing. tests/unit/postproc/selftest has samples that are wrong.

bats_require_minimum_version 1.5.0
load ../../environment
load ../checks

setup_file() {
    cd "$BATS_TEST_DIRNAME/../../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local machine status kernel

    rm -rf "$work"
    mkdir -p "$work/put/bin" "$work/put/lib"
    cp build/bin/memphis tests/vm/hardware/selftest/guest.sh "$work/put/bin"
    cp build/lib/libmemphis.so.0 "$work/put/lib"
    for machine in $machines; do
        kernel=$(machine_kernel "$machine")
        status=0
        {
            machine/kbuild "$kernel" kmod "build/kmod/$kernel" >&2 &&
                boot_machine "$machine" --l3 1024 --memory 400 --put "$work/put" \
                    --put "build/kmod/$kernel/memphis.ko:/root/memphis.ko" --get "/root/out:$work/$machine" --log "$work/$machine.log" -- \
                    sh "$work/put/bin/guest.sh" "$work/put" /root/memphis.ko /root/out
        } > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
        echo "$status" > "$work/$machine.status"
    done
}

# expect EXPECTED ACTUAL: fails with a diff unless both are equal.
expect() {
    diff -u <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

# rows EVENT: the rows of one event on an intact machine.
rows() {
    case $1 in
    load-latency | ops) printf "$1 %s\n" samples instruction address home 'source cache' 'source node0' 'source node1' latency ;;
    remote-forward) printf "$1 %s\n" samples count ;;
    *) printf "$1 %s\n" samples instruction address home source count ;;
    esac
    [ "$1" = ops ] || echo "$1 period"
}

# events MACHINE BACKEND: prints the events that the backend offers there; perf can form the group that load latency needs.
events() {
    case $(machine_cpu "$1")-$2 in
    milan-* | genoa-* | turin-*) echo ops ;;
    sapphirerapids-device) echo local-dram remote-dram remote-hitm remote-forward ;;
    *) echo load-latency local-dram remote-dram remote-hitm remote-forward ;;
    esac
}

# all_well BACKEND: on each machine, the self-test with this backend has all rows, and all of them are ok. Perf on 6.1 refuses IBS.
all_well() {
    local machine event file

    for machine in $machines; do
        file=$work/$machine/$1
        expect 0 "$(< "$work/$machine.status")"
        case $(machine_kernel "$machine")-$(machine_cpu "$machine")-$1 in 6.1-milan-perf)
            expect "1 memphis node: --selftest: perf: Invalid argument; this kernel's perf can't let the event follow a thread (IBS: since Linux 6.2); the module can; nor by the device: /dev/memphis: No such file or directory" \
                "$(cat "$file.status") $(cat "$file.err")"
            continue ;;
        esac
        expect '' "$(jq -r '.checks[] | select(.verdict != "ok") | "\(.event) \(.name): \(.verdict): \(.evidence)"' "$file")"
        expect "$(for event in $(events "$machine" "$1"); do rows "$event"; done)" \
            "$(jq -r '.checks[] | "\(.event) \(.name)\(if .buffer then " " + .buffer else "" end)"' "$file")"
        expect "fit $1" "$(jq -r '"\(.verdict) \(.backend)"' "$file")"
        expect '0 ' "$(cat "$file.status") $(cat "$file.err")"
    done
}

@test "with the device, all samples of all events are as they should be" {
    all_well device
}

@test "with perf, all samples of all events are as they should be" {
    all_well perf
}

# The machine's caches ignore clflush, so that a few loads may hit the L3; the library makes some loads of its own.
@test "events of loads by source count the loads of the pattern, to three thousandths" {
    local machine backend event

    for machine in $machines; do
        case $(machine_cpu "$machine") in milan | genoa | turin) continue ;; esac
        for backend in device perf; do
            expect 1048576 "$(jq '.buffers[] | select(.name == "node1").loads' "$work/$machine/$backend")"
            for event in local-dram remote-dram; do
                jq -e --arg event "$event" '.checks[] | select(.event == $event and .name == "count").value - 1048576 | fabs < 3 * 1048' \
                    "$work/$machine/$backend"
            done
        done
    done
}

@test "with the memory of one node, remote memory is not tested, and the output says so" {
    local machine

    for machine in $machines; do
        expect 0 "$(< "$work/$machine/one.status")"
        grep -q '^machine: samples are as they should be (0 failed, 0 warnings, 0 not known of ' "$work/$machine/one"
        grep -Fxq 'not tested: 1 node whose memory this process may not use' "$work/$machine/one"
        grep -Fxq 'remote memory is not tested: there is no other node that could be used' "$work/$machine/one"
        grep -q '^  ok .* samples ' "$work/$machine/one"
        run ! grep -E 'node1|^  (fail|unknown)' "$work/$machine/one"
    done
}

@test "without device and perf, the self-test can't be made, and names the reason of both" {
    local machine

    for machine in $machines; do
        expect 1 "$(< "$work/$machine/neither.status")"
        expect '' "$(< "$work/$machine/neither")"
        [[ $(< "$work/$machine/neither.err") == 'memphis node: --selftest: perf: Permission denied; kernel.perf_event_paranoid is 3: the administrator must set it to 1 (sysctl), or give the program CAP_PERFMON; nor by the device: /dev/memphis: No such file or directory' ]]
    done
}
