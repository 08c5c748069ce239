/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong with the leading variables, and what to try: patterns of placement and use, told by sampled evidence. The evidence of a process
 * is found when its samples are reduced, and stays in the profile; a report puts together what the processes have.
 *
 * Silence is an answer, too. A finding needs
 * - MEMPHIS_FINDING_SAMPLES samples of its pattern: of 20, a majority of three quarters is surely (95 %) one of more than a half;
 * - with 95 % confidence, 2 of 100 of the samples selected, so that mending it could be noticed;
 * - likewise 1 of 10000 of all samples: at some 200 cycles each, as memory of another node takes, 2 % of the time of a program that makes an
 *   access in each cycle; one that hardly ever leaves its node is not blamed for the few times when it does;
 * - and half of the variable's samples in question that follow the pattern.
 * Placement (where pages are) is judged when the selection takes loads from memory; sharing of cache lines when it takes those from other caches.
 */
#ifndef MEMPHIS_DIAGNOSIS_H
#define MEMPHIS_DIAGNOSIS_H

#include "view/rows.h"
#include "base/share.h"

#define MEMPHIS_FINDING_SAMPLES 20
#define MEMPHIS_FINDING_SHARE   0.02
#define MEMPHIS_FINDING_OF_ALL  0.0001
#define MEMPHIS_FINDING_PART    0.5
#define MEMPHIS_FINDING_PLACES \
	0.25 /* of the parts: of so many the initialising stores were sampled, or nothing is said of where */
#define MEMPHIS_FINDING_REGION 0.1 /* of the pattern's samples: a caliper with fewer is not named */

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

struct memphis_findings {
	struct memphis_finding *list; /* the worst first */
	size_t count, room;
};

/* Does this kind of samples tell of where pages are? The others tell of cache lines alone, whatever parts of a variable they are of. */
bool memphis_evidence_of_places(const struct memphis_select_kind *kind);

/*
 * Adds to profile->evidence what a close-up shows, whose `selected` samples are those of this kind. `stores`: some of the process's samples are
 * stores. The evidence is far smaller than the close-up, and no other part of it is needed for a finding. 0 or -ENOMEM.
 */
int memphis_evidence_add(struct memphis_profile *profile, const struct memphis_heatmap *heatmap,
			 const struct memphis_select_kind *kind, bool stores);

/* By number before: the numbers that rows of a profile have in another one. */
struct memphis_numbers {
	const uint32_t *strings, *variables, *instructions, *regions;
};

void memphis_evidence_renumber(struct memphis_finding *finding, const struct memphis_numbers *numbers);

/* Puts the evidence of all processes together that was found among the samples that the rows select. 0 or -ENOMEM. Close it in either case. */
int memphis_diagnose(struct memphis_findings *findings, const struct memphis_rows *rows);
void memphis_findings_close(struct memphis_findings *findings);

/* Fills in sentence and advice. 0 or -ENOMEM. */
int memphis_finding_word(struct memphis_finding *finding, const struct memphis_profile *profile);

/* Appends what of the sentence follows the variable, without numbers of samples: " lies on node 0, and is used by ...". */
void memphis_finding_describe(const struct memphis_finding *finding, const struct memphis_profile *profile,
			      struct memphis_text *text);

/* Appends the place with most samples, if one is known: " at model.c:44 (step)", " in memset (libc.so.6)". */
void memphis_finding_locate(const struct memphis_finding *finding, const struct memphis_profile *profile,
			    struct memphis_text *text);

/*
 * Of the instruction's frames the innermost one that does not stand in a header of the system: where the program says what is done there,
 * std::fill() or the like.
 */
const struct memphis_profile_frame *memphis_frame_told(const struct memphis_profile *profile,
						       uint32_t instruction);

/* Is it code of the C library or of a compiler's runtime? Its lines are nothing that a program can change. */
bool memphis_in_system_library(const struct memphis_profile *profile, uint32_t instruction);

/* The name by which programs call what the C library has as __memset_avx2_unaligned_erms: false where it is not known. */
bool memphis_libc_function(const char *symbol, char *name, size_t bytes);

#endif
