/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory blocks that a process inherits from its parent at fork(). Translates the parent's numbers of stacks,
 * names and holders into those of the child.
 */
#ifndef MEMPHIS_FORK_BLOCKS_H
#define MEMPHIS_FORK_BLOCKS_H

#include "read/process.h"

/* Returns the child's number of the parent's stack `stack`; MEMPHIS_NO_STRING if memory is exhausted. */
uint32_t memphis_inherit_stack(struct memphis_process *child, const struct memphis_process *from,
			       uint32_t stack);
uint32_t memphis_inherit_name(struct memphis_process *child, const struct memphis_process *from,
			      uint32_t name);

/* Translation tables for many strings, in which each string is looked up only once. */
struct memphis_translation {
	struct memphis_process *child;
	const struct memphis_process *from;
	struct memphis_strings *sets; /* sets of holder slots of the child */
	const struct memphis_strings *from_sets;
	/* indexed by the parent's number: the child's number, or 0 if not yet translated */
	uint32_t *stacks, *names, *holders;
};

/* Initializes the translation. Returns 0 or -ENOMEM; the translation must be closed in both cases. */
int memphis_translation_open(struct memphis_translation *translation, struct memphis_process *child,
			     const struct memphis_process *from, struct memphis_strings *sets,
			     const struct memphis_strings *from_sets);
void memphis_translation_close(struct memphis_translation *translation);

/* Replace the parent's number by the child's. Return 0 or -ENOMEM. */
int memphis_translate_stack(struct memphis_translation *translation, uint32_t *stack);
int memphis_translate_name(struct memphis_translation *translation, uint32_t *name);
int memphis_translate_holders(struct memphis_translation *translation, uint32_t *holders);

#endif
