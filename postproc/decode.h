/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The samples of one SAMPLES payload, one after the other (format.h tells the coding). Inline: this is
 * the reader's hot loop.
 */
#ifndef MEMPHIS_DECODE_H
#define MEMPHIS_DECODE_H

#include <emmintrin.h>
#include <errno.h>
#include <stdbool.h>
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

/* The number in the low `bytes` (1 to 8) of `word`: seven bits of each, moved together in pairs, fours, eights. */
static inline uint64_t memphis_pack_varint(uint64_t word, unsigned int bytes)
{
	word &= 0x7f7f7f7f7f7f7f7fULL >> (64 - 8 * bytes);
	word = (word & 0x007f007f007f007fULL) | (word & 0x7f007f007f007f00ULL) >> 1;
	word = (word & 0x00003fff00003fffULL) | (word & 0x3fff00003fff0000ULL) >> 2;
	return (word & 0x0fffffffULL) | (word & 0x0fffffff00000000ULL) >> 4;
}

/* What memphis_decode_common() may look at: control byte, four numbers, and eight bytes from any of them on. */
#define MEMPHIS_DECODE_AHEAD 40

/*
 * One sample as nearly all are: four numbers in 16 bytes, none of more than eight, and no group but KIND, with a node below 128.
 * Without a loop or a branch that goes now this way and now that: the ends of all numbers are found at once. False: it is none of
 * these, and nothing was done.
 */
static inline bool memphis_decode_common(struct memphis_decoder *decoder)
{
	struct memphis_sample *sample = &decoder->sample;
	const uint8_t *next = decoder->next;
	unsigned int control = next[0], ends, at[5] = {0}, i;
	uint32_t told, kind;
	uint64_t number[4];
	bool plain;

	ends = ~(unsigned int)_mm_movemask_epi8(_mm_loadu_si128((const __m128i_u *)(next + 1))) & 0xffff;
	plain = control <= MEMPHIS_CODE_KIND;
	for (i = 0; i < 4; i++) {
		/* Bit 16 ends what has no end before. */
		at[i + 1] = (unsigned int)__builtin_ctz(ends | 0x10000) + 1;
		plain &= at[i + 1] - at[i] <= 8;
		memcpy(&number[i], next + 1 + at[i], 8);
		ends &= ends - 1;
	}
	next += 1 + at[4];
	memcpy(&told, next, 4);
	plain &= at[4] <= 16 && at[4] - at[3] <= 2;
	plain &= !control || ((told & 0xff) < MEMPHIS_SOURCES && !(told & 0x800000));
	if (!plain)
		return false;
	kind = (uint32_t)sample->source | (uint32_t)sample->flags << 8 | (uint32_t)sample->home_node << 16;
	kind = control ? told & 0xffffff : kind;
	sample->pc += memphis_unzigzag(memphis_pack_varint(number[0], at[1] - at[0]));
	sample->address += memphis_unzigzag(memphis_pack_varint(number[1], at[2] - at[1]));
	sample->time_ns += memphis_pack_varint(number[2], at[3] - at[2]);
	sample->latency_cycles = (uint16_t)memphis_pack_varint(number[3], at[4] - at[3]);
	sample->source = kind & 0xff;
	sample->flags = kind >> 8 & 0xff;
	sample->home_node = (uint16_t)(kind >> 16);
	decoder->next = next + 3 * control;
	decoder->left--;
	return true;
}

/* 1: decoder->sample is the next one; 0: that was all; -EBADMSG: impossible at decoder->next. */
static inline int memphis_decoder_next(struct memphis_decoder *decoder)
{
	struct memphis_sample *sample = &decoder->sample;
	uint64_t pc, address, time_ns, latency;
	unsigned int control;

	if (!decoder->left)
		return decoder->next == decoder->end ? 0 : -EBADMSG;
	if (decoder->end - decoder->next >= MEMPHIS_DECODE_AHEAD && memphis_decode_common(decoder))
		return 1;
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
