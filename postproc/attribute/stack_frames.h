/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes addresses on threads' stacks to a frame, as far as frames were recorded, and to a local variable in it. */
#ifndef MEMPHIS_STACK_FRAMES_H
#define MEMPHIS_STACK_FRAMES_H

#include "attribute/answer.h"
#include "base/intervals.h"
#include "read/process.h"

/*
 * Does the address lie on the stack of a thread? Then *answer is what is there. `stacks` are the intervals of the process's threads,
 * by number.
 */
bool memphis_stack_frames_find(struct memphis_binaries *binaries, const struct memphis_process *process,
			       const struct memphis_intervals *stacks, uint64_t address, uint64_t time_ns,
			       struct memphis_answer *answer);

#endif
