/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decompresses records that perf has compressed. The compressed records together are one zstd stream. A part
 * of the stream may end in the middle of a record.
 */
#ifndef MEMPHIS_PERFDATA_INFLATE_H
#define MEMPHIS_PERFDATA_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "perfdata/perf_format.h"

struct memphis_perfdata_inflater {
	void *stream; /* ZSTD_DStream */
	uint8_t *bytes;
	/* `used` bytes are decompressed, and the first `at` of them were already taken as records. */
	size_t room, used, at;
	bool inside_block; /* the last part ended inside a block, from which nothing is decompressed yet */
};

/* Returns true if the record contains a part of the compressed stream. */
bool memphis_perfdata_is_compressed(const struct perf_event_header *record);

/*
 * Decompresses the next part of the stream. Records that were taken before become invalid. Returns 0,
 * -EBADMSG if the part is damaged, -ENOMEM, or -ENOTSUP if the tool was built without zstd.
 */
int memphis_perfdata_inflate(struct memphis_perfdata_inflater *inflater,
			     const struct perf_event_header *record);

/* Takes the next record if it is complete. Returns 1, 0 if there is none, or -EBADMSG. */
int memphis_perfdata_inflated_next(struct memphis_perfdata_inflater *inflater,
				   const struct perf_event_header **record);

/* Returns true if the parts so far end inside a record or a block of the compressed stream. */
bool memphis_perfdata_inflated_cut(const struct memphis_perfdata_inflater *inflater);
void memphis_perfdata_inflater_close(struct memphis_perfdata_inflater *inflater);

#endif
