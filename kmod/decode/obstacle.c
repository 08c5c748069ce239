// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Table of the reasons why a CPU can't be sampled. Families and models are those of Linux (arch/x86/include/asm/intel-family.h);
 * docs/hardware.md lists the CPUs that can be sampled.
 */
#include "decode/obstacle.h"

#define FAMILY_DIAMOND_RAPIDS 0x13

#define OTHER_CPU "use an AMD CPU with IBS, or an Intel server with performance cores"

/* A set of parts; the first member that is set must match. */
struct parts {
	unsigned int family_max;
	bool guests;
	__u8 models[20]; /* of family 6; ended by 0 */
};

static const struct parts any = {0};
static const struct parts guests = {.guests = true};
static const struct parts before_10h = {.family_max = 0x0f};
static const struct parts until_westmere = {
	.models = {0x0e, 0x0f, 0x16, 0x17, 0x1d, 0x1e, 0x1f, 0x1a, 0x2e, 0x25, 0x2c, 0x2f}};
/* Bonnell to Tremont, and Xeon Phi */
static const struct parts until_tremont = {.models = {0x1c, 0x26, 0x36, 0x27, 0x35, 0x37, 0x4d, 0x4a, 0x4c,
						      0x5a, 0x75, 0x5c, 0x5f, 0x7a, 0x86, 0x96, 0x9c, 0x57,
						      0x85}};
/* Sierra Forest, Grand Ridge, Alder Lake-N, Clearwater Forest */
static const struct parts since_gracemont = {.models = {0xaf, 0xb6, 0xbe, 0xdd}};
static const struct parts sapphire_rapids = {.models = {0x8f}};
static const struct parts emerald_rapids = {.models = {0xcf}};
static const struct parts granite_rapids = {.models = {0xad, 0xae}};

/* The first row with the obstacle and the part applies. */
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
	 {"it offers Instruction-Based Sampling (IBS), but the kernel has no PMU ibs_op",
	  "see the lines with IBS or LVT in dmesg: often the BIOS set-up left IBS without an interrupt "
	  "(enable it there), or the kernel lacks CONFIG_CPU_SUP_AMD"}},
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

bool memphis_obstacle_is_regions(const struct memphis_part *part)
{
	return part->family == FAMILY_DIAMOND_RAPIDS;
}

static bool matches(const struct parts *parts, const struct memphis_part *part)
{
	const __u8 *model;

	if (parts->family_max)
		return part->family <= parts->family_max;
	if (parts->guests)
		return part->guest;
	for (model = parts->models; *model; model++)
		if (part->family == 6 && part->model == *model)
			return true;
	return !parts->models[0];
}

const struct memphis_obstacle_text *memphis_obstacle_text(const struct memphis_part *part,
							  enum memphis_obstacle obstacle)
{
	unsigned int i;

	/* Each obstacle has a row that matches any part, so that the search ends. */
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].obstacle == obstacle && matches(rows[i].parts, part))
			return &rows[i].text;
	return &rows[0].text;
}
