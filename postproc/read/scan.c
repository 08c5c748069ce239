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

static int keep_chunk(struct memphis_scanned_part *part, const struct memphis_chunk_view *chunk)
{
	struct memphis_scanned_chunk *kept = memphis_append(part->chunks, part->count, part->room);

	if (!kept)
		return -ENOMEM;
	kept->view = *chunk;
	if (part->thread.log) {
		kept->samples_offset = part->thread.log->samples_offset;
		kept->samples_count = part->thread.log->samples_count;
	}
	return 0;
}

static int scan_chunks(struct memphis_scanned_part *part, struct memphis_file *file, bool accounting_only,
		       struct memphis_error *error)
{
	struct memphis_thread *thread = part->thread.log ? &part->thread : NULL;
	struct memphis_chunk_view chunk;
	int rc;

	while ((rc = memphis_file_next(file, &chunk, error)) > 0) {
		if (chunk.type == MEMPHIS_CHUNK_SAMPLES)
			rc = thread ? memphis_chunk_count_samples(thread, &chunk) : 0;
		else if (accounting_only && !is_accounting_chunk(chunk.type))
			continue;
		else if (!thread || memphis_chunk_is_shared(chunk.type))
			rc = keep_chunk(part, &chunk);
		else
			rc = memphis_chunk_load_own(thread, file, &chunk, error);
		if (rc == -ENOMEM)
			return memphis_fail(error, rc, "%s: out of memory", file->path);
		if (rc)
			return rc;
	}
	return rc;
}

/* Scans the whole file, or the current member of a file of ended threads. */
static int scan_part(struct memphis_scan *scan, struct memphis_file *file, bool accounting_only,
		     struct memphis_error *error)
{
	struct memphis_scanned_part *part = memphis_append(scan->parts, scan->count, scan->room);
	int rc;

	if (!part)
		return memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
	memset(part, 0, sizeof(*part));
	part->header = file->header;
	if (part->header.kind == MEMPHIS_FILE_THREAD &&
	    !(part->thread.log = calloc(1, sizeof(*part->thread.log))))
		return memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
	rc = scan_chunks(part, file, accounting_only, error);
	part->closed = file->closed;
	part->unfinished = file->unfinished;
	if (file->has_members) {
		part->thread.begin = file->begin;
		part->thread.end = file->offset;
	}
	return rc;
}

/*
 * Scans all threads in a file of ended threads. If the file was not closed, threads may be missing at its end.
 * The last thread is then marked as not closed, as nothing else would show this.
 */
static int scan_members(struct memphis_scan *scan, struct memphis_file *file, bool accounting_only,
			struct memphis_error *error)
{
	int rc;

	while ((rc = memphis_file_begin_member(file, error)) > 0) {
		rc = scan_part(scan, file, accounting_only, error);
		if (rc)
			return rc;
	}
	if (!rc && !file->closed && scan->count) {
		scan->parts[scan->count - 1].closed = false;
		scan->parts[scan->count - 1].unfinished = file->unfinished;
	}
	return rc || file->closed || scan->count ? rc : -ENODATA;
}

int memphis_scan_file(struct memphis_scan *scan, const char *path, bool accounting_only,
		      struct memphis_error *error)
{
	struct memphis_file file;

	memset(scan, 0, sizeof(*scan));
	scan->rc = memphis_file_open(&file, path, error);
	if (!scan->rc) {
		file.ahead = MEMPHIS_FILE_GLANCE;
		scan->rc = file.has_members ? scan_members(scan, &file, accounting_only, error)
					    : scan_part(scan, &file, accounting_only, error);
		memphis_file_close(&file);
	}
	return scan->rc == -ENODATA ? 0 : scan->rc;
}

void memphis_scan_close(struct memphis_scan *scan)
{
	size_t i;

	for (i = 0; i < scan->count; i++) {
		memphis_thread_close(&scan->parts[i].thread);
		free(scan->parts[i].chunks);
	}
	free(scan->parts);
	scan->parts = NULL;
	scan->count = scan->room = 0;
}
