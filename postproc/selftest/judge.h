/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files that judge samples share. All confidence intervals are for 95 %. */
#ifndef MEMPHIS_SELFTEST_JUDGE_H
#define MEMPHIS_SELFTEST_JUDGE_H

#include "selftest/selftest.h"

/* With fewer samples per phase, no share is judged. */
#define MEMPHIS_FEW_SAMPLES 30

struct memphis_judge {
	struct memphis_selftest_rows *rows;
	const struct memphis_observation *observation;
	const char *event;
	uint64_t samples[MEMPHIS_SELFTEST_PHASES]; /* of each phase */
};

/* Which loads of a phase an event should count. */
enum memphis_expectation {
	MEMPHIS_EXPECT_NONE,
	MEMPHIS_EXPECT_ANY, /* depends on the hardware, for example on how it defines "remote" */
	MEMPHIS_EXPECT_ALL
};

enum memphis_expectation memphis_judge_expects(const struct memphis_judge *judge,
					       const struct memphis_phase *phase);

/* Returns true if the phase was carried out as planned. */
bool memphis_judge_is_good(const struct memphis_phase *phase);

/* Appends a row of the event. Returns NULL if memory is exhausted. */
struct memphis_selftest_row *memphis_judge_row(const struct memphis_judge *judge, const char *check,
					       const char *phase);

/*
 * Compares the share with its lower limit, at the confidence of the interval: OK above it, FAIL below it, WARN if the interval contains
 * it, UNKNOWN if there are too few samples.
 */
enum memphis_verdict memphis_judge_share(struct memphis_selftest_row *row, uint64_t part, uint64_t whole,
					 double limit);

/* Stores the remedy if the row has failed or warns. */
void memphis_judge_remedy(struct memphis_selftest_row *row, const char *remedy);

/* Each appends its rows. */
void memphis_judge_samples(
	const struct memphis_judge *judge); /* whether samples came, and the accounting balances */
void memphis_judge_fields(const struct memphis_judge *judge);  /* instruction, address, home node */
void memphis_judge_sources(const struct memphis_judge *judge); /* of each phase */
void memphis_judge_phases(
	const struct memphis_judge *judge); /* event of loads by source: in which phases its samples are */
void memphis_judge_latency(const struct memphis_judge *judge);
void memphis_judge_count(const struct memphis_judge *judge);
void memphis_judge_period(const struct memphis_judge *judge);

#endif
