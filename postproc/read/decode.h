/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of one SAMPLES payload (format.h tells the coding): one after the other, or many at a time in columns. */
#ifndef MEMPHIS_DECODE_H
#define MEMPHIS_DECODE_H

#include <stdint.h>

#include <memphis/format.h>

#include "read/access.h"

struct memphis_decoder {
	const uint8_t *next, *end;
	uint32_t left;                /* samples */
	struct memphis_sample sample; /* the one decoded last */
};

void memphis_decoder_start(struct memphis_decoder *decoder, const uint8_t *payload, uint32_t bytes,
			   uint32_t count);

/* 1: decoder->sample is the next one; 0: that was all; -EBADMSG: impossible at decoder->next. */
int memphis_decoder_next(struct memphis_decoder *decoder);

#define MEMPHIS_COLUMN 128 /* samples, at most; a multiple of 8 */

/* What reports need of samples: row i of all columns is one of them. */
struct memphis_columns {
	uint64_t pc[MEMPHIS_COLUMN], address[MEMPHIS_COLUMN], time_ns[MEMPHIS_COLUMN];
	uint64_t latency_cycles[MEMPHIS_COLUMN];
	uint64_t way[MEMPHIS_COLUMN]; /* that the access went: memphis_access_told() tells */
	uint32_t region[MEMPHIS_COLUMN];
};

/* As many of the next samples as come easily, in order: how many; else as memphis_decoder_next(). */
int memphis_decoder_block(struct memphis_decoder *decoder, struct memphis_columns *columns);

#define MEMPHIS_NO_WAY UINT64_MAX /* that an access goes: ways have 48 bits */

/* The groups that few samples bring anew, in one word: as KIND has them, and the node. */
static inline uint64_t memphis_way_of(const struct memphis_sample *sample)
{
	return sample->source | (uint64_t)sample->flags << 8 | (uint64_t)sample->home_node << 16 |
	       (uint64_t)sample->node << 32;
}

static inline struct memphis_access memphis_access_told(uint64_t way)
{
	return (struct memphis_access){.node = (uint16_t)(way >> 32),
				       .home = (uint16_t)(way >> 16),
				       .source = way & 0xff,
				       .flags = way >> 8 & 0xff};
}

#endif
