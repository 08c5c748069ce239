/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the source line of an allocation in its call stack, and the variable that the line assigns the block
 * to.
 */
#ifndef MEMPHIS_ALLOCSITE_H
#define MEMPHIS_ALLOCSITE_H

#include "source/assigned.h"
#include "attribute/join.h"
#include "source/source.h"

struct memphis_alloc_site {
	char name[256];     /* name of the assigned variable, "" = none */
	char function[256]; /* function with the name, else the innermost frame with a line */
	char path[1024];
	unsigned int line;             /* 0 = no frame has a line */
	struct memphis_binary *binary; /* of the instruction, at `vaddr`, whose line has the name */
	uint64_t vaddr;
	const char *why_not; /* the reason if there is no name */
};

/* Fills *site for a call stack of the process. Returns 0 or -ENOMEM. */
int memphis_alloc_site(struct memphis_join *join, struct memphis_sources *sources, size_t process,
		       uint32_t stack, struct memphis_alloc_site *site);

#endif
