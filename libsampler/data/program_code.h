/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-up in the ranges of the program's own code. */
#ifndef MEMPHIS_PROGRAM_CODE_H
#define MEMPHIS_PROGRAM_CODE_H

#include <stdbool.h>

#include <memphis/device.h>

/* Returns true if the instruction is in one of the ranges. */
static inline bool memphis_program_code_has(const struct memphis_program *program, __u64 pc)
{
	__u32 i;

	for (i = 0; i < program->count; i++)
		if (pc >= program->ranges[i].start && pc < program->ranges[i].end)
			return true;
	return false;
}

#endif
