// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The table of reasons why a CPU can't be sampled. docs/hardware.md lists the CPUs that can be sampled. */
#include "decode/obstacle.h"

#define OTHER_CPU "use an AMD CPU with IBS, or an Intel server with performance cores"

/* A set of CPUs. Only the first member that is not zero is compared; if all are zero, every CPU belongs to the set. */
struct parts {
	unsigned int family_max;
	bool guests;
	unsigned int traits; /* bitmap of enum memphis_trait; the part must have one of them */
};

static const struct parts any = {0};
static const struct parts guests = {.guests = true};
static const struct parts before_10h = {.family_max = 0x0f};
static const struct parts until_westmere = {.traits = MEMPHIS_TRAIT_OLD};
static const struct parts until_tremont = {.traits = MEMPHIS_TRAIT_ATOM};
static const struct parts since_gracemont = {.traits = MEMPHIS_TRAIT_GRACEMONT};
static const struct parts sapphire_rapids = {.traits = MEMPHIS_TRAIT_SAPPHIRE_RAPIDS};
static const struct parts emerald_rapids = {.traits = MEMPHIS_TRAIT_EMERALD_RAPIDS};
static const struct parts granite_rapids = {.traits = MEMPHIS_TRAIT_GRANITE_RAPIDS};

/* The first row is used whose obstacle matches and whose set contains the CPU. */
static const struct row {
	enum memphis_obstacle obstacle;
	const struct parts *parts;
	struct memphis_obstacle_text text;
} rows[] = {
	{MEMPHIS_OBSTACLE_VENDOR, &any, {"no sampling hardware of this vendor is known", OTHER_CPU}},
	{MEMPHIS_OBSTACLE_IBS,
	 &before_10h,
	 {"AMD has Instruction-Based Sampling (IBS) since family 10h", OTHER_CPU}},
	{MEMPHIS_OBSTACLE_IBS,
	 &guests,
	 {"the hypervisor hides Instruction-Based Sampling (IBS), or the host has it off",
	  "sample on the host"}},
	{MEMPHIS_OBSTACLE_IBS,
	 &any,
	 {"Instruction-Based Sampling (IBS) is off", "enable IBS in the BIOS set-up"}},
	{MEMPHIS_OBSTACLE_IBS_PMU,
	 &any,
	 {"it offers Instruction-Based Sampling (IBS), but perf has no events of it (PMU ibs_op)",
	  "see the lines with IBS or LVT in dmesg: often the BIOS set-up left IBS without an interrupt (enable it there), or the kernel lacks CONFIG_CPU_SUP_AMD"}},
	{MEMPHIS_OBSTACLE_REGIONS,
	 &any,
	 {"its data sources name regions of memory (Diamond Rapids), and not whether they are remote",
	  OTHER_CPU}},
	{MEMPHIS_OBSTACLE_HYBRID,
	 &any,
	 {"hybrid CPUs, whose cores have different events (PMUs cpu_core, cpu_atom), are not supported",
	  OTHER_CPU}},
	{MEMPHIS_OBSTACLE_PMU,
	 &guests,
	 {"the hypervisor gives this guest no performance counters",
	  "have it pass on the PMU and PEBS, or sample on the host"}},
	{MEMPHIS_OBSTACLE_PMU,
	 &any,
	 {"perf has no PMU of this CPU",
	  "see the line 'Performance Events' in dmesg; firmware or another user may hold the counters"}},
	{MEMPHIS_OBSTACLE_PEBS,
	 &until_westmere,
	 {"Intel has the load latency event 0x1cd since Sandy Bridge", OTHER_CPU}},
	{MEMPHIS_OBSTACLE_EVENT,
	 &until_westmere,
	 {"Intel has the load latency event 0x1cd since Sandy Bridge", OTHER_CPU}},
	{MEMPHIS_OBSTACLE_PEBS,
	 &guests,
	 {"the hypervisor hides PEBS from this guest", "have it pass on PEBS, or sample on the host"}},
	{MEMPHIS_OBSTACLE_PEBS,
	 &any,
	 {"perf has no precise events (PEBS)",
	  "see the line 'Performance Events' in dmesg, which must name PEBS; firmware may have disabled it"}},
	{MEMPHIS_OBSTACLE_AUXILIARY,
	 &any,
	 {"load latency needs an auxiliary event in its group, which is impossible in the kernel",
	  "sample without the module (MEMPHIS_BACKEND=perf)"}},
	{MEMPHIS_OBSTACLE_EVENT,
	 &since_gracemont,
	 {"its Atom cores sample loads by event 0x5d0 instead of 0x1cd, which is not supported", OTHER_CPU}},
	{MEMPHIS_OBSTACLE_EVENT, &until_tremont, {"its cores have no load latency event", OTHER_CPU}},
	{MEMPHIS_OBSTACLE_EVENT,
	 &sapphire_rapids,
	 {"this kernel does not know Sapphire Rapids", "use Linux 5.12 or later"}},
	{MEMPHIS_OBSTACLE_EVENT,
	 &emerald_rapids,
	 {"this kernel does not know Emerald Rapids", "use Linux 6.2 or later"}},
	{MEMPHIS_OBSTACLE_EVENT,
	 &granite_rapids,
	 {"this kernel does not know Granite Rapids", "use a kernel later than 6.1, such as 6.12"}},
	{MEMPHIS_OBSTACLE_EVENT,
	 &any,
	 {"perf does not recognise load latency (event 0x1cd) on this part",
	  "use a kernel that is newer than the part, or another CPU"}},
};

static enum memphis_obstacle find_intel(const struct memphis_signs *signs)
{
	if (memphis_model_traits(&signs->part) & MEMPHIS_TRAIT_REGIONS)
		return MEMPHIS_OBSTACLE_REGIONS;
	if (signs->is_hybrid)
		return MEMPHIS_OBSTACLE_HYBRID;
	if (!signs->has_core_pmu)
		return MEMPHIS_OBSTACLE_PMU;
	if (!signs->has_pebs)
		return MEMPHIS_OBSTACLE_PEBS;
	if (signs->has_by_source)
		return MEMPHIS_OBSTACLE_NONE;
	if (signs->needs_auxiliary)
		return MEMPHIS_OBSTACLE_AUXILIARY;
	return signs->has_load_latency ? MEMPHIS_OBSTACLE_NONE : MEMPHIS_OBSTACLE_EVENT;
}

enum memphis_obstacle memphis_obstacle_find(const struct memphis_signs *signs)
{
	if (signs->has_ibs_pmu)
		return MEMPHIS_OBSTACLE_NONE;
	if (signs->has_ibs)
		return MEMPHIS_OBSTACLE_IBS_PMU;
	switch (signs->vendor) {
	case MEMPHIS_VENDOR_AMD:
		return MEMPHIS_OBSTACLE_IBS;
	case MEMPHIS_VENDOR_INTEL:
		return find_intel(signs);
	default:
		return MEMPHIS_OBSTACLE_VENDOR;
	}
}

static bool matches(const struct parts *parts, const struct memphis_cpu_part *part)
{
	if (parts->family_max)
		return part->family <= parts->family_max;
	if (parts->guests)
		return part->guest;
	return !parts->traits || memphis_model_traits(part) & parts->traits;
}

const struct memphis_obstacle_text *memphis_obstacle_text(const struct memphis_cpu_part *part,
							  enum memphis_obstacle obstacle)
{
	unsigned int i;

	/* For each obstacle except MEMPHIS_OBSTACLE_NONE, there is a row that matches any part. */
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].obstacle == obstacle && matches(rows[i].parts, part))
			return &rows[i].text;
	return &rows[0].text;
}
