#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What is done for a reader at a terminal, and only there. If these fail, terminals are left in a mess, or files and pipes get
# what is meant for eyes.

bats_require_minimum_version 1.5.0
load ../environment

setup_file() {
    load helper
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
repeat 100000 8 sample 2000 0x401000 0x1000000 dram LR 0 1
books 100000 100000 0
end
TEXT
    mkdir bin
    printf '#!/bin/sh\nsed "s/^/less with $LESS: /"\n' > bin/less
    chmod +x bin/less
}

setup() {
    load helper
    cd -P "$BATS_FILE_TMPDIR"
    unset PAGER LESS NO_COLOR
    export TERM=xterm
    terminal="python3 $root/tests/cli/on_terminal.py"
    few=few/host.100.process.memphis
}

# What memphis dump says of the first file, N lines with TEXT before each.
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

@test "no pager: where it is cat or empty, with --no-pager, at a dumb terminal, in a pipe or a file" {
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

@test "a reader who has seen enough ends the command, too, and that is no error" {
    PAGER='head -n 1' run -0 $terminal "$memphis" dump many/host.100.100.thread.memphis
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == "file path=many/host.100.100.thread.memphis kind=thread"* ]]
}

@test "a pager that there is not: without it; a command of the shell that fails is an error" {
    PAGER=nonexistent run -0 $terminal "$memphis" dump $few
    expect "$(dumped '')" "$output"
    PAGER='nonexistent -x' run -1 $terminal "$memphis" dump $few
    [[ "$output" == *"memphis dump: standard output: Broken pipe"* ]]
}

@test "errors keep their exit status, and stand behind what was shown before" {
    head -c 200 many/host.100.100.thread.memphis > damaged.memphis
    PAGER='sed s/^/B:/' run -1 $terminal "$memphis" dump damaged.memphis
    [[ "${lines[0]}" == "B:file path=damaged.memphis"* ]]
    [[ "${lines[-1]}" == "memphis dump: damaged.memphis: offset 0x"* ]]
}
