/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The outer structure of .mprof files. A header of 16 bytes is followed by one zstd frame. The frame contains records,
 * and each record is preceded by its length (docs/mprof.md).
 */
#ifndef MEMPHIS_MPROF_STREAM_H
#define MEMPHIS_MPROF_STREAM_H

#include <stdbool.h>
#include <zstd.h>

#include "profile/file/mprof.pb-c.h"
#include "base/outfile.h"

/* 8 bytes; as in PNG, converting line ends would change them, which reveals the damage */
#define MPROF_MAGIC      "\x89MPROF\r\n"
#define MPROF_VERSION    1
#define MPROF_RECORD_MAX (16u << 20) /* bytes; longer records are neither written nor accepted */

struct mprof_output {
	struct memphis_outfile file;
	ZSTD_CCtx *zstd;
	uint8_t *record, *compressed;
	size_t record_room, compressed_room;
	uint64_t records;
};

/*
 * Each function returns 0, or a negative errno with a message in *error. After mprof_output_open() has succeeded, the
 * caller must call mprof_output_close(), even after an error. `rc` has the same meaning as in memphis_outfile_close().
 */
int mprof_output_open(struct mprof_output *output, const char *path, struct memphis_error *error);
int mprof_output_record(struct mprof_output *output, const Mprof__Record *record,
			struct memphis_error *error);
int mprof_output_close(struct mprof_output *output, int rc, struct memphis_error *error);

struct mprof_input {
	const char *path; /* owned by the caller */
	FILE *stream;
	ZSTD_DCtx *zstd;
	uint8_t *compressed, *plain, *record;
	size_t compressed_bytes, compressed_at;
	size_t plain_bytes, plain_at;
	size_t record_room;
	bool frame_ended;
	uint64_t records; /* number of records read */
};

/* Implements memphis_mprof_is(). */
bool mprof_is(const char *path);

/*
 * Opens the file and checks its header. Returns 0, or a negative errno with a message in *error. After a failure,
 * there is nothing to close.
 */
int mprof_input_open(struct mprof_input *input, const char *path, struct memphis_error *error);
/*
 * Reads the next record. Returns 1 and sets *record, which the caller must free with mprof__record__free_unpacked().
 * Returns 0 at the end of the file, or a negative errno with a message in *error.
 */
int mprof_input_record(struct mprof_input *input, Mprof__Record **record, struct memphis_error *error);
void mprof_input_close(struct mprof_input *input);

#endif
