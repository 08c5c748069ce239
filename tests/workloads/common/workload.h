/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions shared by the workloads of tests/vm/workloads.bats: pin a thread to a CPU, and print the
 * addresses of variables. CPUs 0 and 1 belong to node 0, which touches all memory first; CPUs 2 and 3 belong
 * to node 1.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pins the calling thread to `cpu`. */
void workload_cpu(int cpu);

/* Prints the address range that is accessed by the source lines with the mark `mark`. */
void workload_variable(const char *mark, const void *start, size_t bytes);

/* Prints the load addresses of the program and its libraries. Call once, while all of them are loaded. */
void workload_objects(void);

/* Writes every byte of the `bytes` at `memory`, so that the pages are on the calling thread's node. */
void workload_touch(void *memory, size_t bytes);

/* Prints errno's message for the failed call `what` and exits with status 1. */
void workload_fail(const char *what) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
