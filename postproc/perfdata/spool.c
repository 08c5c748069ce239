// SPDX-License-Identifier: BSD-3-Clause
/* Makes temporary sample files. */
#include "perfdata/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/order.h"
#include "base/uthash.h"

#define BUFFER_BYTES (1u << 20)

struct memphis_made {
	char *path;
	struct memphis_spooled parts;
	int spool;
	bool owner; /* closes the spool */
	UT_hash_handle hh;
};

static struct memphis_made *kept; /* by path */

/* Creates a file without a name in the directory. Returns its descriptor, or -1. */
static int open_in(const char *directory)
{
	char path[4096];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* Not all file systems support O_TMPFILE. Otherwise create a file with a name, and remove the name. */
	if (fd >= 0 || snprintf(path, sizeof(path), "%s/memphis.XXXXXX", directory) >= (int)sizeof(path))
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static int open_temporary(int *fd, struct memphis_error *error)
{
	const char *directories[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	size_t i;
	int failed = ENOENT;

	for (i = 0; i < sizeof(directories) / sizeof(*directories); i++) {
		if (!directories[i] || !*directories[i])
			continue;
		*fd = open_in(directories[i]);
		if (*fd >= 0)
			return 0;
		failed = errno;
	}
	return memphis_fail(error, -failed,
			    "cannot make a temporary file: %s; set TMPDIR to a directory with space",
			    strerror(failed));
}

static int write_all(int fd, const void *data, size_t bytes, uint64_t offset, struct memphis_error *error)
{
	const uint8_t *next = data;
	ssize_t put;

	while (bytes) {
		put = pwrite(fd, next, bytes, (off_t)offset);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return memphis_fail(
				error, -errno,
				"cannot write a temporary file: %s; set TMPDIR to a directory with space",
				strerror(errno));
		next += put;
		offset += (uint64_t)put;
		bytes -= (size_t)put;
	}
	return 0;
}

int memphis_spool_begin(struct memphis_spool *spool, struct memphis_error *error)
{
	memset(spool, 0, sizeof(*spool));
	spool->fd = -1;
	spool->buffer = malloc(BUFFER_BYTES);
	if (!spool->buffer)
		return memphis_fail(error, -ENOMEM, "out of memory");
	return open_temporary(&spool->fd, error);
}

void memphis_spool_close(struct memphis_spool *spool)
{
	if (spool->buffer && spool->fd >= 0 && !spool->kept)
		close(spool->fd);
	free(spool->buffer);
	memset(spool, 0, sizeof(*spool));
}

static int flush(struct memphis_spool *spool, struct memphis_error *error)
{
	const size_t used = spool->used;

	spool->used = 0;
	return write_all(spool->fd, spool->buffer, used, spool->bytes - used, error);
}

/* Writes whole buffers, so that each write is of whole pages. */
static int put(struct memphis_spool *spool, const void *data, size_t bytes, struct memphis_error *error)
{
	const uint8_t *next = data;
	size_t some;
	int rc = 0;

	for (; !rc && bytes; next += some, bytes -= some) {
		some = bytes < BUFFER_BYTES - spool->used ? bytes : BUFFER_BYTES - spool->used;
		memcpy(spool->buffer + spool->used, next, some);
		spool->used += some;
		spool->bytes += some;
		if (spool->used == BUFFER_BYTES)
			rc = flush(spool, error);
	}
	return rc;
}

static struct memphis_chunk chunk_of(uint16_t type, const void *payload, size_t bytes, uint32_t count)
{
	struct memphis_chunk chunk = {
		.magic = MEMPHIS_CHUNK_MAGIC, .type = type, .payload_bytes = (uint32_t)bytes, .count = count};

	chunk.payload_crc32c = memphis_checksum(0, payload, bytes);
	chunk.header_crc32c = memphis_checksum(0, &chunk, offsetof(struct memphis_chunk, header_crc32c));
	return chunk;
}

/* Appends bytes of the spool to the file. Extends the last extent if the bytes directly follow it. */
static int extend(struct memphis_spooled *file, uint64_t offset, uint64_t bytes)
{
	struct memphis_spool_extent *last = file->count ? &file->extents[file->count - 1] : NULL;

	if (!last || last->offset + (file->bytes - last->begin) != offset) {
		last = memphis_append(file->extents, file->count, file->room);
		if (!last)
			return -ENOMEM;
		last->begin = file->bytes;
		last->offset = offset;
	}
	file->bytes += bytes;
	return 0;
}

/* Appends the bytes that were put into the spool since it ended at `begin`. */
static int take(struct memphis_spool *spool, struct memphis_spooled *file, uint64_t begin,
		struct memphis_error *error)
{
	return extend(file, begin, spool->bytes - begin) ? memphis_fail(error, -ENOMEM, "out of memory") : 0;
}

int memphis_spool_chunk(struct memphis_spool *spool, struct memphis_spooled *file, uint16_t type,
			const void *payload, size_t bytes, uint32_t count, struct memphis_error *error)
{
	const struct memphis_chunk chunk = chunk_of(type, payload, bytes, count);
	const uint64_t begin = spool->bytes;
	static const uint8_t zeros[8];
	int rc = put(spool, &chunk, sizeof(chunk), error);

	if (!rc)
		rc = put(spool, payload, bytes, error);
	if (!rc)
		rc = put(spool, zeros, -bytes % 8, error);
	return rc ? rc : take(spool, file, begin, error);
}

int memphis_spool_header(struct memphis_spool *spool, struct memphis_spooled *file,
			 const struct memphis_file_header *header, struct memphis_error *error)
{
	struct memphis_file_header written = *header;
	const uint64_t begin = spool->bytes;
	int rc;

	written.magic = MEMPHIS_FILE_MAGIC;
	written.version = MEMPHIS_FILE_VERSION;
	written.header_bytes = sizeof(written);
	written.header_crc32c =
		memphis_checksum(0, &written, offsetof(struct memphis_file_header, header_crc32c));
	rc = put(spool, &written, sizeof(written), error);
	return rc ? rc : take(spool, file, begin, error);
}

/* Returns the offset in the file at which the extent ends. */
static uint64_t end_of(const struct memphis_spooled *file, size_t extent)
{
	return extent + 1 < file->count ? file->extents[extent + 1].begin : file->bytes;
}

int memphis_spooled_move(struct memphis_spooled *to, struct memphis_spooled *from,
			 struct memphis_error *error)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->count; i++)
		rc = extend(to, from->extents[i].offset, end_of(from, i) - from->extents[i].begin);
	memphis_spooled_close(from);
	return rc ? memphis_fail(error, rc, "out of memory") : 0;
}

void memphis_spooled_close(struct memphis_spooled *file)
{
	free(file->extents);
	memset(file, 0, sizeof(*file));
}

int memphis_spool_keep(struct memphis_spool *spool, struct memphis_spooled *file, const char *path,
		       struct memphis_error *error)
{
	struct memphis_made *made;
	int rc = flush(spool, error);

	if (rc)
		return rc;
	made = malloc(sizeof(*made));
	if (!made)
		return memphis_fail(error, -ENOMEM, "out of memory");
	*made = (struct memphis_made){strdup(path), *file, spool->fd, !spool->kept, .hh = {.tbl = NULL}};
	if (made->path)
		HASH_ADD_KEYPTR(hh, kept, made->path, strlen(made->path), made);
	if (!made->hh.tbl) {
		free(made->path);
		free(made);
		return memphis_fail(error, -ENOMEM, "out of memory");
	}
	spool->kept = true;
	memset(file, 0, sizeof(*file));
	return 0;
}

const struct memphis_made *memphis_made_find(const char *path)
{
	struct memphis_made *made;

	HASH_FIND(hh, kept, path, strlen(path), made);
	return made;
}

uint64_t memphis_made_bytes(const struct memphis_made *made)
{
	return made->parts.bytes;
}

ssize_t memphis_made_read(const struct memphis_made *made, void *to, size_t bytes, uint64_t offset)
{
	const struct memphis_spooled *parts = &made->parts;
	const struct memphis_spool_extent *extents = parts->extents;
	size_t extent;

	if (offset >= parts->bytes)
		return 0;
	extent = memphis_bisect(at, parts->count, extents[at].begin <= offset) - 1;
	if (bytes > end_of(parts, extent) - offset)
		bytes = end_of(parts, extent) - offset;
	return pread(made->spool, to, bytes,
		     (off_t)(extents[extent].offset + (offset - extents[extent].begin)));
}

int memphis_made_stat(const char *path, struct stat *status)
{
	const struct memphis_made *made = memphis_made_find(path);

	if (!made)
		return stat(path, status);
	memset(status, 0, sizeof(*status));
	status->st_mode = S_IFREG;
	status->st_size = (off_t)made->parts.bytes;
	return 0;
}

void memphis_made_close(void)
{
	struct memphis_made *made, *next;

	HASH_ITER (hh, kept, made, next) {
		HASH_DEL(kept, made);
		if (made->owner)
			close(made->spool);
		free(made->path);
		memphis_spooled_close(&made->parts);
		free(made);
	}
}
