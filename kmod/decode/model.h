/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Vendors and models of CPUs. They are used only where sampling hardware differs and nothing else shows the
 * difference. The module, the library and the post-processor share the table. The code uses no kernel
 * services.
 */
#ifndef MEMPHIS_MODEL_H
#define MEMPHIS_MODEL_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#endif

enum memphis_vendor {
	MEMPHIS_VENDOR_OTHER,
	MEMPHIS_VENDOR_AMD, /* or Hygon, whose cores are derived from Zen */
	MEMPHIS_VENDOR_INTEL
};

/* A CPU as described by CPUID. */
struct memphis_cpu_part {
	unsigned int family, model;
	bool guest; /* CPUID says that this is a virtual machine */
};

/* Properties of Intel's models. */
enum memphis_trait {
	MEMPHIS_TRAIT_OLD = 1 << 0, /* before Sandy Bridge: load latency is another event, or there is none */
	MEMPHIS_TRAIT_ATOM =
		1 << 1, /* cores without an event of load latency: Bonnell to Tremont, Xeon Phi */
	MEMPHIS_TRAIT_GRACEMONT =
		1 << 2, /* Gracemont and later Atom cores: the event of load latency is 5D0H */
	/* The events of loads by source have the codes of PEBS_CONFIG_BY_SOURCE() (decode/pmu_events.h). */
	MEMPHIS_TRAIT_BY_SOURCE = 1 << 3,
	/*
	 * A record has the latency of the cache access apart from that of the instruction, and perf reports the former
	 * (PMU_FL_INSTR_LATENCY in Linux, arch/x86/events/intel/core.c).
	 */
	MEMPHIS_TRAIT_SPLIT_LATENCY = 1 << 4,
	/* Servers that not every supported kernel knows. */
	MEMPHIS_TRAIT_SAPPHIRE_RAPIDS = 1 << 5,
	MEMPHIS_TRAIT_EMERALD_RAPIDS = 1 << 6,
	MEMPHIS_TRAIT_GRANITE_RAPIDS = 1 << 7,
	/*
	 * The data source names a region of memory, but does not tell whether the region is remote.
	 * memphis_pebs_decode() does not know the regions, so it would call all samples local.
	 */
	MEMPHIS_TRAIT_REGIONS = 1 << 8,
};

/* Returns the vendor that has this identification string (CPUID leaf 0; vendor_id in /proc/cpuinfo). */
enum memphis_vendor memphis_vendor(const char *identification);

/* Returns the bitmap of enum memphis_trait for one of Intel's models, or 0 if the model is not in the table. */
unsigned int memphis_model_traits(const struct memphis_cpu_part *part);

#endif
