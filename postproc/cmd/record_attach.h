/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls from memphis record into the library: probing the hardware, checking option values, attaching to a process (-p). */
#ifndef MEMPHIS_RECORD_ATTACH_H
#define MEMPHIS_RECORD_ATTACH_H

#include <stdbool.h>

struct memphis_attachment {
	int pid;
	double seconds; /* 0: until the process ends */
	bool quiet;
};

/*
 * Checks the value of a setting. *accepts is NULL if the library accepts the value, else a description of valid values. Returns false, after an
 * error message, if the library can't be called.
 */
bool memphis_record_refuses(const char *library, const char *variable, const char *value,
			    const char **accepts);

/* Returns whether the library at this path can sample on this machine. If not, the library has printed the reason. */
bool memphis_record_can_sample(const char *library);

/*
 * Samples the process with the library at this path; reports progress unless quiet, and finally the sum over the files of this launch.
 * Returns the exit status.
 */
int memphis_record_attach(const struct memphis_attachment *attachment, const char *library,
			  const char *launch);

#endif
