// SPDX-License-Identifier: BSD-3-Clause
/* Finds the chunks of a file by their headers. */
#include "read/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/chunks.h"
#include "read/thread.h"

static bool is_accounting_chunk(unsigned int type)
{
	return type == MEMPHIS_CHUNK_ACCOUNTING || type == MEMPHIS_CHUNK_SETTINGS ||
	       type == MEMPHIS_CHUNK_LOSSES;
}

static int keep(struct memphis_scan *scan, const struct memphis_chunk_view *chunk)
{
	struct memphis_scanned_chunk *kept = memphis_append(scan->chunks, scan->count, scan->room);

	if (!kept)
		return -ENOMEM;
	kept->view = *chunk;
	if (scan->thread.log) {
		kept->samples_offset = scan->thread.log->samples_offset;
		kept->samples_count = scan->thread.log->samples_count;
	}
	return 0;
}

static int scan_chunks(struct memphis_scan *scan, struct memphis_file *file, bool accounting_only,
		       struct memphis_error *error)
{
	struct memphis_thread *thread = scan->thread.log ? &scan->thread : NULL;
	struct memphis_chunk_view chunk;
	int rc;

	while ((rc = memphis_file_next(file, &chunk, error)) > 0) {
		if (chunk.type == MEMPHIS_CHUNK_SAMPLES)
			rc = thread ? memphis_chunk_count_samples(thread, &chunk) : 0;
		else if (accounting_only && !is_accounting_chunk(chunk.type))
			continue;
		else if (!thread || memphis_chunk_is_shared(chunk.type))
			rc = keep(scan, &chunk);
		else
			rc = memphis_chunk_load_own(thread, file, &chunk, error);
		if (rc == -ENOMEM)
			return memphis_fail(error, rc, "%s: out of memory", file->path);
		if (rc)
			return rc;
	}
	return rc;
}

int memphis_scan_file(struct memphis_scan *scan, const char *path, bool accounting_only,
		      struct memphis_error *error)
{
	struct memphis_file file;

	memset(scan, 0, sizeof(*scan));
	scan->rc = memphis_file_open(&file, path, error);
	if (scan->rc == -ENODATA)
		return 0;
	if (scan->rc)
		return scan->rc;
	file.ahead = MEMPHIS_FILE_GLANCE;
	if (file.header.kind == MEMPHIS_FILE_THREAD &&
	    !(scan->thread.log = calloc(1, sizeof(*scan->thread.log))))
		scan->rc = memphis_fail(error, -ENOMEM, "%s: out of memory", path);
	else
		scan->rc = scan_chunks(scan, &file, accounting_only, error);
	scan->closed = file.closed;
	scan->unfinished = file.unfinished;
	memphis_file_close(&file);
	return scan->rc;
}

void memphis_scan_close(struct memphis_scan *scan)
{
	memphis_thread_close(&scan->thread);
	free(scan->chunks);
	scan->chunks = NULL;
	scan->count = scan->room = 0;
}
