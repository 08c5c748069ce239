/* SPDX-License-Identifier: BSD-3-Clause */
/* memphis record -p: a process that runs already. */
#ifndef MEMPHIS_RECORD_ATTACH_H
#define MEMPHIS_RECORD_ATTACH_H

#include <stdbool.h>

struct memphis_attachment {
	int pid;
	double seconds; /* 0: until the process ends */
	bool quiet;
};

/* Samples it, by the library at this path; says what it does unless quiet. The exit status. */
int memphis_record_attach(const struct memphis_attachment *attachment, const char *library);

#endif
