/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder of samples for SAMPLES chunks. format.h declares the encoding. */
#include <stddef.h>
#include <string.h>

#include "data/encode.h"

_Static_assert(sizeof(struct memphis_sample) == 40, "a sample is 40 bytes, as the kernel has it");
_Static_assert(
	offsetof(struct memphis_sample, region) == 24 &&
		offsetof(struct memphis_sample, latency_cycles) == 32,
	"has_same_fields() reads region to node as two words, the second of which begins with the latency");

unsigned char *memphis_encode_varint(unsigned char *p, __u64 value)
{
	while (value >= 0x80) {
		*p++ = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	*p++ = (unsigned char)value;
	return p;
}

/* Encodes the signed difference in zigzag form as a varint. */
static unsigned char *encode_difference(unsigned char *p, __u64 now, __u64 before)
{
	__s64 difference = (__s64)(now - before);

	return memphis_encode_varint(p, ((__u64)difference << 1) ^ (__u64)(difference >> 63));
}

/* Returns the bits of the control byte for the fields that differ from those of the previous sample. */
static unsigned char control_bits(const struct memphis_sample *s, const struct memphis_sample *previous)
{
	unsigned char control = 0;

	if (s->source != previous->source || s->flags != previous->flags ||
	    s->home_node != previous->home_node)
		control |= MEMPHIS_CODE_KIND;
	if (s->cpu != previous->cpu || s->node != previous->node)
		control |= MEMPHIS_CODE_CPU;
	if (s->region != previous->region)
		control |= MEMPHIS_CODE_REGION;
	return control;
}

/*
 * Returns whether the region and all fields behind it are those of the previous sample, except for the latency. This is
 * the common case.
 */
static int has_same_fields(const struct memphis_sample *s, const struct memphis_sample *previous)
{
	const size_t at = offsetof(struct memphis_sample, region);
	__u64 now[2], before[2];

	memcpy(now, (const char *)s + at, sizeof(now));
	memcpy(before, (const char *)previous + at, sizeof(before));
	return now[0] == before[0] && !((now[1] ^ before[1]) & ~(__u64)0xffff);
}

size_t memphis_encode_sample(unsigned char *out, const struct memphis_sample *s,
			     const struct memphis_sample *previous)
{
	const unsigned char control = has_same_fields(s, previous) ? 0 : control_bits(s, previous);
	unsigned char *p = out;

	*p++ = control;
	p = encode_difference(p, s->pc, previous->pc);
	p = encode_difference(p, s->address, previous->address);
	p = memphis_encode_varint(p, s->time_ns - previous->time_ns);
	p = memphis_encode_varint(p, s->latency_cycles);
	if (control & MEMPHIS_CODE_KIND) {
		*p++ = (unsigned char)s->source;
		*p++ = (unsigned char)s->flags;
		p = memphis_encode_varint(p, s->home_node);
	}
	if (control & MEMPHIS_CODE_CPU) {
		p = memphis_encode_varint(p, s->cpu);
		p = memphis_encode_varint(p, s->node);
	}
	if (control & MEMPHIS_CODE_REGION)
		p = memphis_encode_varint(p, s->region);
	return (size_t)(p - out);
}
