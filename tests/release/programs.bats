#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# All rows of tests/programs/rows, each plain and recorded: also runtimes of languages, and long runs. If these tests fail, recording a
# program changes its output, its end, or what it finds about its own process.

bats_require_minimum_version 1.5.0
load ../environment
load ../programs/same

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
level=all

@test "children that are made beside threads in the allocator, the loader or exceptions do not hang" {
    same forks
}

@test "programs with limits of memory or stacks of a page have room" {
    same memory
}

@test "each task with the program's memory has its credentials, after every change of them" {
    same credentials
}

@test "programs find the children, threads and signals that they made" {
    same children
}

@test "short, small, cancelled and interrupted threads end as they do alone, and short ones leave few files" {
    same threads
}

@test "programs that close or count their descriptors, and outputs that are full or can't be written, change nothing" {
    same descriptors
}

@test "programs that end by a signal, execute others, or become daemons have the same status" {
    same ends
}

@test "programs confine themselves by filters, roots and namespaces" {
    same confined
}

@test "other allocators work" {
    same allocators
}

@test "shells, compilers, archives, databases and debuggers print the same" {
    same tools
}

@test "runtimes of languages print the same" {
    same runtimes
}

@test "each group of rows has a test here" {
    check_groups
}

@test "no row is left out" {
    check_left_out
}
