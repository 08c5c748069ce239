/* SPDX-License-Identifier: BSD-3-Clause */
/* Encoder of samples for SAMPLES chunks. format.h declares the encoding. */
#include "data/encode.h"

_Static_assert(sizeof(struct memphis_sample) == 40, "a sample is 40 bytes, as the kernel has it");

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

size_t memphis_encode_sample(unsigned char *out, const struct memphis_sample *s,
			     const struct memphis_sample *previous)
{
	unsigned char *p = out;
	unsigned char control = 0;

	if (s->source != previous->source || s->flags != previous->flags ||
	    s->home_node != previous->home_node)
		control |= MEMPHIS_CODE_KIND;
	if (s->cpu != previous->cpu || s->node != previous->node)
		control |= MEMPHIS_CODE_CPU;
	if (s->region != previous->region)
		control |= MEMPHIS_CODE_REGION;

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
