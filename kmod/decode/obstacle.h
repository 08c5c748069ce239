/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Reasons why a CPU can't be sampled, in words. The module and the library find out what is missing, each in its own
 * way, and report it with the texts of one table. Like the decoders, the code uses no kernel services.
 */
#ifndef MEMPHIS_OBSTACLE_H
#define MEMPHIS_OBSTACLE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#endif

/* A part as CPUID describes it. */
struct memphis_part {
	unsigned int family, model;
	bool guest; /* a hypervisor says that it is one */
};

/* What is missing. The first three are found by CPUID, the others are those of an Intel CPU. */
enum memphis_obstacle {
	MEMPHIS_OBSTACLE_VENDOR,    /* the vendor is neither AMD or Hygon, nor Intel */
	MEMPHIS_OBSTACLE_IBS,       /* AMD, Hygon: no Instruction-Based Sampling */
	MEMPHIS_OBSTACLE_REGIONS,   /* see memphis_obstacle_is_regions() */
	MEMPHIS_OBSTACLE_IBS_PMU,   /* AMD, Hygon: perf has no PMU of the sampling unit */
	MEMPHIS_OBSTACLE_PMU,       /* perf has no PMU of the counters */
	MEMPHIS_OBSTACLE_HYBRID,    /* perf has several PMUs, each for a kind of core */
	MEMPHIS_OBSTACLE_PEBS,      /* perf has no precise events */
	MEMPHIS_OBSTACLE_AUXILIARY, /* perf demands a second event beside load latency */
	MEMPHIS_OBSTACLE_EVENT,     /* load latency is not the event that perf samples loads by */
	MEMPHIS_OBSTACLES
};

/* For a sentence "PART can't be sampled: WHY; REMEDY". */
struct memphis_obstacle_text {
	const char *why, *remedy;
};

/*
 * Returns true for Intel parts whose data sources name a region of memory and not whether it is remote (Diamond Rapids),
 * which memphis_pebs_decode() does not know: all its samples would be local.
 */
bool memphis_obstacle_is_regions(const struct memphis_part *part);

/* Returns why the part can't be sampled, and what helps. The texts are static. */
const struct memphis_obstacle_text *memphis_obstacle_text(const struct memphis_part *part,
							  enum memphis_obstacle obstacle);

#endif
