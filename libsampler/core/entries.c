/* SPDX-License-Identifier: BSD-3-Clause */
/* The first bytes of the interposed functions for maps, which communication libraries overwrite. */
#include "core/entries.h"

struct memphis_entry memphis_entries[MEMPHIS_ENTRIES];
_Atomic __u64 memphis_entry_calls;

static _Atomic unsigned int overwritten; /* bits 1 << number */

void memphis_entries_keep(const void *const code[MEMPHIS_ENTRIES])
{
	unsigned int i;

	for (i = 0; i < MEMPHIS_ENTRIES; i++) {
		memcpy(memphis_entries[i].original, code[i], MEMPHIS_ENTRY_BYTES);
		memphis_entries[i].code = code[i];
	}
}

unsigned int memphis_entries_look(void)
{
	unsigned int found = 0, i;

	for (i = 0; i < MEMPHIS_ENTRIES; i++)
		found |= (unsigned int)memphis_entry_is_overwritten(i) << i;
	return atomic_fetch_or(&overwritten, found) | found;
}

bool memphis_entries_are_bypassed(void)
{
	return memphis_entries_look() && !atomic_load(&memphis_entry_calls);
}
