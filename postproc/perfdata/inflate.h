/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that perf has compressed: their bytes are one zstd stream, in parts that end anywhere. */
#ifndef MEMPHIS_PERFDATA_INFLATE_H
#define MEMPHIS_PERFDATA_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "perfdata/perf_format.h"

struct memphis_perfdata_inflater {
	void *stream; /* ZSTD_DStream */
	uint8_t *bytes;
	size_t room, used, at; /* of `used` bytes, those before `at` are taken */
};

/* Returns whether the record is a compressed part. */
bool memphis_perfdata_is_compressed(const struct perf_event_header *record);

/*
 * Adds the part. Invalidates records that were taken. Returns 0; -EBADMSG if it is damaged; -ENOMEM; or -ENOTSUP if the tool was built without zstd.
 */
int memphis_perfdata_inflate(struct memphis_perfdata_inflater *inflater,
			     const struct perf_event_header *record);

/* Takes the next record, if all of it is there. Returns 1, 0 if there is none, or -EBADMSG. */
int memphis_perfdata_inflated_next(struct memphis_perfdata_inflater *inflater,
				   const struct perf_event_header **record);
void memphis_perfdata_inflater_close(struct memphis_perfdata_inflater *inflater);

#endif
