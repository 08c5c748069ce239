#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis record without sampling hardware: the environment that it sets, and the programs and options that it
# refuses. If these tests fail, programs run without being sampled, or end differently than without memphis record.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    make -s -C "$root/libsampler" BUILD="$root/build" > /dev/null
    cd -P "$BATS_FILE_TMPDIR"
    # An installed copy of the tool, beside a stand-in for the library that does nothing and always finds a sampling device.
    mkdir -p prefix/bin prefix/lib
    cp "$memphis" prefix/bin/
    echo 'int memphis_probe(void) { return 0; } const char *memphis_refuses(void) { return 0; }' | gcc -shared -fPIC -x c - -o prefix/lib/libmemphis.so.0
    touch device
    gcc -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/include" -shared -fPIC -o idle.so "$root/tests/unit/libsampler/programs/idle_device.c" -ldl
    echo 'int main(void) { return 0; }' | gcc -static -x c - -o static
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    tool=$BATS_FILE_TMPDIR/prefix/bin/memphis
    unset "${!MEMPHIS_@}" LD_PRELOAD
    export MEMPHIS_DEVICE=$BATS_FILE_TMPDIR/device
}

@test "the command gets the library and the settings, and its own options are not parsed" {
    run --separate-stderr "$tool" record -o out --backend device --period 65536 --count cycles --event load-latency --filter remote,dram --hardware-filter l3-miss --min-latency 30 \
        --ring-records 1024 --alloc-min-bytes off --small-bytes 512 --stack-depth 3 --callers 1024 --program /opt/ocean:/opt/ice -- env --null
    [ "$status" -eq 0 ]
    expect "$(sort <<TEXT
LD_PRELOAD=$(realpath prefix/lib/libmemphis.so.0)
MEMPHIS_ALLOC_MIN_BYTES=off
MEMPHIS_BACKEND=device
MEMPHIS_CALLERS=1024
MEMPHIS_COUNT=cycles
MEMPHIS_DEVICE=$MEMPHIS_DEVICE
MEMPHIS_EVENT=load-latency
MEMPHIS_FILTER=remote,dram
MEMPHIS_HARDWARE_FILTER=l3-miss
MEMPHIS_MIN_LATENCY=30
MEMPHIS_OUTPUT=$PWD/out
MEMPHIS_PERIOD=65536
MEMPHIS_PROGRAM=/opt/ocean:/opt/ice
MEMPHIS_RECORD=all
MEMPHIS_RING_RECORDS=1024
MEMPHIS_SMALL_BYTES=512
MEMPHIS_STACK_DEPTH=3
TEXT
)" "$("$tool" record -q -o out --backend device --period 65536 --count cycles --event load-latency --filter remote,dram --hardware-filter l3-miss --min-latency 30 \
        --ring-records 1024 --alloc-min-bytes off --small-bytes 512 --stack-depth 3 --callers 1024 --program /opt/ocean:/opt/ice -- env | grep -E '^(MEMPHIS|LD_PRELOAD)' | grep -v ^MEMPHIS_ROOT= | sort)"
    # The command knows that it is what was started, with and without a summary.
    for quiet in '' -q; do
        run -0 --separate-stderr "$tool" record $quiet -o out -- sh -c '[ "$MEMPHIS_ROOT" = $$ ] && sh -c "[ \$MEMPHIS_ROOT = $$ ] && echo kept"'
        [ "$output" = kept ]
    done
}

@test "with --calipers, the command is sampled only inside calipers, whatever the environment says" {
    run -0 --separate-stderr env MEMPHIS_RECORD=all "$tool" record -q --calipers -o out -- sh -c 'echo "${MEMPHIS_RECORD-not set}"'
    [ "$output" = 'not set' ]
    run -2 --separate-stderr "$tool" record --calipers -p 1
    expect 'memphis record: --calipers needs a COMMAND; -p samples the process until it ends' "$stderr"
}

# A program that copies the sample files of a directory into that of the recording, with the names that the library would give them.
written='for file in "$0"/*; do name=${file##*/}; cp "$file" "$MEMPHIS_OUTPUT/${name/./.$MEMPHIS_LAUNCH.}"; done'

# summed_up NAME LINE... < DESCRIPTION: writes the sample files as the library would; memphis record must print these lines.
summed_up() {
    local name=$1
    shift
    samples "$name"
    run --separate-stderr "$tool" record -o "copied-$name" -- bash -c "$written" "$name"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    expect "$(printf '%s\n' "$@")" "$stderr"
}

@test "at the end two lines summarize the samples: the report's sums over all processes, the files and the bytes" {
    summed_up whole 'memphis record: 5 samples kept, 1 lost, of 20 interrupts in 3 threads of 2 processes: 83.3 % of what the period predicts; too few for findings: run longer, or with a --period shorter than 4096' \
        'memphis record: files in copied-whole (5, 2 KiB, 244.8 bytes per sample); next: memphis report copied-whole' <<'TEXT'
process 100
setting period 4096
setting enabled_ns 1000
setting starved_ns 0
end
thread 100
malloc 1000 0x1000000 8192 0
repeat 4 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 15 4 1 1=10
end
thread 101
books 4 0 0 2=4
end
process 200
end
thread 200
sample 2000 0x401000 0x1000000 dram LR 0 1
books 1 1 0
end
TEXT
    run -0 paper copied-whole
    [[ "$output" == *'books: 20 interrupts = 5 kept + 1 lost + 14 filtered'* ]]
}

@test "time without the hardware and threads that were found late reduce the captured share; unsampled threads are reported" {
    summed_up starved 'memphis record: 3 samples kept, 1 lost, of 4 interrupts in 1 thread: at most 60.0 % of what the period predicts, another user had the hardware for 20.0 % of the time, perf paused sampling 7 times; too few for findings: run longer, or with a --period shorter than this one; 2 threads could not be sampled' \
        'memphis record: files in copied-starved (2, 1 KiB, 173.3 bytes per sample); next: memphis report copied-starved' <<'TEXT'
process 100
setting enabled_ns 1000
setting starved_ns 200
loss threads_unsampled 2
end
thread 100
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 4 3 1 throttled=7
end
TEXT
    summed_up unseen 'memphis record: 3 samples kept, 0 lost, of 3 interrupts in 1 thread: 25.0 % of what the period predicts, threads that were not found in time had 75.0 % of the CPU time; too few for findings: run longer, or with a --period shorter than this one' \
        'memphis record: files in copied-unseen (2, 1 KiB, 157.3 bytes per sample); next: memphis report copied-unseen' <<'TEXT'
process 100
setting cpu_ns 4000
setting enabled_ns 1000
end
thread 100
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 3 3 0
end
TEXT
    summed_up untracked 'memphis record: 3 samples kept, 0 lost, of 3 interrupts in 1 thread: 100.0 % of what the period predicts; too few for findings: run longer, or with a --period shorter than this one; allocations of 1 process were not all tracked: see the notes of the report' \
        'memphis record: files in copied-untracked (2, 1 KiB, 162.7 bytes per sample); next: memphis report copied-untracked' <<'TEXT'
process 100
setting allocator_sizeless /usr/lib/libforeign.so
end
thread 100
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 3 3 0
end
TEXT
}

@test "the end of a run with few samples has advice, unless a filter dropped most interrupts" {
    summed_up few 'memphis record: 4 samples kept, 0 lost, of 53 interrupts in 1 thread: 100.0 % of what the period predicts; too few for findings: run longer, or with a --period shorter than 1048592' \
        'memphis record: files in copied-few (2, 1 KiB, 114.0 bytes per sample); next: memphis report copied-few' <<'TEXT'
process 100
setting period 1048592
end
thread 100
repeat 4 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 53 4 0 1=39 2=10
end
TEXT
    summed_up filtered 'memphis record: 4 samples kept, 0 lost, of 1000 interrupts in 1 thread: 100.0 % of what the period predicts' \
        'memphis record: files in copied-filtered (2, 1 KiB, 114.0 bytes per sample); next: memphis report copied-filtered' <<'TEXT'
process 100
setting period 1048592
end
thread 100
repeat 4 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 1000 4 0 8=996
end
TEXT
}

@test "without a sample the likely reason is reported" {
    summed_up local 'memphis record: no sample was kept of 100 interrupts in 1 thread, most accesses among them were filtered as local: the data was on the threads'"'"' own nodes, and --filter keeps only remote accesses: the sampled code has no NUMA problem' \
        'memphis record: files in copied-local (2, 1 KiB); next: memphis report copied-local' <<'TEXT'
process 100
end
thread 100
books 100 0 0 2=60 7=10 8=30
end
TEXT
    summed_up kernel 'memphis record: no sample was kept of 9 interrupts in 1 thread, most were filtered as kernel-pc: most of the time was spent in the kernel' \
        'memphis record: files in copied-kernel (2, 1 KiB); next: memphis report copied-kernel' <<'TEXT'
process 100
end
thread 100
books 9 0 0 1=8 2=1
end
TEXT
    summed_up short 'memphis record: no sample was kept of 0 interrupts in 1 thread: the program did too little for the period 262144; try a shorter --period' \
        'memphis record: files in copied-short (2, 1 KiB); next: memphis report copied-short' <<'TEXT'
process 100
setting period 262144
end
thread 100
books 0 0 0
end
TEXT
    summed_up paused 'memphis record: no sample was kept of 0 interrupts in 1 thread: the program paused sampling by memphis_pause()' \
        'memphis record: files in copied-paused (2, 1 KiB); next: memphis report copied-paused' <<'TEXT'
process 100
setting pauses 1
end
thread 100
books 0 0 0
end
TEXT
    run -0 "$memphis" report --full copied-paused
    grep -qx 'No findings: no samples were taken; the program paused sampling by memphis_pause()' <<< "$output"
    run --separate-stderr "$tool" record -o none -- true
    [ "$status" -eq 0 ]
    expect 'memphis record: nothing was captured: there are no sample files of this run in none
memphis record: a line with "not sampling" says why; without one, the library was not loaded (a static program, a script'"'"'s #! line that clears the environment ...), or with --calipers none was reached' "$stderr"
}

@test "unreadable files are named, and the exit status is still the command's; directories of a pattern are named" {
    run --separate-stderr "$tool" record -o damaged -- sh -c 'echo nonsense > damaged/a.$MEMPHIS_LAUNCH.memphis; exit 3'
    [ "$status" -eq 3 ]
    expect 'memphis record: damaged/a.*.memphis: offset 0x0: not a Memphis sample file; give files named *.memphis, or the directory that holds them
memphis record: files in damaged' "$(sed 's/a\.[0-9a-v]*\./a.*./' <<< "$stderr")"
    run --separate-stderr "$tool" record -o 'each-%p' -- true
    expect 'memphis record: samples are in the directories each-%p; next: memphis report on them' "$stderr"
    run --separate-stderr "$tool" record -q -o none -- true
    [ -z "$stderr" ]
}

@test "without -o the directory is named after the host and the process" {
    run "$tool" record -q sh -c 'echo $MEMPHIS_OUTPUT'
    [[ $output =~ ^"$PWD"/memphis-$(uname -n)-[0-9]+$ ]]
}

@test "a library that is already preloaded stays preloaded" {
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
    # A signal to memphis record reaches the command.
    "$tool" record -q sh -c 'trap "echo got TERM; exit 5" TERM; touch ready; while :; do sleep 0.1; done' > out.txt &
    pid=$!
    until [ -e ready ]; do sleep 0.1; done
    kill -TERM $pid
    wait $pid && status=0 || status=$?
    [ "$status" -eq 5 ]
    [ "$(cat out.txt)" = 'got TERM' ]
}

@test "the command reads standard input" {
    [ "$(echo hello | "$tool" record -q cat)" = hello ]
}

@test "without the device the command is not run, except with --keep-going" {
    export MEMPHIS_DEVICE=$PWD/no-device MEMPHIS_BACKEND=device
    MEMPHIS_LIB=$root/build/lib/libmemphis.so.0 run --separate-stderr "$tool" record touch ran
    [ "$status" -eq 1 ]
    [ ! -e ran ]
    expect "$(without_device "$root/build/lib/libmemphis.so.0" "$PWD/no-device")" "$stderr"
    run --separate-stderr "$tool" record --keep-going -q touch ran
    [ "$status" -eq 0 ]
    [ -e ran ]
}

@test "an option that the library does not support is an error, and the command is not run" {
    real() {
        MEMPHIS_LIB=$root/build/lib/libmemphis.so.0 run -2 --separate-stderr "$tool" record --keep-going "$@" -- touch taken
        [ "$output" = "" ]
    }
    real --period abc
    expect 'memphis record: --period: "abc" is not accepted; use a positive number, or auto' "$stderr"
    real --period 4096 --filter remote,foo
    expect 'memphis record: --filter: "remote,foo" is not accepted; use none, or a comma list of remote, dram, loads, stores' "$stderr"
    real --output ''
    expect 'memphis record: --output: "" is not accepted; use a directory, in which %h %p %r %j %% stand for host, pid, rank, job and %' "$stderr"
    real --region-events cache-misses,PAPI_L1_DCM
    expect "memphis record: --region-events: \"cache-misses,PAPI_L1_DCM\" is not accepted; use 0, 1, or up to 6 events: perf's generic names (cache-misses, L1-dcache-load-misses ...), rCODE, cpu/event=N,umask=N/, or NAME=EVENT; memphis record --region-events also takes papi:EVENT" "$stderr"
    [ ! -e taken ]
}

@test "events of PAPI are passed to the library as their codes, with PAPI's names or given ones" {
    # The library with a helper program that knows one event.
    mkdir -p with/memphis
    cp "$root/build/lib/libmemphis.so.0" with/
    printf '%s\n' '#!/bin/sh' '[ "$1 $2" = "--code PAPI_LD_INS" ] && echo r81d0 && exit' 'echo "no such event"' 'exit 1' > with/memphis/memphis-papi
    export MEMPHIS_LIB=$PWD/with/libmemphis.so.0
    listed() {
        run -0 "$tool" record --keep-going -q --region-events "$1" -- sh -c 'echo "$MEMPHIS_REGION_COUNTERS"'
        expect "$2" "${lines[-1]}"
    }
    refused() {
        run -2 "$tool" record --keep-going -q --region-events "$1" -- touch taken
        expect "memphis record: --region-events: $2" "$output"
        [ ! -e taken ]
    }
    refused papi:PAPI_LD_INS "papi:PAPI_LD_INS: $PWD/with/memphis/memphis-papi: Permission denied; it is built with libmemphis if PAPI's library (libpapi-dev) is installed"
    chmod +x with/memphis/memphis-papi
    listed papi:PAPI_LD_INS PAPI_LD_INS=r81d0
    listed cpu/event=1,umask=2/,all=papi:PAPI_LD_INS,cache-misses cpu/event=1,umask=2/,all=r81d0,cache-misses
    refused r1,papi:nothing 'papi:nothing: no such event; papi_avail and papi_native_avail list the events of this CPU'
    refused papi: 'papi:: no such event; papi_avail and papi_native_avail list the events of this CPU'
}

@test "without the library the command is not run" {
    mkdir -p lonely/bin
    cp "$memphis" lonely/bin/
    run --separate-stderr lonely/bin/memphis record true
    [ "$status" -eq 1 ]
    expect "memphis record: no libmemphis.so.0 in $PWD/lonely/bin/../lib; install the library beside the tool, or name it with MEMPHIS_LIB=FILE" "$stderr"
    MEMPHIS_LIB=$PWD/prefix/lib/libmemphis.so.0 run lonely/bin/memphis record -q true
    [ "$status" -eq 0 ]
    echo 'int memphis_stand_in;' | gcc -shared -fPIC -x c - -o other.so
    MEMPHIS_LIB=$PWD/other.so run --separate-stderr lonely/bin/memphis record true
    [ "$status" -eq 1 ]
    expect "memphis record: $PWD/other.so has no memphis_probe(); install library and tool of one version" "$stderr"
    MEMPHIS_LIB=/nowhere run --separate-stderr lonely/bin/memphis record true
    [ "$status" -eq 1 ]
    expect 'memphis record: MEMPHIS_LIB: /nowhere: No such file or directory' "$stderr"
}

@test "programs that can't load a library are refused" {
    run --separate-stderr "$tool" record ./static
    [ "$status" -eq 1 ]
    expect "memphis record: ./static is statically linked, so the library can't be loaded into it; link it dynamically, or link libmemphis.a into it and put calipers around the code of interest" "$stderr"
    run "$tool" record --keep-going -q ./static
    [ "$status" -eq 0 ]
}

# around PROGRAM...: runs memphis record with the real library and a stand-in for the device. Sets
# $output to the program's output, $stderr to all messages, and $notes to the notes of the report.
around() {
    rm -rf around
    MEMPHIS_DEVICE=/dev/null MEMPHIS_LIB=$root/build/lib/libmemphis.so.0 run --separate-stderr \
        env LD_PRELOAD="$PWD/idle.so" "$tool" record -q -o around -- "$@"
    notes=$([ -z "$(ls -A around)" ] || paper around | sed -n 's/^note: process [0-9]*: //p')
}

@test "a program with a sanitizer ends as without recording; if it can't be sampled, a line gives the reason and the remedy" {
    local compiler
    cat > threads.c <<'TEXT'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(void *block)
{
	free(block);
	return malloc(20000);
}
int main(void)
{
	pthread_t thread;
	void *block;
	if (pthread_create(&thread, NULL, work, malloc(10000)) || pthread_join(thread, &block))
		return 1;
	free(block);
	puts("done");
	return 5;
}
TEXT
    printf '#!/bin/sh\n./gcc-address && exit 1\nexec ./gcc-thread\n' > script
    chmod +x script
    for compiler in gcc clang; do
        for sanitizer in thread address undefined leak; do
            # Not PIE: with strong address space randomization, the kernel loads some PIEs into the sanitizer's shadow memory.
            $compiler -O1 -g -pthread -fsanitize=$sanitizer -fno-pie -no-pie threads.c -o $compiler-$sanitizer
        done
    done
    clang -O1 -g -pthread -fsanitize=memory -fno-pie -no-pie threads.c -o clang-memory
    thread='memphis: not sampling: the program is built with ThreadSanitizer, which takes no threads but those it has seen from their start on; build it without -fsanitize=thread'
    address='memphis: not sampling: the program is built with AddressSanitizer, whose runtime has to come before the library; link it with -lmemphis and start it with MEMPHIS_RECORD=all instead of memphis record, or build it without -fsanitize=address'
    for compiler in gcc clang; do
        around ./$compiler-thread
        [ "$status $output" = '5 done' ]
        expect "$thread" "$stderr"
        [ -z "$(ls -A around)" ]
    done
    around ./gcc-address
    [ "$status $output" = '5 done' ]
    expect "$address" "$stderr"
    for program in gcc-undefined clang-undefined gcc-leak clang-leak clang-memory clang-address; do
        # LeakSanitizer's threads call pthread_getattr_np(), which allocates a small block with its lock held, before the library knows them.
        export MEMPHIS_SMALL_BYTES=1
        around ./$program
        echo "$program: $status $output $stderr"
        [ "$status $output" = '5 done' ]
        [ "$stderr" = "" ]
        [ -n "$(find around -name '*.process.memphis')" ]
    done
    # Another program, which is sampled, starts them.
    around ./script
    [ "$status" = 5 ]
    expect "$(printf 'done\ndone')" "$output"
    expect "$(printf '%s\n%s' "$address" "$thread")" "$stderr"
    MEMPHIS_DISABLE=1 around ./script
    [ "$status" = 5 ]
    expect "$(printf 'done\ndone')" "$output"
    [ "$stderr" = "" ]
    # Follow the advice of the line.
    gcc -O1 -g -pthread -fsanitize=address -fno-pie -no-pie threads.c -o linked-address -Wl,--no-as-needed \
        -L"$root/build/lib" -lmemphis -Wl,-rpath,"$root/build/lib"
    rm -rf linked
    MEMPHIS_DEVICE=/dev/null MEMPHIS_OUTPUT=linked MEMPHIS_RECORD=at-once run --separate-stderr -5 \
        env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$(gcc -print-file-name=libasan.so):$PWD/idle.so" ./linked-address
    [ "$output" = 'done' ]
    [ "$stderr" = "" ]
    [ -n "$(find linked -name '*.process.memphis')" ]
    # The user's options for the sanitizer are kept.
    [ "$(ASAN_OPTIONS=halt_on_error=0 "$tool" record -q sh -c 'echo $ASAN_OPTIONS')" = verify_asan_link_order=0:halt_on_error=0 ]
}

@test "launchers of containers and programs with other allocators end as without recording; untracked memory is noted" {
    local name file
    around unshare -r sh -c 'id -u; exit 3'
    if unshare -r true; then
        [ "$status $output$stderr$notes" = '3 0' ]
    fi
    around bwrap --unshare-all --bind / / --dev /dev --proc /proc sh -c 'echo inside; exit 3'
    if bwrap --unshare-all --bind / / --dev /dev --proc /proc true; then
        [ "$status $output$stderr" = '3 inside' ]
    fi
    for name in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so; do
        file=/usr/lib/x86_64-linux-gnu/$name
        g++ -O1 -g -fno-builtin "$root/tests/unit/libsampler/programs/allocators/user.cc" -o user -Wl,--no-as-needed "$file"
        around ./user
        [ "$status $output$stderr" = '5 done' ]
        # The file name may contain more of the version.
        [[ "$notes" == *"/$name"*": blocks of operator new were not tracked, and have no names: "* ]]
    done
    gcc -D_GNU_SOURCE -O1 -fno-builtin -shared -fPIC -o sizeless.so "$root/tests/unit/libsampler/programs/allocators/allocator.c"
    g++ -O1 -g -fno-builtin "$root/tests/unit/libsampler/programs/allocators/user.cc" -o user -Wl,--no-as-needed ./sizeless.so -Wl,-rpath,"$PWD"
    around ./user
    [ "$status $output$stderr" = '5 done' ]
    [[ "$notes" == *"sizeless.so: blocks of malloc() were not tracked, and have no names: it has no malloc_usable_size() of its own"* ]]
}

@test "a command that does not exist gives status 127, wrong usage 2" {
    run -127 --separate-stderr "$tool" record no-such-command
    expect 'memphis record: no-such-command: no such command' "$stderr"
    run --separate-stderr "$tool" record
    [ "$status" -eq 2 ]
    expect 'memphis record: no command; usage: memphis record [options] -- COMMAND [ARGUMENT...]' "$stderr"
    run "$tool" record --nonsense true
    [ "$status" -eq 2 ]
}

@test "-p accepts one process and no command; --duration accepts seconds and requires -p" {
    run --separate-stderr "$tool" record -p 12,13
    [ "$status" -eq 2 ]
    expect "memphis record: -p: one process at a time; start memphis record once for each
run 'memphis record --help' for usage" "$stderr"
    run --separate-stderr "$tool" record -p 12 --pid 13
    [ "$status" -eq 2 ]
    expect "memphis record: -p: one process at a time; start memphis record once for each
run 'memphis record --help' for usage" "$stderr"
    for layer in mpi io; do
        run --separate-stderr "$tool" record -p 12 --$layer
        [ "$status" -eq 2 ]
        expect "memphis record: --mpi and --io need a COMMAND; layers can't be loaded into a running process" "$stderr"
    done
    for number in '' 0 -1 12x 99999999999; do
        run --separate-stderr "$tool" record -p "$number"
        [ "$status" -eq 2 ]
        expect "memphis record: -p: \"$number\" is not the number of a process
run 'memphis record --help' for usage" "$stderr"
    done
    run --separate-stderr "$tool" record -p 12 true
    [ "$status" -eq 2 ]
    expect 'memphis record: either -p PID or a COMMAND, not both' "$stderr"
    run --separate-stderr "$tool" record --duration 1 true
    [ "$status" -eq 2 ]
    expect 'memphis record: --duration needs -p PID; use timeout(1) for a command' "$stderr"
    for seconds in '' 0 -1 1s nan; do
        run --separate-stderr "$tool" record -p 12 --duration "$seconds"
        [ "$status" -eq 2 ]
        expect "memphis record: --duration: \"$seconds\" is not a number of seconds
run 'memphis record --help' for usage" "$stderr"
    done
}

@test "-p reports a library that can't attach" {
    run --separate-stderr "$tool" record -p $$ -o nothing
    [ "$status" -eq 1 ]
    expect "memphis record: $(realpath prefix/lib/libmemphis.so.0) has no memphis_watch(); install library and tool of one version" "$stderr"
    [ ! -e nothing ]
}

@test "--keep-going runs the command even if the library can't be loaded to check the options" {
    MEMPHIS_LIB=/etc/passwd run -0 --separate-stderr "$tool" record -q --keep-going -o out --period 4096 -- echo run
    [ "$output" = run ]
    [[ "$stderr" == "memphis record: /etc/passwd: invalid ELF header"* ]]
    MEMPHIS_LIB=/etc/passwd run -1 --separate-stderr "$tool" record -q -o out -- echo run
    [ "$output" = "" ]
}

@test "-p applies the values of its options" {
    # Only the message of the selected backend is printed; the default is both.
    MEMPHIS_DEVICE=/dev/null MEMPHIS_LIB=$root/build/lib/libmemphis.so.0 run -1 --separate-stderr "$tool" record -p $$ --backend device -o nothing
    [[ "$stderr" == "memphis: not sampling: /dev/null: "* && "$stderr" != *perf* ]]
    MEMPHIS_DEVICE=/dev/null MEMPHIS_LIB=$root/build/lib/libmemphis.so.0 run -1 --separate-stderr "$tool" record -p $$ --backend perf -o nothing
    [[ "$stderr" == "memphis: not sampling: perf: "* && "$stderr" != */dev/null* ]]
    # There is no message about a variable that an option overrides.
    MEMPHIS_PERIOD=soon MEMPHIS_DEVICE=/dev/null MEMPHIS_LIB=$root/build/lib/libmemphis.so.0 run -1 --separate-stderr "$tool" record -p $$ --backend device --period 65536
    [[ "$stderr" == "memphis: not sampling: /dev/null: "* && "$stderr" != *MEMPHIS_PERIOD* ]]
}

@test "a process that was attached to while running has no allocations, and a note reports it" {
    samples attached <<'TEXT'
process 100
setting mode attached
setting alloc_min_bytes off
node 0 1024 0-1 10
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
sample 2000 0x401000 0x1000000 dram LR 0 1
books 1 1 0
end
TEXT
    run -0 paper attached
    [[ "$output" == *'    allocations-off 1 (100.0 %): allocations were not tracked when recording'* ]]
    [[ "$output" == *'note: process 100: attached while running: allocations are not known, and blocks have no names'* ]]
}
