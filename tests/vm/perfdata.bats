#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# One program recorded by perf and by the library on the same machine: the same variables, lines and shares; and each sample that is read of perf's file
# is the one that perf itself prints. If these tests fail, reports of perf.data are wrong on some hardware.
# shellcheck disable=SC2154 # checks.bash sets the machines and boots them

bats_require_minimum_version 1.5.0
load ../environment
load checks

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || exit
    export top=$PWD
    work=$(results_dir)
    export work
    local machine status tool

    rm -rf "$work"
    mkdir -p "$work/bin"
    make -s lib tool > /dev/null
    gcc -O1 -g -pthread -Wall -Wextra -Werror -o "$work/bin/program" tests/vm/perfdata/program.c
    cp tests/vm/perfdata/guest.sh "$work/bin"
    for machine in $machines; do
        status=0
        mkdir -p "$work/$machine"
        tool=$(tests/perf-tool "$(machine_kernel "$machine")") || exit
        tar -xf "$tool" -C "$work/$machine"
        boot_machine "$machine" --put "$work/bin" --put "$tool:/root/perf.tar" --put build/bin/memphis --put build/lib --get "/root/out:$work/$machine/out" \
            --log "$work/$machine.log" -- sh "$work/bin/guest.sh" /root "$work/bin/program" "$PWD/build/bin/memphis" /root/out \
            > "$work/$machine.txt" 2> "$work/$machine.err" || status=$?
        echo "$status" > "$work/$machine.status"
    done
}

# report MACHINE NAME PATH...: makes the JSON of all samples.
report() {
    local machine=$1 name=$2

    shift 2
    (cd "$work/$machine/out" && "$top/build/bin/memphis" report --format json --select all --binaries "$work/bin" --source "$top/tests/vm/perfdata" -o "../$name.json" "$@")
}

@test "the kernels log no complaint" {
    all_ended_well
}

@test "a recording of perf has the same statics, lines and shares as one of the library, and no names of blocks" {
    local machine

    for machine in $machines; do
        echo "machine $machine"
        report "$machine" own own
        report "$machine" alone alone.data
        python3 "$top/tests/vm/perfdata/check.py" "$work/$machine/alone.json" "$work/$machine/own.json" 0
    done
}

@test "beside the library, blocks have their names, too" {
    local machine

    for machine in $machines; do
        echo "machine $machine"
        report "$machine" own own
        report "$machine" beside run beside.data
        python3 "$top/tests/vm/perfdata/check.py" "$work/$machine/beside.json" "$work/$machine/own.json" 1
    done
}

# perf_of MACHINE ARGUMENT...: runs the machine's perf on the host.
perf_of() {
    "$work/$1/perf/ld.so" --library-path "$work/$1/perf/lib" "$work/$1/perf/perf" "${@:2}" 2> /dev/null
}

@test "each sample is the one that perf script prints, of a file, a compressed one and a stream" {
    local machine form file

    for machine in $machines; do
        for form in alone small stream; do
            echo "machine $machine: $form"
            file=$work/$machine/out/$form.data
            "$top/build/bin/memphis" dump --format json "$file" > "$work/$machine/$form.dump"
            # Of a stream, perf script prints no instructions; of a file that is made of it, it does.
            if [ "$form" = stream ]; then
                perf_of "$machine" inject -i "$file" -o "$work/$machine/file.data"
                file=$work/$machine/file.data
            fi
            perf_of "$machine" script --ns -F time,addr,data_src,ip -G -i "$file" > "$work/$machine/$form.script"
            python3 "$top/tests/records/compare.py" "$work/$machine/$form.dump" "$work/$machine/$form.script"
        done
    done
}

@test "what the program allocates is recorded by perf alone with the reason that perf knows no allocations" {
    local machine

    for machine in $machines; do
        (cd "$work/$machine/out" && "$top/build/bin/memphis" report --full --select all --binaries "$work/bin" alone.data) > "$work/$machine/alone.txt"
        grep -q 'recorded-by-perf [0-9]* (.*): recorded by perf: allocations unknown' "$work/$machine/alone.txt"
    done
}
