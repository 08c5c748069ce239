/* SPDX-License-Identifier: BSD-3-Clause */
/* Some of the samples that have no variable: the earliest of each reason, each by another instruction. */
#ifndef MEMPHIS_EXAMPLES_H
#define MEMPHIS_EXAMPLES_H

#include "profile/counts.h"
#include "profile/reasons.h"

#define MEMPHIS_EXAMPLES 3 /* of a reason */

struct memphis_example {
	uint64_t since_ns; /* sampling began in its process */
	uint32_t pid, tid; /* they tell apart what came at the same time, in whatever order files are read */
	uint32_t thread;   /* of the profile */
	uint32_t code;     /* the instruction's binary; in a profile, the instruction */
	uint64_t pc;       /* link-time address in the binary; else run-time */
	uint64_t address;  /* of the data */
	uint32_t variable; /* of the profile */
	struct memphis_owner owner; /* until then */
};

struct memphis_examples {
	struct memphis_example list[MEMPHIS_UNATTRIBUTED_REASONS][MEMPHIS_EXAMPLES]; /* in order of time */
	unsigned int count[MEMPHIS_UNATTRIBUTED_REASONS];
};

/* Keeps the example if it is one of the earliest. */
void memphis_examples_add(struct memphis_examples *examples, unsigned int reason,
			  const struct memphis_example *example);

void memphis_examples_merge(struct memphis_examples *examples, const struct memphis_examples *from);

#endif
