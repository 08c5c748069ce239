/* SPDX-License-Identifier: BSD-3-Clause */
/* Examples of samples that belong to no variable: for each reason, the earliest samples, at most one per instruction. */
#ifndef MEMPHIS_EXAMPLES_H
#define MEMPHIS_EXAMPLES_H

#include "profile/counts.h"
#include "profile/reasons.h"

#define MEMPHIS_EXAMPLES 3 /* per reason */

struct memphis_example {
	uint64_t since_ns; /* time since sampling began in the process */
	/* pid and tid break ties between equal times. Without them, the choice would depend on the order in which files are read. */
	uint32_t pid, tid;
	uint32_t thread;   /* number of the thread in the profile */
	uint32_t code;     /* the instruction's binary; once names are resolved, its row in the profile */
	uint64_t pc;       /* link-time address in the binary, or run-time address if that is unknown */
	uint64_t address;  /* data address */
	uint32_t variable; /* row of the profile; valid once names are resolved */
	struct memphis_owner owner; /* valid until names are resolved */
};

struct memphis_examples {
	struct memphis_example list[MEMPHIS_UNATTRIBUTED_REASONS][MEMPHIS_EXAMPLES]; /* sorted by time */
	unsigned int count[MEMPHIS_UNATTRIBUTED_REASONS];
};

/* Keeps a copy of the example if it is among the earliest ones for its reason. */
void memphis_examples_add(struct memphis_examples *examples, unsigned int reason,
			  const struct memphis_example *example);

void memphis_examples_merge(struct memphis_examples *examples, const struct memphis_examples *from);

#endif
