/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decoder for the samples of a SAMPLES payload (encoding: format.h): one sample at a time, or a block of
 * samples in columns.
 */
#ifndef MEMPHIS_DECODE_H
#define MEMPHIS_DECODE_H

#include <stdint.h>

#include <memphis/format.h>

#include "read/access.h"

struct memphis_decoder {
	const uint8_t *next, *end;
	uint32_t left;                /* number of samples left */
	struct memphis_sample sample; /* the sample decoded last */
};

void memphis_decoder_start(struct memphis_decoder *decoder, const uint8_t *payload, uint32_t bytes,
			   uint32_t count);

/*
 * Returns 1 with the next sample in decoder->sample, 0 at the end, or -EBADMSG for invalid data at
 * decoder->next.
 */
int memphis_decoder_next(struct memphis_decoder *decoder);

#define MEMPHIS_COLUMN 128 /* largest number of samples in a block; a multiple of 8 */

/* Decoded samples of a block, one column per field that reports need; row i of all columns is one sample. */
struct memphis_columns {
	uint64_t pc[MEMPHIS_COLUMN], address[MEMPHIS_COLUMN], time_ns[MEMPHIS_COLUMN];
	uint64_t latency_cycles[MEMPHIS_COLUMN];
	/* packed access (source, flags, home node, node): see memphis_access_unpack() */
	uint64_t way[MEMPHIS_COLUMN];
	uint32_t region[MEMPHIS_COLUMN];
};

/*
 * Decodes a block: as many of the next samples, in order, as the fast path supports. Returns their number; at
 * the end or on an error the same values as memphis_decoder_next().
 */
int memphis_decoder_block(struct memphis_decoder *decoder, struct memphis_columns *columns);

#define MEMPHIS_NO_ACCESS UINT64_MAX /* no valid packed access: these have 48 bits */

/*
 * Packs the fields that rarely change from sample to sample into one word: the fields of the KIND group in
 * their encoded order, then the node.
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
