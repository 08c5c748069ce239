/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads of known origin by a thread on node 0: from DRAM of both nodes, from the local L3, and of lines that a thread on the other
 * node has just written. CPUs 0 and 1 belong to node 0, CPUs 2 and 3 to node 1.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* The memory that belongs to node 1; the rest belongs to node 0. */
struct pattern_memory {
	uintptr_t far, far_end;
};

/* Allocates the memory; called first. `times`: how often the lines of the writer are read. */
struct pattern_memory pattern_prepare(unsigned int times);
/* The writer waits until pattern_load() needs it. */
void pattern_start_writer(void);
/* Makes `loads` loads from each of the first three. */
void pattern_load(size_t loads);
void pattern_join_writer(void);

#endif
