/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program makes the accesses of a finding: the place with most of them, and the regions. */
#ifndef MEMPHIS_WHERE_H
#define MEMPHIS_WHERE_H

#include "evidence/suspect.h"

/* Which accesses of the variable are those of the finding. */
struct memphis_where {
	bool modified;   /* loads of modified lines; else remote loads */
	uint32_t phase;  /* of the places that this serial phase explains; 0: of the others */
	uint32_t thread; /* of this thread; MEMPHIS_NONE: of all */
};

/* Sets the finding's instruction and regions. Returns 0 or -ENOMEM. */
int memphis_finding_place(const struct memphis_suspect *suspect, const struct memphis_where *where,
			  struct memphis_finding *finding);

#endif
