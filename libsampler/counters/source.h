/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interface of the sources of counters: files of the kernel, uncore counters of perf, and helper programs. A
 * source is a table of functions. The same thread calls all of them.
 */
#ifndef MEMPHIS_COUNTER_SOURCE_H
#define MEMPHIS_COUNTER_SOURCE_H

#include <stdbool.h>

/* Identity and kind of a counter. */
struct memphis_counters_quantity {
	const char *name; /* any text */
	const char *unit; /* "bytes", "pages", "count" ...; NULL or "": none */
	int node;         /* NUMA node that the counter belongs to; -1: none */
	bool process;     /* true: counts for this process; false: for the whole machine */
	bool gauge;       /* true: a current value; false: a count of events since some time */
};

/* Callbacks that receive the values that a source reads. */
struct memphis_counters_sink {
	/* Receives a value. Counts are passed unchanged; the receiver handles start values and resets. */
	void (*value)(struct memphis_counters_sink *sink, const struct memphis_counters_quantity *quantity,
		      double value);
	/* Receives the name of a requested counter that is not available, and the reason. */
	void (*refuse)(struct memphis_counters_sink *sink, const char *name, const char *why);
	/*
	 * Time of the request (CLOCK_MONOTONIC). Set before each reading. A source whose answer belongs to an
	 * earlier request overwrites it.
	 */
	unsigned long long asked_ns;
};

/* Returned by read() if the answer has not arrived yet. A later reading delivers it. */
extern const char memphis_counters_late[];

struct memphis_counters_source {
	const char *name;
	/*
	 * Opens the source, once. `list`: the names after "SOURCE:", separated by commas; "" for sources
	 * without names. Returns NULL, or a message that explains why nothing can ever be read. May be NULL
	 * if nothing must be opened.
	 */
	const char *(*open)(struct memphis_counters_sink *sink, const char *list);
	/*
	 * Passes all current values to `sink`. Returns NULL, or a message that explains why some or all
	 * values can't be read now.
	 */
	const char *(*read)(struct memphis_counters_sink *sink);
	/* Closes the source after the last reading. In a forked child, closes the parent's descriptors. May be NULL. */
	void (*close)(void);
};

/* Prefix of all paths of the kernel's files. Tests use it to replace "/". */
extern const char *memphis_counters_root;

/* Files of the kernel: counters/files.c. */
extern const struct memphis_counters_source memphis_counters_numastat, memphis_counters_vmstat,
	memphis_counters_net, memphis_counters_io;
/* perf: counters/uncore.c. */
extern const struct memphis_counters_source memphis_counters_uncore;
/* Helper programs: counters/helper.c. */
extern const struct memphis_counters_source memphis_counters_pcp, memphis_counters_papi;

#endif
