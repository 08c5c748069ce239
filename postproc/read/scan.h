/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the chunks of a file, and loads those that concern its thread alone. Needs no other file, so that several files are scanned at a
 * time. The remaining chunks, which are few, add to tables that files share, and are loaded in the order of the files.
 */
#ifndef MEMPHIS_SCAN_H
#define MEMPHIS_SCAN_H

#include "read/process.h"

/* A chunk that is to be loaded later, and the last SAMPLES chunk before it. */
struct memphis_scanned_chunk {
	struct memphis_chunk_view view;
	uint64_t samples_offset;
	uint32_t samples_count;
};

/* A file, or a member of a file of ended threads. */
struct memphis_scanned_part {
	struct memphis_file_header header;
	struct memphis_thread thread; /* the thread of a thread file, with a log; otherwise zeros */
	struct memphis_scanned_chunk *chunks;
	size_t count, room;
	bool closed, unfinished; /* as in struct memphis_file */
};

struct memphis_scan {
	struct memphis_scanned_part *parts;
	size_t count, room;
	int rc; /* result that ended the scan; the parts and chunks before it have been found */
};

/* Scans the file. Returns 0, also for an empty file (`rc` is -ENODATA), or a negative errno with a message in *error; the scan must be closed in both cases. */
int memphis_scan_file(struct memphis_scan *scan, const char *path, bool accounting_only,
		      struct memphis_error *error);
void memphis_scan_close(struct memphis_scan *scan);

#endif
