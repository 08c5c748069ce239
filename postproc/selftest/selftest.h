/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes samples of a known access pattern on this machine, and judges whether instruction, address, home node, source, latency and count
 * of each sampling event are right. A separate process makes the accesses; it executes this tool again (pattern.c).
 */
#ifndef MEMPHIS_SELFTEST_H
#define MEMPHIS_SELFTEST_H

#include "base/error.h"
#include "base/text.h"
#include "node/node.h"

/*
 * The chain uses one line of each pair. Prefetchers fetch the other line of a pair of 128 bytes, or the line before or after: never a
 * line that is loaded later.
 */
#define MEMPHIS_SELFTEST_STRIDE 128
/* Offset of the accessed word in its pair of lines: all addresses have this remainder. */
#define MEMPHIS_SELFTEST_OFFSET 24
#define MEMPHIS_SELFTEST_PHASES 65

/* Where the data of a phase is, as seen from the CPU that makes the accesses. */
enum memphis_phase_place {
	MEMPHIS_PLACE_CACHE,         /* in the CPU's private caches */
	MEMPHIS_PLACE_OWN_NODE,      /* in the memory of the CPU's node */
	MEMPHIS_PLACE_OWN_PACKAGE,   /* in the memory of another node of its package */
	MEMPHIS_PLACE_OTHER_PACKAGE, /* in the memory of another package */
	MEMPHIS_PLACE_NO_CPU,        /* in the memory of a node without CPUs */
	MEMPHIS_PLACE_MODIFIED, /* in the cache of a CPU of another package that has just written the lines */
	MEMPHIS_PLACE_SHARED,   /* in the cache of a CPU of another package that has just read the lines */
	MEMPHIS_PLACES
};

/* Descriptions of the places, for users. */
extern const char *const memphis_place_names[MEMPHIS_PLACES];

/* A part of the pattern: loads of one buffer, in the region with the name of the phase. */
struct memphis_phase {
	char name[16];
	enum memphis_phase_place place;
	unsigned int node; /* node that has the buffer */
	unsigned int peer; /* CPU that writes or reads the lines before the loads */
	uint64_t bytes;    /* 0: the node has too little memory for the buffer */
	uint64_t low;      /* start of the buffer */
	uint64_t loads;    /* number of loads that the load instruction of the pattern makes */
	bool bound;        /* true: all pages were on the node, before and after the loads */
};

struct memphis_plan {
	unsigned int cpu, node; /* CPU that makes the accesses, and index of its node */
	uint64_t period, loads; /* period and number of loads of each phase */
	struct memphis_phase phases[MEMPHIS_SELFTEST_PHASES];
	size_t phase_count;
	/* number of nodes that this process may not use, or that are beyond the limit of phases */
	size_t skipped;
};

/*
 * Chooses the CPU, the buffers, the period and the number of loads for one event, an enum memphis_sampling_event. Returns 0 or a negative
 * errno.
 */
int memphis_selftest_plan(struct memphis_plan *plan, const struct memphis_machine *machine,
			  const struct memphis_query *query, unsigned int event, struct memphis_error *error);

/* Adds the phases of one event to those of others, each name once. *all begins with zeros. */
void memphis_selftest_plan_join(struct memphis_plan *all, const struct memphis_plan *one);

/* Runs the pattern in the child: the hidden command "selftest-pattern", with arguments from memphis_pattern_arguments(). Returns the exit status. */
#define MEMPHIS_PATTERN_COMMAND "selftest-pattern"
int memphis_pattern_run(int count, char **arguments);

/* Appends the arguments of the command as one text, separated by blanks. */
void memphis_pattern_arguments(const struct memphis_plan *plan, struct memphis_text *text);

/* The observations of one event. */
struct memphis_observation {
	unsigned int hardware, event; /* MEMPHIS_HARDWARE_*, enum memphis_sampling_event */
	struct memphis_plan plan;     /* the plan, with the values that the pattern has reported */
	uint64_t pc;                  /* address of the load instruction */
	uint64_t period;              /* period that the hardware was programmed with */
	uint64_t starved_ns;
	bool has_count;
	uint64_t count; /* number of events that the hardware has counted, if `has_count` */
	struct memphis_accounting accounting; /* summed over the threads */
	size_t thread_count;
	/* all samples; `region` is the index of the phase, or MEMPHIS_SELFTEST_PHASES for the rest of the program */
	struct memphis_sample *samples;
	size_t sample_count, sample_room;
};

/* Reads what the pattern has printed into observation->plan and ->pc. Returns 0 or a negative errno. */
int memphis_pattern_read(struct memphis_observation *observation, const char *text,
			 struct memphis_error *error);

/* Reads the sample files of the pattern. Returns 0 or a negative errno. */
int memphis_observation_read(struct memphis_observation *observation, char *directory,
			     struct memphis_error *error);
void memphis_observation_close(struct memphis_observation *observation);

/* One row of the verdict. */
struct memphis_selftest_row {
	char event[16], check[12], phase[16]; /* `phase` is empty if the row is about several phases */
	enum memphis_verdict verdict;
	double value, limit; /* NAN if there is none */
	struct memphis_text evidence, remedy;
};

struct memphis_selftest_rows {
	struct memphis_selftest_row *list;
	size_t count, room;
	bool failed; /* memory was exhausted */
};

/* Judges the samples of one event, and appends the rows. */
void memphis_selftest_judge(struct memphis_selftest_rows *rows,
			    const struct memphis_observation *observation);

/* Appends a row and returns it, or NULL if memory is exhausted. */
struct memphis_selftest_row *memphis_selftest_row(struct memphis_selftest_rows *rows, const char *event,
						  const char *check, const char *phase);
void memphis_selftest_rows_close(struct memphis_selftest_rows *rows);

/* Returns the overall verdict: UNKNOWN if an event could not be tested, and FAIL if a row failed (with `strict`, or warns). */
enum memphis_verdict memphis_selftest_verdict(const struct memphis_selftest_rows *rows, bool strict);

/* The head of the output. */
struct memphis_selftest_head {
	const struct memphis_machine *machine;
	const struct memphis_offer *offer;
	const struct memphis_plan *plan; /* plan of all events */
};

void memphis_selftest_text(const struct memphis_selftest_head *head, const struct memphis_selftest_rows *rows,
			   enum memphis_verdict verdict, struct memphis_text *text);
void memphis_selftest_json(const struct memphis_selftest_head *head, const struct memphis_selftest_rows *rows,
			   enum memphis_verdict verdict, struct memphis_text *text);

#endif
