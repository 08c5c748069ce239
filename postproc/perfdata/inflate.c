// SPDX-License-Identifier: BSD-3-Clause
/* Decompresses records that perf has compressed. */
#include "perfdata/inflate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef MEMPHIS_HAS_ZSTD
#include <zstd.h>
#endif

/* Limit for the decompressed size of a part. perf's buffers have only some megabytes. */
#define PART_BYTES_MAX (256u << 20)
#define STEP_BYTES     (128u << 10)
/* zstd asks for the header of the next block when it has decompressed all that it got. Source: RFC 8878, 3.1.1.2. */
#define BLOCK_HEADER_BYTES 3

bool memphis_perfdata_is_compressed(const struct perf_event_header *record)
{
	return record->type == MEMPHIS_PERFDATA_RECORD_COMPRESSED ||
	       record->type == MEMPHIS_PERFDATA_RECORD_COMPRESSED2;
}

/*
 * Sets *data to the compressed bytes. COMPRESSED2 records start with their number and have padding after
 * them. Returns the number of bytes, or 0 if it is invalid.
 */
static size_t data_of(const struct perf_event_header *record, const uint8_t **data)
{
	const size_t bytes = record->size - sizeof(*record);
	uint64_t number;

	*data = (const uint8_t *)(record + 1);
	if (record->type == MEMPHIS_PERFDATA_RECORD_COMPRESSED)
		return bytes;
	if (bytes < sizeof(number))
		return 0;
	memcpy(&number, *data, sizeof(number));
	*data += sizeof(number);
	return number <= bytes - sizeof(number) ? number : 0;
}

#ifdef MEMPHIS_HAS_ZSTD
static int inflate(struct memphis_perfdata_inflater *inflater, const uint8_t *data, size_t bytes)
{
	ZSTD_inBuffer from = {data, bytes, 0};
	ZSTD_outBuffer to;
	size_t before, part = 0, rc;

	if (!inflater->stream)
		inflater->stream = ZSTD_createDStream();
	if (!inflater->stream)
		return -ENOMEM;
	do {
		if (memphis_grow(&inflater->bytes, &inflater->room, inflater->used + STEP_BYTES, 1))
			return -ENOMEM;
		to = (ZSTD_outBuffer){inflater->bytes + inflater->used, inflater->room - inflater->used, 0};
		before = from.pos;
		rc = ZSTD_decompressStream(inflater->stream, &to, &from);
		inflater->used += to.pos;
		part += to.pos;
		if (ZSTD_isError(rc) || part > PART_BYTES_MAX)
			return -EBADMSG;
		/*
		 * Continue if the output buffer is full, or if input is left and the last step made progress.
		 * Otherwise the part has ended.
		 */
	} while (to.pos == to.size || (from.pos < from.size && (to.pos || from.pos > before)));
	inflater->inside_block = rc > BLOCK_HEADER_BYTES;
	return from.pos < from.size ? -EBADMSG : 0;
}
#else
static int inflate(struct memphis_perfdata_inflater *inflater, const uint8_t *data, size_t bytes)
{
	(void)inflater;
	(void)data;
	(void)bytes;
	return -ENOTSUP;
}
#endif

int memphis_perfdata_inflate(struct memphis_perfdata_inflater *inflater,
			     const struct perf_event_header *record)
{
	const uint8_t *data;
	const size_t bytes = data_of(record, &data);

	if (inflater->at)
		memmove(inflater->bytes, inflater->bytes + inflater->at, inflater->used - inflater->at);
	inflater->used -= inflater->at;
	inflater->at = 0;
	return bytes ? inflate(inflater, data, bytes) : -EBADMSG;
}

int memphis_perfdata_inflated_next(struct memphis_perfdata_inflater *inflater,
				   const struct perf_event_header **record)
{
	const struct perf_event_header *next;
	const size_t left = inflater->used - inflater->at;

	if (left < sizeof(*next))
		return 0;
	next = (const struct perf_event_header *)(inflater->bytes + inflater->at);
	if (next->size < sizeof(*next) || next->size % 8)
		return -EBADMSG;
	if (next->size > left)
		return 0;
	inflater->at += next->size;
	*record = next;
	return 1;
}

bool memphis_perfdata_inflated_cut(const struct memphis_perfdata_inflater *inflater)
{
	return inflater->inside_block || inflater->used > inflater->at;
}

void memphis_perfdata_inflater_close(struct memphis_perfdata_inflater *inflater)
{
#ifdef MEMPHIS_HAS_ZSTD
	ZSTD_freeDStream(inflater->stream);
#endif
	free(inflater->bytes);
	memset(inflater, 0, sizeof(*inflater));
}
