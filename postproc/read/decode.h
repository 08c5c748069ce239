/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoder for the samples in a SAMPLES payload (format.h describes the encoding). Decodes one sample at a
 * time, or a block of samples into columns.
 */
#ifndef MEMPHIS_DECODE_H
#define MEMPHIS_DECODE_H

#include <stdint.h>

#include <memphis/format.h>

#include "read/access.h"

struct memphis_decoder {
	const uint8_t *next, *end;
	uint32_t left;                /* number of samples not yet decoded */
	struct memphis_sample sample; /* the last decoded sample */
};

void memphis_decoder_start(struct memphis_decoder *decoder, const uint8_t *payload, uint32_t bytes,
			   uint32_t count);

/*
 * Decodes the varint at *next, and moves *next behind it. Returns 0, or -EBADMSG if the data ends or the
 * number has more than 64 bits.
 */
int memphis_decode_varint(const uint8_t **next, const uint8_t *end, uint64_t *value);

/*
 * Decodes the next sample. Returns 1 with the sample in decoder->sample, 0 at the end, or -EBADMSG if the
 * data at decoder->next is invalid.
 */
int memphis_decoder_next(struct memphis_decoder *decoder);

#define MEMPHIS_COLUMN 128 /* maximum number of samples in a block; a multiple of 8 */

/*
 * The decoded samples of a block, with one column (array) for each field that reports need. Row i of all
 * columns is one sample.
 */
struct memphis_columns {
	uint64_t pc[MEMPHIS_COLUMN], address[MEMPHIS_COLUMN], time_ns[MEMPHIS_COLUMN];
	uint64_t latency_cycles[MEMPHIS_COLUMN];
	/* source, flags, home node and node in one word: see memphis_access_unpack() */
	uint64_t way[MEMPHIS_COLUMN];
	uint32_t region[MEMPHIS_COLUMN];
	uint32_t callers[MEMPHIS_COLUMN], frame[MEMPHIS_COLUMN]; /* filled by memphis_callers_next() */
};

/*
 * Decodes a block: the next samples in order, up to the first one that the fast path does not support.
 * Returns the number of samples. At the end or on an error, returns 0 or -EBADMSG as memphis_decoder_next()
 * does.
 */
int memphis_decoder_block(struct memphis_decoder *decoder, struct memphis_columns *columns);

#define MEMPHIS_NO_ACCESS UINT64_MAX /* no packed access has this value: packed accesses have only 48 bits */

/*
 * Packs the fields that rarely change from sample to sample into one word. The low bits are the fields of the
 * KIND group in the order of their encoding. The node follows.
 */
static inline uint64_t memphis_access_pack(const struct memphis_sample *sample)
{
	return sample->source | (uint64_t)sample->flags << 8 | (uint64_t)sample->home_node << 16 |
	       (uint64_t)sample->node << 32;
}

static inline struct memphis_access memphis_access_unpack(uint64_t way)
{
	return (struct memphis_access){.node = (uint16_t)(way >> 32),
				       .home = (uint16_t)(way >> 16),
				       .source = way & 0xff,
				       .flags = way >> 8 & 0xff};
}

#endif
