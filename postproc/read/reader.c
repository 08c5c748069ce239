// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the header and the chunks of one sample file, and validates them. The file is read into a buffer and
 * not mapped. Thus, only one chunk at a time is resident, and a file that is truncated meanwhile causes an
 * error instead of a SIGBUS. Callers that read all chunks use read-ahead, because the library writes ten
 * chunks per second and many are small.
 */
#include "read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/terminal.h"
#include "perfdata/spool.h"

_Static_assert(sizeof(struct memphis_file_header) == 64, "the file header has 64 bytes");
_Static_assert(sizeof(struct memphis_chunk) == 24, "a chunk header has 24 bytes");
_Static_assert(sizeof(struct memphis_sample) == 40, "a sample has 40 bytes");
_Static_assert(sizeof(struct memphis_accounting) == 160, "accounting has 160 bytes");
_Static_assert(sizeof(struct memphis_stack) == 8, "a stack header has 8 bytes");
_Static_assert(sizeof(struct memphis_allocation) == 40, "an allocation has 40 bytes");
_Static_assert(sizeof(struct memphis_holder) == 24, "a holder has 24 bytes");
_Static_assert(sizeof(struct memphis_counter_value) == 32, "a reading has 32 bytes");
_Static_assert(sizeof(struct memphis_region_span) == 24, "a span has 24 bytes");
_Static_assert(sizeof(struct memphis_mpi_sum) == 80, "a sum over MPI calls has 80 bytes");
_Static_assert(sizeof(struct memphis_counter_mark) == 16, "a mark has 16 bytes");

/* Shortest encoded sample: a control byte and four numbers of one byte each. */
#define SAMPLE_CODE_BYTES_MIN 5

static const struct chunk_type {
	uint16_t type;
	uint16_t record_bytes; /* size of each of the `count` records; 0 if it varies */
	const char *name;
} chunk_types[] = {
	{MEMPHIS_CHUNK_SAMPLES, 0, "samples"},
	{MEMPHIS_CHUNK_ACCOUNTING, sizeof(struct memphis_accounting), "accounting"},
	{MEMPHIS_CHUNK_STACKS, 0, "stacks"},
	{MEMPHIS_CHUNK_ALLOCATIONS, sizeof(struct memphis_allocation), "allocations"},
	{MEMPHIS_CHUNK_NAMES, 0, "names"},
	{MEMPHIS_CHUNK_THREAD, 0, "thread"},
	{MEMPHIS_CHUNK_TLS, 0, "tls"},
	{MEMPHIS_CHUNK_STACK_FRAMES, 0, "stack-frames"},
	{MEMPHIS_CHUNK_CHAINS, 0, "chains"},
	{MEMPHIS_CHUNK_CALLERS, 0, "callers"},
	{MEMPHIS_CHUNK_FRAMES, 0, "frames"},
	{MEMPHIS_CHUNK_IN_FRAMES, 0, "in-frames"},
	{MEMPHIS_CHUNK_REGION_TIMES, sizeof(struct memphis_region_time), "region-times"},
	{MEMPHIS_CHUNK_SPANS, sizeof(struct memphis_region_span), "spans"},
	{MEMPHIS_CHUNK_MPI, sizeof(struct memphis_mpi_sum), "mpi"},
	{MEMPHIS_CHUNK_MPI_EVENTS, sizeof(struct memphis_mpi_event), "mpi-events"},
	{MEMPHIS_CHUNK_IO, sizeof(struct memphis_mpi_sum), "io"},
	{MEMPHIS_CHUNK_SETTINGS, 0, "settings"},
	{MEMPHIS_CHUNK_TOPOLOGY, 0, "topology"},
	{MEMPHIS_CHUNK_MAPS, 0, "maps"},
	{MEMPHIS_CHUNK_REGIONS, 0, "regions"},
	{MEMPHIS_CHUNK_HOLDERS, sizeof(struct memphis_holder), "holders"},
	{MEMPHIS_CHUNK_LOSSES, 0, "losses"},
	{MEMPHIS_CHUNK_COUNTER_METRICS, 0, "counter-metrics"},
	{MEMPHIS_CHUNK_COUNTERS, sizeof(struct memphis_counter_value), "counters"},
	{MEMPHIS_CHUNK_COUNTER_MARKS, sizeof(struct memphis_counter_mark), "counter-marks"},
	{MEMPHIS_CHUNK_PART_NAMES, 0, "part-names"},
	{MEMPHIS_CHUNK_FILES, 0, "files"},
	{MEMPHIS_CHUNK_PERF_MAP, 0, "perf-map"},
	{MEMPHIS_CHUNK_JITDUMP, 0, "jitdump"},
	{MEMPHIS_CHUNK_PYTHON_LINES, 0, "python-lines"},
	{MEMPHIS_CHUNK_END, 0, "end"},
};

static const struct chunk_type *chunk_type(unsigned int type)
{
	size_t i;

	for (i = 0; i < sizeof(chunk_types) / sizeof(*chunk_types); i++)
		if (chunk_types[i].type == type)
			return &chunk_types[i];
	return NULL;
}

const char *memphis_chunk_name(unsigned int type)
{
	const struct chunk_type *known = chunk_type(type);

	return known ? known->name : "unknown";
}

#define DAMAGED "the file is damaged or was cut short; take a fresh copy from where it was recorded"

static int fail_at(struct memphis_error *error, const struct memphis_file *file, uint64_t offset,
		   const char *what)
{
	return memphis_fail(error, -EBADMSG, "%s: offset 0x%" PRIx64 ": %s; " DAMAGED, file->path, offset,
			    what);
}

/*
 * Reads exactly `bytes` bytes at `offset`. The caller has checked that they are inside the file. Returns 0,
 * or a negative errno with a message in *error.
 */
static int read_at(struct memphis_file *file, void *to, size_t bytes, uint64_t offset,
		   struct memphis_error *error)
{
	char *next = to;
	ssize_t got;

	while (bytes) {
		got = file->made ? memphis_made_read(file->made, next, bytes, offset)
				 : pread(file->fd, next, bytes, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return memphis_fail(error, -errno, "%s: offset 0x%" PRIx64 ": cannot read: %s",
					    file->path, offset, strerror(errno));
		if (!got)
			return fail_at(error, file, offset, "the file became shorter while it was read");
		next += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return 0;
}

/* Sets *at to the `bytes` bytes at `offset`, which must be inside the file. The pointer is valid until the next call. */
static int view_bytes(struct memphis_file *file, uint64_t offset, size_t bytes, const uint8_t **at,
		      struct memphis_error *error)
{
	uint64_t left = file->bytes - offset;
	size_t want = bytes, kept = 0;
	int rc;

	if (offset < file->window_offset || offset + bytes > file->window_offset + file->window_bytes) {
		if (want < file->ahead)
			want = left < file->ahead ? (size_t)left : file->ahead;
		if (memphis_grow(&file->window, &file->window_room, want + 1, 1))
			return memphis_fail(error, -ENOMEM, "%s: out of memory", file->path);
		if (offset >= file->window_offset && offset < file->window_offset + file->window_bytes) {
			kept = (size_t)(file->window_offset + file->window_bytes - offset);
			memmove(file->window, file->window + (offset - file->window_offset), kept);
		}
		file->window_bytes = 0;
		rc = read_at(file, file->window + kept, want - kept, offset + kept, error);
		if (rc)
			return rc;
		file->window_offset = offset;
		file->window_bytes = want;
	}
	*at = file->window + (offset - file->window_offset);
	return 0;
}

int memphis_file_empty(const char *path, struct memphis_error *error)
{
	return memphis_fail(
		error, -ENODATA,
		"%s: offset 0x0: the file is empty; the recorded process did not get to write it, or the copy failed",
		path);
}

/*
 * Reads and validates the header at `begin`. If it is the header of a thread in a file of ended threads, also
 * checks that the thread belongs to the file's process.
 */
static int check_header(struct memphis_file *file, uint64_t begin, struct memphis_error *error)
{
	const struct memphis_file_header whole = file->header;
	const uint64_t left = file->bytes - begin;
	struct memphis_file_header *header = &file->header;
	uint64_t magic = 0;
	int rc;

	rc = read_at(file, &magic, left < 8 ? left : 8, begin, error);
	if (rc)
		return rc;
	if (begin && memcmp(&magic, &(uint64_t){MEMPHIS_FILE_MAGIC}, left < 8 ? left : 8))
		return fail_at(error, file, begin, "no thread begins here");
	if (!begin && magic != MEMPHIS_FILE_MAGIC)
		return memphis_fail(
			error, -EBADMSG,
			"%s: offset 0x0: not a Memphis sample file; give files named *%s, or the directory that holds them",
			file->path, MEMPHIS_FILE_SUFFIX);
	if (left < sizeof(*header))
		return fail_at(error, file, file->bytes,
			       begin ? "the file ends inside a thread's header"
				     : "the file ends inside its header");
	rc = read_at(file, header, sizeof(*header), begin, error);
	if (rc)
		return rc;
	if (header->version != MEMPHIS_FILE_VERSION)
		return memphis_fail(
			error, -EBADMSG,
			"%s: offset 0x%" PRIx64
			": format version %u, this memphis reads version %d; use the memphis of the version that recorded it",
			file->path, begin + 8, header->version, MEMPHIS_FILE_VERSION);
	if (memphis_checksum(0, header, offsetof(struct memphis_file_header, header_crc32c)) !=
	    header->header_crc32c)
		return fail_at(error, file, begin + offsetof(struct memphis_file_header, header_crc32c),
			       "the header's checksum does not match");
	if (header->kind != MEMPHIS_FILE_PROCESS && header->kind != MEMPHIS_FILE_THREAD &&
	    header->kind != MEMPHIS_FILE_THREADS)
		return fail_at(error, file, begin + 10,
			       "the file is neither a process file nor a thread file");
	if (begin && (header->kind != MEMPHIS_FILE_THREAD || header->pid != whole.pid ||
		      memcmp(header->run, whole.run, sizeof(whole.run)) != 0))
		return fail_at(error, file, begin, "this is no thread of the file's process");
	if (header->header_bytes < sizeof(*header) || header->header_bytes % 8 || header->header_bytes > left)
		return fail_at(error, file, begin + 12, "the offset of the first chunk is invalid");
	file->begin = begin;
	return 0;
}

/* Opens the file that has this name in the file system, and sets its size. */
static int open_named(struct memphis_file *file, struct memphis_error *error)
{
	const char *path = file->path;
	struct stat status;

	/* O_NONBLOCK: if the path is a FIFO by mistake, opening must not block. */
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return memphis_fail(error, -errno, "%s: cannot open: %s", path, strerror(errno));
	if (fstat(file->fd, &status))
		return memphis_fail(error, -errno, "%s: cannot stat: %s", path, strerror(errno));
	/* Commands that accept directories pass the files in them, so this does not happen there. */
	if (S_ISDIR(status.st_mode))
		return memphis_fail(error, -EISDIR, "%s: a directory; give the files in it: %s/*%s", path,
				    path, MEMPHIS_FILE_SUFFIX);
	if (!S_ISREG(status.st_mode))
		return memphis_fail(error, -EINVAL,
				    "%s: not a regular file; give sample files (*%s) or directories", path,
				    MEMPHIS_FILE_SUFFIX);
	file->bytes = (uint64_t)status.st_size;
	return 0;
}

int memphis_file_open(struct memphis_file *file, const char *path, struct memphis_error *error)
{
	int rc = 0;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->path = strdup(path);
	if (!file->path)
		return memphis_fail(error, -ENOMEM, "%s: out of memory", path);
	file->made = memphis_made_find(path);
	if (file->made)
		file->bytes = memphis_made_bytes(file->made);
	else
		rc = open_named(file, error);
	if (!rc)
		rc = file->bytes ? check_header(file, 0, error) : memphis_file_empty(path, error);
	if (rc) {
		memphis_file_close(file);
		return rc;
	}
	file->has_members = file->header.kind == MEMPHIS_FILE_THREADS;
	memphis_file_rewind(file);
	return 0;
}

int memphis_file_open_part(struct memphis_file *file, const char *path, uint64_t begin, uint64_t end,
			   struct memphis_error *error)
{
	int rc = memphis_file_open(file, path, error);

	if (rc || !end)
		return rc;
	if (end > file->bytes || begin >= end)
		rc = fail_at(error, file, file->bytes, "the file became shorter while it was read");
	else
		file->bytes = end;
	if (!rc)
		rc = check_header(file, begin, error);
	if (rc)
		memphis_file_close(file);
	else
		memphis_file_rewind(file);
	return rc;
}

void memphis_file_close(struct memphis_file *file)
{
	if (!file->path)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file->window);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

void memphis_file_rewind(struct memphis_file *file)
{
	file->offset = file->begin + file->header.header_bytes;
	file->closed = file->unfinished = false;
}

static bool all_zero(const void *data, size_t bytes)
{
	const unsigned char *p = data;

	while (bytes && !*p)
		p++, bytes--;
	return !bytes;
}

/* Checks that only zeros follow the END chunk. The writer had allocated this space in advance. */
static int check_tail(struct memphis_file *file, struct memphis_error *error)
{
	uint8_t tail[4096];
	uint64_t offset = file->offset;
	size_t bytes;
	int rc;

	for (; offset < file->bytes; offset += bytes) {
		bytes = file->bytes - offset < sizeof(tail) ? file->bytes - offset : sizeof(tail);
		rc = read_at(file, tail, bytes, offset, error);
		if (rc)
			return rc;
		if (!all_zero(tail, bytes))
			return fail_at(error, file, offset, "data after the end chunk");
	}
	return 0;
}

static bool is_member(const struct memphis_file *file)
{
	return file->begin > 0;
}

int memphis_file_next(struct memphis_file *file, struct memphis_chunk_view *chunk,
		      struct memphis_error *error)
{
	struct memphis_chunk header = {0};
	uint64_t left = file->bytes - file->offset, whole;
	const uint8_t *at;
	int rc;

	memset(chunk, 0, sizeof(*chunk));
	if (file->closed && is_member(file))
		return 0;
	if (file->closed || file->unfinished || (!left && !is_member(file)))
		return file->closed ? check_tail(file, error) : 0;
	if (!left)
		return fail_at(error, file, file->offset, "the file ends before the thread does");
	rc = view_bytes(file, file->offset, left < sizeof(header) ? left : sizeof(header), &at, error);
	if (rc)
		return rc;
	memcpy(&header, at, left < sizeof(header) ? left : sizeof(header));
	if (all_zero(&header, sizeof(header)) && !is_member(file)) {
		file->unfinished = true;
		return 0;
	}
	if (left < sizeof(header))
		return fail_at(error, file, file->offset, "the file ends inside a chunk header");
	if (header.magic != MEMPHIS_CHUNK_MAGIC)
		return fail_at(error, file, file->offset, "no chunk begins here");
	if (memphis_checksum(0, &header, offsetof(struct memphis_chunk, header_crc32c)) !=
	    header.header_crc32c)
		return fail_at(error, file, file->offset, "the chunk header's checksum does not match");
	whole = (header.payload_bytes + 7ULL) & ~7ULL;
	if (header.payload_bytes > MEMPHIS_CHUNK_BYTES_MAX)
		return fail_at(error, file, file->offset, "the chunk exceeds the maximum size");
	if (whole > left - sizeof(header))
		return fail_at(error, file, file->offset, "the file ends inside this chunk");
	chunk->offset = file->offset;
	chunk->type = header.type;
	chunk->count = header.count;
	chunk->bytes = header.payload_bytes;
	chunk->crc32c = header.payload_crc32c;
	file->offset += sizeof(header) + whole;
	file->closed = header.type == MEMPHIS_CHUNK_END;
	return 1;
}

int memphis_file_begin_member(struct memphis_file *file, struct memphis_error *error)
{
	const uint64_t left = file->bytes - file->offset;
	struct memphis_chunk_view chunk;
	uint8_t first[sizeof(struct memphis_chunk)];
	const size_t bytes = left < sizeof(first) ? (size_t)left : sizeof(first);
	uint32_t magic = 0;
	int rc;

	file->closed = false;
	if (!left)
		return 0;
	rc = read_at(file, first, bytes, file->offset, error);
	if (rc)
		return rc;
	if (all_zero(first, bytes)) {
		file->unfinished = true;
		return 0;
	}
	if (bytes >= sizeof(magic))
		memcpy(&magic, first, sizeof(magic));
	if (magic != MEMPHIS_CHUNK_MAGIC) {
		rc = check_header(file, file->offset, error);
		if (rc)
			return rc;
		memphis_file_rewind(file);
		return 1;
	}
	file->begin = 0; /* the next END chunk is the one of the whole file */
	rc = memphis_file_next(file, &chunk, error);
	if (rc > 0 && !file->closed)
		return fail_at(error, file, chunk.offset, "no thread begins here");
	return rc > 0 ? check_tail(file, error) : rc;
}

int memphis_file_payload(struct memphis_file *file, struct memphis_chunk_view *chunk,
			 struct memphis_error *error)
{
	const struct chunk_type *type = chunk_type(chunk->type);
	uint64_t offset = chunk->offset + sizeof(struct memphis_chunk);
	int rc;

	rc = view_bytes(file, offset, chunk->bytes, &chunk->payload, error);
	if (rc)
		return rc;
	if (memphis_checksum(0, chunk->payload, chunk->bytes) != chunk->crc32c)
		return fail_at(error, file, offset, "the chunk's checksum does not match");
	if (type && type->record_bytes && (uint64_t)chunk->count * type->record_bytes != chunk->bytes)
		return fail_at(error, file, chunk->offset, "the chunk's count does not fit its size");
	if (chunk->type == MEMPHIS_CHUNK_SAMPLES &&
	    (uint64_t)chunk->count * SAMPLE_CODE_BYTES_MIN > chunk->bytes)
		return fail_at(error, file, chunk->offset,
			       "the chunk is too short for its number of samples");
	memphis_progress_add(sizeof(struct memphis_chunk) + chunk->bytes);
	return 0;
}
