/* SPDX-License-Identifier: BSD-3-Clause */
/* Examples of samples without a variable: for each reason the earliest ones, no two of the same instruction. */
#ifndef MEMPHIS_EXAMPLES_H
#define MEMPHIS_EXAMPLES_H

#include "profile/counts.h"
#include "profile/reasons.h"

#define MEMPHIS_EXAMPLES 3 /* per reason */

struct memphis_example {
	uint64_t since_ns; /* time since sampling began in the process */
	/* Break ties, so that the choice does not depend on the order in which files are read. */
	uint32_t pid, tid;
	uint32_t thread;   /* number in the profile */
	uint32_t code;     /* the instruction's binary; after naming, the instruction in the profile */
	uint64_t pc;       /* link-time address in the binary, or run-time address without one */
	uint64_t address;  /* data address */
	uint32_t variable; /* in the profile, after naming */
	struct memphis_owner owner; /* before naming */
};

struct memphis_examples {
	struct memphis_example list[MEMPHIS_UNATTRIBUTED_REASONS][MEMPHIS_EXAMPLES]; /* earliest first */
	unsigned int count[MEMPHIS_UNATTRIBUTED_REASONS];
};

/* Keeps a copy of the example if it is one of the earliest for its reason. */
void memphis_examples_add(struct memphis_examples *examples, unsigned int reason,
			  const struct memphis_example *example);

void memphis_examples_merge(struct memphis_examples *examples, const struct memphis_examples *from);

#endif
