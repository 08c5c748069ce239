/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A finding: an access pattern of one variable, with the evidence. In a profile, a finding is about one process; in a report, it covers all
 * processes.
 */
#ifndef MEMPHIS_FINDING_H
#define MEMPHIS_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/statistics.h"
#include "profile/population.h"

/* What home node and users of a finding are, in most patterns. */
#define MEMPHIS_PATTERN_USED .home = "memory of", .nodes = "used by"

/* The patterns: constant, name, and further members of struct memphis_pattern_kind. */
#define MEMPHIS_PATTERN_KINDS(PATTERN)                                                                              \
	/* all pages on one node, but used by several nodes */                                                      \
	PATTERN(FIRST_TOUCH, "first-touch", MEMPHIS_PATTERN_USED)                                                   \
	/* parts of the variable are not on the nodes that use them */                                              \
	PATTERN(PARTITION, "partition-mismatch", MEMPHIS_PATTERN_USED)                                              \
	/* one thread alone uses memory of several nodes */                                                         \
	PATTERN(SERIAL, "serial-phase", .nodes = "memory of", .node = "used by", .of_thread = true,                 \
		.of_line = true)                                                                                    \
	/* one loop divides the work in another way than the loops that use the data on their own nodes */          \
	PATTERN(SCHEDULE, "schedule-mismatch", .nodes = "memory of", .of_line = true)                               \
	/* threads store to different words of a cache line */                                                      \
	PATTERN(FALSE_SHARING, "false-sharing", .among = MEMPHIS_MODIFIED_LOADS)                                    \
	/* threads store to words that other threads read */                                                        \
	PATTERN(TRUE_SHARING, "true-sharing", .among = MEMPHIS_MODIFIED_LOADS)                                      \
	/* threads moved away from the node of their pages */                                                       \
	PATTERN(MOVED_THREADS, "moved-threads", .home = "memory of", .node = "used by", .of_thread = true)          \
	/* pages moved to and fro between nodes */                                                                  \
	PATTERN(PING_PONG, "ping-pong", .nodes = "memory of")                                                       \
	/* pages moved away from the node of their users */                                                         \
	PATTERN(MOVED_PAGES, "moved-pages", .home = "memory moved away from", .nodes = "used by")                   \
	/* pages moved to the node of their users, and so ended the remote accesses */                              \
	PATTERN(MOVED_TO_USERS, "moved-to-users", .home = "memory moved away from", .nodes = "used by")             \
	/* read by several nodes, rarely written */                                                                 \
	PATTERN(READ_SHARED, "read-shared", MEMPHIS_PATTERN_USED)                                                   \
	/* all pages on one node, but used by several; the samples do not show which of the patterns above it is */ \
	PATTERN(UNDECIDED, "undecided", MEMPHIS_PATTERN_USED)                                                       \
	/* pages on a node without CPUs */                                                                          \
	PATTERN(MEMORY_ONLY, "memory-only-node", MEMPHIS_PATTERN_USED)                                              \
	/* a small part of each fetched cache line is read */                                                       \
	PATTERN(STRIDED, "strided", .among = MEMPHIS_FETCHES, .of_line = true)                                      \
	/* the same, at addresses that come from other data */                                                      \
	PATTERN(INDIRECT, "indirect", .among = MEMPHIS_FETCHES, .of_line = true)

#define MEMPHIS_PATTERN_CONSTANT(constant, ...) MEMPHIS_PATTERN_##constant,
enum memphis_pattern { MEMPHIS_PATTERN_KINDS(MEMPHIS_PATTERN_CONSTANT) MEMPHIS_PATTERNS };

extern const struct memphis_pattern_kind {
	const char *name; /* as printed and as stored in .mprof files */
	/* What these members of a finding are, in words; NULL: the pattern does not set the member. */
	const char *home, *nodes, *node;
	enum memphis_population among; /* the samples that show the pattern are a part of these */
	bool of_thread;                /* the member `thread` is known */
	bool of_line;                  /* of a source line, not of the variable */
} memphis_patterns[MEMPHIS_PATTERNS];

/*
 * Minimum number of samples for a finding: if three quarters of 20 samples follow a pattern, a majority of all accesses does, with 95 %
 * confidence. Evidence of a process may be weaker, since that of several is added up.
 */
#define MEMPHIS_FINDING_SAMPLES 20
/* Minimum number of samples by which a pattern is looked for in one process: if two threads share the work, one has 8 of 8 in 1 of 128 cases. */
#define MEMPHIS_FINDING_WEAK 8
/*
 * Minimum number of remote loads for what all samples of a variable show: where it lies, and which nodes use it. Only those of several variables, or
 * processes, are a finding.
 */
#define MEMPHIS_FINDING_HINT 2
/* Log-odds, in thousandths, from which a pattern is taken for certain: with a probability of 95 %. */
#define MEMPHIS_FINDING_ODDS   2944
#define MEMPHIS_FINDING_SHARE  0.02 /* the least share of a finding in its population */
#define MEMPHIS_FINDING_NODES  16   /* Maximum numbers of nodes and of ranges that a finding stores. */
#define MEMPHIS_FINDING_RANGES 4
#define MEMPHIS_CACHE_LINE     64 /* bytes */

/* What the samples show about the code that initialises the variable. */
enum memphis_initialised {
	MEMPHIS_INITIALISED_NOT_SAMPLED, /* the initialising stores were not sampled */
	/* No stores are sampled at all: the hardware samples only loads, or the run recorded only loads. */
	MEMPHIS_INITIALISED_NO_STORES,
	MEMPHIS_INITIALISED_PERHAPS, /* the code that stored first continues to store to the variable */
	MEMPHIS_INITIALISED_SEVERAL, /* several places in the code; initialised_at was sampled first */
	MEMPHIS_INITIALISED_AT       /* one place in the code */
};

extern const char *const memphis_initialised_names[]; /* as printed and as stored in .mprof files */

#define MEMPHIS_FINDING_REGIONS 2

/* A region in which the pattern was found. */
struct memphis_finding_region {
	uint32_t region; /* row of the profile */
	double share;    /* share of the region in the variable's samples of the pattern */
};

/* A range of addresses with one home node that another node uses. */
struct memphis_finding_range {
	uint64_t low, high; /* low <= address < high */
	uint16_t home, node;
	uint64_t remote; /* number of remote loads from `node` */
};

/*
 * An element of profile->evidence describes one process; in struct memphis_findings (diagnose/diagnosis.h), a finding covers all processes
 * that show the pattern.
 */
struct memphis_finding {
	enum memphis_pattern pattern;
	uint32_t number;    /* index in a list of diagnose/; not stored */
	uint32_t variable;  /* row of the profile */
	uint32_t process;   /* the process with the most samples of the pattern */
	uint32_t processes; /* number of processes that show the pattern */
	uint64_t samples;   /* samples of the pattern; an estimate if only some were read */
	uint64_t worst;     /* number of these samples that are from `process` */
	uint64_t one_in;    /* about one in one_in samples was read; at least 1 */
	/* Expected number of these samples that are of another variable, in millionths: if some are in small blocks whose owner is estimated. */
	uint64_t doubt_ppm;
	/*
	 * In a condensed profile, evidence stands for `processes` processes. These have `others` samples of the pattern in addition to
	 * `samples`, and about one in others_one_in samples of one of them was read; others_doubt_ppm is as doubt_ppm.
	 */
	uint64_t others, others_one_in, others_doubt_ppm;
	struct memphis_share share; /* share of `samples` in the population of the pattern */

	/* The evidence, from `process` only. */
	uint16_t home; /* home node of the pages, before any move; MEMPHIS_NODE_UNKNOWN: several */
	/* node of the users, or the node to which pages or threads moved; MEMPHIS_NODE_UNKNOWN: several */
	uint16_t node;
	uint16_t nodes[MEMPHIS_FINDING_NODES]; /* user nodes; home nodes for MEMPHIS_PATTERN_SERIAL */
	size_t node_count;
	bool apart; /* each node uses a different part of the variable */
	/* malloc gave out the memory of other variables again, and may have kept its pages; the row of such a variable, or MEMPHIS_NONE. */
	bool reused;
	uint32_t reused_of;
	/*
	 * Of variables on one node (evidence/apart.h). `apart_odds`: how probable it is that each node uses a part of its own. `read_odds`: that the
	 * variables are only read once they are initialised. Both are logarithms of odds, times 1000.
	 */
	int64_t apart_odds, read_odds;
	/* The thread that shows the pattern, and the thread that stored first; indexes in the process, or MEMPHIS_NONE. */
	uint32_t thread, touched_by;
	double thread_share; /* share of `thread` in the samples of the pattern */
	/*
	 * Share of stores in all samples of the variable; of MEMPHIS_PATTERN_READ_SHARED, in those since a second node uses the part. Negative: stores are
	 * not sampled.
	 */
	double store_share;
	double home_share; /* share of the most frequent home node in the remote loads */
	double even_share; /* the share that this node would have if pages were interleaved */
	/* row of an instruction of the source line that shows the pattern, or that has most samples of it; or MEMPHIS_NONE */
	uint32_t instruction;
	enum memphis_initialised initialised;
	uint32_t initialised_at; /* row of the profile's instructions, or MEMPHIS_NONE */
	uint32_t
		usual; /* MEMPHIS_PATTERN_SCHEDULE: instruction of another loop, whose loads are local; else MEMPHIS_NONE */
	/* Sorted by share, largest first; MEMPHIS_REGION_OUTSIDE is never included. */
	struct memphis_finding_region regions[MEMPHIS_FINDING_REGIONS];
	size_t region_count;
	uint32_t
		moves; /* of pages to and fro: the number that was seen; of several parts, that of the one with most */
	/* number of shared cache lines; largest number of threads that share one */
	uint32_t lines, line_threads;
	uint32_t fields[2]; /* strings: the members with the most samples of the pattern, or 0 */
	/* The size of an element and the lowest address, from which element numbers are computed; 0 if the size is unknown. */
	uint64_t element_bytes, low;
	struct memphis_finding_range ranges[MEMPHIS_FINDING_RANGES]; /* the first ranges, sorted by address */
	size_t range_count;                                          /* including ranges not stored */

	/* Bytes that the source line reads of each cache line that it fetches. */
	struct memphis_estimate read_bytes;

	/*
	 * What a fix could save at most, in cycles of latency: local instead of remote memory, or no loads from other caches if lines are shared, or fewer
	 * cache lines. Set
	 * by diagnose/, and not known without latencies.
	 */
	bool gain_known;
	struct memphis_estimate gain;
	/*
	 * Mean latencies of loads from the memory of the home node, if it is crowded (diagnose/crowded.h): of the node's own loads, and of those of other
	 * nodes; else 0. What relief of this memory would save is not known, and not in the gain.
	 */
	double own_cycles, others_cycles;

	/*
	 * Of a finding of several variables (diagnose/causes.h), whose numbers above are sums and whose other members are those of the first one: each variable
	 * with its samples, most first. In evidence, there are none. And that the same loop reads small parts of cache lines, or NULL.
	 */
	const struct memphis_finding *parts, *stride;
	size_t part_count;

	char *sentence, *advice; /* one line each, in plain English; malloc'ed by diagnose/, otherwise NULL */
};

/* Returns the number of samples that evidence of the pattern needs. */
static inline uint64_t memphis_finding_least(enum memphis_pattern pattern)
{
	return pattern == MEMPHIS_PATTERN_FIRST_TOUCH || pattern == MEMPHIS_PATTERN_READ_SHARED
		       ? MEMPHIS_FINDING_HINT
		       : MEMPHIS_FINDING_WEAK;
}

/* Returns the probability that a sample of the finding is one of its variable. */
static inline double memphis_finding_certainty(const struct memphis_finding *finding)
{
	return finding->samples ? 1 - (double)finding->doubt_ppm / 1e6 / (double)finding->samples : 1;
}

#endif
