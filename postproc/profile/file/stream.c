// SPDX-License-Identifier: BSD-3-Clause
/* Reads and writes the outer structure of .mprof files: header, compression and record lengths. */
#include "profile/file/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 16 /* magic (8 bytes), version (32 bits, little-endian), zeros */
/* Compression level of zstd. Higher levels take several times as long and save only a few percent. */
#define LEVEL 3
/*
 * Base-2 logarithm of the largest accepted window size of zstd. It limits the memory that a manipulated file can
 * claim. Files written by Memphis need less.
 */
#define WINDOW_LOG 23

static int report_no_memory(const char *path, struct memphis_error *error)
{
	return memphis_fail(error, -ENOMEM, "%s: out of memory", path);
}

int mprof_output_open(struct mprof_output *output, const char *path, struct memphis_error *error)
{
	static const uint8_t header[HEADER_BYTES] = MPROF_MAGIC "\x01";
	int rc;

	_Static_assert(MPROF_VERSION == 1, "the header says version 1");
	memset(output, 0, sizeof(*output));
	rc = memphis_outfile_open(&output->file, path, error);
	if (rc)
		return rc;
	output->zstd = ZSTD_createCCtx();
	output->compressed_room = ZSTD_CStreamOutSize();
	output->compressed = malloc(output->compressed_room);
	if (!output->zstd || !output->compressed ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(output->zstd, ZSTD_c_checksumFlag, 1)))
		return mprof_output_close(output, report_no_memory(path, error), error);
	if (fwrite(header, 1, sizeof(header), output->file.stream) != sizeof(header))
		return mprof_output_close(output, memphis_outfile_failed(&output->file, error), error);
	return 0;
}

/*
 * Compresses the bytes and writes the output that is available. If `directive` is ZSTD_e_end, also writes the rest and
 * ends the frame.
 */
static int write_compressed(struct mprof_output *output, const void *bytes, size_t count,
			    ZSTD_EndDirective directive, struct memphis_error *error)
{
	ZSTD_inBuffer in = {bytes, count, 0};
	ZSTD_outBuffer out;
	size_t left;

	do {
		out = (ZSTD_outBuffer){output->compressed, output->compressed_room, 0};
		left = ZSTD_compressStream2(output->zstd, &out, &in, directive);
		if (ZSTD_isError(left))
			return memphis_fail(error, -ENOMEM, "%s: cannot compress: %s", output->file.path,
					    ZSTD_getErrorName(left));
		errno = 0;
		if (fwrite(out.dst, 1, out.pos, output->file.stream) != out.pos)
			return memphis_outfile_failed(&output->file, error);
	} while (directive == ZSTD_e_end ? left : in.pos < in.size);
	return 0;
}

int mprof_output_record(struct mprof_output *output, const Mprof__Record *record, struct memphis_error *error)
{
	size_t bytes = mprof__record__get_packed_size(record), left = bytes;
	uint8_t length[10];
	size_t used = 0;
	int rc;

	if (bytes > MPROF_RECORD_MAX)
		return memphis_fail(error, -EFBIG, "%s: a record of %zu bytes is too long for this format",
				    output->file.path, bytes);
	if (memphis_grow(&output->record, &output->record_room, bytes, 1))
		return report_no_memory(output->file.path, error);
	mprof__record__pack(record, output->record);
	for (; left >= 0x80; left >>= 7)
		length[used++] = (uint8_t)(left | 0x80);
	length[used++] = (uint8_t)left;
	rc = write_compressed(output, length, used, ZSTD_e_continue, error);
	if (!rc)
		rc = write_compressed(output, output->record, bytes, ZSTD_e_continue, error);
	output->records++;
	return rc;
}

int mprof_output_close(struct mprof_output *output, int rc, struct memphis_error *error)
{
	if (!rc)
		rc = write_compressed(output, NULL, 0, ZSTD_e_end, error);
	ZSTD_freeCCtx(output->zstd);
	free(output->compressed);
	free(output->record);
	return memphis_outfile_close(&output->file, rc, error);
}

bool mprof_is(const char *path)
{
	char magic[sizeof(MPROF_MAGIC) - 1];
	FILE *stream = fopen(path, "r");
	bool is = stream && fread(magic, 1, sizeof(magic), stream) == sizeof(magic) &&
		  !memcmp(magic, MPROF_MAGIC, sizeof(magic));

	if (stream)
		fclose(stream);
	return is;
}

static int check_header(struct mprof_input *input, struct memphis_error *error)
{
	uint8_t header[HEADER_BYTES];
	uint32_t version;

	errno = 0;
	if (fread(header, 1, sizeof(header), input->stream) != sizeof(header)) {
		if (ferror(input->stream))
			return memphis_fail(error, -EIO, "%s: cannot read: %s", input->path, strerror(errno));
		return memphis_fail(error, -EBADMSG, "%s: too short for a profile (.mprof)", input->path);
	}
	if (memcmp(header, MPROF_MAGIC, 8) != 0)
		return memphis_fail(error, -EBADMSG, "%s: no profile (.mprof): it begins otherwise",
				    input->path);
	version = header[8] | header[9] << 8 | header[10] << 16 | (uint32_t)header[11] << 24;
	if (version != MPROF_VERSION)
		return memphis_fail(error, -EPROTONOSUPPORT,
				    "%s: a profile of version %" PRIu32
				    ", and this memphis reads version %d; use the memphis that made it",
				    input->path, version, MPROF_VERSION);
	if (header[12] | header[13] | header[14] | header[15])
		return memphis_fail(error, -EBADMSG, "%s: offset 0xc: no zeros: damaged", input->path);
	return 0;
}

int mprof_input_open(struct mprof_input *input, const char *path, struct memphis_error *error)
{
	int rc;

	memset(input, 0, sizeof(*input));
	input->path = path;
	input->stream = fopen(path, "r");
	if (!input->stream)
		return memphis_fail(error, -errno, "%s: cannot open: %s", path, strerror(errno));
	input->zstd = ZSTD_createDCtx();
	input->compressed = malloc(ZSTD_DStreamInSize());
	input->plain = malloc(ZSTD_DStreamOutSize());
	if (!input->zstd || !input->compressed || !input->plain ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, WINDOW_LOG)))
		rc = report_no_memory(path, error);
	else
		rc = check_header(input, error);
	if (rc)
		mprof_input_close(input);
	return rc;
}

static int report_truncation(const struct mprof_input *input, struct memphis_error *error)
{
	return memphis_fail(error, -EBADMSG,
			    "%s: offset 0x%lx: the file ends too early: cut off when it was copied?",
			    input->path, ftell(input->stream));
}

/*
 * Decompresses more bytes into input->plain. Returns 1, 0 at the end of the frame, or a negative errno with a message
 * in *error.
 */
static int fill_buffer(struct mprof_input *input, struct memphis_error *error)
{
	ZSTD_outBuffer out = {input->plain, ZSTD_DStreamOutSize(), 0};
	ZSTD_inBuffer in;
	size_t rc;

	while (!out.pos && !input->frame_ended) {
		if (input->compressed_at == input->compressed_bytes) {
			errno = 0;
			input->compressed_at = 0;
			input->compressed_bytes =
				fread(input->compressed, 1, ZSTD_DStreamInSize(), input->stream);
			if (ferror(input->stream))
				return memphis_fail(error, -EIO, "%s: cannot read: %s", input->path,
						    strerror(errno));
			if (!input->compressed_bytes)
				return report_truncation(input, error);
		}
		in = (ZSTD_inBuffer){input->compressed, input->compressed_bytes, input->compressed_at};
		rc = ZSTD_decompressStream(input->zstd, &out, &in);
		input->compressed_at = in.pos;
		if (ZSTD_isError(rc))
			return memphis_fail(
				error, -EBADMSG, "%s: before offset 0x%lx: damaged: %s", input->path,
				ftell(input->stream) - (long)(input->compressed_bytes - input->compressed_at),
				ZSTD_getErrorName(rc));
		input->frame_ended = rc == 0;
	}
	input->plain_at = 0;
	input->plain_bytes = out.pos;
	return out.pos > 0;
}

/*
 * Copies `count` decompressed bytes. Returns 1, 0 if the frame ended before the first of these bytes, or a negative
 * errno with a message in *error.
 */
static int read_bytes(struct mprof_input *input, uint8_t *bytes, size_t count, struct memphis_error *error)
{
	size_t done = 0, some;
	int rc;

	while (done < count) {
		if (input->plain_at == input->plain_bytes) {
			rc = fill_buffer(input, error);
			if (rc < 0 || (!rc && !done))
				return rc;
			if (!rc)
				return memphis_fail(error, -EBADMSG, "%s: record %" PRIu64 " is not whole",
						    input->path, input->records);
		}
		some = input->plain_bytes - input->plain_at;
		some = some < count - done ? some : count - done;
		memcpy(bytes + done, input->plain + input->plain_at, some);
		input->plain_at += some;
		done += some;
	}
	return 1;
}

static int read_length(struct mprof_input *input, size_t *length, struct memphis_error *error)
{
	unsigned int shift;
	uint8_t byte;
	int rc;

	*length = 0;
	for (shift = 0; shift < 35; shift += 7) {
		rc = read_bytes(input, &byte, 1, error);
		if (rc <= 0 && (rc < 0 || !shift))
			return rc;
		if (!rc)
			break;
		*length |= (size_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80) && *length <= MPROF_RECORD_MAX)
			return 1;
		if (!(byte & 0x80))
			break;
	}
	return memphis_fail(error, -EBADMSG, "%s: record %" PRIu64 ": its length is impossible", input->path,
			    input->records);
}

/* Checks that no data follows the frame. */
static int check_end(struct mprof_input *input, struct memphis_error *error)
{
	if (input->compressed_at == input->compressed_bytes && fgetc(input->stream) == EOF)
		return 0;
	return memphis_fail(error, -EBADMSG, "%s: something stands behind the profile's end", input->path);
}

/*
 * Allocates memory for protobuf-c, and sets the flag `no_memory` on failure. protobuf-c's unpack() returns NULL both
 * if a record is malformed and if memory is exhausted. The flag distinguishes the two cases.
 */
static void *unpack_alloc(void *no_memory, size_t bytes)
{
	void *memory = malloc(bytes);

	*(bool *)no_memory |= !memory;
	return memory;
}

static void unpack_free(void *no_memory, void *memory)
{
	(void)no_memory;
	free(memory);
}

int mprof_input_record(struct mprof_input *input, Mprof__Record **record, struct memphis_error *error)
{
	bool exhausted = false;
	ProtobufCAllocator allocator = {unpack_alloc, unpack_free, &exhausted};
	size_t length, had = 0, more;
	int rc = read_length(input, &length, error);

	if (!rc)
		return check_end(input, error);
	if (rc < 0)
		return rc;
	/* The buffer grows only as data arrives, because a manipulated file may give a wrong length. */
	for (; had < length; had += more) {
		more = length - had < 1u << 16 ? length - had : 1u << 16;
		if (memphis_grow(&input->record, &input->record_room, had + more, 1))
			return report_no_memory(input->path, error);
		rc = read_bytes(input, input->record + had, more, error);
		if (rc < 0)
			return rc;
		if (!rc)
			return memphis_fail(error, -EBADMSG, "%s: record %" PRIu64 " is not whole",
					    input->path, input->records);
	}
	*record = mprof__record__unpack(&allocator, length, input->record);
	if (!*record && exhausted)
		return report_no_memory(input->path, error);
	if (!*record)
		return memphis_fail(error, -EBADMSG, "%s: record %" PRIu64 " is no record of a profile",
				    input->path, input->records);
	input->records++;
	return 1;
}

void mprof_input_close(struct mprof_input *input)
{
	if (input->stream)
		fclose(input->stream);
	ZSTD_freeDCtx(input->zstd);
	free(input->compressed);
	free(input->plain);
	free(input->record);
	memset(input, 0, sizeof(*input));
}
