/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory blocks that a process inherits from its parent at fork(). The parent and the child number their call
 * stacks, names and sets of holders differently. The functions translate the parent's numbers into the
 * child's.
 */
#ifndef MEMPHIS_FORK_BLOCKS_H
#define MEMPHIS_FORK_BLOCKS_H

#include "read/process.h"

/*
 * Return the child's number for the stack or name that has the number `stack` or `name` in the parent. Return
 * MEMPHIS_NO_STRING if memory is exhausted.
 */
uint32_t memphis_inherit_stack(struct memphis_process *child, const struct memphis_process *from,
			       uint32_t stack);
uint32_t memphis_inherit_name(struct memphis_process *child, const struct memphis_process *from,
			      uint32_t name);

/* Translation tables for translating many numbers. Each string is looked up only once. */
struct memphis_translation {
	struct memphis_process *child;
	const struct memphis_process *from;
	struct memphis_strings *sets; /* the child's sets of holder slots */
	const struct memphis_strings *from_sets;
	/* indexed by the parent's number: the child's number, or 0 if not yet translated */
	uint32_t *stacks, *names, *holders;
};

/* Initializes the translation. Returns 0 or -ENOMEM; the translation must be closed in both cases. */
int memphis_translation_open(struct memphis_translation *translation, struct memphis_process *child,
			     const struct memphis_process *from, struct memphis_strings *sets,
			     const struct memphis_strings *from_sets);
void memphis_translation_close(struct memphis_translation *translation);

/* Replace the parent's number by the child's number. Return 0 or -ENOMEM. */
int memphis_translate_stack(struct memphis_translation *translation, uint32_t *stack);
int memphis_translate_name(struct memphis_translation *translation, uint32_t *name);
int memphis_translate_holders(struct memphis_translation *translation, uint32_t *holders);

#endif
