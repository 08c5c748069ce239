/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses on threads' stacks: which frame they lie in, as far as the files tell of frames, and which variable of it. */
#ifndef MEMPHIS_STANDING_H
#define MEMPHIS_STANDING_H

#include "attribute/join.h"

/* Is the address on the stack of a thread? Then `answer` says what is there. */
bool memphis_stack_frames_find(struct memphis_join *join, size_t process, uint64_t address, uint64_t time_ns,
			       struct memphis_answer *answer);

#endif
