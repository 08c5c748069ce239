/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the chunks of a file by their headers, and loads those that concern only the thread of the file. No
 * other file is needed for this, so several files are scanned in parallel. The remaining chunks, which are
 * few, add to tables that several files share. They are loaded later, in the order of the files.
 */
#ifndef MEMPHIS_SCAN_H
#define MEMPHIS_SCAN_H

#include "read/process.h"

/* A chunk that must be loaded later, together with the last SAMPLES chunk before it. */
struct memphis_scanned_chunk {
	struct memphis_chunk_view view;
	uint64_t samples_offset;
	uint32_t samples_count;
};

/* The result for a whole file, or for one thread in a file of ended threads. */
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
	int rc; /* result of the scan; if it failed, the parts and chunks before the failure are valid */
};

/*
 * Scans the file. Returns 0, or a negative errno with a message in *error. Also returns 0 for an empty file,
 * with scan->rc -ENODATA. The scan must be closed in all cases.
 */
int memphis_scan_file(struct memphis_scan *scan, const char *path, bool accounting_only,
		      struct memphis_error *error);
void memphis_scan_close(struct memphis_scan *scan);

#endif
