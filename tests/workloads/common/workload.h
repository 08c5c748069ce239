/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the workloads of tests/vm/workloads.bats have in common: they say where they run, and where their variables lie. CPUs 0 and 1
 * are those of node 0, where all is touched first, 2 and 3 those of node 1.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the calling thread runs there. */
void workload_cpu(int cpu);

/* Prints that what the lines of this mark touch lies here. */
void workload_variable(const char *mark, const void *start, size_t bytes);

/* Prints where the program and its libraries lie: once, while all are loaded. */
void workload_objects(void);

/* `bytes` of `memory`, all touched. */
void workload_touch(void *memory, size_t bytes);

/* After a call that failed: says so and ends. */
void workload_fail(const char *what) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
