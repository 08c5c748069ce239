// SPDX-License-Identifier: BSD-3-Clause
/* Finds the block that contained an address at a time. */
#include "attribute/blocks.h"

#include <stdlib.h>
#include <string.h>

struct lookup {
	const struct memphis_blocks *blocks;
	uint64_t time_ns;
	struct memphis_block_answer *answer;
};

static int consider(void *context, const struct memphis_interval *interval)
{
	struct lookup *lookup = context;
	struct memphis_block_answer *answer = lookup->answer;
	const struct memphis_block *block = &lookup->blocks->list[interval->value];
	const struct memphis_lifetime *lifetimes = lookup->blocks->lifetimes + block->lifetime;
	size_t low = 0, high = block->lifetime_count, middle;

	/* Find the first lifetime that ends after time_ns. */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (lifetimes[middle].to_ns <= lookup->time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < block->lifetime_count && lifetimes[low].from_ns <= lookup->time_ns) {
		answer->block = block;
		answer->from_ns = lifetimes[low].from_ns;
		answer->to_ns = lifetimes[low].to_ns;
		answer->thread = lifetimes[low].thread;
		return 1;
	}
	if (low) {
		answer->before = true;
		if (lifetimes[low - 1].to_ns > answer->from_ns)
			answer->from_ns = lifetimes[low - 1].to_ns;
	}
	if (low < block->lifetime_count) {
		answer->after = true;
		if (lifetimes[low].from_ns < answer->to_ns)
			answer->to_ns = lifetimes[low].from_ns;
	}
	return 0;
}

void memphis_blocks_find(const struct memphis_blocks *blocks, enum memphis_block_table table,
			 uint64_t address, uint64_t time_ns, struct memphis_block_answer *answer)
{
	struct lookup lookup = {blocks, time_ns, answer};

	memset(answer, 0, sizeof(*answer));
	answer->to_ns = UINT64_MAX;
	memphis_intervals_find(&blocks->index[table], address, consider, &lookup);
}

void memphis_blocks_close(struct memphis_blocks *blocks)
{
	int table;

	for (table = 0; table < MEMPHIS_BLOCK_TABLES; table++)
		memphis_intervals_close(&blocks->index[table]);
	memphis_strings_close(&blocks->holders);
	free(blocks->shared_slots);
	free(blocks->stack_holders);
	free(blocks->groups);
	free(blocks->list);
	free(blocks->lifetimes);
	free(blocks->small);
	memset(blocks, 0, sizeof(*blocks));
}
