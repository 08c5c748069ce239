// SPDX-License-Identifier: BSD-3-Clause
/* Collects the callers of samples from the call chains that perf recorded. */
#include "perfdata/chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/varint.h"

/*
 * Maximum distance in bytes between the sampled instruction and the start of the chain. With IBS, the chain
 * starts where the interrupt arrived, a few instructions after the sampled one. A chain that starts further
 * away belongs to other code.
 */
#define SKID_BYTES_MAX 256

int memphis_perfdata_chain_returns(const struct memphis_perfdata_sample *sample, uint64_t *ip,
				   uint64_t returns[MEMPHIS_PERFDATA_CALLERS_MAX])
{
	uint64_t word, i;
	int count = -1;
	bool user = false;

	for (i = 0; i < sample->chain_words && count < MEMPHIS_PERFDATA_CALLERS_MAX; i++) {
		memcpy(&word, sample->chain + 8 * i, 8);
		if (word >= (uint64_t)PERF_CONTEXT_MAX) {
			user = word == (uint64_t)PERF_CONTEXT_USER;
		} else if (user && count < 0) {
			*ip = word;
			count = 0;
		} else if (user) {
			returns[count++] = word;
		}
	}
	return count;
}

static void *fill(struct memphis_perfdata_filling *filling, size_t bytes)
{
	return memphis_grow(&filling->bytes, &filling->room, filling->used + bytes, 1)
		       ? NULL
		       : filling->bytes + filling->used;
}

/* Returns the id of the chain, or 0 if memory is exhausted. Adds the chain if it is new. */
static uint32_t id_of(struct memphis_perfdata_chains *chains, const uint64_t *returns, int count)
{
	const size_t bytes = (size_t)count * sizeof(*returns), before = chains->known.count;
	struct memphis_stack header = {.depth = (uint32_t)count};
	uint8_t *to;

	/* Add a dummy string, so that no chain gets id 0. */
	if (!before && memphis_strings_add(&chains->known, "", 0))
		return 0;
	header.id = memphis_strings_add(&chains->known, returns, bytes);
	if (header.id == MEMPHIS_NO_STRING)
		return 0;
	if (header.id < before)
		return header.id;
	to = fill(&chains->added, sizeof(header) + bytes);
	if (!to)
		return 0;
	memcpy(to, &header, sizeof(header));
	memcpy(to + sizeof(header), returns, bytes);
	chains->added.used += sizeof(header) + bytes;
	chains->added.count++;
	return header.id;
}

int memphis_perfdata_chains_add(struct memphis_perfdata_chains *chains,
				const struct memphis_perfdata_sample *sample, uint64_t ip,
				const uint64_t *returns, int count)
{
	uint64_t code;
	uint8_t *to, *end;

	if (count < 0)
		code = 2 * MEMPHIS_NO_CALLERS_KERNEL + 1;
	else if (ip - sample->ip + SKID_BYTES_MAX > 2 * SKID_BYTES_MAX)
		code = 2 * MEMPHIS_NO_CALLERS_SKID + 1;
	else if (!count)
		code = 2 * MEMPHIS_NO_CALLERS_NO_RULE + 1;
	else
		code = 2ULL * id_of(chains, returns, count);
	to = code ? fill(&chains->entries, MEMPHIS_CALLERS_CODE_BYTES_MAX) : NULL;
	if (!to)
		return -ENOMEM;
	end = memphis_varint_encode(memphis_varint_encode(to, chains->skipped), code);
	chains->entries.used += (size_t)(end - to);
	chains->entries.count++;
	chains->skipped = 0;
	return 0;
}

void memphis_perfdata_chains_next(struct memphis_perfdata_chains *chains)
{
	chains->added.used = chains->entries.used = 0;
	chains->added.count = chains->entries.count = 0;
	chains->skipped = 0;
}

void memphis_perfdata_chains_close(struct memphis_perfdata_chains *chains)
{
	memphis_strings_close(&chains->known);
	free(chains->added.bytes);
	free(chains->entries.bytes);
	memset(chains, 0, sizeof(*chains));
}
