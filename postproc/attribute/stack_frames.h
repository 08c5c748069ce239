/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes addresses on threads' stacks to a frame, if frames were recorded, and to a local variable in the frame. */
#ifndef MEMPHIS_STACK_FRAMES_H
#define MEMPHIS_STACK_FRAMES_H

#include "attribute/answer.h"
#include "base/intervals.h"
#include "read/process.h"

/*
 * Returns whether the address lies on the stack of a thread, and if it does, sets *answer to its owner. `stacks` contains the stacks of the
 * process's threads; the values are the indexes of the threads.
 */
bool memphis_stack_frames_find(struct memphis_binaries *binaries, const struct memphis_process *process,
			       const struct memphis_intervals *stacks, uint64_t address, uint64_t time_ns,
			       struct memphis_answer *answer);

#endif
