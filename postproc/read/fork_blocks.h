/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inheritance of memory blocks across fork(): translates the parent's numbers of stacks, names and holders
 * into the child's.
 */
#ifndef MEMPHIS_FORK_BLOCKS_H
#define MEMPHIS_FORK_BLOCKS_H

#include "read/process.h"

/* Returns the number of the string in the child; MEMPHIS_NO_STRING if memory runs out. */
uint32_t memphis_inherit_stack(struct memphis_process *child, const struct memphis_process *from,
			       uint32_t stack);
uint32_t memphis_inherit_name(struct memphis_process *child, const struct memphis_process *from,
			      uint32_t name);

/* Translation table for many strings; each string is looked up once. */
struct memphis_translation {
	struct memphis_process *child;
	const struct memphis_process *from;
	struct memphis_strings *sets; /* the child's sets of holder slots */
	const struct memphis_strings *from_sets;
	/* by the parent's number: the child's number, or 0 if not yet translated */
	uint32_t *stacks, *names, *holders;
};

/* Returns 0 or -ENOMEM. Close the translation in either case. */
int memphis_translation_open(struct memphis_translation *translation, struct memphis_process *child,
			     const struct memphis_process *from, struct memphis_strings *sets,
			     const struct memphis_strings *from_sets);
void memphis_translation_close(struct memphis_translation *translation);

/* Replace the parent's number by the child's. Return 0 or -ENOMEM. */
int memphis_translate_stack(struct memphis_translation *translation, uint32_t *stack);
int memphis_translate_name(struct memphis_translation *translation, uint32_t *name);
int memphis_translate_holders(struct memphis_translation *translation, uint32_t *holders);

#endif
