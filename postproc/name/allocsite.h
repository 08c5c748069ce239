/* SPDX-License-Identifier: BSD-3-Clause */
/* From the call stack of an allocation: where in the user's source it was made, and what the line calls it. */
#ifndef MEMPHIS_ALLOCSITE_H
#define MEMPHIS_ALLOCSITE_H

#include "source/assigned.h"
#include "attribute/join.h"
#include "source/source.h"

struct memphis_alloc_site {
	char name[256];     /* assigned name, "" = none */
	char function[256]; /* where the name was found, else the innermost frame with a line */
	char path[1024];
	unsigned int line;             /* 0 = no frame has a line */
	struct memphis_binary *binary; /* of the instruction whose line has the name, at: */
	uint64_t vaddr;
	const char *why_not; /* if there is no name */
};

/* 0 or -ENOMEM. */
int memphis_alloc_site(struct memphis_join *join, struct memphis_sources *sources, size_t process,
		       uint32_t stack, struct memphis_alloc_site *site);

#endif
