#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis record without sampling hardware: the environment it gives, and what it refuses. If these fail, programs are
# started without being sampled, or end differently than without us.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    load helper
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    # The tool as it is installed, beside a library that does nothing.
    mkdir -p prefix/bin prefix/lib
    cp "$memphis" prefix/bin/
    echo 'int memphis_stand_in;' | gcc -shared -fPIC -x c - -o prefix/lib/libmemphis.so.0
    touch device
    echo 'int main(void) { return 0; }' | gcc -static -x c - -o static
}

setup() {
    load helper
    cd -P "$BATS_FILE_TMPDIR"
    tool=$BATS_FILE_TMPDIR/prefix/bin/memphis
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_DEVICE=$BATS_FILE_TMPDIR/device
}

@test "the command gets the library and the settings, and its own options stay its own" {
    run --separate-stderr "$tool" record -o out --backend device --period 65536 --count cycles --filter remote,dram --min-latency 30 \
        --ring-records 1024 --alloc-min-bytes off --stack-depth 3 -- env --null
    [ "$status" -eq 0 ]
    expect "$(sort <<TEXT
LD_PRELOAD=$(realpath prefix/lib/libmemphis.so.0)
MEMPHIS_ALLOC_MIN_BYTES=off
MEMPHIS_BACKEND=device
MEMPHIS_COUNT=cycles
MEMPHIS_DEVICE=$MEMPHIS_DEVICE
MEMPHIS_FILTER=remote,dram
MEMPHIS_MIN_LATENCY=30
MEMPHIS_OUTPUT=out
MEMPHIS_PERIOD=65536
MEMPHIS_RECORD=all
MEMPHIS_RING_RECORDS=1024
MEMPHIS_STACK_DEPTH=3
TEXT
)" "$("$tool" record -q -o out --backend device --period 65536 --count cycles --filter remote,dram --min-latency 30 \
        --ring-records 1024 --alloc-min-bytes off --stack-depth 3 -- env | grep -E '^(MEMPHIS|LD_PRELOAD)' | sort)"
    expect 'memphis record: samples are in out; next: memphis report out' "$stderr"
}

@test "without -o the directory is named after host and process" {
    run "$tool" record -q sh -c 'echo $MEMPHIS_OUTPUT'
    [[ $output =~ ^memphis-$(uname -n)-[0-9]+$ ]]
}

@test "a library that is preloaded already stays" {
    cp prefix/lib/libmemphis.so.0 other.so
    [ "$(LD_PRELOAD=$PWD/other.so "$tool" record -q sh -c 'echo $LD_PRELOAD')" = \
        "$(realpath prefix/lib/libmemphis.so.0):$PWD/other.so" ]
}

@test "exit status and signals are those of the command" {
    run "$tool" record -q sh -c 'exit 42'
    [ "$status" -eq 42 ]
    run "$tool" record -q sh -c 'kill -KILL $$'
    [ "$status" -eq 137 ]
    run "$tool" record -q sh -c 'kill -TERM $$'
    [ "$status" -eq 143 ]
    # A signal sent to us reaches the command.
    "$tool" record -q sh -c 'trap "echo got TERM; exit 5" TERM; touch ready; while :; do sleep 0.1; done' > out.txt &
    pid=$!
    until [ -e ready ]; do sleep 0.1; done
    kill -TERM $pid
    wait $pid && status=0 || status=$?
    [ "$status" -eq 5 ]
    [ "$(cat out.txt)" = 'got TERM' ]
}

@test "standard input goes to the command" {
    [ "$(echo hello | "$tool" record -q cat)" = hello ]
}

@test "without the device nothing is run, unless told to go on" {
    export MEMPHIS_DEVICE=$PWD/no-device MEMPHIS_BACKEND=device
    run --separate-stderr "$tool" record touch ran
    [ "$status" -eq 1 ]
    [ ! -e ran ]
    expect "memphis record: $PWD/no-device: No such file or directory; is the module memphis.ko loaded on this node? (modprobe memphis)" "$stderr"
    run --separate-stderr "$tool" record --keep-going -q touch ran
    [ "$status" -eq 0 ]
    [ -e ran ]
}

@test "without the library nothing is run" {
    mkdir -p lonely/bin
    cp "$memphis" lonely/bin/
    run --separate-stderr lonely/bin/memphis record true
    [ "$status" -eq 1 ]
    expect "memphis record: no libmemphis.so.0 in $PWD/lonely/bin/../lib; install the library beside the tool, or name it with MEMPHIS_LIB=FILE" "$stderr"
    MEMPHIS_LIB=$PWD/prefix/lib/libmemphis.so.0 run lonely/bin/memphis record -q true
    [ "$status" -eq 0 ]
    MEMPHIS_LIB=/nowhere run --separate-stderr lonely/bin/memphis record true
    [ "$status" -eq 1 ]
    expect 'memphis record: MEMPHIS_LIB: /nowhere: No such file or directory' "$stderr"
}

@test "programs that no library can be loaded into are refused" {
    run --separate-stderr "$tool" record ./static
    [ "$status" -eq 1 ]
    expect "memphis record: ./static is statically linked, so the library can't be loaded into it; link it dynamically, or link libmemphis.a into it and put calipers around what matters" "$stderr"
    run "$tool" record --keep-going -q ./static
    [ "$status" -eq 0 ]
}

@test "a command that does not exist gives 127, bad usage 2" {
    run -127 --separate-stderr "$tool" record no-such-command
    expect 'memphis record: no-such-command: no such command' "$stderr"
    run --separate-stderr "$tool" record
    [ "$status" -eq 2 ]
    expect 'memphis record: which command? memphis record [options] -- COMMAND [ARGUMENT...]' "$stderr"
    run "$tool" record --nonsense true
    [ "$status" -eq 2 ]
}
