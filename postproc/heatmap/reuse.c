// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds variables whose pages are not placed by the thread that initialises them: in memory that malloc reuses, Linux
 * chose the nodes when an earlier block was first touched; and in front of each small block, malloc writes its size.
 */
#include "heatmap/second_pass.h"
#include "memphis/device.h"

#define LOOKED_AT 64 /* number of records to check, evenly spread over all records */
/*
 * malloc may give larger blocks a mapping of their own, and free() returns its pages to the kernel (initial
 * M_MMAP_THRESHOLD in mallopt(3)). Such blocks are only reused if they are in the heap segment.
 */
#define OWN_MAP_BYTES (128 << 10)

/*
 * Returns whether malloc may have reused the memory of the record's block after an earlier free(). Blocks with their
 * own mapping are not reused, because free() unmaps them.
 */
static bool is_malloc_memory(const struct memphis_joined_process *joined,
			     const struct memphis_heatmap_record *record)
{
	const uint64_t time_ns = joined->start_ns + record->since_ns;
	struct memphis_block_answer answer;
	uint64_t from_ns, to_ns;
	const struct memphis_map *map;

	if (!record->block_end)
		return false;
	memphis_blocks_find(&joined->blocks, MEMPHIS_BLOCKS_HEAP, record->address, time_ns, &answer);
	if (!answer.block)
		return false;
	if (answer.block->end - answer.block->start < OWN_MAP_BYTES)
		return true;
	map = memphis_maps_find(&joined->process->log->maps, record->address, time_ns, &from_ns, &to_ns);
	return map && map->kind == MEMPHIS_MAP_HEAP;
}

/* Returns the profile's row of the variable to which the block belongs, or MEMPHIS_NONE if the variable has no samples. */
static uint32_t find_variable(const struct memphis_second_pass *pass, const struct memphis_block *block)
{
	const struct memphis_owner owner = {.process = (uint32_t)pass->process,
					    .index = block->group,
					    .kind = MEMPHIS_OWNER_GROUP,
					    .reason = MEMPHIS_ATTRIBUTED};
	const uint32_t number = memphis_owner_number(pass->numbers, &owner);

	return number == MEMPHIS_NONE ? MEMPHIS_NONE : pass->numbers->variables[number];
}

void memphis_heatmap_find_reuse(const struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				struct memphis_heatmap_record *const *records, size_t count)
{
	const struct memphis_joined_process *joined = &pass->join->list[pass->process];
	const size_t step = (count + LOOKED_AT - 1) / LOOKED_AT;
	const struct memphis_block *earlier;
	size_t seen = 0, reused = 0, i;
	uint32_t variable;

	heatmap->reused_of = MEMPHIS_NONE;
	for (i = 0; i < count; i += step) {
		seen++;
		if (!is_malloc_memory(joined, records[i]))
			continue;
		earlier = memphis_blocks_earlier(&joined->blocks, MEMPHIS_BLOCKS_HEAP, records[i]->address,
						 records[i]->block_ns);
		variable = earlier ? find_variable(pass, earlier) : heatmap->variable;
		/* An earlier block of the same variable does not count, because the same loop initialised that block. */
		if (variable == heatmap->variable)
			continue;
		if (variable != MEMPHIS_NONE)
			heatmap->reused_of = variable;
		reused++;
	}
	heatmap->reused = 2 * reused > seen;
}

void memphis_heatmap_find_small_blocks(const struct memphis_second_pass *pass,
				       struct memphis_heatmap *heatmap,
				       struct memphis_heatmap_record *const *records, size_t count)
{
	const struct memphis_blocks *blocks = &pass->join->list[pass->process].blocks;
	const struct memphis_block_group *group;
	const struct memphis_owner *owner;
	size_t small = 0, i;

	for (i = 0; i < count; i++) {
		owner = &pass->numbers->owners[records[i]->owner];
		if (owner->kind != MEMPHIS_OWNER_GROUP)
			continue;
		group = &blocks->groups[owner->index];
		small += group->table == MEMPHIS_BLOCKS_HEAP && !group->pool &&
			 group->first_bytes < MEMPHIS_PAGE_BYTES;
	}
	heatmap->small_blocks = 2 * small > count;
}
