/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The reasons why a CPU can't be sampled, and their texts. The module, the library and the post-processor
 * each examine the CPU in their own way, but report the result with the same texts. Like the decoders, the
 * code uses no kernel services.
 */
#ifndef MEMPHIS_OBSTACLE_H
#define MEMPHIS_OBSTACLE_H

#include "decode/model.h"

/* The reason why a CPU can't be sampled. */
enum memphis_obstacle {
	MEMPHIS_OBSTACLE_NONE,
	MEMPHIS_OBSTACLE_VENDOR,    /* the vendor is neither AMD or Hygon, nor Intel */
	MEMPHIS_OBSTACLE_IBS,       /* AMD, Hygon: no Instruction-Based Sampling */
	MEMPHIS_OBSTACLE_IBS_PMU,   /* AMD, Hygon: perf has no PMU of the sampling unit */
	MEMPHIS_OBSTACLE_REGIONS,   /* Intel, as all others: see MEMPHIS_TRAIT_REGIONS */
	MEMPHIS_OBSTACLE_HYBRID,    /* perf has several PMUs, each for a kind of core */
	MEMPHIS_OBSTACLE_PMU,       /* perf has no PMU of the counters */
	MEMPHIS_OBSTACLE_PEBS,      /* perf has no precise events */
	MEMPHIS_OBSTACLE_AUXILIARY, /* perf demands a second event beside load latency */
	MEMPHIS_OBSTACLE_EVENT,     /* perf doesn't sample loads by the event of load latency */
	MEMPHIS_OBSTACLES
};

/*
 * What can be found out about a CPU from CPUID, and from perf or its files. The members about Intel are ignored
 * if the CPU has IBS or is from AMD.
 */
struct memphis_signs {
	enum memphis_vendor vendor;
	struct memphis_cpu_part part;
	bool has_ibs;     /* according to CPUID */
	bool has_ibs_pmu; /* perf samples by IBS */
	/* The following members are about Intel's CPUs. */
	bool has_core_pmu;     /* perf has a PMU of the counters */
	bool is_hybrid;        /* perf has a PMU for each kind of core */
	bool has_pebs;         /* perf has precise events */
	bool has_load_latency; /* perf samples loads by the event that memphis_pebs_decode() knows */
	bool needs_auxiliary;  /* this event has to be in a group with another event */
	bool has_by_source;    /* perf has the events of loads by source */
};

/*
 * Formats of the message. Their arguments are the name of the CPU, the name of its vendor, the family, the model,
 * `why` and, for the first format, `remedy`.
 */
#define MEMPHIS_OBSTACLE_SENTENCE MEMPHIS_OBSTACLE_WHY "; %s"
#define MEMPHIS_OBSTACLE_WHY      "%s (%s, family %#x, model %#x) can't be sampled: %s"

struct memphis_obstacle_text {
	const char *why, *remedy;
};

/*
 * Returns the reason why the module can't sample the CPU. perf without the module can sample a CPU whose obstacle is
 * MEMPHIS_OBSTACLE_AUXILIARY.
 */
enum memphis_obstacle memphis_obstacle_find(const struct memphis_signs *signs);

/* Returns the texts that say why the part can't be sampled, and what the user can do. The texts are static. */
const struct memphis_obstacle_text *memphis_obstacle_text(const struct memphis_cpu_part *part,
							  enum memphis_obstacle obstacle);

#endif
