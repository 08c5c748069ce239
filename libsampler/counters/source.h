/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happens around the samples is read from sources: files of the kernel's, its uncore counters, and programs that are
 * started when they are asked for. Each is a table of functions, all called by one thread only.
 */
#ifndef MEMPHIS_COUNTER_SOURCE_H
#define MEMPHIS_COUNTER_SOURCE_H

#include <stdbool.h>

struct memphis_counters_quantity {
	const char *name; /* any text */
	const char *unit; /* "bytes", "pages", "count" ...; NULL or "": none */
	int node;         /* NUMA node that it belongs to; -1: to none */
	bool process;     /* of this process; else of the whole machine */
	bool gauge;       /* what is now; else a count of what has been since some time */
};

/* Where sources tell what they read. */
struct memphis_counters_sink {
	/* A count is told as it stands: where it starts, and whether it was reset meanwhile, is seen to behind this. */
	void (*value)(struct memphis_counters_sink *sink, const struct memphis_counters_quantity *quantity,
		      double value);
	/* Asked for, but not to be had. */
	void (*refuse)(struct memphis_counters_sink *sink, const char *name, const char *why);
	/* When it was asked for: set before each reading, and by sources whose answer came to an earlier question. */
	unsigned long long asked_ns;
};

/* As the answer of read(): it has not come yet, and is taken at a later reading. */
extern const char memphis_counters_late[];

struct memphis_counters_source {
	const char *name;
	/*
	 * Get ready, once. `list`: the names behind "NAME:", separated by commas; "" for sources without. NULL; or why there
	 * is nothing to be read, ever. NULL instead of the function: nothing to be done.
	 */
	const char *(*open)(struct memphis_counters_sink *sink, const char *list);
	/* Tell the value of everything there is. NULL; or why nothing, or not all, can be read at the moment. */
	const char *(*read)(struct memphis_counters_sink *sink);
	/* Behind the last reading, or in the child of a fork, which lets go of what is its parent's. Or NULL. */
	void (*close)(void);
};

/* In the files of the kernel's: counters/files.c. */
extern const struct memphis_counters_source memphis_counters_numastat, memphis_counters_vmstat,
	memphis_counters_net, memphis_counters_io;
/* By perf: counters/uncore.c. */
extern const struct memphis_counters_source memphis_counters_uncore;
/* By programs that are started: counters/helper.c. */
extern const struct memphis_counters_source memphis_counters_pcp, memphis_counters_papi;

#endif
