/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interface of the sources of counters: files of the kernel, uncore counters of perf, and helper programs. A source is a table
 * of functions, which one thread calls.
 */
#ifndef MEMPHIS_COUNTER_SOURCE_H
#define MEMPHIS_COUNTER_SOURCE_H

#include <stdbool.h>

/* Identity and kind of a counter. */
struct memphis_counters_quantity {
	const char *name; /* any text */
	const char *unit; /* "bytes", "pages", "count" ...; NULL or "": none */
	int node;         /* NUMA node that the counter belongs to; -1: none */
	bool process;     /* counts for this process; else for the whole machine */
	bool gauge;       /* a current value; else a count of events since some time */
};

/* Receiver of what a source reads. */
struct memphis_counters_sink {
	/* Passes a value. Counts are passed as they are: the receiver handles start values and resets. */
	void (*value)(struct memphis_counters_sink *sink, const struct memphis_counters_quantity *quantity,
		      double value);
	/* Reports that a requested counter is not available, and why. */
	void (*refuse)(struct memphis_counters_sink *sink, const char *name, const char *why);
	/*
	 * CLOCK_MONOTONIC time of the request. Set before each reading; overwritten by a source whose answer belongs to an earlier
	 * request.
	 */
	unsigned long long asked_ns;
};

/* Result of read(): the answer has not arrived yet, and will be taken at a later reading. */
extern const char memphis_counters_late[];

struct memphis_counters_source {
	const char *name;
	/*
	 * Opens the source, once. `list`: the names behind "SOURCE:", separated by commas; "" for sources without names. Returns
	 * NULL, or a message why nothing can ever be read. A NULL pointer means that nothing has to be opened.
	 */
	const char *(*open)(struct memphis_counters_sink *sink, const char *list);
	/* Passes all current values to `sink`. Returns NULL, or a message why some or all can't be read at the moment. */
	const char *(*read)(struct memphis_counters_sink *sink);
	/* Closes the source after the last reading, or the parent's descriptors in the child of a fork. May be NULL. */
	void (*close)(void);
};

/* Files of the kernel: counters/files.c. */
extern const struct memphis_counters_source memphis_counters_numastat, memphis_counters_vmstat,
	memphis_counters_net, memphis_counters_io;
/* perf: counters/uncore.c. */
extern const struct memphis_counters_source memphis_counters_uncore;
/* Helper programs: counters/helper.c. */
extern const struct memphis_counters_source memphis_counters_pcp, memphis_counters_papi;

#endif
