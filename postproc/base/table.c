// SPDX-License-Identifier: BSD-3-Clause
/* Hash index with open addressing: growth and release. */
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_AT_FIRST 64
#define SLOTS_MOST     ((size_t)UINT32_MAX + 1) /* slots store 32 bits of the hash */

int memphis_table_grow(struct memphis_table *table)
{
	struct memphis_table_slot *slots;
	size_t count = table->slot_count ? table->slot_count * 2 : SLOTS_AT_FIRST, at, i;

	slots = count <= SLOTS_MOST ? calloc(count, sizeof(*slots)) : NULL;
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < table->slot_count; i++) {
		if (!table->slots[i].number)
			continue;
		at = table->slots[i].hash & (count - 1);
		while (slots[at].number)
			at = (at + 1) & (count - 1);
		slots[at] = table->slots[i];
	}
	free(table->slots);
	table->slots = slots;
	table->slot_count = count;
	return 0;
}

void memphis_table_close(struct memphis_table *table)
{
	free(table->slots);
	memset(table, 0, sizeof(*table));
}
