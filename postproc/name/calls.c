// SPDX-License-Identifier: BSD-3-Clause
/* Finds calls by their encoding in the code that the line table assigns to a source line. */
#include "name/calls.h"

#include <stdlib.h>
#include <string.h>

/*
 * Returns a number that identifies the target of the call instruction that returns to `vaddr`; 0 if the
 * instruction is not a known form of call.
 */
static uint64_t call_target(const uint8_t *code, uint64_t vaddr)
{
	int32_t distance;

	/* The forms are call rel32 and call *rel32(%rip); the highest bit is set for the latter. */
	if (code[1] == 0xe8) {
		memcpy(&distance, code + 2, 4);
		return vaddr + (uint64_t)(int64_t)distance;
	}
	if (code[0] == 0xff && code[1] == 0x15) {
		memcpy(&distance, code + 2, 4);
		return (vaddr + (uint64_t)(int64_t)distance) | 1ULL << 63;
	}
	return 0;
}

struct search {
	struct memphis_binary *binary;
	uint64_t target;
	struct memphis_calls *calls;
};

/* Collects the calls in [from, to) that have the wanted target. */
static void find_calls(void *context, uint64_t from, uint64_t to)
{
	const struct search *search = context;
	struct memphis_calls *calls = search->calls;
	uint8_t *code;
	size_t bytes, i;

	if (to - from > 1 << 20)
		return;
	/* Read one byte more at the start, as an opcode may have two bytes. */
	code = malloc(to - from + 1);
	if (!code)
		return;
	bytes = memphis_binary_read(search->binary, from - 1, code, to - from + 1);
	for (i = 0; i + 6 <= bytes && calls->count < MEMPHIS_CALLS_MAX; i++)
		if (call_target(code + i, from - 1 + i + 6) == search->target)
			calls->returns[calls->count++] = from - 1 + i + 6;
	free(code);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

bool memphis_calls_like(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			uint64_t low, uint64_t high, const char *path, unsigned int first, unsigned int last,
			struct memphis_calls *calls)
{
	struct search search = {.binary = binary, .calls = calls};
	size_t i, kept = 0;
	uint8_t code[6];

	calls->count = 0;
	if (memphis_binary_read(binary, vaddr - 6, code, 6) != 6)
		return false;
	search.target = call_target(code, vaddr);
	if (!search.target)
		return false;
	memphis_symbols_lines(binaries, binary, low, high, path, first, last, find_calls, &search);
	qsort(calls->returns, calls->count, sizeof(*calls->returns), compare_addresses);
	for (i = 0; i < calls->count; i++)
		if (!kept || calls->returns[kept - 1] != calls->returns[i])
			calls->returns[kept++] = calls->returns[i];
	calls->count = kept;
	return true;
}
