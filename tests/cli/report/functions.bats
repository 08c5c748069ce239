#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of functions. If these fail, functions of C++ can't be told apart, or those of C and Fortran have other names than in their source.

bats_require_minimum_version 1.5.0
load ../../environment

# describe PROGRAM: samples at the marked lines of it; addresses come from the program with debug information.
describe()
{
    local mark at=0

    printf '%s\n' 'process 100' "object p $PWD/$1 0" 'maps 100' 'end' 'thread 100' 'books 99 99 0'
    for mark in sweep peek advance less plain lambda; do
        at=$((at + 1))
        echo "repeat $((20 - at)) 0 sample 2000 ${addresses[$mark]} ${addresses[field]} dram LR 0 1"
    done
    echo end
}

setup_file() {
    load ../helper
    build_tools
    cd -P "$BATS_FILE_TMPDIR"
    cp "$programs/scopes.cpp" .
    g++ -g -O1 -no-pie -o scopes scopes.cpp
    declare -A addresses
    for mark in sweep peek advance less plain lambda; do
        addresses[$mark]=p@scopes.cpp:$(line scopes.cpp "// $mark")
    done
    addresses[field]='p!field'
    describe scopes | samples full
    # Without debug information names come from symbols: the same addresses, as numbers.
    objcopy -g scopes bare
    for mark in "${!addresses[@]}"; do
        addresses[$mark]=$(place "$mark")
    done
    describe bare | samples symbols
}

# place MARK: where the line's code begins, or the variable.
place()
{
    if [ "$1" = field ]; then
        echo "0x$(nm scopes | awk '$3 == "field" { print $1 }')"
    else
        objdump -d -l --no-show-raw-insn scopes | awk -v at="scopes.cpp:$(line scopes.cpp "// $1")" '
            $0 ~ at "( |$)" { found = 1; next } found && /^ +[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1; exit }'
    fi
}

setup() {
    load ../helper
    cd -P "$BATS_FILE_TMPDIR"
}

functions() {
    "$memphis" report --by function --format json "$1" | jq -r '.nodes[].variables[].instructions[] | .function'
}

@test "JSON has whole names: namespaces, classes, template arguments, parameters, the function around a lambda" {
    run -0 functions full
    expect '(anonymous namespace)::sweep(double const*)
(anonymous namespace)::peek
solver::Grid<double, long>::advance(double const*, long const*)
solver::Grid<double, long>::operator<(solver::Grid<double, long> const&) const
plain
main::{lambda(double const*)#1}::operator()(double const*) const' "$output"
}

@test "without debug information, of symbols" {
    run -0 functions symbols
    expect '(anonymous namespace)::sweep(double const*)
main
solver::Grid<double, long>::advance(double const*, long const*)
solver::Grid<double, long>::operator<(solver::Grid<double, long> const&) const
plain
main::{lambda(double const*)#1}::operator()(double const*) const' "$output"
}

@test "lines of text have the short form of what is long" {
    run -0 paper --by function --instructions 10 full
    expect '(anonymous namespace)::sweep(double const*)
(anonymous namespace)::peek
solver::Grid<double, long>::advance
solver::Grid<double, long>::operator<
plain
main::{lambda(double const*)#1}::operator()' "$(sed -n 's/^    \(.*\) scopes\.cpp.*/\1/p' <<< "$output")"
}
