/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the sample files of a process from what perf recorded. */
#ifndef MEMPHIS_PERFDATA_IMAGES_H
#define MEMPHIS_PERFDATA_IMAGES_H

#include "perfdata/translate.h"
#include "perfdata/stream.h"
#include "perfdata/tasks.h"
#include "perfdata/unwind.h"

/* Sum and number of the known periods of samples. */
struct memphis_perfdata_periods {
	uint64_t sum, count;
};

/* Data that all processes of a recording share. */
struct memphis_perfdata_recording {
	const char *path;
	struct memphis_perfdata_header header;
	struct memphis_perfdata_translator translator;
	struct memphis_perfdata_tasks tasks;
	struct memphis_perfdata_unwinders unwinders;
	struct memphis_strings strings;
	struct memphis_spool spool;
	uint64_t
		unowned_lost; /* lost samples of no known thread, or of threads of processes that are not chosen */
	uint64_t left_out;   /* samples of processes that are not chosen */
	bool losses_told;    /* the losses were written to a file */
	uint64_t list_bytes; /* total size of all lists of maps so far */
	/* of the kept samples, by sampling event; the last element is for samples with the flag STORE */
	struct memphis_perfdata_periods periods[MEMPHIS_EVENTS + 1];
	bool placeless; /* the samples do not contain their CPU */
	bool unfinished;
	bool end_lost; /* perf did not write the end of its compressed records */
};

/*
 * Appends a sample to the samples of its thread. `from` is the perf sample from which it was made. Returns 0,
 * or a negative errno with a message in *error.
 */
int memphis_perfdata_sample_keep(struct memphis_perfdata_recording *recording,
				 struct memphis_perfdata_thread *thread, const struct memphis_sample *sample,
				 const struct memphis_perfdata_sample *from, struct memphis_error *error);

/* Writes the current list of maps to the chunks of the process. Returns 0, or a negative errno with a message in *error. */
int memphis_perfdata_maps_keep(struct memphis_perfdata_recording *recording,
			       struct memphis_perfdata_image *image, uint64_t time_ns,
			       struct memphis_error *error);

/*
 * Writes the files of the process with this index, and stores their paths, which the caller must free. No
 * process file is written if the threads belong to another run, which has one. Returns 0, or a negative errno
 * with a message in *error.
 */
int memphis_perfdata_image_write(struct memphis_perfdata_recording *recording, size_t image, char *paths[2],
				 struct memphis_error *error);

#endif
