/* SPDX-License-Identifier: BSD-3-Clause */
/* The first bytes of the interposed functions for maps, which other libraries may overwrite. */
#include "core/entries.h"

struct memphis_entry memphis_entries[MEMPHIS_ENTRIES];
_Atomic unsigned int memphis_entries_seen;

static _Atomic unsigned int overwritten; /* bits 1 << number */

void memphis_entries_keep(const void *const code[MEMPHIS_ENTRIES])
{
	unsigned int i;

	for (i = 0; i < MEMPHIS_ENTRIES; i++) {
		memcpy(memphis_entries[i].original, code[i], MEMPHIS_ENTRY_BYTES);
		memphis_entries[i].code = code[i];
	}
}

__u64 memphis_entry_hook(enum memphis_entry_number number)
{
	static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	const unsigned char *code = memphis_entries[number].code;
	__u64 address;
	__s32 distance;

	if (!memcmp(code, landing, sizeof(landing)))
		code += sizeof(landing);
	memcpy(&address, code + 2, sizeof(address));
	/* movabs $address, %r11; jmp *%r11, and the same with %rax */
	if ((code[0] == 0x49 && code[1] == 0xbb && code[10] == 0x41 && code[11] == 0xff &&
	     code[12] == 0xe3) ||
	    (code[0] == 0x48 && code[1] == 0xb8 && code[10] == 0xff && code[11] == 0xe0))
		return address;
	if (code[0] == 0xe9) {
		memcpy(&distance, code + 1, sizeof(distance));
		return (__u64)(uintptr_t)(code + 5) + (__u64)(__s64)distance;
	}
	/* jmp *distance(%rip) */
	if (code[0] != 0xff || code[1] != 0x25)
		return 0;
	memcpy(&distance, code + 2, sizeof(distance));
	memcpy(&address, code + 6 + distance, sizeof(address));
	return address;
}

unsigned int memphis_entries_look(void)
{
	unsigned int found = 0, i;

	for (i = 0; i < MEMPHIS_ENTRIES; i++)
		found |= (unsigned int)memphis_entry_is_overwritten(i) << i;
	return atomic_fetch_or(&overwritten, found) | found;
}

unsigned int memphis_entries_bypassed(void)
{
	const unsigned int found = memphis_entries_look(), seen = atomic_load(&memphis_entries_seen);
	unsigned int bypassed = 0;

	if (!(seen & MEMPHIS_ENTRIES_OF_BREAK))
		bypassed |= found & MEMPHIS_ENTRIES_OF_BREAK;
	if (!(seen & ~MEMPHIS_ENTRIES_OF_BREAK))
		bypassed |= found & ~MEMPHIS_ENTRIES_OF_BREAK;
	return bypassed;
}
