#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis record in the place of the program: signals, stops, ends, what the program inherits, and the directory of its files.
# If these tests fail, programs behave differently under memphis record, or run without being recorded.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup_file() {
    build_tools
    make -s -C "$root/libsampler" BUILD="$root/build" > /dev/null
    cd -P "$BATS_FILE_TMPDIR"
    gcc -std=gnu11 -Wall -Werror -O1 "$BATS_TEST_DIRNAME/signals.c" -o signals
    gcc -Wall -O0 -x c - -o fault <<< 'int main(void) { *(volatile int *)8 = 1; }'
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    unset "${!MEMPHIS_@}" LD_PRELOAD
}

recorded() {
    "$memphis" record --backend none "$@"
}

# ways TEST [ARGUMENT...]: calls the test with the prefix of the program: none, and memphis record without and with a summary.
ways() {
    "$@" ''
    "$@" "$memphis record -q --backend none -o $BATS_TEST_TMPDIR/quiet --"
    "$@" "$memphis record --backend none -o $BATS_TEST_TMPDIR/summary --"
}

# signalled PREFIX: starts a program for each signal, sends it to the process that was started, and compares output and status.
signalled() {
    local signal pid dir
    dir=$(mktemp -d "$BATS_TEST_TMPDIR/XXXXXX")
    declare -A pids
    for signal in {1..8} {10..18} {20..31} {34..64}; do
        # shellcheck disable=SC2086
        $1 ./signals 1 > "$dir/$signal" 2> /dev/null 3>&- &
        pids[$signal]=$!
    done
    for signal in "${!pids[@]}"; do
        until grep -q ready "$dir/$signal"; do sleep 0.1; done
        kill -"$signal" "${pids[$signal]}"
    done
    for signal in "${!pids[@]}"; do
        wait "${pids[$signal]}" && status=0 || status=$?
        expect "50 ready
$signal user 0" "$status $(cat "$dir/$signal")"
    done
}

@test "each signal to the process that was started reaches the program, whose status is that of the process" {
    ways signalled
}

# job EXPECTED PREFIX STEP... -- ARGUMENT...: the foreground job of a shell on a terminal.
job() {
    local expected=$1 prefix=$2 steps=()
    shift 2
    while [ "$1" != -- ]; do
        steps+=("$1")
        shift
    done
    shift
    # shellcheck disable=SC2086
    run -0 --separate-stderr python3 "$BATS_TEST_DIRNAME/job_control.py" "${steps[@]}" -- $prefix ./signals "$@" < /dev/null 3>&-
    expect "$expected" "$output"
}

group() {
    job '10 user 0
10 user 0
34 queue 77
2 other 0
status 50' "$1" group SIGUSR1 line leader SIGUSR1 line value 77 line key C line ended -- 4
}

@test "a signal to the process group, or of the terminal, reaches the program once; a value is passed on" {
    ways group
}

stops() {
    job 'stopped by SIGTSTP
18 user 0
stopped by SIGTSTP
18 user 0
killed by SIGTERM' "$1" key Z stopped group SIGCONT line leader SIGTSTP stopped leader SIGCONT line leader SIGTERM ended -- 3 20 15
    job 'stopped by SIGTTIN
18 user 0
stopped by SIGSTOP
18 user 0
status 50' "$1" leader SIGTTIN stopped leader SIGCONT line group SIGSTOP stopped group SIGCONT line ended -- 2 21
    # A program that handles Ctrl-Z does not stop.
    job '20 other 0
20 other 0
status 50' "$1" key Z line key Z line ended -- 2
    job 'killed by SIGINT' "$1" key C ended -- 1 2
}

@test "the job stops and continues as the program does" {
    ways stops
}

inherits() {
    local signals=(grep -E '^(SigPnd|ShdPnd|SigBlk|SigIgn)' /proc/self/status)
    local with=(env --ignore-signal=INT,CHLD,RTMAX --block-signal=USR1,TERM,RTMIN)

    # Signals that the program catches are the library's own; nothing else differs. The test itself may have been started with others ignored.
    # shellcheck disable=SC2086
    run -0 --separate-stderr "${with[@]}" $1 "${signals[@]}"
    expect "$("${with[@]}" "${signals[@]}")" "$output"
    [[ "$output" == *'SigBlk:	0000000200004200'* ]]
}

@test "the program inherits the dispositions and the mask of signals, and a timer of the process that was started reaches it" {
    ways inherits
    alarmed() {
        # Blocked, it comes when the program waits for it, however long that takes to start.
        # shellcheck disable=SC2086
        run -50 --separate-stderr python3 -c 'import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); signal.alarm(2); os.execvp(sys.argv[1], sys.argv[1:])' $1 ./signals 1
        # Only the kernel itself can send it as its own.
        expect 'ready
14 * 0' "$(sed -E 's/other|user/*/' <<< "$output")"
    }
    ways alarmed
}

@test "the end by a signal is that of the program, whose core is not replaced" {
    case $(< /proc/sys/kernel/core_pattern) in
    *[/\|]*) skip "cores are not written to the working directory" ;;
    esac
    for quiet in '' -q; do
        rm -rf cores
        mkdir cores
        run -139 bash -c "ulimit -c unlimited; cd cores && exec '$memphis' record $quiet --backend none -o ../faults -- ../fault"
        [ "$(ls cores)" != "" ]
        for core in cores/*; do
            # The name of the program is in the note NT_PRPSINFO.
            run -0 python3 -c 'import struct, sys
data = open(sys.argv[1], "rb").read()
at = data.index(struct.pack("<III", 5, 136, 3) + b"CORE\0\0\0\0") + 20
print(data[at + 40:at + 56].rstrip(b"\0").decode())' "$core"
            [ "$output" = fault ]
        done
    done
}

@test "if memphis record is killed, the program goes on" {
    "$memphis" record --backend none -o killed -- ./signals 1 > killed.txt 2> /dev/null 3>&- &
    pid=$!
    until grep -q ready killed.txt; do sleep 0.1; done
    program=$(pgrep -P $pid -x signals)
    kill -KILL $pid
    wait $pid && status=0 || status=$?
    [ "$status" -eq 137 ]
    kill -USR1 "$program"
    until grep -q user killed.txt; do sleep 0.1; done
    expect 'ready
10 user 0' "$(cat killed.txt)"
}

@test "a program that can't be started has the shell's status" {
    printf '#!/nowhere\n' > script
    chmod +x script
    for quiet in '' -q; do
        # shellcheck disable=SC2086
        run -127 recorded $quiet -o out -- ./script
        expect 'memphis record: ./script: cannot start: No such file or directory' "$output"
        # shellcheck disable=SC2086
        run -126 recorded $quiet -o out -- /
        expect 'memphis record: /: cannot start: Permission denied' "$output"
    done
}

remedy='give --output a directory that can be made and written, or run without samples by --keep-going'

@test "the program is not run if files can't be written to the directory, except with --keep-going" {
    : > file
    for quiet in '' -q; do
        # shellcheck disable=SC2086
        run -1 recorded $quiet -o file/a/b -- touch ran
        expect "memphis record: $PWD/file/a/b: cannot write sample files: Not a directory; $remedy" "$output"
        # shellcheck disable=SC2086
        run -1 recorded $quiet -o file -- touch ran
        expect "memphis record: $PWD/file: cannot write sample files: Not a directory; $remedy" "$output"
        # shellcheck disable=SC2086
        run -1 recorded $quiet -o /proc/self/x -- touch ran
        expect "memphis record: /proc/self/x: cannot write sample files: No such file or directory; $remedy" "$output"
    done
    # A directory without room.
    run -1 bash -c "ulimit -f 0; '$memphis' record --backend none -o full -- touch ran"
    expect "memphis record: $PWD/full: cannot write sample files: File too large; $remedy" "$output"
    [ -z "$(ls -A full)" ]
    run -1 recorded -o "$(printf '%01020d' 0)" -- touch ran
    [[ "$output" == "memphis record: $PWD/000"*"000: File name too long; $remedy" ]]
    [ ! -e ran ]
    run -0 --separate-stderr recorded -q --keep-going -o file -- touch ran
    [ -e ran ]
    [[ "$stderr" == "memphis record: $PWD/file: cannot write sample files: Not a directory; $remedy"* ]]
}

@test "of a pattern, the part is tried that is known; a relative name is that of a directory where the program starts" {
    : > file
    mkdir -p 'per%cent/below'
    cd 'per%cent'
    SLURM_JOB_ID=12 PMI_RANK=3 run -0 --separate-stderr recorded -q -o 'a%%b/%h/%j/%r/%p/c' -- sh -c 'cd below && exec cat /dev/null'
    [ "$(cd "a%b/$(uname -n)/12/3" && ls -A */c | grep -c process.memphis)" = 2 ]
    expect "a%b
below" "$(ls)"
    [ -z "$(ls -A below)" ]
    run -1 recorded -q -o '../file/%p' -- true
    expect "memphis record: $PWD/../file/: cannot write sample files: Not a directory; $remedy" "$output"
    run -1 recorded -q -o '../file/%r-%p' -- true
    expect "memphis record: $PWD/../file/: cannot write sample files: Not a directory; $remedy" "$output"
}

@test "the summary is that of the files of the own run, and no others are opened" {
    samples others <<'TEXT'
process 100
end
thread 100
repeat 3 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 3 3 0
end
TEXT
    # A program that executes another one. The other files cannot be read as sample files, and no end comes from a FIFO.
    echo nonsense > others/x.memphis
    mkfifo others/host.1.process.memphis
    run -0 --separate-stderr recorded -o others -- env ls -d .
    expect 'memphis record: no sample was kept of 0 interrupts in 2 threads of 2 processes: nothing is sampled with --backend none
memphis record: files in others (*, * KiB); next: memphis report others' "$(sed -E 's/\([34], [0-9]+ KiB/(*, * KiB/' <<< "$stderr")"
}

@test "the summary does not wait for files of a program that has ended, or executed another one" {
    # A hundred looks of a hundredth of a second, each of which sleeps.
    waits() {
        run -0 --separate-stderr strace -o trace -e trace=clock_nanosleep "$memphis" record --backend none -o "$@"
        grep -c clock_nanosleep trace || :
    }
    command -v strace || skip 'no strace'
    [ "$(waits ended -- true)" = 0 ]
    [ "$(waits executed -- sh -c 'exec true')" = 0 ]
}
