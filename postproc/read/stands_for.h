/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the number of accesses of the program that one sample represents. It differs slightly from the
 * sampling period (docs/hardware.md).
 */
#ifndef MEMPHIS_STANDS_FOR_H
#define MEMPHIS_STANDS_FOR_H

#include "base/text.h"
#include "read/access.h"
#include "read/process.h"

/* Names of the sampling events in the files, and source and flags of their samples; indexed by enum memphis_sampling_event. */
extern const char *const memphis_event_names[MEMPHIS_EVENTS];
extern const struct memphis_access memphis_event_accesses[MEMPHIS_EVENTS];

/* Returns the event that took a sample of this access. Needs its source and the flags BY_SOURCE, REMOTE and HITM only. */
enum memphis_sampling_event memphis_event_of(const struct memphis_access *access);

struct memphis_stands_for {
	uint64_t accesses; /* best estimate of the number; 0 if the period counts cycles or is unknown */
	double low, high;  /* lower and upper limit of the number */
};

/* Returns how many accesses one sample represents in a process with these settings. */
struct memphis_stands_for memphis_stands_for(const struct memphis_settings *settings);

/*
 * How many accesses one sample represents, by the event that took it. perf may have recorded several events
 * with different periods. 0 if unknown.
 */
struct memphis_sample_weights {
	uint64_t events[MEMPHIS_EVENTS]; /* indexed by enum memphis_sampling_event */
	uint64_t stores;                 /* of samples with the flag STORE, all taken by the event ACCESS */
};

struct memphis_sample_weights memphis_sample_weights(const struct memphis_settings *settings);
uint64_t memphis_sample_weight(const struct memphis_sample_weights *weights,
			       const struct memphis_access *access);

/*
 * Appends advice on how to get `times` as many samples in a process with these settings: "sample 4 times as
 * often (--period 2048), or run 4 times as long". If the machine does not allow so short a period: "sample with --period
 * 4096, the shortest here, and run 2 times as long".
 */
void memphis_put_more_samples(const struct memphis_settings *settings, uint64_t times,
			      struct memphis_text *text);

#endif
