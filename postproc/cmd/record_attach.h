/* SPDX-License-Identifier: BSD-3-Clause */
/* What memphis record has done by the library itself: asking whether it can sample; and -p, a process that runs already. */
#ifndef MEMPHIS_RECORD_ATTACH_H
#define MEMPHIS_RECORD_ATTACH_H

#include <stdbool.h>

struct memphis_attachment {
	int pid;
	double seconds; /* 0: until the process ends */
	bool quiet;
};

/* What the library's setting takes, if it does not take the value of an option; else NULL. False: it can't be asked, as has been said. */
bool memphis_record_refuses(const char *library, const char *variable, const char *value,
			    const char **accepts);

/* Would the library at this path find what samples? Else it has said why not. */
bool memphis_record_can_sample(const char *library);

/* Samples it, by the library at this path; says what it does unless quiet. The exit status. */
int memphis_record_attach(const struct memphis_attachment *attachment, const char *library);

#endif
