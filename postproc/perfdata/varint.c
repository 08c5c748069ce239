// SPDX-License-Identifier: BSD-3-Clause
/* Encodes samples for a SAMPLES chunk. */
#include "perfdata/varint.h"

#include <stdbool.h>
#include <string.h>

/* Spreads the lowest 56 bits over eight bytes, seven bits in each. */
static uint64_t spread(uint64_t value)
{
	value = (value & 0x000000000fffffff) | (value & 0x00fffffff0000000) << 4;
	value = (value & 0x00003fff00003fff) | (value & 0x0fffc0000fffc000) << 2;
	return (value & 0x007f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
}

static uint8_t *encode_long(uint8_t *to, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

/* Numbers have any length, which no CPU can predict. So there is no branch that depends on it, except for very large numbers. */
static inline uint8_t *encode(uint8_t *to, uint64_t value)
{
	unsigned int last_bit;

	if (value >> 56)
		return encode_long(to, value);
	value = spread(value);
	last_bit = (63 - (unsigned int)__builtin_clzll(value | 1)) & ~7u;
	value |= ((1ULL << last_bit) - 1) & 0x8080808080808080;
	memcpy(to, &value, sizeof(value));
	return to + last_bit / 8 + 1;
}

uint8_t *memphis_varint_encode(uint8_t *to, uint64_t value)
{
	return encode(to, value);
}

/* Zigzag encoding: small positive and negative differences both become short. */
static inline uint8_t *encode_difference(uint8_t *to, uint64_t now, uint64_t before)
{
	const int64_t difference = (int64_t)(now - before);

	return encode(to, (uint64_t)difference << 1 ^ (uint64_t)(difference >> 63));
}

size_t memphis_sample_encode(uint8_t *to, const struct memphis_sample *sample,
			     const struct memphis_sample *previous)
{
	const bool kind = sample->source != previous->source || sample->flags != previous->flags ||
			  sample->home_node != previous->home_node;
	const bool cpu = sample->cpu != previous->cpu || sample->node != previous->node;
	const bool region = sample->region != previous->region;
	uint8_t *next = to, *behind;

	*next++ = (uint8_t)((kind ? MEMPHIS_CODE_KIND : 0) | (cpu ? MEMPHIS_CODE_CPU : 0) |
			    (region ? MEMPHIS_CODE_REGION : 0));
	next = encode_difference(next, sample->pc, previous->pc);
	next = encode_difference(next, sample->address, previous->address);
	next = encode(next, sample->time_ns - previous->time_ns);
	next = encode(next, sample->latency_cycles);
	/*
	 * About half of the samples have this group, so no CPU can predict it. It is always written, and overwritten by what
	 * follows if it does not belong there.
	 */
	next[0] = (uint8_t)sample->source;
	next[1] = (uint8_t)sample->flags;
	behind = encode(next + 2, sample->home_node);
	next = kind ? behind : next;
	if (cpu) {
		next = encode(next, sample->cpu);
		next = encode(next, sample->node);
	}
	if (region)
		next = encode(next, sample->region);
	return (size_t)(next - to);
}
