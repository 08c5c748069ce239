/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of Python code in the call stacks of allocations. */
#ifndef MEMPHIS_PYTHON_LINES_H
#define MEMPHIS_PYTHON_LINES_H

#include "read/process.h"

/* Adds the lines of a PYTHON_LINES chunk. Returns 0, -EBADMSG or -ENOMEM. */
int memphis_python_lines_load(struct memphis_process *process, struct memphis_span payload);

/*
 * Adds the words of a STACKS record to the process's stacks. If the first word refers to another stack of the
 * same file, the PCs of that stack replace this word. Returns the number of the string, or MEMPHIS_NO_STRING
 * if memory is exhausted.
 */
uint32_t memphis_stack_add(struct memphis_process *process, const struct memphis_thread_log *log,
			   const uint8_t *words, size_t depth);

/* Returns the number, in the process's `stacks`, of the stack that has this id in the file. Returns 0 if there is none. */
uint32_t memphis_stack_of(const struct memphis_thread_log *log, uint32_t id);

/*
 * Returns the line of Python code that a word of a stack identifies. Returns NULL if the word is an address,
 * or if the files do not contain the line.
 */
const struct memphis_python_line *memphis_python_line_of(const struct memphis_process *process,
							 uint64_t word);

#endif
