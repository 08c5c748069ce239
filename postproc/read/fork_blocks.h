/* SPDX-License-Identifier: BSD-3-Clause */
/* What a child has of the process that it was forked from, in its own numbers of stacks, names and holders. */
#ifndef MEMPHIS_INHERIT_H
#define MEMPHIS_INHERIT_H

#include "read/process.h"

/* The number that the string gets in the child; MEMPHIS_NO_STRING without memory. */
uint32_t memphis_inherit_stack(struct memphis_process *child, const struct memphis_process *from,
			       uint32_t stack);
uint32_t memphis_inherit_name(struct memphis_process *child, const struct memphis_process *from,
			      uint32_t name);

/* The same for many strings; each is looked up once. */
struct memphis_translation {
	struct memphis_process *child;
	const struct memphis_process *from;
	struct memphis_strings *sets; /* of holders */
	const struct memphis_strings *from_sets;
	uint32_t *stacks, *names, *holders; /* by number: the child's, or 0 */
};

/* 0 or -ENOMEM. Close it in either case. */
int memphis_translation_open(struct memphis_translation *translation, struct memphis_process *child,
			     const struct memphis_process *from, struct memphis_strings *sets,
			     const struct memphis_strings *from_sets);
void memphis_translation_close(struct memphis_translation *translation);

/* Replaces the parent's number by the child's. 0 or -ENOMEM. */
int memphis_translate_stack(struct memphis_translation *translation, uint32_t *stack);
int memphis_translate_name(struct memphis_translation *translation, uint32_t *name);
int memphis_translate_holders(struct memphis_translation *translation, uint32_t *holders);

#endif
