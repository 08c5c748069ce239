/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the members that share a byte, of a union or bit-fields. */
#ifndef MEMPHIS_MEMBER_NAMES_H
#define MEMPHIS_MEMBER_NAMES_H

#include "base/text.h"

#define MEMPHIS_SHARING_MAX 8 /* limit for the members of a union that a name lists */

struct memphis_member_names {
	char *list[MEMPHIS_SHARING_MAX];
	size_t count;
	bool more; /* some members are not listed: hidden ones, and those beyond MEMPHIS_SHARING_MAX */
	bool failed;
};

/* Adds a name, and takes ownership of it. Members that differ only in hidden parts have equal names. */
void memphis_member_names_add(struct memphis_member_names *names, struct memphis_text *name);

/* Appends a single name as it is; several as ".{first|second}", with "..." if some are not listed. */
void memphis_member_names_put(struct memphis_text *text, const struct memphis_member_names *names,
			      const char *separator);
void memphis_member_names_close(struct memphis_member_names *names);

#endif
