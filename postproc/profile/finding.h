/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A finding is an access pattern of one variable, with the evidence. In a profile, a finding is about one process. In
 * a report, it covers all processes.
 */
#ifndef MEMPHIS_FINDING_H
#define MEMPHIS_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/statistics.h"
#include "profile/population.h"

/* The words that describe home node and users in most patterns. */
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
	/* Words that say what these members of a finding mean. NULL: the pattern does not set the member. */
	const char *home, *nodes, *node;
	enum memphis_population among; /* the samples of the pattern are a part of this population */
	bool of_thread;                /* the finding has a `thread` */
	bool of_line;                  /* the pattern is a property of a source line, not of a variable */
} memphis_patterns[MEMPHIS_PATTERNS];

/*
 * Minimum number of samples for a finding. If three quarters of 20 samples follow a pattern, most of all accesses
 * follow it with 95 % confidence. Evidence of a single process may be weaker, because the evidence of several
 * processes is added up.
 */
#define MEMPHIS_FINDING_SAMPLES 20
/*
 * Minimum number of samples to look for a pattern in one process. If two threads share the work equally, all of 8
 * samples are from the same thread in 1 of 128 cases.
 */
#define MEMPHIS_FINDING_WEAK 8
/*
 * Minimum number of remote loads for patterns that all samples of a variable show: where it is, and which nodes use
 * it. A finding needs more remote loads, from several variables or processes.
 */
#define MEMPHIS_FINDING_HINT 2
/* Log-odds, in thousandths, from which a pattern counts as certain. They correspond to a probability of 95 %. */
#define MEMPHIS_FINDING_ODDS   2944
#define MEMPHIS_FINDING_SHARE  0.02 /* a finding has at least this share of its population */
#define MEMPHIS_FINDING_NODES  16   /* maximum number of nodes, and of ranges, that a finding stores */
#define MEMPHIS_FINDING_RANGES 4
#define MEMPHIS_CACHE_LINE     64 /* bytes */

/* What the samples show about the code that initialises the variable. */
enum memphis_initialised {
	MEMPHIS_INITIALISED_NOT_SAMPLED, /* the initialising stores were not sampled */
	/* No stores were sampled at all, because the hardware samples only loads, or the run recorded only loads. */
	MEMPHIS_INITIALISED_NO_STORES,
	MEMPHIS_INITIALISED_PERHAPS, /* the code that stored first continues to store to the variable */
	/* several places in the code; initialised_at is the place that was sampled first */
	MEMPHIS_INITIALISED_SEVERAL,
	MEMPHIS_INITIALISED_AT /* one place in the code */
};

extern const char *const memphis_initialised_names[]; /* as printed and as stored in .mprof files */

#define MEMPHIS_FINDING_REGIONS 2

/* A region in which the pattern was found. */
struct memphis_finding_region {
	uint32_t region; /* row of the profile */
	double share;    /* share of the samples of the pattern that were made in this region */
};

/* A range of addresses whose pages are on one node (home), and are used by another one (node). */
struct memphis_finding_range {
	uint64_t low, high; /* low <= address < high */
	uint16_t home, node;
	uint64_t remote; /* number of remote loads from `node` */
};

/*
 * A finding. If it is an element of profile->evidence, it describes one process. If it is in struct memphis_findings
 * (diagnose/diagnosis.h), it covers all processes that show the pattern.
 */
struct memphis_finding {
	enum memphis_pattern pattern;
	uint32_t number;    /* index in a list of diagnose/; not saved */
	uint32_t variable;  /* row of the profile */
	uint32_t process;   /* the process with the most samples of the pattern */
	uint32_t processes; /* number of processes that show the pattern */
	/* number of samples of the pattern; an estimate if only a part of the samples was read */
	uint64_t samples;
	uint64_t worst;  /* number of these samples from `process` */
	uint64_t one_in; /* about one in this number of samples was read; at least 1 */
	/*
	 * Expected number of these samples that belong to another variable, in millionths. It is 0 unless some samples
	 * are in small blocks whose owner is estimated.
	 */
	uint64_t doubt_ppm;
	/*
	 * In a condensed profile, evidence represents several processes, and `processes` is their number. `others` is
	 * the number of samples of the pattern in the other processes, in addition to `samples`, and others_doubt_ppm
	 * is as doubt_ppm. Both are extrapolated to all samples. others_one_in is the largest `one_in` of these
	 * processes.
	 */
	uint64_t others, others_one_in, others_doubt_ppm;
	struct memphis_share share; /* share of `samples` in the population of the pattern */

	/* The following evidence is only from `process`. */
	uint16_t home; /* home node of the pages, before any move; MEMPHIS_NODE_UNKNOWN: several */
	/* The node of the users, or the node to which pages or threads moved. MEMPHIS_NODE_UNKNOWN: several nodes. */
	uint16_t node;
	/* nodes of the users; for MEMPHIS_PATTERN_SERIAL, home nodes */
	uint16_t nodes[MEMPHIS_FINDING_NODES];
	size_t node_count;
	bool apart; /* each node uses a different part of the variable */
	/*
	 * `reused`: malloc reused memory of other variables, whose pages may still be on the nodes where these
	 * variables placed them. `reused_of` is the row of such a variable, or MEMPHIS_NONE.
	 */
	bool reused;
	uint32_t reused_of;
	/* malloc placed the pages when it wrote in front of the blocks, which are smaller than a page. */
	bool small_blocks;
	/*
	 * Only for variables on one node (evidence/apart.h). `apart_odds` are the odds that each node uses its own
	 * part of the variables. `read_odds` are the odds that the variables are only read after their initialisation.
	 * Both are logarithms of odds, times 1000.
	 */
	int64_t apart_odds, read_odds;
	/*
	 * The thread that shows the pattern, and the thread that stored to the variable first. Both are indices in the
	 * process, or MEMPHIS_NONE.
	 */
	uint32_t thread, touched_by;
	double thread_share; /* share of the samples of the pattern that are from `thread` */
	/*
	 * Share of all samples of the variable that are stores. For MEMPHIS_PATTERN_READ_SHARED, only samples after a
	 * second node began to use the part are counted. Negative: stores were not sampled.
	 */
	double store_share;
	double home_share; /* share of the remote loads that have the most frequent home node */
	double even_share; /* the share that this home node would have if pages were interleaved */
	/*
	 * The profile's row of an instruction, or MEMPHIS_NONE. It is at the source line that shows the pattern, or
	 * that has the most samples of it.
	 */
	uint32_t instruction;
	enum memphis_initialised initialised;
	uint32_t initialised_at; /* row of the profile's instructions, or MEMPHIS_NONE */
	/* MEMPHIS_PATTERN_SCHEDULE: an instruction in another loop, which makes local loads; otherwise MEMPHIS_NONE */
	uint32_t usual;
	/* Sorted by share, largest first; MEMPHIS_REGION_OUTSIDE is never included. */
	struct memphis_finding_region regions[MEMPHIS_FINDING_REGIONS];
	size_t region_count;
	/* Number of moves that were observed for pages that move back and forth; the maximum over the parts of the variable. */
	uint32_t moves;
	/* number of cache lines that threads share; largest number of threads that share one of them */
	uint32_t lines, line_threads;
	/* strings of the profile, or 0: the members with the most samples of the pattern */
	uint32_t fields[2];
	/* The size of an element and the lowest address. They give element numbers. The size is 0 if it is unknown. */
	uint64_t element_bytes, low;
	struct memphis_finding_range ranges[MEMPHIS_FINDING_RANGES]; /* the first ranges, sorted by address */
	/* number of all ranges, including those that are not stored */
	size_t range_count;

	/* How many bytes of each fetched cache line the source line reads. */
	struct memphis_estimate read_bytes;

	/*
	 * The cycles of latency that a fix could save at most. The fix makes remote memory local, ends the sharing of
	 * cache lines, or reduces the number of fetched lines. Set by diagnose/. The gain is unknown if the samples
	 * have no latencies.
	 */
	bool gain_known;
	struct memphis_estimate gain;
	/*
	 * If the memory of the home node is crowded (diagnose/crowded.h), the mean latencies of loads from it: loads
	 * by the node itself, and loads by other nodes. Otherwise 0. It is unknown what relieving this memory would
	 * save, so the gain does not include it.
	 */
	double own_cycles, others_cycles;

	/*
	 * `parts` lists the variables of a finding about several variables (diagnose/causes.h), each with its samples,
	 * in descending order. The numbers above are then sums, and the other members are those of the first variable.
	 * Evidence has no parts. `stride` is the finding that the same loop reads small parts of cache lines, or NULL.
	 */
	const struct memphis_finding *parts, *stride;
	size_t part_count;

	/* each one line of plain English, allocated by diagnose/; otherwise NULL */
	char *sentence, *advice;
};

/* Returns the minimum number of samples that evidence of this pattern must have. */
static inline uint64_t memphis_finding_least(enum memphis_pattern pattern)
{
	return pattern == MEMPHIS_PATTERN_FIRST_TOUCH || pattern == MEMPHIS_PATTERN_READ_SHARED
		       ? MEMPHIS_FINDING_HINT
		       : MEMPHIS_FINDING_WEAK;
}

/* Returns the probability that a sample of the finding really belongs to its variable. */
static inline double memphis_finding_certainty(const struct memphis_finding *finding)
{
	return finding->samples ? 1 - (double)finding->doubt_ppm / 1e6 / (double)finding->samples : 1;
}

/*
 * Returns whether `process` has more of the samples than chance explains: the largest of `processes` Poisson numbers
 * with the same mean is that large with a probability below 5 % (Bonferroni's inequality).
 */
bool memphis_finding_has_worst(const struct memphis_finding *finding);

/*
 * Returns true if a variable of the finding consists of blocks smaller than a page. The thread that allocates such
 * blocks places their pages, because malloc writes in front of each block.
 */
bool memphis_finding_has_small_blocks(const struct memphis_finding *finding);

/* Returns what a thread has to do with the variables to place them: "initialise", or "allocate and initialise". */
const char *memphis_finding_placing(const struct memphis_finding *finding);

#endif
