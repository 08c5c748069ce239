/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The samples of one SAMPLES payload, one after the other (format.h tells the coding). Inline: this is
 * the reader's hot loop.
 */
#ifndef MEMPHIS_DECODE_H
#define MEMPHIS_DECODE_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <memphis/format.h>

struct memphis_decoder {
	const uint8_t *next, *end;
	uint32_t left;                /* samples */
	struct memphis_sample sample; /* the one decoded last */
};

static inline void memphis_decoder_start(struct memphis_decoder *decoder, const uint8_t *payload,
					 uint32_t bytes, uint32_t count)
{
	memset(decoder, 0, sizeof(*decoder));
	decoder->next = payload;
	decoder->end = payload + bytes;
	decoder->left = count;
}

/* 0, or -EBADMSG: past the end, or a number of more than 64 bits. */
static inline int memphis_decode_varint(struct memphis_decoder *decoder, uint64_t *value)
{
	const uint8_t *next = decoder->next;
	uint64_t result = 0;
	unsigned int shift;

	for (shift = 0; shift < 70; shift += 7) {
		if (next == decoder->end || (shift == 63 && *next > 1))
			return -EBADMSG;
		result |= (uint64_t)(*next & 0x7f) << shift;
		if (!(*next++ & 0x80)) {
			decoder->next = next;
			*value = result;
			return 0;
		}
	}
	return -EBADMSG;
}

static inline int memphis_decode_groups(struct memphis_decoder *decoder, unsigned int control)
{
	struct memphis_sample *sample = &decoder->sample;
	uint64_t a, b;

	if (control & MEMPHIS_CODE_KIND) {
		if (decoder->end - decoder->next < 3 || decoder->next[0] >= MEMPHIS_SOURCES)
			return -EBADMSG;
		sample->source = *decoder->next++;
		sample->flags = *decoder->next++;
		if (memphis_decode_varint(decoder, &a) || a > UINT16_MAX)
			return -EBADMSG;
		sample->home_node = (uint16_t)a;
	}
	if (control & MEMPHIS_CODE_CPU) {
		if (memphis_decode_varint(decoder, &a) || memphis_decode_varint(decoder, &b) ||
		    a > UINT16_MAX || b > UINT16_MAX)
			return -EBADMSG;
		sample->cpu = (uint16_t)a;
		sample->node = (uint16_t)b;
	}
	if (control & MEMPHIS_CODE_REGION) {
		if (memphis_decode_varint(decoder, &a) || a > UINT32_MAX)
			return -EBADMSG;
		sample->region = (uint32_t)a;
	}
	return 0;
}

static inline uint64_t memphis_unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* 1: decoder->sample is the next one; 0: that was all; -EBADMSG: impossible at decoder->next. */
static inline int memphis_decoder_next(struct memphis_decoder *decoder)
{
	struct memphis_sample *sample = &decoder->sample;
	uint64_t pc, address, time_ns, latency;
	unsigned int control;

	if (!decoder->left)
		return decoder->next == decoder->end ? 0 : -EBADMSG;
	if (decoder->next == decoder->end || *decoder->next & ~MEMPHIS_CODES)
		return -EBADMSG;
	control = *decoder->next++;
	if (memphis_decode_varint(decoder, &pc) || memphis_decode_varint(decoder, &address) ||
	    memphis_decode_varint(decoder, &time_ns) || memphis_decode_varint(decoder, &latency) ||
	    latency > UINT16_MAX)
		return -EBADMSG;
	sample->pc += memphis_unzigzag(pc);
	sample->address += memphis_unzigzag(address);
	sample->time_ns += time_ns;
	sample->latency_cycles = (uint16_t)latency;
	if (control && memphis_decode_groups(decoder, control))
		return -EBADMSG;
	decoder->left--;
	return 1;
}

#endif
