/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of a vCPU's PEBS, and the records that it writes. */
#ifndef TARGET_I386_PEBS_H
#define TARGET_I386_PEBS_H

#include "observe.h"

#define COUNTERS_MAX 8
#define FIXED_MAX    4

/* Bit of IA32_PERF_CAPABILITIES: adaptive records. Bit of IA32_PERFEVTSEL: the event's records have the groups of data_cfg. */
#define CAP_BASELINE    (1u << 14)
#define SELECT_ADAPTIVE (1ull << 34)

typedef struct PebsModel {
	uint8_t model; /* of family 6 */
	uint8_t counters, fixed;
	uint8_t version, events; /* of architectural performance monitoring; architectural events */
	uint32_t capabilities;   /* IA32_PERF_CAPABILITIES */
	bool auxiliary;          /* load latency counts only beside the auxiliary event */
	bool two_latencies;      /* the record has the instruction's latency and the cache's */
} PebsModel;

/* What a counter counts at present. */
typedef struct PebsEvent {
	uint16_t levels; /* bitmap of MemLevel: loads that were served there */
	bool latency; /* only loads with at least the threshold's latency, whose records have source and latency */
	uint64_t privilege; /* SELECT_USER, SELECT_OS */
} PebsEvent;

typedef struct PebsState {
	const PebsModel *model;
	uint64_t select[COUNTERS_MAX], counter[COUNTERS_MAX];
	uint64_t fixed_ctrl, fixed[FIXED_MAX];
	uint64_t metrics; /* can be read and written, but does not count */
	uint64_t capabilities, status, global_ctrl, pebs_enable;
	uint64_t threshold[2]; /* thresholds of load latency, and of the front end (no effect) */
	uint64_t offcore[2];   /* no effect */
	uint64_t ds_area, data_cfg;
	uint64_t zero[3];

	PebsEvent event[COUNTERS_MAX];
	unsigned counting;    /* bitmap of the counters that count loads now */
	unsigned overflowed;  /* bitmap of the counters that overflowed in this instruction */
	uint64_t pc;          /* instruction of the first load that made a counter overflow */
	ObserveAccess access; /* this load */
} PebsState;

/* Returns a word of the DS area, or 0 if the guest has no mapping there. */
uint64_t pebs_ds_read(CPUX86State *env, uint64_t vaddr);

/* Writes the record of the load s->access, which made these counters overflow. Returns true if an interrupt must be raised. */
bool pebs_record(CPUX86State *env, PebsState *s, unsigned counters);

#endif
