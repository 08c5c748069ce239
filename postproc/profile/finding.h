/* SPDX-License-Identifier: BSD-3-Clause */
/* A finding: a pattern that a variable follows, with the evidence; of one process in a profile, of all processes in a report. */
#ifndef MEMPHIS_FINDING_H
#define MEMPHIS_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/share.h"

enum memphis_pattern {
	MEMPHIS_PATTERN_FIRST_TOUCH,   /* pages on one node, used by several nodes */
	MEMPHIS_PATTERN_PARTITION,     /* parts of the variable are used by nodes that do not own them */
	MEMPHIS_PATTERN_SERIAL,        /* one thread works on memory of several nodes */
	MEMPHIS_PATTERN_FALSE_SHARING, /* threads store to different words of a cache line */
	MEMPHIS_PATTERN_TRUE_SHARING,  /* threads store to words that others read */
	MEMPHIS_PATTERN_MOVED_THREADS, /* threads left the node of their pages */
	MEMPHIS_PATTERN_MOVED_PAGES,   /* pages left the node of their users */
	MEMPHIS_PATTERN_READ_SHARED,   /* read by several nodes, hardly written */
	MEMPHIS_PATTERN_MEMORY_ONLY,   /* pages on a node without CPUs */
	MEMPHIS_PATTERNS
};

/* As in output and in .mprof files. */
extern const char *const memphis_pattern_names[MEMPHIS_PATTERNS];

#define MEMPHIS_FINDING_NODES  16 /* nodes kept, likewise below */
#define MEMPHIS_FINDING_RANGES 4

/* What is known of the place that initialises the variable. */
enum memphis_initialised {
	MEMPHIS_INITIALISED_NOT_SAMPLED, /* the first stores were not sampled */
	MEMPHIS_INITIALISED_NO_STORES, /* no stores are sampled at all: the hardware samples only loads, or the run recorded only loads */
	MEMPHIS_INITIALISED_PERHAPS, /* the first sampled stores are from a place that goes on storing to the variable */
	MEMPHIS_INITIALISED_SEVERAL, /* several places; initialised_at is the one that was seen first */
	MEMPHIS_INITIALISED_AT       /* one place */
};

extern const char *const memphis_initialised_names[]; /* as above */

#define MEMPHIS_FINDING_REGIONS 2

/* A region in which the pattern is seen. */
struct memphis_finding_region {
	uint32_t region; /* row of the profile */
	double share;    /* of the variable's samples of the pattern */
};

/* Addresses that one node owns and another one uses. */
struct memphis_finding_range {
	uint64_t low, high; /* low <= address < high */
	uint16_t home, node;
	double remote; /* number of samples from `node` to `home` */
};

/* Of one process in profile->evidence; of all processes that show the pattern in struct memphis_findings (diagnose/diagnosis.h). */
struct memphis_finding {
	enum memphis_pattern pattern;
	uint32_t select;            /* string: name of the kind of samples in which the pattern was found */
	uint32_t variable;          /* row of the profile */
	uint32_t process;           /* the process with most samples of the pattern */
	uint32_t processes;         /* number of processes that show the pattern */
	uint64_t samples;           /* of the pattern; an estimate where only a part was read */
	uint64_t worst;             /* the part of `samples` in `process` */
	uint64_t one_in;            /* about one in so many samples was read; at least 1 */
	struct memphis_share share; /* of `samples` in the selected samples */

	/* the evidence, from `process` */
	uint16_t home; /* of the pages, or their first one if they moved; MEMPHIS_NODE_UNKNOWN: several */
	uint16_t node; /* of the users, or where pages or threads are now; likewise */
	uint16_t nodes[MEMPHIS_FINDING_NODES]; /* that use the variable; for a serial phase, that own it */
	size_t node_count;
	bool apart; /* each node uses a different part */
	/* The thread of the pattern; the first to store; indexes in the process, or MEMPHIS_NONE. */
	uint32_t thread, touched_by;
	double thread_share;  /* share of `thread` in the samples of the pattern */
	double store_share;   /* stores among all samples of the variable; negative: stores are not sampled */
	double home_share;    /* share of the most loaded node's memory in the remote samples ... */
	double even_share;    /* ... and its share if pages were interleaved */
	uint32_t instruction; /* row of the profile, at the line with most samples; or MEMPHIS_NONE */
	enum memphis_initialised initialised;
	uint32_t initialised_at; /* row of the profile's instructions, or MEMPHIS_NONE */
	/* Largest share first; never MEMPHIS_REGION_OUTSIDE. */
	struct memphis_finding_region regions[MEMPHIS_FINDING_REGIONS];
	size_t region_count;
	uint32_t lines, line_threads; /* number of shared cache lines, and of threads that share one */
	uint32_t fields[2];           /* strings: the members with most samples of the pattern, or 0 */
	/* Size of an element and lowest address, to number elements; 0: unknown. */
	uint64_t element_bytes, low;
	struct memphis_finding_range ranges[MEMPHIS_FINDING_RANGES]; /* by address, the first ones */
	size_t range_count;                                          /* of all, also those not kept */

	char *sentence, *advice; /* plain English, one line each; malloc'ed by diagnose, else NULL */
};

/* By old number: the new numbers of the rows that findings refer to. */
struct memphis_numbers {
	const uint32_t *strings, *variables, *instructions, *regions;
};

/* Replaces all row numbers but the process's. */
void memphis_finding_renumber(struct memphis_finding *finding, const struct memphis_numbers *numbers);

#endif
