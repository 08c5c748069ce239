/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples a known access pattern on this machine. Judges whether instruction, address, home node, source,
 * latency and count are correct for each sampling event. A separate process makes the accesses. It is this
 * tool, executed again with a hidden command (pattern.c).
 */
#ifndef MEMPHIS_SELFTEST_H
#define MEMPHIS_SELFTEST_H

#include "base/error.h"
#include "base/text.h"
#include "node/node.h"

/*
 * Distance of the lines of the chain. The chain uses one line of each pair of lines. Prefetchers fetch the
 * other line of the 128-byte pair, or the previous or next line, but never a line that is loaded later.
 */
#define MEMPHIS_SELFTEST_STRIDE 128
/* Offset of the accessed word in its pair of lines. All addresses have this remainder modulo the stride. */
#define MEMPHIS_SELFTEST_OFFSET 24
#define MEMPHIS_SELFTEST_PHASES 65

/* Where the data of a phase is, relative to the CPU that makes the accesses. */
enum memphis_phase_place {
	MEMPHIS_PLACE_CACHE,         /* in the CPU's private caches */
	MEMPHIS_PLACE_OWN_NODE,      /* in the memory of the CPU's node */
	MEMPHIS_PLACE_OWN_PACKAGE,   /* in the memory of another node of the CPU's package */
	MEMPHIS_PLACE_OTHER_PACKAGE, /* in the memory of another package */
	MEMPHIS_PLACE_NO_CPU,        /* in the memory of a node without CPUs */
	MEMPHIS_PLACE_MODIFIED, /* in the cache of a CPU of another package that has just written the lines */
	MEMPHIS_PLACE_SHARED,   /* in the cache of a CPU of another package that has just read the lines */
	MEMPHIS_PLACES
};

/* Descriptions of the places, for users. */
extern const char *const memphis_place_names[MEMPHIS_PLACES];

/* A part of the pattern: loads from one buffer. They are in a region (caliper) with the name of the phase. */
struct memphis_phase {
	char name[16];
	enum memphis_phase_place place;
	unsigned int node; /* number of the node with the buffer */
	unsigned int peer; /* MODIFIED, SHARED: CPU that writes or reads the lines before the loads */
	uint64_t bytes;    /* size of the buffer; 0 if the node has too little memory for it */
	uint64_t low;      /* start of the buffer */
	uint64_t loads;    /* number of loads that the load instruction made */
	bool bound;        /* true: all pages were on the node, before and after the loads */
};

struct memphis_plan {
	unsigned int cpu, node; /* number of the CPU that makes the accesses, and index of its node */
	uint64_t period, loads; /* sampling period, and number of loads in each phase */
	struct memphis_phase phases[MEMPHIS_SELFTEST_PHASES];
	size_t phase_count;
	/* number of nodes without a phase: this process may not use them, or the maximum number of phases is reached */
	size_t skipped;
};

/*
 * Makes the plan for one event (enum memphis_sampling_event): chooses the CPU, the buffers, the period and
 * the number of loads. Returns 0 or a negative errno.
 */
int memphis_selftest_make_plan(struct memphis_plan *plan, const struct memphis_machine *machine,
			       const struct memphis_query *query, unsigned int event,
			       struct memphis_error *error);

/* Adds the phases of the plan for one event to the plan `all`, each name only once. *all must be zero in the first call. */
void memphis_selftest_plan_join(struct memphis_plan *all, const struct memphis_plan *one);

/*
 * Runs the access pattern: the hidden command "selftest-pattern", which a child process executes with the
 * arguments from memphis_pattern_arguments(). Returns the exit status.
 */
#define MEMPHIS_PATTERN_COMMAND "selftest-pattern"
int memphis_pattern_run(int count, char **arguments);

/* Appends the command and its arguments, separated by blanks. */
void memphis_pattern_arguments(const struct memphis_plan *plan, struct memphis_text *text);

/* What was observed for one event. */
struct memphis_observation {
	unsigned int hardware, event; /* MEMPHIS_HARDWARE_*, enum memphis_sampling_event */
	struct memphis_plan plan;     /* the plan, with the values that the pattern process has reported */
	uint64_t pc;                  /* address of the load instruction */
	uint64_t period;              /* sampling period that was programmed */
	uint64_t starved_ns;
	bool has_count;
	uint64_t count;                       /* if has_count: number of events that the hardware counted */
	struct memphis_accounting accounting; /* summed over the threads */
	size_t thread_count;
	/* all samples; `region` is the index of the phase, or MEMPHIS_SELFTEST_PHASES if the sample is in no phase */
	struct memphis_sample *samples;
	size_t sample_count, sample_room;
};

/* Parses the output of the pattern process into observation->plan and observation->pc. Returns 0 or a negative errno. */
int memphis_pattern_read(struct memphis_observation *observation, const char *text,
			 struct memphis_error *error);

/* Reads the sample files of the pattern process. Returns 0 or a negative errno. */
int memphis_observation_read(struct memphis_observation *observation, char *directory,
			     struct memphis_error *error);
void memphis_observation_close(struct memphis_observation *observation);

/* One row of the verdict. */
struct memphis_selftest_row {
	char event[16], check[12], phase[16]; /* `phase` is empty if the row concerns several phases */
	enum memphis_verdict verdict;
	double value, limit; /* NAN if there is none */
	struct memphis_text evidence, remedy;
};

struct memphis_selftest_rows {
	struct memphis_selftest_row *list;
	size_t count, room;
	bool failed; /* true: memory was exhausted */
};

/* Judges the samples of one event, and appends the rows. */
void memphis_selftest_judge(struct memphis_selftest_rows *rows,
			    const struct memphis_observation *observation);

/* Appends a row and returns it, or NULL if memory is exhausted. */
struct memphis_selftest_row *memphis_selftest_row(struct memphis_selftest_rows *rows, const char *event,
						  const char *check, const char *phase);
void memphis_selftest_rows_close(struct memphis_selftest_rows *rows);

/*
 * Returns the overall verdict. FAIL: a row failed or, with `strict`, a row warns. UNKNOWN: something could
 * not be tested. Otherwise OK.
 */
enum memphis_verdict memphis_selftest_verdict(const struct memphis_selftest_rows *rows, bool strict);

/* Data for the head of the output. */
struct memphis_selftest_head {
	const struct memphis_machine *machine;
	const struct memphis_offer *offer;
	const struct memphis_plan *plan; /* joint plan of all events */
};

void memphis_selftest_text(const struct memphis_selftest_head *head, const struct memphis_selftest_rows *rows,
			   enum memphis_verdict verdict, struct memphis_text *text);
void memphis_selftest_json(const struct memphis_selftest_head *head, const struct memphis_selftest_rows *rows,
			   enum memphis_verdict verdict, struct memphis_text *text);

#endif
