#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Who makes a machine busy, as memphis node reports it: processes and interrupts. If these tests fail, the user is sent after the wrong one.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    gcc -shared -fPIC -Wall -Wextra -Werror "$root/tests/cli/machine/later.c" -o "$BATS_FILE_TMPDIR/later.so"
    "$root/tests/cli/machine/make" "$BATS_FILE_TMPDIR/two" 2 2 0 '10 21' '21 10'
}

setup() {
    cd -P "$BATS_TEST_TMPDIR"
    cp -r "$BATS_FILE_TMPDIR/two" machine
    ln -s 700 machine/proc/self
    process machine 700 memphis 1000
}

# process DIRECTORY PID NAME TICKS [FLAGS [START [CPU]]]: a process that has used this CPU time, a tenth of it in the kernel.
process() {
    mkdir -p "$1/proc/$2"
    printf '%s (%s) S 1 1 1 0 -1 %s 10 0 0 0 %s %s 99999 99999 20 0 1 0 %s 1000000 100 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 %s 0 0 0 0 0\n' \
        "$2" "$3" "${5:-4194304}" "$(($4 * 9 / 10))" "$(($4 / 10))" "${6:-5000}" "${7:-3}" > "$1/proc/$2/stat"
}

# begin: what is changed below `later` happens during the checks.
begin() {
    mkdir later
    cp -r machine/proc later/proc
    process later 700 memphis 3000
}

# busy: CPU 2 is busy for 80 % of the time.
busy() {
    sed -i 's/^cpu2 1000/cpu2 1160/' later/proc/stat
}

# look: two seconds pass during the checks.
look() {
    run --separate-stderr env LD_PRELOAD="$BATS_FILE_TMPDIR/later.so" "$memphis" node --root machine --interval 2 --ignore device,locked-memory --format json "$@"
    [ "$status" -eq 0 ]
}

# check NAME: verdict and evidence of a check.
check() {
    jq -r ".checks[] | select(.name == \"$1\") | \"\(.verdict): \(.evidence)\"" <<< "$output"
}

remedy() {
    jq -r ".checks[] | select(.name == \"$1\").remedy" <<< "$output"
}

@test "the busiest process is named with its share of a CPU; memphis itself does not count" {
    process machine 41 idle 5000
    process machine 42 'a) S 1 (b c' 1000
    process machine 43 $'two\nlines' 1000
    begin
    process later 42 'a) S 1 (b c' 1150
    process later 43 $'two\nlines' 1140
    busy
    look
    expect 'warn: 0.80 CPUs busy in 2.0 s; 1 for more than 10 %, most CPU 2 with 80 %; busiest process a) S 1 (b c (PID 42): 75 % of a CPU, last on CPU 3' "$(check load)"
    expect 'end it, or give it other CPUs (taskset -apc LIST 42)' "$(remedy load)"
    expect '{"pid":42,"name":"a) S 1 (b c","kernel":false,"cpus":0.75,"last_cpu":3}' "$(jq -c .busiest_process <<< "$output")"
}

@test "processes that begin, end, or have the PID of one that ended" {
    process machine 41 ended 90000
    process machine 42 before 90000
    process machine 43 steady 100
    begin
    rm -r later/proc/41
    process later 42 after 30 4194304 6000
    process later 44 new 50 4194304 6001
    process later 43 steady 120
    mkdir later/proc/45
    echo '46 (broken) S 1' > later/proc/45/stat
    busy
    look
    [[ $(check load) == *'; busiest process new (PID 44): 25 % of a CPU, last on CPU 3' ]]
    [[ $(remedy load) == 'end it, '* ]]
    # The one with the PID of another has used all of its time since that ended.
    rm -rf machine later earlier
    setup_machine
    process machine 42 before 90000
    begin
    process later 42 after 40 4194304 6000
    process later 50 hog 1030
    busy
    look
    [[ $(check load) == *'; busiest process after (PID 42): 20 % of a CPU, last on CPU 3' ]]
}

@test "the remedy follows from what the process belongs to" {
    local kind

    while IFS='|' read -r cgroup expected; do
        rm -rf machine later earlier
        setup_machine
        printf '%b\n' "$cgroup" > machine/proc/50/cgroup
        begin
        process later 50 hog 1150
        busy
        look
        expect "$expected" "$(remedy load)"
    done << 'TEXT'
0::/system.slice/backup.service|stop the service (systemctl stop backup.service), or give it other CPUs (systemctl set-property UNIT AllowedCPUs=LIST)
0::/user.slice/user-1000.slice/user@1000.service/app.slice/x.service|it runs in a login, user-1000.slice (loginctl): have it ended, or wait
0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0|it belongs to job_4711 of the batch system: use a node of your own, or wait for its end
0::/machine.slice/libpod-0a1b.scope|it runs in libpod-0a1b.scope, a container or a virtual machine: end that, or give it other CPUs
12:cpuset:/slurm/uid_1000/job_7\n1:name=systemd:/system.slice/slurmd.service|it belongs to job_7 of the batch system: use a node of your own, or wait for its end
0::/|end it, or give it other CPUs (taskset -apc LIST 50)
TEXT
    rm -rf machine later earlier
    setup_machine
    process machine 50 kworker/2:1+events 1000 2129984
    begin
    process later 50 kworker/2:1+events 1150 2129984
    busy
    look
    [[ $(check load) == *'; busiest kernel thread kworker/2:1+events (PID 50): 75 % of a CPU, last on CPU 3' ]]
    [[ $(remedy load) == 'the kernel works for a device, '* ]]
}

setup_machine() {
    cp -r "$BATS_FILE_TMPDIR/two" machine
    ln -s 700 machine/proc/self
    process machine 700 memphis 1000
    process machine 50 hog 1000
}

@test "a load that no visible process explains, and processes without a load" {
    process machine 50 lazy 1000
    begin
    process later 50 lazy 1020
    busy
    look
    [[ $(check load) == *'; busiest process lazy (PID 50): 10 % of a CPU, last on CPU 3' ]]
    [[ $(remedy load) == 'no process that this user sees is that busy'*hidepid* ]]
    rm -rf machine later earlier
    setup_machine
    rm -r machine/proc/[0-9]* machine/proc/self
    begin
    rm -r later/proc/[0-9]*
    busy
    look
    expect 'warn: 0.80 CPUs busy in 2.0 s; 1 for more than 10 %, most CPU 2 with 80 %' "$(check load)"
    expect null "$(jq -c .busiest_process <<< "$output")"
    # One tick is no load.
    rm -rf machine later earlier
    setup_machine
    begin
    process later 50 hog 1001
    look
    expect 'ok: 0.00 CPUs busy in 2.0 s' "$(check load)"
}

@test "a name with control characters is harmless in the text" {
    process machine 50 $'a\e[31mb' 1000
    printf '0::/system.slice/c\e[31md.service\n' > machine/proc/50/cgroup
    begin
    process later 50 $'a\e[31mb' 1150
    busy
    run --separate-stderr env LD_PRELOAD="$BATS_FILE_TMPDIR/later.so" "$memphis" node --root machine --interval 2 --ignore device,locked-memory
    [[ $output == *'busiest process a?[31mb (PID 50)'*'systemctl stop c?[31md.service'* ]]
}

# interrupts DIRECTORY DEVICE TIMER: counts on CPU 3; CPU 1 is offline.
interrupts() {
    cat > "$1/proc/interrupts" <<TEXT
            CPU0       CPU2       CPU3
   9:          1          2          3  IR-IO-APIC   9-fasteoi   acpi
  87:          5          6 $2 IR-PCI-MSIX-0000:41:00.0  12-edge      mlx5_comp3@pci:0000:41:00.0
  88:          5          6          0 IR-PCI-MSI 524288-edge
 LOC:       1000       1000 $3   Local timer interrupts
 MCE:          0          0          0   Machine check exceptions
 ERR:          0
TEXT
}

@test "the busiest interrupt is named with its rate, its CPU and what to do" {
    interrupts machine 7 1000
    begin
    interrupts later 18007 1500
    look
    expect 'warn: 9250 per second, most on CPU 3: 9250; busiest 87 (mlx5_comp3@pci:0000:41:00.0): 9000 on CPU 3' "$(check interrupts)"
    [[ $(remedy interrupts) == 'move it: as root, echo LIST > /proc/irq/87/smp_affinity_list '* ]]
    expect '{"line":"87","name":"mlx5_comp3@pci:0000:41:00.0","per_second":9000,"cpu":3}' "$(jq -c .busiest_interrupt <<< "$output")"
    rm -rf machine later earlier
    setup_machine
    interrupts machine 7 1000
    begin
    interrupts later 507 21000
    look
    [[ $(check interrupts) == 'warn: '*'; busiest LOC (Local timer interrupts): 10000 on CPU 3' ]]
    [[ $(remedy interrupts) == 'the timer, '*nohz_full* ]]
    # A line that is new, and one whose counts began anew; a name that has only the chip.
    rm -rf machine later earlier
    setup_machine
    interrupts machine 90000 1000
    sed -i '/^  88:/d' machine/proc/interrupts
    begin
    interrupts later 70 1000
    sed -i 's/^  88: .*/  88: 0 400 0 IR-PCI-MSI 524288-edge/' later/proc/interrupts
    look
    [[ $(check interrupts) == *'; busiest 88 (IR-PCI-MSI): 200 on CPU 2' ]]
}

@test "a CPU that goes offline, and an interrupt that is freed, are not noise" {
    begin
    sed -i '/^cpu3/d' later/proc/stat
    sed -i '1a \ 25:   9000   9000   0   0 IR-PCI-MSIX-0000:41:00.0 12-edge mlx5_comp3' machine/proc/interrupts
    look
    [[ $(check load) == 'ok: 0.00 CPUs busy in 2.0 s'* ]]
    [[ $(check interrupts) == 'ok: 0 per second, '* ]]
}
