#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Names of functions. If these tests fail, C++ functions can't be distinguished, or the names of C and Fortran functions differ from those
# in their source.

bats_require_minimum_version 1.5.0
load ../../environment
load ../helper

# describe PROGRAM: prints samples at the program's marked lines; ${addresses[@]} has the addresses.
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
    # Without debug information, names come from symbols. The numeric addresses are the same.
    objcopy -g scopes bare
    for mark in "${!addresses[@]}"; do
        addresses[$mark]=$(place "$mark")
    done
    describe bare | samples symbols
}

# place MARK: prints the address of the code of the marked line, or of the variable.
place()
{
    if [ "$1" = field ]; then
        echo "0x$(nm scopes | awk '$3 == "field" { print $1 }')"
    else
        objdump -d -l --no-show-raw-insn scopes | awk -v at="scopes.cpp:$(line scopes.cpp "// $1")" '
            $0 ~ at "( |$)" { found = 1; next } found && /^ +[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1; exit }'
    fi
}

functions() {
    "$memphis" report --by function --format json "$1" | jq -r '.nodes[].variables[].instructions[] | .function'
}

@test "JSON has full names: namespaces, classes, template arguments, parameters, the function around a lambda" {
    run -0 functions full
    expect '(anonymous namespace)::sweep(double const*)
(anonymous namespace)::peek
solver::Grid<double, long>::advance(double const*, long const*)
solver::Grid<double, long>::operator<(solver::Grid<double, long> const&) const
plain
main::{lambda(double const*)#1}::operator()(double const*) const' "$output"
}

@test "without debug information, names come from symbols" {
    run -0 functions symbols
    expect '(anonymous namespace)::sweep(double const*)
main
solver::Grid<double, long>::advance(double const*, long const*)
solver::Grid<double, long>::operator<(solver::Grid<double, long> const&) const
plain
main::{lambda(double const*)#1}::operator()(double const*) const' "$output"
}

@test "text has the short form of long names" {
    run -0 paper --by function --instructions 10 full
    expect '(anonymous namespace)::sweep(double const*)
(anonymous namespace)::peek
solver::Grid<double, long>::advance
solver::Grid<double, long>::operator<
plain
main::{lambda(double const*)#1}::operator()' "$(sed -n 's/^    \(.*\) scopes\.cpp.*/\1/p' <<< "$output")"
}
