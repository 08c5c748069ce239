// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the bytes of a perf file. Uses read calls instead of mmap. If another program truncates the file
 * meanwhile, the result is an error instead of a SIGBUS.
 */
#include "perfdata/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/terminal.h"

#define AHEAD (128u << 10) /* fits in the second-level cache, from which records are taken */

int memphis_perfdata_input_damaged(const struct memphis_perfdata_input *input, uint64_t offset,
				   const char *what, struct memphis_error *error)
{
	return memphis_fail(
		error, -EBADMSG,
		"%s: offset 0x%" PRIx64
		": %s; the file is damaged or was cut short: take a fresh copy from where perf recorded it",
		input->path, offset, what);
}

int memphis_perfdata_input_cut(struct memphis_perfdata_input *input, const char *what,
			       struct memphis_error *error)
{
	input->unfinished = true;
	return input->may_be_cut ? 0 : memphis_perfdata_input_damaged(input, input->offset, what, error);
}

int memphis_perfdata_input_open(struct memphis_perfdata_input *input, const char *path,
				struct memphis_error *error)
{
	struct stat status;
	int rc;

	memset(input, 0, sizeof(*input));
	input->path = strdup(path);
	if (!input->path)
		return memphis_fail(error, -ENOMEM, "%s: out of memory", path);
	input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (input->fd >= 0 && !fstat(input->fd, &status) && S_ISREG(status.st_mode)) {
		input->bytes = input->end = (uint64_t)status.st_size;
		input->changed_ns =
			(uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
		return 0;
	}
	rc = input->fd < 0 ? memphis_fail(error, -errno, "%s: cannot open: %s", path, strerror(errno))
			   : memphis_fail(error, -EINVAL, "%s: not a regular file", path);
	if (input->fd >= 0)
		close(input->fd);
	free(input->path);
	memset(input, 0, sizeof(*input));
	return rc;
}

void memphis_perfdata_input_close(struct memphis_perfdata_input *input)
{
	if (!input->path)
		return;
	close(input->fd);
	free(input->path);
	free(input->window);
	free(input->aligned);
	memset(input, 0, sizeof(*input));
}

/* Reads exactly `bytes` bytes, which must be in the file. Returns 0, or a negative errno with a message in *error. */
static int read_at(const struct memphis_perfdata_input *input, void *to, size_t bytes, uint64_t offset,
		   struct memphis_error *error)
{
	uint8_t *next = to;
	ssize_t got;

	while (bytes) {
		got = pread(input->fd, next, bytes, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return memphis_fail(error, -errno, "%s: offset 0x%" PRIx64 ": cannot read: %s",
					    input->path, offset, strerror(errno));
		if (!got)
			return memphis_perfdata_input_damaged(
				input, offset, "the file became shorter while it was read", error);
		next += got;
		offset += (uint64_t)got;
		bytes -= (size_t)got;
	}
	return 0;
}

int memphis_perfdata_input_read(const struct memphis_perfdata_input *input, void *to, size_t bytes,
				uint64_t offset, const char *what, struct memphis_error *error)
{
	char text[160];

	if (offset <= input->bytes && bytes <= input->bytes - offset)
		return read_at(input, to, bytes, offset, error);
	snprintf(text, sizeof(text), "the file ends before the end of %s", what);
	return memphis_perfdata_input_damaged(input, offset, text, error);
}

int memphis_perfdata_input_begin(struct memphis_perfdata_input *input,
				 struct memphis_perfdata_section records, struct memphis_error *error)
{
	if (records.offset > input->bytes || records.bytes > input->bytes - records.offset)
		return memphis_perfdata_input_damaged(input, input->bytes, "the file ends inside its records",
						      error);
	/* perf writes the size of the records only when it ends. A size of 0 means that perf was killed. */
	input->unfinished = input->may_be_cut = !records.bytes;
	input->offset = records.offset;
	input->end = records.bytes ? records.offset + records.bytes : input->bytes;
	return 0;
}

/* Sets *at to the next `bytes` bytes of the file, which must exist. */
static int view(struct memphis_perfdata_input *input, size_t bytes, const uint8_t **at,
		struct memphis_error *error)
{
	const uint64_t left = input->end - input->offset;
	const size_t want = left < AHEAD ? (size_t)left : AHEAD;
	size_t kept;
	int rc;

	if (input->offset < input->window_offset ||
	    input->offset + bytes > input->window_offset + input->window_bytes) {
		if (memphis_grow(&input->window, &input->window_room, AHEAD, 1))
			return memphis_fail(error, -ENOMEM, "%s: out of memory", input->path);
		kept = 0;
		if (input->offset >= input->window_offset &&
		    input->offset < input->window_offset + input->window_bytes)
			kept = (size_t)(input->window_offset + input->window_bytes - input->offset);
		if (kept)
			memmove(input->window, input->window + input->window_bytes - kept, kept);
		rc = read_at(input, input->window + kept, want - kept, input->offset + kept, error);
		if (rc)
			return rc;
		memphis_progress_add(want - kept);
		input->window_offset = input->offset;
		input->window_bytes = want;
	}
	*at = input->window + (input->offset - input->window_offset);
	return 0;
}

/* Returns the number of bytes after the record that are data of the record, not records. */
static uint64_t bytes_behind(const struct perf_event_header *record)
{
	const uint8_t *body = (const uint8_t *)(record + 1);
	uint32_t bytes = 0;
	uint64_t large = 0;

	if (record->type == MEMPHIS_PERFDATA_RECORD_AUXTRACE &&
	    record->size >= sizeof(*record) + sizeof(large))
		memcpy(&large, body, sizeof(large));
	if (record->type == MEMPHIS_PERFDATA_RECORD_TRACING_DATA &&
	    record->size >= sizeof(*record) + sizeof(bytes)) {
		memcpy(&bytes, body, sizeof(bytes));
		large = (bytes + 7ULL) & ~7ULL;
	}
	return large;
}

/*
 * Copies the record to an aligned buffer if its address is not aligned to 8 bytes. This occurs because some
 * of perf's own records have odd sizes. Updates *at. Returns 0 or -ENOMEM.
 */
static int align(struct memphis_perfdata_input *input, const uint8_t **at, size_t bytes)
{
	if ((uintptr_t)*at % sizeof(uint64_t) == 0)
		return 0;
	if (memphis_grow(&input->aligned, &input->aligned_room, UINT16_MAX, 1))
		return -ENOMEM;
	memcpy(input->aligned, *at, bytes);
	*at = input->aligned;
	return 0;
}

static const char cut_record[] = "the file ends inside a record";

int memphis_perfdata_input_next(struct memphis_perfdata_input *input, const struct perf_event_header **record,
				struct memphis_error *error)
{
	const uint64_t left = input->end - input->offset;
	struct perf_event_header found;
	const uint8_t *at;
	uint64_t behind;
	int rc;

	if (!left)
		return 0;
	if (left < sizeof(found))
		return memphis_perfdata_input_cut(input, cut_record, error);
	rc = view(input, sizeof(found), &at, error);
	if (rc)
		return rc;
	memcpy(&found, at, sizeof(found));
	if (found.size < sizeof(found))
		return memphis_perfdata_input_damaged(input, input->offset, "no record begins here", error);
	if (found.size > left)
		return memphis_perfdata_input_cut(input, cut_record, error);
	rc = view(input, found.size, &at, error);
	if (rc)
		return rc;
	if (align(input, &at, found.size))
		return memphis_fail(error, -ENOMEM, "%s: out of memory", input->path);
	*record = (const struct perf_event_header *)at;
	behind = bytes_behind(*record);
	rc = behind > left - (*record)->size ? memphis_perfdata_input_cut(input, cut_record, error) : 0;
	if (rc)
		return rc;
	input->offset += (*record)->size;
	input->offset += behind < input->end - input->offset ? behind : input->end - input->offset;
	return 1;
}
