/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what was recorded of a process as its sample files. */
#ifndef MEMPHIS_PERFDATA_IMAGES_H
#define MEMPHIS_PERFDATA_IMAGES_H

#include "perfdata/translate.h"
#include "perfdata/stream.h"
#include "perfdata/tasks.h"

/* What all processes of a recording have in common. */
struct memphis_perfdata_recording {
	const char *path;
	struct memphis_perfdata_header header;
	struct memphis_perfdata_translator translator;
	struct memphis_perfdata_tasks tasks;
	struct memphis_strings strings;
	struct memphis_spool spool;
	uint64_t unowned_lost; /* samples that were lost, perf does not say by whom */
	uint64_t left_out;     /* samples of processes that are not chosen */
	bool losses_told;      /* in a file that was made */
	uint64_t list_bytes;   /* of all lists of maps so far */
	bool placeless;        /* samples do not say which CPU they are of */
	bool unfinished;
};

/* Adds a sample to those of its thread; `from` is what it was made of. Returns 0, or a negative errno with a message in *error. */
int memphis_perfdata_sample_keep(struct memphis_perfdata_recording *recording,
				 struct memphis_perfdata_thread *thread, const struct memphis_sample *sample,
				 const struct memphis_perfdata_sample *from, struct memphis_error *error);

/* Writes the list of maps to the process's chunks. Returns 0, or a negative errno with a message in *error. */
int memphis_perfdata_maps_keep(struct memphis_perfdata_recording *recording,
			       struct memphis_perfdata_image *image, uint64_t time_ns,
			       struct memphis_error *error);

/*
 * Makes the files of the process with this index, and stores their paths, which the caller frees. If its threads belong to another run, the process file
 * of that exists: there is no other one. Returns 0, or a negative errno with a message in *error.
 */
int memphis_perfdata_image_write(struct memphis_perfdata_recording *recording, size_t image, char *paths[2],
				 struct memphis_error *error);

#endif
