/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of memphis record into the library: whether it can sample, which values it accepts, and attaching to a running process (-p). */
#ifndef MEMPHIS_RECORD_ATTACH_H
#define MEMPHIS_RECORD_ATTACH_H

#include <stdbool.h>

struct memphis_attachment {
	int pid;
	double seconds; /* 0: until the process ends */
	bool quiet;
};

/*
 * Checks the value of a setting. *accepts describes the accepted values if the library refuses this one, else it is NULL. Returns false, after a
 * message, if the library can't be asked.
 */
bool memphis_record_refuses(const char *library, const char *variable, const char *value,
			    const char **accepts);

/* Returns whether the library at this path finds a way to sample. If not, the library has printed the reason. */
bool memphis_record_can_sample(const char *library);

/* Samples the process with the library at this path; reports progress unless quiet. Returns the exit status. */
int memphis_record_attach(const struct memphis_attachment *attachment, const char *library);

#endif
