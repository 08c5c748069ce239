/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds where the program makes the accesses of a finding: the place with most of them, and the regions. */
#ifndef MEMPHIS_WHERE_H
#define MEMPHIS_WHERE_H

#include "evidence/suspect.h"

/* Selects the accesses of the variable that belong to the finding. */
struct memphis_where {
	bool modified; /* true: loads of modified lines; false: remote loads */
	/* Only accesses at places that this serial phase explains. 0: only accesses at places that no serial phase explains. */
	uint32_t phase;
	uint32_t thread; /* only accesses of this thread; MEMPHIS_NONE: of all threads */
};

/* Sets the finding's instruction and regions. Returns 0 or -ENOMEM. */
int memphis_finding_place(const struct memphis_suspect *suspect, const struct memphis_where *where,
			  struct memphis_finding *finding);

#endif
