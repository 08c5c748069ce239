#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Pager, colours and progress, which only a terminal gets. If these tests fail, a
# terminal is left in a wrong state, or files and pipes contain control sequences.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    samples few <<'TEXT'
process 100
node 0 1024 0-1 10,21
map 0x1000000 0x1100000 rw-p 0x0 - [heap]
maps 100
end
thread 100
malloc 1000 0x1000000 8192 0
name 1001 0x1000000 8192 x
sample 2000 0x401000 0x1000000 dram LR 0 1
books 1 1 0
end
TEXT
    samples many <<'TEXT'
process 100
end
thread 100
repeat 50000 8 sample 2000 0x401000 0x1000000 dram LR 0 1
flush
repeat 50000 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 100000 100000 0
end
TEXT
    gcc -shared -fPIC -Wall -Wextra -Werror -D_GNU_SOURCE "$root/tests/cli/slow.c" -o slow.so
    mkdir bin
    printf '#!/bin/sh\nsed "s/^/less with $LESS: /"\n' > bin/less
    chmod +x bin/less
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    unset PAGER LESS NO_COLOR
    export TERM=xterm
    terminal="python3 $root/tests/cli/on_terminal.py"
    few=few/host.100.process.memphis
}

# The output of memphis dump for the first file: N lines, with TEXT before each.
dumped() {
    "$memphis" dump $few | sed "s/^/$1/"
}

@test "at a terminal the output goes through MEMPHIS_PAGER, else PAGER, else less with LESS=FRX" {
    MEMPHIS_PAGER='sed s/^/A:/' PAGER='sed s/^/B:/' run -0 $terminal "$memphis" dump $few
    expect "$(dumped A:)" "$output"
    PAGER='sed s/^/B:/' run -0 $terminal "$memphis" dump $few
    expect "$(dumped B:)" "$output"
    PATH=$PWD/bin:$PATH run -0 $terminal "$memphis" dump $few
    expect "$(dumped 'less with FRX: ')" "$output"
    LESS=X PATH=$PWD/bin:$PATH run -0 $terminal "$memphis" dump $few
    expect "$(dumped 'less with X: ')" "$output"
}

@test "there is no pager if it is cat or empty, with --no-pager, on a dumb terminal, and for a pipe or a file" {
    export PAGER='sed s/^/B:/'
    for none in '' cat; do
        MEMPHIS_PAGER=$none run -0 $terminal "$memphis" dump $few
        expect "$(dumped '')" "$output"
    done
    run -0 $terminal "$memphis" dump --no-pager $few
    expect "$(dumped '')" "$output"
    TERM=dumb run -0 $terminal "$memphis" dump $few
    expect "$(dumped '')" "$output"
    run -0 $terminal sh -c "'$memphis' dump $few | cat"
    expect "$(dumped '')" "$output"
    run -0 $terminal sh -c "'$memphis' dump $few > file"
    [ "$output" = "" ]
    expect "$(dumped '')" "$(cat file)"
}

@test "quitting the pager early ends the command without an error" {
    PAGER='head -n 1' run -0 $terminal "$memphis" dump many/host.100.100.thread.memphis
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == "file path=many/host.100.100.thread.memphis kind=thread"* ]]
}

@test "a missing pager is skipped; a shell command that fails as the pager is an error" {
    PAGER=nonexistent run -0 $terminal "$memphis" dump $few
    expect "$(dumped '')" "$output"
    PAGER='nonexistent -x' run -1 $terminal "$memphis" dump $few
    [[ "$output" == *"memphis dump: standard output: Broken pipe"* ]]
}

@test "errors keep their exit status, and follow the output that was printed before" {
    head -c 200 many/host.100.100.thread.memphis > damaged.memphis
    PAGER='sed s/^/B:/' run -1 $terminal "$memphis" dump damaged.memphis
    [[ "${lines[0]}" == "B:file path=damaged.memphis"* ]]
    [[ "${lines[-1]}" == "memphis dump: damaged.memphis: offset 0x"* ]]
}

# The report of the few samples; $1, $2 and $3 begin and end headings and shares.
reported() {
    "$memphis" report --full few |
        sed -E "s/^(NODE|ACC).*/$1&$3/; s/^( *[0-9]+ )( +[0-9.]+ %( +[0-9.]+ to [0-9.]+)?)/\1$2\2$3/; s/\(([0-9.]+ %)\)/($2\1$3)/"
}

@test "the report goes through the pager, too, in colour: headings are bold, shares dim" {
    local bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'

    expect 'NODE: 0 total: 1' "$(paper few | head -n 1)"
    grep -qxF "${bold}NODE: 0 total: 1$plain" <(paper --color always few)
    grep -qF " 1 of 1 (${dim}100.0 %$plain)" <(paper --color always few)
    PAGER='sed s/^/B:/' run -0 $terminal "$memphis" report --full few
    expect "$(reported "$bold" "$dim" "$plain" | sed s/^/B:/)" "$output"
    run -0 $terminal "$memphis" report --full --no-pager few
    expect "$(reported "$bold" "$dim" "$plain")" "$output"
    run -0 "$memphis" report --full --color always few
    expect "$(reported "$bold" "$dim" "$plain")" "$output"
}

@test "there is no colour with NO_COLOR or --color never, on a dumb terminal, in a pipe, a file or JSON" {
    local never
    never=$(reported '' '' '')
    export PAGER=cat
    NO_COLOR=1 run -0 $terminal "$memphis" report --full few
    expect "$never" "$output"
    run -0 $terminal "$memphis" report --full --color never few
    expect "$never" "$output"
    TERM=dumb run -0 $terminal "$memphis" report --full few
    expect "$never" "$output"
    run -0 $terminal sh -c "'$memphis' report --full few | cat"
    expect "$never" "$output"
    run -0 $terminal "$memphis" report --full --output file few
    expect "$never" "$(cat file)"
    run -0 "$memphis" report --color always --format json few
    expect "$("$memphis" report --format json few)" "$output"
    run -2 "$memphis" report --full --color sometimes few
    [ "${lines[0]}" = 'memphis report: --color: "sometimes" is not one of auto, always, never' ]
}

# Reading stops in the middle of the many samples, until a byte arrives in the FIFO `go`.
slowly() {
    rm -f go
    mkfifo go
    echo "env LD_PRELOAD=$PWD/slow.so SLOW_FIFO=go SLOW_OFFSET=200000 $memphis report --full many"
}

@test "reading that takes longer than a second shows its progress, and erases it" {
    local report drawn naming erased
    report=$("$memphis" report --full many)
    export PAGER=cat NO_COLOR=1
    # shellcheck disable=SC2046 # words are meant
    run -0 $terminal --on ' read [' 'echo > go' $(slowly)
    # The progress line is redrawn repeatedly and erased; the report then starts at the beginning of the line.
    # Before and after the file that waits, other percentages may be drawn.
    drawn=$'\r''memphis: [ 0-9]{3} % of 0\.5 MB read \[=*\.*\]'$'\e''\[K'
    naming=$'\r''memphis: finding names \.\.\.'$'\e''\[K'
    erased=$'\r\e''\[K'
    grep -qE "^($drawn)+($naming)*${erased}run:         1 process, 1 thread\$" <<< "${lines[0]}"
    grep -qE 'memphis:  50 % of 0\.5 MB read \[=+\.+\]' <<< "${lines[0]}"
    expect "$(tail -n +2 <<< "$report")" "$(tail -n +2 <<< "$output")"
}

@test "there is no progress line if standard error is a dumb terminal or no terminal" {
    local report go='sleep 2; echo > go'
    report=$("$memphis" report --full many)
    export PAGER=cat NO_COLOR=1
    run -0 $terminal sh -c "($go) & $(slowly) 2> err"
    expect "$report" "$output"
    [ ! -s err ]
    TERM=dumb run -0 $terminal sh -c "($go) & $(slowly)"
    expect "$report" "$output"
}
