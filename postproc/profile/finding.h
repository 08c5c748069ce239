/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern that a variable follows, with its evidence: of one process in a profile, of all processes in a report. */
#ifndef MEMPHIS_FINDING_H
#define MEMPHIS_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/share.h"

enum memphis_pattern {
	MEMPHIS_PATTERN_FIRST_TOUCH, /* on one node, used by several */
	MEMPHIS_PATTERN_PARTITION,   /* parts are used by other nodes than their owners */
	MEMPHIS_PATTERN_SERIAL,      /* one thread works on what several nodes own */
	MEMPHIS_PATTERN_FALSE_SHARING,
	MEMPHIS_PATTERN_TRUE_SHARING,
	MEMPHIS_PATTERN_MOVED_THREADS,
	MEMPHIS_PATTERN_MOVED_PAGES,
	MEMPHIS_PATTERN_READ_SHARED, /* hardly written, read by several nodes */
	MEMPHIS_PATTERN_MEMORY_ONLY, /* on a node without CPUs */
	MEMPHIS_PATTERNS
};

extern const char *const memphis_pattern_names[MEMPHIS_PATTERNS];

#define MEMPHIS_FINDING_NODES  16 /* named */
#define MEMPHIS_FINDING_RANGES 4

/* Where the variable is initialised. */
enum memphis_initialised {
	MEMPHIS_INITIALISED_NOT_SAMPLED, /* its first stores were not */
	MEMPHIS_INITIALISED_NO_STORES, /* none of any variable are: the hardware samples loads alone, or the run was asked to */
	MEMPHIS_INITIALISED_PERHAPS, /* the first ones that were sampled are from a place that goes on storing to it */
	MEMPHIS_INITIALISED_SEVERAL, /* at several places, of which the one told was seen first */
	MEMPHIS_INITIALISED_AT
};

extern const char *const memphis_initialised_names[];

#define MEMPHIS_FINDING_REGIONS 2

/* A caliper in which the pattern is seen. */
struct memphis_finding_region {
	uint32_t region; /* row of the profile */
	double share;    /* of the pattern's samples of the variable */
};

/* What one node owns and another one uses. */
struct memphis_finding_range {
	uint64_t low, high; /* addresses: from, to before */
	uint16_t home, node;
	double remote; /* samples */
};

/* Of one process while it stands in profile->evidence (profile/evidence.c), of all that have it in struct memphis_findings. */
struct memphis_finding {
	enum memphis_pattern pattern;
	uint32_t select;            /* string of the profile: the kind of samples that it was found among */
	uint32_t variable;          /* in the profile */
	uint32_t process;           /* where it is worst */
	uint32_t processes;         /* in which it was found */
	uint64_t samples;           /* of the pattern; estimated where not all were looked at */
	uint64_t worst;             /* of these, in `process` */
	uint64_t one_in;            /* of so many samples one was looked at, about; at least 1 */
	struct memphis_share share; /* of those selected */

	/* evidence, of the process where it is worst */
	uint16_t home;                         /* of the pages, or at first; MEMPHIS_NODE_UNKNOWN: several */
	uint16_t node;                         /* from which they are used, or where they are now; likewise */
	uint16_t nodes[MEMPHIS_FINDING_NODES]; /* that use it; or own it, for a serial phase */
	size_t node_count;
	bool apart;                  /* each node uses a part of its own */
	uint32_t thread, touched_by; /* of the process; or MEMPHIS_NONE */
	double thread_share;         /* of these samples, that are the thread's */
	double store_share;          /* of its samples; below 0: stores are not sampled */
	double home_share;           /* of these samples: the most loaded node's memory ... */
	double even_share;           /* ... and what it would be if pages were interleaved */
	uint32_t instruction;        /* of the profile: at the line with most samples; or MEMPHIS_NONE */
	enum memphis_initialised initialised;
	uint32_t initialised_at; /* instruction of the profile, or MEMPHIS_NONE */
	struct memphis_finding_region
		regions[MEMPHIS_FINDING_REGIONS]; /* most of it first; none for what is outside */
	size_t region_count;
	uint32_t lines, line_threads; /* cache lines that are shared, and by how many threads */
	uint32_t fields[2];           /* strings: members with most samples of the pattern; or 0 */
	uint64_t element_bytes, low;  /* to count elements; 0: not known */
	struct memphis_finding_range ranges[MEMPHIS_FINDING_RANGES]; /* the first ones */
	size_t range_count;                                          /* of all */

	char *sentence, *advice; /* plain English, one line each */
};

/* By number before: the numbers that rows of a profile have in another one. */
struct memphis_numbers {
	const uint32_t *strings, *variables, *instructions, *regions;
};

void memphis_finding_renumber(struct memphis_finding *finding, const struct memphis_numbers *numbers);

#endif
