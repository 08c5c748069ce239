/* SPDX-License-Identifier: BSD-3-Clause */
/* An object (ELF file) in memory: its address range and its build-id. */
#include <stdio.h>
#include <string.h>

#include "record/object.h"

void memphis_object_identify(struct memphis_mapped_object *object, const char *p, const char *end)
{
	char *out = object->build_id;

	while (p + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)p;
		const char *name = p + sizeof(*note);
		const unsigned char *id;
		__u32 i;

		id = (const unsigned char *)name + ((note->n_namesz + 3) & ~3u);
		p = (const char *)id + ((note->n_descsz + 3) & ~3u);
		if (p > end)
			return;
		if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4) ||
		    note->n_descsz > MEMPHIS_BUILD_ID_MAX)
			continue;
		for (i = 0; i < note->n_descsz; i++)
			sprintf(out + 2 * i, "%02x", id[i]);
		return;
	}
}

void memphis_object_cover(struct memphis_mapped_object *object, const ElfW(Phdr) * segment, __u64 bias)
{
	__u64 start = bias + segment->p_vaddr, end = start + segment->p_memsz;

	if (start < object->start)
		object->start = start & ~4095ull;
	if (end > object->end)
		object->end = (end + 4095) & ~4095ull;
}
