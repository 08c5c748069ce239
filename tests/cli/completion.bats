#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# If these tests fail, the Tab key offers wrong completions, or none.

bats_require_minimum_version 1.5.0
load ../environment
load helper

setup_file() {
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    mkdir out other
    touch file
}

setup() {
    cd -P "$BATS_FILE_TMPDIR"
    # shellcheck source=/dev/null
    . "$root/build/completion/memphis.bash"
}

# offered WORD...: prints the completions of the last word of this command line, split as readline does, on one line.
offered() {
    COMP_WORDS=(memphis "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _memphis
    echo "${COMPREPLY[*]}"
}

# Prints the completions in alphabetical order, as readline shows them; files are in directory order.
offered_sorted() {
    offered "$@" | tr ' ' '\n' | sort | paste -sd ' '
}

@test "commands and their options are completed" {
    [ "$(offered rep)" = report ]
    [ "$(offered --v)" = --version ]
    [ "$(offered report --no)" = "--node --node-baseline --no-pager" ]
    [ "$(offered report --so)" = "--sort --source" ]
    [ "$(offered dump --f)" = --format ]
    [[ "$(offered record -)" == "-o --output --backend --period "*" -p --pid "*" -q --quiet -h --help" ]]
    [ "$(offered nonsense --f)" = "" ]
}

@test "values of options are completed: words, files, directories, processes; unknown values are not" {
    [ "$(offered report --select home)" = home ]
    [ "$(offered report --select remote-)" = "remote-dram remote-cache" ]
    [ "$(offered dump --format '')" = "text json" ]
    [ "$(offered report --by in)" = instruction ]
    [ "$(offered report --output f)" = file ]
    [ "$(offered_sorted report --binaries o)" = "other out" ]
    [ "$(offered record -o f)" = "" ]
    [ "$(offered report --top '')" = "" ]
    [[ " $(offered record --pid "") " == *" $$ "* ]]
}

@test "values are completed in --option=value, and in lists" {
    [ "$(offered dump --format =)" = "text json" ]
    [ "$(offered dump --format = j)" = json ]
    [ "$(offered record --filter dram,l)" = dram,loads ]
    [ "$(offered record --filter = remote,dram,s)" = remote,dram,stores ]
    # The help shows forms of further values, which are none themselves.
    [ "$(offered record --region-events '')" = cache-misses ]
    [ "$(offered record --counters '')" = "numastat vmstat net io uncore" ]
}

@test "operands are completed: files, and after record a command and its own files" {
    [ "$(offered_sorted report --top 3 o)" = "other out" ]
    [ "$(offered record basenam)" = basename ]
    [ "$(offered record -q --period 5 -- basenam)" = basename ]
    [ "$(offered record --period = 5 basenam)" = basename ]
    [ "$(offered_sorted record basename o)" = "other out" ]
    [ "$(offered record basename --o)" = "" ]
    [ "$(offered record -- basename -q f)" = file ]
}

@test "bash loads the completion: memphis report --sel, Tab" {
    run bash --norc -ic ". '$root/build/completion/memphis.bash'; complete -p memphis"
    [[ "$output" == *"complete -F _memphis memphis"* ]]
}
