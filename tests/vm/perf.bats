#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The library without the module, by perf_event_open(2): the same files, books and shares as with it, and what perf refuses. If these
# fail, those who have no device get wrong numbers, or nothing and don't know why.

bats_require_minimum_version 1.5.0
load ../environment
load checks

# IBS can follow a thread since 6.2, which perf's part of the library needs.
machines='6.12 6.12@skylake'

# What one sample in the truth's run stands for: as in examples/cice_halo/demo.
truth_period() {
    case $(machine_cpu "$1") in
    skylake) echo 1999 ;;
    *) echo 32768 ;;
    esac
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    export work=$top/build/test/perf
    local link=(-I"$top/include" -I"$top/build/include" -L"$top/build/lib" -lmemphis -Wl,-rpath,'$ORIGIN')
    local machine

    rm -rf "$work"
    mkdir -p "$work/bin"
    cp build/lib/libmemphis.so.0 build/examples/cice_halo/cice_halo examples/cice_halo/demo-guest tests/vm/perf/guest.sh "$work/bin"
    ln -s libmemphis.so.0 "$work/bin/libmemphis.so"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/threads" tests/vm/library/threads.c "${link[@]}"
    gcc -O2 -g -Wall -Wextra -Werror -pthread -o "$work/bin/races" tests/vm/library/races.c "${link[@]}"
    gcc -O2 -g -Wall -Wextra -Werror -o "$work/bin/ending" tests/vm/library/ending.c "${link[@]}"
    gfortran -O2 -g -fopenmp -J "$work" -o "$work/bin/openmp" tests/vm/library/openmp.F90 "${link[@]}"
    for machine in $machines; do
        boot_machine "$machine" --put "$work/bin" --get "/root/out:$work/$machine" --truth "$work/$machine.tsv" \
            --log "$work/$machine.log" -- \
            env LD_LIBRARY_PATH="$work/bin" sh "$work/bin/guest.sh" "$work/bin" /root/out "$(truth_period "$machine")" \
            > "$work/$machine.txt" 2> "$work/$machine.err"
        echo "$?" > "$work/$machine.status"
    done
}

# holds NAME: check.py NAME, which knows the periods of IBS, finds nothing wrong.
holds() {
    python3 "$top/tests/vm/library/check.py" "$1" "$work/6.12"
}

# says NAME STATUS TEXT: the program's exit status and all of its standard error, on each machine.
says() {
    local machine
    for machine in $machines; do
        echo "machine $machine: $(< "$work/$machine/$1.err")"
        [ "$(< "$work/$machine/$1.status")" = "$2" ] || return
        [ "$(< "$work/$machine/$1.err")" = "$3" ] || return
    done
}

@test "the kernels had nothing to complain about" {
    all_ended_well
}

@test "without a device, auto samples every thread by perf: in its region, its data known, books equal to the machine's count" {
    holds threads
    grep -rqa '^backend perf$' "$work/6.12/threads"
}

@test "an OpenMP team in Fortran: nested calipers, arrays held by their descriptors" {
    holds openmp
}

@test "every ending leaves readable files, and the program its exit status: return, fork, exec, SIGKILL, _exit, closing all files" {
    holds endings
}

@test "calipers opened and closed at once, left by an ending process or a cancelled thread: sampled, in their region, no crash" {
    holds races
}

@test "MEMPHIS_BACKEND=device stays with the device" {
    says device 1 'memphis: not sampling: /dev/memphis: No such file or directory; load the module (modprobe memphis) on this node, or run on the node that has it'
}

@test "where perf_event_paranoid forbids it, one line says so and what would change it" {
    local why='kernel.perf_event_paranoid is 3: the site would have to set it to 1 (sysctl), or to give the program CAP_PERFMON'
    says paranoid 1 "memphis: not sampling: perf: Permission denied; $why"
    says auto 1 "memphis: not sampling: /dev/memphis: No such file or directory; load the module (modprobe memphis) on this node, or run on the node that has it; nor by perf: Permission denied; $why"
}

# samples MACHINE NAME: how many the report counts as kept.
samples() {
    "$top/build/bin/memphis" report --format json "$work/$1/$2/files" |
        python3 -c 'import json, sys; a = json.load(sys.stdin)["accounting"]; print(a["kept"] if a["kept"] + a["lost"] + sum(a["filtered"].values()) == a["interrupts"] else "books")'
}

@test "a user whom perf_event_paranoid allows it is sampled, also with hardly any locked memory; with none one line says so" {
    local machine
    for machine in $machines; do
        for name in allowed little; do
            echo "$machine $name: $(< "$work/$machine/$name.err")"
            [ "$(< "$work/$machine/$name.status")" = 7 ]
            [ "$(samples "$machine" "$name")" -gt 100 ]
        done
        echo "$machine nothing: $(< "$work/$machine/nothing.err")"
        [[ "$(< "$work/$machine/nothing.err")" == "memphis: not sampling: attach to the device: Operation not permitted; kernel.perf_event_paranoid is 1, which is enough: "*"locked memory that is allowed (kernel.perf_event_mlock_kb 0 per CPU, and \`ulimit -l\` 0 KiB)"* ]]
    done
}

@test "cice_halo: shares of the top variables and their lines are what the exact ones make likely, and the books are the machine's" {
    local machine
    for machine in $machines; do
        echo "machine $machine"
        "$top/build/bin/memphis" report --format json -o "$work/$machine.json" "$work/$machine/truth"
        "$top/tests/vm/demo/truth.py" "$work/$machine.tsv" "$work/$machine/truth/run.txt" "$work/bin/cice_halo" "$work/$machine.json"
        run -0 python3 -c 'import json, sys; a = json.load(open(sys.argv[1]))["accounting"]; print(a["interrupts"], a["lost"])' "$work/$machine.json"
        [ "$output" = "$(awk '$1 == "delivered_total" {print $2}' "$work/$machine.tsv") 0" ]
    done
}
