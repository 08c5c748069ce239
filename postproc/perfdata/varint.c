// SPDX-License-Identifier: BSD-3-Clause
/* Encodes samples for a SAMPLES chunk. */
#include "perfdata/varint.h"

#include <stdbool.h>

uint8_t *memphis_varint_encode(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

/* Zigzag encoding: small positive and negative differences both become short. */
static uint8_t *encode_difference(uint8_t *to, uint64_t now, uint64_t before)
{
	const int64_t difference = (int64_t)(now - before);

	return memphis_varint_encode(to, (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63));
}

size_t memphis_sample_encode(uint8_t *to, const struct memphis_sample *sample,
			     const struct memphis_sample *previous)
{
	const bool kind = sample->source != previous->source || sample->flags != previous->flags ||
			  sample->home_node != previous->home_node;
	const bool cpu = sample->cpu != previous->cpu || sample->node != previous->node;
	const bool region = sample->region != previous->region;
	uint8_t *next = to;

	*next++ = (uint8_t)((kind ? MEMPHIS_CODE_KIND : 0) | (cpu ? MEMPHIS_CODE_CPU : 0) |
			    (region ? MEMPHIS_CODE_REGION : 0));
	next = encode_difference(next, sample->pc, previous->pc);
	next = encode_difference(next, sample->address, previous->address);
	next = memphis_varint_encode(next, sample->time_ns - previous->time_ns);
	next = memphis_varint_encode(next, sample->latency_cycles);
	if (kind) {
		*next++ = (uint8_t)sample->source;
		*next++ = (uint8_t)sample->flags;
		next = memphis_varint_encode(next, sample->home_node);
	}
	if (cpu) {
		next = memphis_varint_encode(next, sample->cpu);
		next = memphis_varint_encode(next, sample->node);
	}
	if (region)
		next = memphis_varint_encode(next, sample->region);
	return (size_t)(next - to);
}
