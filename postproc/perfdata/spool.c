// SPDX-License-Identifier: BSD-3-Clause
/* Makes temporary sample files. */
#include "perfdata/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/checksum.h"

#define BUFFER_BYTES (1u << 20)

static struct kept {
	char *path;
	int fd;
} * kept;
static size_t kept_count, kept_room;

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

/*
 * Raises the limit of open files to the hard limit. Files stay open, two for each process and one for each
 * thread of perf. With thousands of them, the default limit is too low.
 */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
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
	return memphis_fail(error, -failed, "cannot make a temporary file: %s; %s", strerror(failed),
			    failed == EMFILE ? "allow more open files than the hard limit (ulimit -Hn)"
					     : "set TMPDIR to a directory with space");
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
	allow_descriptors();
	return open_temporary(&spool->fd, error);
}

void memphis_spool_close(struct memphis_spool *spool)
{
	if (spool->buffer && spool->fd >= 0)
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

static int put(struct memphis_spool *spool, const void *data, size_t bytes, struct memphis_error *error)
{
	int rc = 0;

	if (bytes > BUFFER_BYTES - spool->used)
		rc = flush(spool, error);
	if (!rc && bytes > BUFFER_BYTES)
		rc = write_all(spool->fd, data, bytes, spool->bytes, error);
	if (!rc && bytes && bytes <= BUFFER_BYTES) {
		memcpy(spool->buffer + spool->used, data, bytes);
		spool->used += bytes;
	}
	spool->bytes += bytes;
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

	if (!last || last->offset + last->bytes != offset) {
		last = memphis_append(file->extents, file->count, file->room);
		if (!last)
			return -ENOMEM;
		last->offset = offset;
	}
	last->bytes += bytes;
	return 0;
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
	if (rc)
		return rc;
	return extend(file, begin, spool->bytes - begin) ? memphis_fail(error, -ENOMEM, "out of memory") : 0;
}

void memphis_spooled_close(struct memphis_spooled *file)
{
	free(file->extents);
	memset(file, 0, sizeof(*file));
}

static int append(struct memphis_made *made, const void *data, size_t bytes, struct memphis_error *error)
{
	const int rc = write_all(made->fd, data, bytes, made->bytes, error);

	made->bytes += bytes;
	return rc;
}

int memphis_made_header(struct memphis_made *made, const struct memphis_file_header *header,
			struct memphis_error *error)
{
	struct memphis_file_header written = *header;

	written.magic = MEMPHIS_FILE_MAGIC;
	written.version = MEMPHIS_FILE_VERSION;
	written.header_bytes = sizeof(written);
	written.header_crc32c =
		memphis_checksum(0, &written, offsetof(struct memphis_file_header, header_crc32c));
	return append(made, &written, sizeof(written), error);
}

int memphis_made_begin(struct memphis_made *made, const struct memphis_file_header *header,
		       struct memphis_error *error)
{
	int rc;

	made->bytes = 0;
	rc = open_temporary(&made->fd, error);
	return rc ? rc : memphis_made_header(made, header, error);
}

/* Copies an extent to the file. The end of the extent may still be in the buffer. */
static int copy(struct memphis_made *made, const struct memphis_spool *spool,
		const struct memphis_spool_extent *extent, uint8_t *room, struct memphis_error *error)
{
	uint64_t done = 0;
	ssize_t got;
	int rc = 0;

	while (!rc && done < extent->bytes) {
		got = pread(spool->fd, room,
			    extent->bytes - done < BUFFER_BYTES ? extent->bytes - done : BUFFER_BYTES,
			    (off_t)(extent->offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return memphis_fail(error, got ? -errno : -EIO, "cannot read a temporary file: %s",
					    strerror(got ? errno : EIO));
		rc = append(made, room, (size_t)got, error);
		done += (uint64_t)got;
	}
	return rc;
}

int memphis_made_chunks(struct memphis_made *made, struct memphis_spool *spool,
			const struct memphis_spooled *file, struct memphis_error *error)
{
	uint8_t *room = malloc(BUFFER_BYTES);
	size_t i;
	int rc = room ? flush(spool, error) : memphis_fail(error, -ENOMEM, "out of memory");

	for (i = 0; !rc && i < file->count; i++)
		rc = copy(made, spool, &file->extents[i], room, error);
	free(room);
	return rc;
}

int memphis_made_end(struct memphis_made *made, struct memphis_error *error)
{
	const struct memphis_chunk chunk = chunk_of(MEMPHIS_CHUNK_END, "", 0, 0);

	return append(made, &chunk, sizeof(chunk), error);
}

int memphis_made_keep(const struct memphis_made *made, const char *path)
{
	struct kept *added = memphis_append(kept, kept_count, kept_room);

	if (!added)
		return -ENOMEM;
	added->fd = made->fd;
	added->path = strdup(path);
	return added->path ? 0 : -ENOMEM;
}

static const struct kept *find(const char *path)
{
	size_t i;

	for (i = 0; i < kept_count; i++)
		if (kept[i].path && !strcmp(kept[i].path, path))
			return &kept[i];
	return NULL;
}

int memphis_made_stat(const char *path, struct stat *status)
{
	const struct kept *found = find(path);

	return found ? fstat(found->fd, status) : stat(path, status);
}

int memphis_made_open(const char *path)
{
	const struct kept *found = find(path);

	return found ? fcntl(found->fd, F_DUPFD_CLOEXEC, 0) : -1;
}

void memphis_made_close(void)
{
	for (; kept_count; kept_count--) {
		close(kept[kept_count - 1].fd);
		free(kept[kept_count - 1].path);
	}
	free(kept);
	kept = NULL;
	kept_room = 0;
}
