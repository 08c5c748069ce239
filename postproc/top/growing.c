// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a file while it grows. The writer writes the payload of a chunk first and its header last, so a
 * reader normally sees zeros in place of an incomplete chunk. However, network file systems may show parts of
 * the chunk earlier. Such a chunk looks damaged until it is complete.
 */
#include "top/growing.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "perfdata/spool.h"

/*
 * If a chunk cannot be read in more than this number of consecutive looks, one per second, it counts as
 * damaged instead of incomplete.
 */
#define FAILURES_MAX 5

/* Opens the file. Checks that the file has not been replaced by another one since the first look. */
static int reopen_file(struct memphis_growing *growing, struct memphis_file *file,
		       struct memphis_error *error)
{
	int rc = memphis_file_open(file, growing->path, error);

	if (rc == -ENOENT || rc == -ESTALE)
		growing->state = MEMPHIS_GROWING_GONE;
	if (rc)
		return rc;
	if (growing->state == MEMPHIS_GROWING_NEW) {
		growing->header = file->header;
		growing->offset = file->header.header_bytes;
		growing->state = MEMPHIS_GROWING_OPEN;
	} else if (memcmp(&growing->header, &file->header, sizeof(file->header)) ||
		   file->bytes < growing->offset) {
		growing->state = MEMPHIS_GROWING_GONE;
		memphis_file_close(file);
		return -ESTALE;
	}
	return 0;
}

int memphis_growing_read_header(struct memphis_growing *growing, struct memphis_error *error)
{
	struct memphis_file file;
	int rc;

	if (growing->state != MEMPHIS_GROWING_NEW)
		return 0;
	rc = reopen_file(growing, &file, error);
	if (!rc)
		memphis_file_close(&file);
	return rc;
}

/* Returns true if there may be new chunks. */
static bool has_grown(struct memphis_growing *growing)
{
	struct stat status;

	if (memphis_made_stat(growing->path, &status)) {
		if (errno == ENOENT || errno == ENOTDIR || errno == ESTALE)
			growing->state = MEMPHIS_GROWING_GONE;
		return false;
	}
	/* If the file is smaller than before, it is another file. reopen_file() detects this. */
	return (uint64_t)status.st_size != growing->bytes;
}

static int take_chunks(struct memphis_growing *growing, struct memphis_file *file, memphis_growing_take *take,
		       void *context, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	int rc;

	while ((rc = memphis_file_next(file, &chunk, error)) > 0) {
		rc = take(context, file, &chunk, error);
		if (rc)
			return rc;
		if (file->has_members)
			continue;
		growing->offset = file->offset;
		growing->failures = 0;
	}
	return rc;
}

/*
 * Checks that the whole data of the current thread (member of the file) can be read. Otherwise, only a part
 * of it would be taken now, and the next look would take this part again.
 */
static int check_member(struct memphis_file *file, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	int rc;

	while ((rc = memphis_file_next(file, &chunk, error)) > 0) {
		rc = memphis_file_payload(file, &chunk, error);
		if (rc)
			return rc;
	}
	memphis_file_rewind(file);
	return rc;
}

static int take_members(struct memphis_growing *growing, struct memphis_file *file,
			memphis_growing_take *take, void *context, struct memphis_error *error)
{
	int rc;

	while ((rc = memphis_file_begin_member(file, error)) > 0) {
		rc = check_member(file, error);
		if (!rc)
			rc = take_chunks(growing, file, take, context, error);
		if (rc)
			return rc;
		growing->offset = file->offset;
		growing->failures = 0;
	}
	return rc;
}

int memphis_growing_read(struct memphis_growing *growing, memphis_growing_take *take, void *context,
			 struct memphis_error *error)
{
	struct memphis_file file;
	int rc;

	/* Call has_grown() in any state, because it also detects that a file has been removed. */
	if (!has_grown(growing) ||
	    (growing->state != MEMPHIS_GROWING_NEW && growing->state != MEMPHIS_GROWING_OPEN) ||
	    reopen_file(growing, &file, error))
		return 0;
	file.offset = growing->offset;
	file.ahead = MEMPHIS_FILE_AHEAD;
	rc = file.has_members ? take_members(growing, &file, take, context, error)
			      : take_chunks(growing, &file, take, context, error);
	if (!rc && file.closed)
		growing->state = MEMPHIS_GROWING_CLOSED;
	if (!rc)
		growing->failures = 0;
	else if (rc != -ENOMEM && ++growing->failures > FAILURES_MAX)
		growing->state = MEMPHIS_GROWING_DAMAGED;
	/*
	 * An incomplete chunk is completed by writing its header, which does not change the size of the file.
	 * Therefore, remember a smaller size if the last chunk is incomplete.
	 */
	growing->bytes = rc || file.unfinished ? growing->offset : file.bytes;
	memphis_file_close(&file);
	return rc == -ENOMEM ? rc : 0;
}
