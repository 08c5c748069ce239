#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Errors that the hardware counts, as memphis node reports them: of memory (EDAC), PCIe devices (AER) and ports of InfiniBand. If these tests fail,
# a failing part stays in use, or a node is refused for errors that are known and old.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    gcc -shared -fPIC -Wall -Wextra -Werror "$root/tests/cli/machine/nanosleep.c" -o "$BATS_FILE_TMPDIR/nanosleep.so"
    "$root/tests/cli/machine/make" "$BATS_FILE_TMPDIR/two" 2 2 0 '10 21' '21 10'
}

setup() {
    cd -P "$BATS_TEST_TMPDIR"
    cp -r "$BATS_FILE_TMPDIR/two" machine
    edac=machine/sys/devices/system/edac/mc
    pci=machine/sys/bus/pci/devices/0000:41:00.0
    port=machine/sys/class/infiniband/mlx5_0/ports/1/counters
}

node() {
    run --separate-stderr "$memphis" node --root machine --interval 0 --ignore device,locked-memory --format json "$@"
}

# check NAME: verdict, value and evidence of a check.
check() {
    jq -r ".checks[] | select(.name == \"$1\") | \"\(.verdict) \(.value): \(.evidence)\"" <<< "$output"
}

remedy() {
    jq -r ".checks[] | select(.name == \"$1\").remedy" <<< "$output"
}

# finds NAME TEXT: the check has this verdict, value and evidence, and a remedy; all others are ok.
finds() {
    node
    expect "$2" "$(check "$1")"
    expect '' "$(jq -r ".checks[] | select(.name != \"$1\" and .verdict != \"ok\").name" <<< "$output")"
    case $2 in
    fail*) [ "$status" -eq 3 ] ;;
    *) [ "$status" -eq 0 ] ;;
    esac
    [ "$(remedy "$1" | wc -c)" -gt 30 ]
}

# while_waiting FILE VALUE NAME: runs the checks; FILE contains VALUE at the second reading. Prints the check.
while_waiting() {
    run --separate-stderr env LD_PRELOAD="$BATS_FILE_TMPDIR/nanosleep.so" COUNTER="$PWD/$1" VALUE="$2" \
        "$memphis" node --root machine --ignore device,locked-memory --format json
    check "$3"
}

@test "errors of memory are reported by controller and module" {
    mkdir "$edac/mc1/dimm2" "$edac/mc1/dimm3" "$edac/mc1/rank0"
    echo 3 > "$edac/mc1/dimm2/dimm_ce_count"
    echo 0 > "$edac/mc1/dimm2/dimm_ue_count"
    echo CPU1_DIMM_B1 > "$edac/mc1/dimm2/dimm_label"
    echo 'channel 1 slot 0' > "$edac/mc1/dimm2/dimm_location"
    echo 0 > "$edac/mc1/dimm3/dimm_ce_count"
    echo 3 > "$edac/mc1/ce_count"
    finds memory-errors 'warn 3: 2 memory controllers since boot: mc1: 3 corrected; mc1/dimm2 (CPU1_DIMM_B1, channel 1 slot 0): 3 corrected'
    # A label may be empty.
    : > "$edac/mc1/dimm2/dimm_label"
    echo 1 > "$edac/mc0/ue_count"
    finds memory-errors 'fail 4: 2 memory controllers since boot: mc0: 1 uncorrected; mc1: 3 corrected; mc1/dimm2 (channel 1 slot 0): 3 corrected'
    expect '["memory","mc1/dimm2","channel 1 slot 0","corrected",true,3,null,0]' "$(jq -c '.errors[2] | [.[]]' <<< "$output")"
    rm -r machine/sys/devices/system/edac
    node
    expect 'unknown null: no EDAC driver counts them here' "$(check memory-errors)"
}

@test "errors of PCIe devices are reported by address, names and the most frequent kind" {
    printf 'RxErr 2\nBadTLP 10\nBadDLLP 10\nTOTAL_ERR_COR 22\n' > "$pci/aer_dev_correctable"
    finds pcie-errors 'warn 22: 2 devices since boot: 0000:41:00.0 (mlx5_0, ib0, mlx5_core): 22 corrected (most BadTLP)'
    [[ $(remedy pcie-errors) == *'reseat the device'*'lspci -vv -s ADDRESS'* ]]
    # Without a driver, the address alone.
    printf 'Undefined 0\nDLP 1\nTOTAL_ERR_NONFATAL 1\n' > machine/sys/bus/pci/devices/0000:40:01.1/aer_dev_nonfatal
    finds pcie-errors 'warn 23: 2 devices since boot: 0000:40:01.1: 1 nonfatal (most DLP); 0000:41:00.0 (mlx5_0, ib0, mlx5_core): 22 corrected (most BadTLP)'
    printf 'DLP 1\nTOTAL_ERR_FATAL 1\n' > "$pci/aer_dev_fatal"
    finds pcie-errors 'fail 24: 2 devices since boot: 0000:40:01.1: 1 nonfatal (most DLP); 0000:41:00.0 (mlx5_0, ib0, mlx5_core): 22 corrected (most BadTLP); 1 fatal (most DLP)'
    rm machine/sys/bus/pci/devices/*/aer_*
    node
    expect 'unknown null: no device reports them to the kernel (AER)' "$(check pcie-errors)"
}

@test "errors of ports are reported with the adapter's address; a counter that has stopped is a minimum" {
    echo 7 > "$port/symbol_error"
    finds fabric-errors 'warn 7: 1 port since the last reset of the counters: mlx5_0/ports/1 (0000:41:00.0): 7 symbol_error'
    [[ $(remedy fabric-errors) == 'change the cable'* ]]
    echo 65535 > "$port/symbol_error"
    echo 254 > "$port/link_downed"
    echo 15 > "$port/excessive_buffer_overrun_errors"
    node
    expect 'warn 65804: 1 port since the last reset of the counters: mlx5_0/ports/1 (0000:41:00.0): 65535 or more symbol_error; 254 link_downed; 15 or more excessive_buffer_overrun_errors' \
        "$(check fabric-errors)"
    rm -r machine/sys/class/infiniband
    node
    expect 'ok null: no port' "$(check fabric-errors)"
}

@test "errors during the check: corrected ones of links are a warning, others make the machine unfit" {
    expect 'fail 4: 2 memory controllers since boot: mc0: 4 corrected, 4 during the check' "$(while_waiting $edac/mc0/ce_count 4 memory-errors)"
    expect 'warn 5: 2 devices since boot: 0000:40:01.1: 5 corrected (most RxErr), 5 during the check' \
        "$(while_waiting machine/sys/bus/pci/devices/0000:40:01.1/aer_dev_correctable $'RxErr 5\nTOTAL_ERR_COR 5' pcie-errors)"
    expect 'fail 6: 2 devices since boot: 0000:41:00.0 (mlx5_0, ib0, mlx5_core): 1 nonfatal (most DLP), 1 during the check; 0000:40:01.1: 5 corrected (most RxErr)' \
        "$(while_waiting $pci/aer_dev_nonfatal $'DLP 1\nTOTAL_ERR_NONFATAL 1' pcie-errors)"
    expect 'warn 9: 1 port since the last reset of the counters: mlx5_0/ports/1 (0000:41:00.0): 9 port_xmit_discards, 9 during the check' \
        "$(while_waiting $port/port_xmit_discards 9 fabric-errors)"
    expect 'fail 10: 1 port since the last reset of the counters: mlx5_0/ports/1 (0000:41:00.0): 1 link_downed, 1 during the check; 9 port_xmit_discards' \
        "$(while_waiting $port/link_downed 1 fabric-errors)"
}

@test "many devices with errors: the first ones are listed, JSON has all" {
    local i
    for i in {1..12}; do
        mkdir "machine/sys/bus/pci/devices/0000:5$i:00.0"
        echo 'TOTAL_ERR_COR 1' > "machine/sys/bus/pci/devices/0000:5$i:00.0/aer_dev_correctable"
    done
    node
    [[ $(check pcie-errors) == 'warn 12: 14 devices since boot: 0000:51:00.0: 1 corrected; 0000:52:00.0'*'0000:58:00.0: 1 corrected; and 4 more' ]]
    expect 12 "$(jq '[.errors[] | select(.class == "pcie")] | length' <<< "$output")"
}

@test "errors since the last look are told apart from older ones, and may be the only ones that count" {
    echo 3 > "$edac/mc1/ce_count"
    echo 250 > "$port/link_downed"
    # The first look: there is nothing to compare with.
    node --since last
    expect 'warn 3: 2 memory controllers since boot: mc1: 3 corrected' "$(check memory-errors)"
    expect 'memphis-errors 1
host amber
boot 11111111-1111-4111-8111-111111111111
memory mc1 corrected 3
fabric mlx5_0/ports/1 link_downed 250' "$(grep -v ^time last)"
    grep -qE '^time [0-9]{10}$' last
    sed -i 's/^time .*/time 1700000000/' last
    cp last first
    node --since last --expect memory-errors=0,fabric-errors=0
    [ "$status" -eq 0 ]
    expect 'ok 0: 2 memory controllers since boot: mc1: 3 corrected, 0 since the last look; the last look was at 2023-11-14 22:13 UTC' "$(check memory-errors)"
    # This look is now the last one.
    [ "$(sed -n 's/^time //p' last)" -gt 1700000000 ]
    cp first last
    echo 5 > "$edac/mc1/ce_count"
    echo 251 > "$port/link_downed"
    node --since last --expect memory-errors=0
    [ "$status" -eq 3 ]
    expect 'fail 2: 2 memory controllers since boot: mc1: 5 corrected, 2 since the last look; the last look was at 2023-11-14 22:13 UTC; 0 was expected' "$(check memory-errors)"
    expect '[2,1]' "$(jq -c '[.errors[].since_last_look]' <<< "$output")"
    # The errors stay new until somebody has removed the file, or a look does not fail.
    [[ $(remedy memory-errors) == *'; after that, remove the file of the last look' ]]
    node --since last --expect memory-errors=0
    [ "$status" -eq 3 ]
    expect 3 "$(sed -n 's/^memory mc1 corrected //p' last)"
    node --since last
    expect 5 "$(sed -n 's/^memory mc1 corrected //p' last)"
    node --since last --expect memory-errors=0
    [ "$status" -eq 0 ]
    # Another check that fails makes no difference.
    echo 6 > "$edac/mc1/ce_count"
    node --since last --expect nodes=3
    [ "$status" -eq 3 ]
    expect 6 "$(sed -n 's/^memory mc1 corrected //p' last)"
}

@test "counts that began anew since the last look are all new: after a boot those of memory and PCIe, after a reset those that are smaller" {
    echo 30 > "$edac/mc1/ce_count"
    echo 40 > "$port/symbol_error"
    node --since last
    sed -i 's/^time .*/time 1700000000/' last
    # A boot: more errors than before are all new, but a port's counters continue.
    cp last copy
    echo 22222222-2222-4222-8222-222222222222 > machine/proc/sys/kernel/random/boot_id
    echo 31 > "$edac/mc1/ce_count"
    echo 42 > "$port/symbol_error"
    node --since copy
    expect 'warn 31: 2 memory controllers since boot: mc1: 31 corrected, 31 since the last look; the last look was at 2023-11-14 22:13 UTC, before this boot' "$(check memory-errors)"
    expect 'warn 2: 1 port since the last reset of the counters: mlx5_0/ports/1 (0000:41:00.0): 42 symbol_error, 2 since the last look; the last look was at 2023-11-14 22:13 UTC, before this boot' \
        "$(check fabric-errors)"
    # The same boot: a driver was loaded again, a port's counters were reset.
    cp last copy
    echo 11111111-1111-4111-8111-111111111111 > machine/proc/sys/kernel/random/boot_id
    echo 4 > "$edac/mc1/ce_count"
    echo 5 > "$port/symbol_error"
    node --since copy
    [[ $(check memory-errors) == 'warn 4: '*'mc1: 4 corrected, 4 since the last look; '* ]]
    [[ $(check fabric-errors) == 'warn 5: '*': 5 symbol_error, 5 since the last look; '* ]]
}

@test "a file of the last look that can't be used, or can't be written, is reported" {
    node --since nowhere/last
    [ "$status" -eq 1 ]
    [[ $stderr == 'memphis node: nowhere/last'*': No such file or directory' ]]
    echo 'memphis-node 1' > last
    node --since last
    [ "$status" -eq 1 ]
    expect 'memphis node: last: not a file of memphis node --since' "$stderr"
    printf 'memphis-errors 1\nhost amber\nmemory mc0 corrected x\n' > last
    node --since last
    [ "$status" -eq 1 ]
    expect 'memphis node: last, line 3: not what memphis node --since writes' "$stderr"
    printf 'memphis-errors 1\nhost jade\n' > last
    node --since last
    [ "$status" -eq 1 ]
    expect 'memphis node: --since: last: the counts of another machine, jade' "$stderr"
    # Kinds that this version does not know are ignored.
    printf 'memphis-errors 1\nhost amber\ncxl mem0 poison 3\nmemory mc0 lost 4\ntime 1700000000\n' > last
    node --since last
    [ "$status" -eq 0 ]
    # Another user looks, but can't write the file.
    if [ "$(id -u)" -eq 0 ]; then
        local shared=/tmp/memphis-errors.$$

        mkdir "$shared"
        cp -r machine last "$shared"
        cp "$memphis" "$shared/tool"
        run --separate-stderr setpriv --reuid=65534 --clear-groups "$shared/tool" node --root "$shared/machine" --interval 0 --ignore device --since "$shared/last"
        rm -r "$shared"
        [ "$status" -eq 0 ]
        [[ $stderr == "memphis node: --since: $shared/last"*': Permission denied; the counts in it stay those of the last look' ]]
    fi
    run -2 "$memphis" node --compare --since last last
    run -2 "$memphis" node --selftest --since last
}
