#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# memphis top on files that grow. If these tests fail, users see wrong numbers of a running program, or are left with a broken terminal.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

setup() {
    load live
    mkdir -p "$BATS_TEST_TMPDIR/work"
    cd -P "$BATS_TEST_TMPDIR/work" || exit
}

teardown() {
    [ -z "${reading:-}" ] || kill "$reading" 2> /dev/null || true
    # Left by a test that failed; children of a recorded script wait for a pipe that nobody opens any more.
    [ -z "${top:-}" ] || kill "$top" 2> /dev/null || true
    [ -z "${record:-}" ] || pkill -P "$record" 2> /dev/null || true
    mux kill-server 2> /dev/null || true
    stop_all
}

# once [ARGUMENT...]: one table, without the clock.
once() {
    "$memphis" top --once --interval 0.1 "$@" | sed '1s/  [0-9:]*  / /'
}

@test "one table has nodes, processes and variables by name; numbers so far are those of all samples" {
    start out
    step out all samples samples
    for _ in {1..1000}; do
        [[ $(once out) != *'100.0 %'*'70.0 %  [heap]:tx'* ]] || break
        sleep 0.1
    done
    expect "memphis top 1 of 1 process running, 1 thread
NODE   REMOTE LOADS NOW  SO FAR  GB/s READ  FROM OTHERS  GB/s SERVED  TO OTHERS
   0                  - 100.0 %       0.00         0.00         0.00       0.00
   1                  -   0.0 %       0.00         0.00         0.00       0.00

    PID  RANK  STATE    REMOTE  SO FAR  GB/s READ  FROM OTHERS  COMMAND
$(printf '%7d' "$(cat out.pid)")     3  running       -  50.0 %       0.00         0.00  ./model --steps 100

REMOTE LOADS  VARIABLE
      70.0 %  [heap]:tx
      30.0 %  [heap]:ty" "$(once out)"
}

@test "a chunk without its header is not counted, and damage is named" {
    start out
    step out all samples torn
    for _ in {1..1000}; do
        [[ $(once out) != *'50.0 %'* ]] || break
        sleep 0.1
    done
    [[ $(once out) == *' 50.0 %'*'[heap]:tx'* ]]
    stop out
    start out
    step out all samples end
    for _ in {1..1000}; do
        [[ $(once out) != *' ended '* ]] || break
        sleep 0.1
    done
    # In place of END.
    truncate -s -24 out/*.thread.memphis
    printf 'garbage!%.0s' {1..10} >> "$(echo out/*.thread.memphis)"
    run "$memphis" top --interval 0.1 -n 12 out
    [ "$status" -eq 0 ]
    [[ $output == *'1 file is damaged, the last one is out/'*'; the rest of it is left out'* ]]
    [[ $output == *' 50.0 %'*'[heap]:tx'* ]]
}

@test "in a terminal of 80 x 24, a process comes, is killed and goes, and no line is cut" {
    terminal 80 24 "$memphis top --interval 0.2 out"
    shows '^waiting: no sample files in out$'
    start out
    step out all samples
    shows '^ +[0-9]+ +3  running +.* 50\.0 % '
    shows '^      70\.0 %  \[heap\]:tx$'
    screen | grep -qE '^NODE   REMOTE LOADS NOW  SO FAR  GB/s READ  FROM OTHERS  GB/s SERVED  TO OTHERS$'
    [ "$(screen | tail -1)" = 'q quit   p pause   s sort' ]
    [ "$(screen | wc -l)" -eq 24 ]
    stop out KILL
    shows '^ +[0-9]+ +3  killed '
    shows '^memphis top .* 0 of 1 process running'
    rm -r out
    shows '^waiting: no sample files in out'
    start out
    step out all samples end
    shows '^ +[0-9]+ +3  ended '
    mux send-keys q
}

@test "in a terminal of 200 x 60, keys sort and pause; what is read now is told apart from all" {
    start a './model --with a --long command --line that does not fit into eighty columns'
    start b ./other
    step a all samples
    step b all samples
    mkdir -p job
    terminal 200 60 "$memphis top --interval 0.2 a b"
    shows 'running .* \./model --with a --long command --line that does not fit into eighty columns$'
    shows '^      70\.0 %          2  \[heap\]:tx$'
    shows '^memphis top .* 2 of 2 processes running, 2 threads, order: remote$'
    [ "$(screen | wc -l)" -eq 60 ]
    mux send-keys s
    shows ', order: reads$'
    mux send-keys s s s
    shows ', order: remote$'
    # Only b reads, so that it comes first and has a share of now.
    while [ ! -e seen ]; do step b samples; sleep 0.1; done 3>&- &
    reading=$!
    shows '^   0 +100\.0 % \(100-100\) +100\.0 % '
    shows 'running +50\.0 % +50\.0 % .* \./other$'
    touch seen
    mux send-keys p
    shows '\[paused\]$'
    mux send-keys p
    wait %% || true
    mux resize-window -x 80 -y 24
    shows '^q quit   p pause   s sort$'
    [ "$(screen | wc -l)" -eq 24 ]
}

# left SHELL-COMMAND: in a terminal, runs memphis top, then the command with the pid of memphis top in $pid, and prints what the terminal shows then.
left() {
    mkdir -p out
    terminal 80 24 'PS1=prompt\> bash --norc --noprofile'
    shows '^prompt>$'
    mux send-keys "before=\$(stty -g); $memphis top --interval 0.2 out" Enter
    shows '^waiting: '
    pid=$(pgrep -f "^$memphis top --interval 0.2 out$")
    eval "$1"
    shows '^prompt> *before='
    # The cursor is in the line after the prompt, the terminal has the modes and the text from before.
    mux send-keys '[ "$(stty -g)" = "$before" ] && echo restored' Enter
    shows '^restored$'
    ! screen | grep '^waiting: ' || return 1
    [ "$(mux display-message -p '#{cursor_flag} #{alternate_on}')" = '1 0' ]
}

@test "q restores the terminal" {
    left 'mux send-keys q'
}

@test "Ctrl-C restores the terminal" {
    left 'mux send-keys C-c'
}

@test "SIGTERM restores the terminal" {
    left 'kill "$pid"'
}

@test "Ctrl-Z restores the terminal, and fg shows the tables again" {
    left 'mux send-keys C-z; shows "Stopped"; mux send-keys fg Enter; shows "^waiting: "; mux send-keys q'
}

@test "-p finds the files of a process by its open files, and ends with it if the output is not a terminal" {
    start out
    start other ./other
    step out all samples
    step other all samples
    for _ in {1..1000}; do
        [[ $(once --device) != *"$(cat out.pid)"*'[heap]:tx'* || $(once --device) != *"$(cat other.pid)"* ]] || break
        sleep 0.1
    done
    [[ $(once -p "$(cat out.pid)") == *' 1 of 1 process running, 1 thread'*"$(cat out.pid)"*./model*'70.0 %  [heap]:tx'* ]]
    # Without arguments, all processes.
    [[ $(once) == *"$(cat out.pid)"* && $(once) == *"$(cat other.pid)"* ]]
    "$memphis" top --interval 0.1 -p "$(cat out.pid)" > lines &
    top=$!
    for _ in {1..1000}; do
        ! grep -q running lines || break
        sleep 0.1
    done
    stop out KILL
    wait "$top"
    grep -q '  killed  ' lines
    [ "$(grep -c ./other lines)" -eq 0 ]
}

@test "a process without samples, as on a machine without a device, is said to have none" {
    start out
    step out all
    for _ in {1..1000}; do
        [[ $(once out) != *running*'no sampled loads'* ]] || break
        sleep 0.1
    done
    [[ $(once out) == *'running'*'./model'*$'VARIABLE\nno sampled loads from memory yet (can this machine be sampled: memphis node)' ]]
}

@test "what can't be watched is said: no process, a process without files, directories without files, wrong usage" {
    run -1 "$memphis" top -p 4194304
    expect 'memphis top: there is no process 4194304; give the directory of its sample files' "$output"
    [[ $(once -p $$) == *$'\n'"waiting: process $$ writes no sample files, nor do those that it has started"$'\n''memphis record starts programs that do, or attaches to one (-p)' ]]
    [[ $(once nowhere beside) == *$'\n''waiting: no sample files in nowhere and the other directories'$'\n''memphis record -o DIRECTORY writes them' ]]
    run -2 "$memphis" top -p 1 --device
    expect "memphis top: give only one of -p, --device and directories
run 'memphis top --help' for usage" "$output"
    run -2 "$memphis" top --sort size
    expect 'memphis top: --sort: "size" is not one of remote, reads, share, process
'"run 'memphis top --help' for usage" "$output"
    run -2 "$memphis" top --interval 0
    [[ $output == 'memphis top: --interval: "0" is not a number from 0.1 to 3600'* ]]
    run -2 "$memphis" top -n 0
    [[ $output == 'memphis top: --count: give a number above 0'* ]]
}

@test "files and directories that can't be read are said to be so, and not to be missing" {
    describe model
    sed 's/@PID@/100/; s/@HOST@/n1/' model | samples out
    mkdir version letters
    cp out/* version
    printf c | dd of=version/host.100.process.memphis bs=1 seek=8 conv=notrunc status=none
    echo hello > letters/x.memphis
    run once version
    [[ ${lines[1]} == 'not read: version/'*'.process.memphis: offset 0x8: format version 99, this memphis reads version 1; use the memphis of the version that recorded it' ]]
    expect 'not read: letters/x.memphis: offset 0x0: not a Memphis sample file; give files named *.memphis, or the directory that holds them' "$(once letters | sed 1d)"
    # Beside files that can be read.
    run once out letters
    [[ ${lines[1]} == 'not read: letters/x.memphis: '* ]]
    [[ $output == *'[heap]:tx'* ]]
    # Empty files are those that begin.
    : > letters/x.memphis
    [[ $(once letters | sed 1d) == 'waiting: no sample files in letters'* ]]
    # In a terminal the reason is not cut.
    terminal 80 24 "$memphis top --interval 0.2 version"
    shows 'version that recorded it'
}

@test "directories of ranks are found in the directory of the run, also those that appear later" {
    mkdir run
    terminal 80 24 "$memphis top --interval 0.2 run"
    shows 'no sample files in run'
    describe model
    sed 's/@PID@/100/; s/@HOST@/n1/' model | samples run/rank-0
    sed 's/@PID@/200/; s/@HOST@/n2/' model | samples run/rank-1
    shows 'of 2 running'
    shows 'n2: ./model'
    shows '  2 of 2 running, sums of 2 hosts, order: remote'
    # One by a symbolic link, and one that can't be read: by root only without these capabilities.
    local reader=()
    mkdir linked linked/ranks linked/rank-2
    ln -s "$PWD/run/rank-0" linked/ranks/0
    run once linked/ranks
    [[ $output == *' 1 of 1 '* ]]
    [ "$(id -u)" -ne 0 ] || reader=(setpriv --bounding-set=-dac_override,-dac_read_search)
    chmod 0 linked/rank-2
    run -0 "${reader[@]}" "$memphis" top --once linked
    chmod 700 linked/rank-2
    [ "${lines[1]}" = 'not read: linked/rank-2: Permission denied' ]
}

@test "-p of a process that writes no files shows those that it and its children have started, until it ends itself" {
    start out
    start other ./other
    step out all samples
    step other all samples
    self=$BASHPID
    for _ in {1..1000}; do
        [[ $(once -p "$self") != *'70.0 %          2  [heap]:tx'* ]] || break
        sleep 0.1
    done
    [[ $(once -p "$self") == *' 2 of 2 processes running, 2 threads'*'70.0 %          2  [heap]:tx'* ]]
    # From memphis record by a script to a program; the program that comes later is shown, too.
    mkfifo first second
    MEMPHIS_LIB=$root/build/lib/libmemphis.so "$memphis" record -q --backend none -o recorded -- sh -c 'read -r go < first; cat second; :' &
    record=$!
    "$memphis" top --interval 0.1 -p "$record" > lines &
    top=$!
    for _ in {1..1000}; do
        ! grep -q 'running.*  sh -c ' lines || break
        sleep 0.1
    done
    grep -q 'running.*  sh -c ' lines
    [ "$(grep -c 'running.*  cat second' lines)" -eq 0 ]
    echo go > first
    for _ in {1..1000}; do
        ! grep -q 'running.*  cat second' lines || break
        sleep 0.1
    done
    grep -q 'running.*  cat second' lines
    echo end > second
    wait "$record" "$top"
    grep -q 'ended .*  cat second' lines
}

@test "q ends it at once, also while files are read or names are looked for" {
    gcc -shared -fPIC -Wall -Wextra -Werror -D_GNU_SOURCE "$root/tests/cli/slow.c" -o slow.so
    mkfifo never
    start out
    step out all samples
    until [[ $(once out) == *'70.0 %'* ]]; do sleep 0.1; done
    terminal 80 24 "env LD_PRELOAD=$PWD/slow.so SLOW_FIFO=never SLOW_OFFSET=$(stat -c %s out/*.thread.memphis) $memphis top --interval 0.2 out; echo status \$?; exec cat"
    shows '^      70\.0 %  \[heap\]:tx$'
    step out samples
    # Opens once the other end is read, which gets nothing.
    exec 9> never
    mux send-keys p q
    shows '^status 0$'
    exec 9>&-
}
