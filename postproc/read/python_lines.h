/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of Python in the call stacks of allocations. */
#ifndef MEMPHIS_PYTHON_LINES_H
#define MEMPHIS_PYTHON_LINES_H

#include "read/process.h"

/* Adds the lines of a PYTHON_LINES chunk. Returns 0, -EBADMSG or -ENOMEM. */
int memphis_python_lines_load(struct memphis_process *process, struct memphis_span payload);

/*
 * Adds the words of a STACKS record to the process's stacks. If they begin with another stack of the file, its PCs take the place of that word. Returns
 * the number of the string, or MEMPHIS_NO_STRING if memory is exhausted.
 */
uint32_t memphis_stack_add(struct memphis_process *process, const struct memphis_thread_log *log,
			   const uint8_t *words, size_t depth);

/* Returns the number in the process's `stacks` of the stack with this id in the file, or 0. */
uint32_t memphis_stack_of(const struct memphis_thread_log *log, uint32_t id);

/* Returns the line for which the word of a stack stands, or NULL if the word is an address, or its line is not in the files. */
const struct memphis_python_line *memphis_python_line_of(const struct memphis_process *process,
							 uint64_t word);

#endif
