// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reasons why a CPU can't be sampled. If a test fails, users of an unsupported CPU get a wrong reason or remedy.
 */
#include <stdio.h>
#include <string.h>

#include "../tap.h"
#include "decode/obstacle.h"

#define OTHER "use an AMD CPU with IBS, or an Intel server with performance cores"

static const struct expectation {
	const char *name;
	struct memphis_cpu_part part;
	enum memphis_obstacle obstacle;
	const char *why, *remedy;
} expectations[] = {
	{"Zhaoxin",
	 {0x7, 0x3b, false},
	 MEMPHIS_OBSTACLE_VENDOR,
	 "no sampling hardware of this vendor is known",
	 OTHER},
	{"AMD Athlon 64",
	 {0xf, 0x5f, false},
	 MEMPHIS_OBSTACLE_IBS,
	 "AMD has Instruction-Based Sampling (IBS) since family 10h",
	 OTHER},
	{"Zen 4 with IBS off",
	 {0x19, 0x11, false},
	 MEMPHIS_OBSTACLE_IBS,
	 "Instruction-Based Sampling (IBS) is off",
	 "enable IBS in the BIOS set-up"},
	{"Hygon with IBS off",
	 {0x18, 0x0, false},
	 MEMPHIS_OBSTACLE_IBS,
	 "Instruction-Based Sampling (IBS) is off",
	 "enable IBS in the BIOS set-up"},
	{"a guest on Zen 4",
	 {0x19, 0x11, true},
	 MEMPHIS_OBSTACLE_IBS,
	 "the hypervisor hides Instruction-Based Sampling (IBS), or the host has it off",
	 "sample on the host"},
	{"Zen 3 without perf's PMU",
	 {0x19, 0x1, false},
	 MEMPHIS_OBSTACLE_IBS_PMU,
	 "it offers Instruction-Based Sampling (IBS), but perf has no events of it (PMU ibs_op)",
	 "see the lines with IBS or LVT in dmesg: often the BIOS set-up left IBS without an interrupt (enable it there), or the kernel lacks CONFIG_CPU_SUP_AMD"},
	{"Diamond Rapids",
	 {0x13, 0x1, false},
	 MEMPHIS_OBSTACLE_REGIONS,
	 "its data sources name regions of memory (Diamond Rapids), and not whether they are remote",
	 OTHER},
	{"Raptor Lake",
	 {6, 0xb7, false},
	 MEMPHIS_OBSTACLE_HYBRID,
	 "hybrid CPUs, whose cores have different events (PMUs cpu_core, cpu_atom), are not supported",
	 OTHER},
	{"a guest without counters",
	 {6, 0x6a, true},
	 MEMPHIS_OBSTACLE_PMU,
	 "the hypervisor gives this guest no performance counters",
	 "have it pass on the PMU and PEBS, or sample on the host"},
	{"counters that perf can't use",
	 {6, 0x6a, false},
	 MEMPHIS_OBSTACLE_PMU,
	 "perf has no PMU of this CPU",
	 "see the line 'Performance Events' in dmesg; firmware or another user may hold the counters"},
	{"Westmere-EP",
	 {6, 0x2c, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "Intel has the load latency event 0x1cd since Sandy Bridge",
	 OTHER},
	{"a guest on Westmere-EP without PEBS",
	 {6, 0x2c, true},
	 MEMPHIS_OBSTACLE_PEBS,
	 "Intel has the load latency event 0x1cd since Sandy Bridge",
	 OTHER},
	{"a guest without PEBS",
	 {6, 0x55, true},
	 MEMPHIS_OBSTACLE_PEBS,
	 "the hypervisor hides PEBS from this guest",
	 "have it pass on PEBS, or sample on the host"},
	{"a host without PEBS",
	 {6, 0x55, false},
	 MEMPHIS_OBSTACLE_PEBS,
	 "perf has no precise events (PEBS)",
	 "see the line 'Performance Events' in dmesg, which must name PEBS; firmware may have disabled it"},
	{"Bartlett Lake",
	 {6, 0xd7, false},
	 MEMPHIS_OBSTACLE_AUXILIARY,
	 "load latency needs an auxiliary event in its group, which is impossible in the kernel",
	 "sample without the module (MEMPHIS_BACKEND=perf)"},
	{"Sierra Forest",
	 {6, 0xaf, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "its Atom cores sample loads by event 0x5d0 instead of 0x1cd, which is not supported",
	 OTHER},
	{"Alder Lake-N",
	 {6, 0xbe, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "its Atom cores sample loads by event 0x5d0 instead of 0x1cd, which is not supported",
	 OTHER},
	{"Clearwater Forest",
	 {6, 0xdd, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "its Atom cores sample loads by event 0x5d0 instead of 0x1cd, which is not supported",
	 OTHER},
	{"Snow Ridge",
	 {6, 0x86, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "its cores have no load latency event",
	 OTHER},
	{"Knights Mill, the last of its list",
	 {6, 0x85, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "its cores have no load latency event",
	 OTHER},
	{"Sapphire Rapids on an older kernel",
	 {6, 0x8f, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "this kernel does not know Sapphire Rapids",
	 "use Linux 5.12 or later"},
	{"Emerald Rapids on an older kernel",
	 {6, 0xcf, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "this kernel does not know Emerald Rapids",
	 "use Linux 6.2 or later"},
	{"Granite Rapids-D on an older kernel",
	 {6, 0xae, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "this kernel does not know Granite Rapids",
	 "use a kernel later than 6.1, such as 6.12"},
	{"a part that nobody knows yet",
	 {6, 0xff, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "perf does not recognise load latency (event 0x1cd) on this part",
	 "use a kernel that is newer than the part, or another CPU"},
	{"a model number of another family",
	 {0x12, 0xaf, false},
	 MEMPHIS_OBSTACLE_EVENT,
	 "perf does not recognise load latency (event 0x1cd) on this part",
	 "use a kernel that is newer than the part, or another CPU"},
};

static void check_texts(void)
{
	size_t i;

	for (i = 0; i < sizeof(expectations) / sizeof(*expectations); i++) {
		const struct expectation *e = &expectations[i];
		const struct memphis_obstacle_text *text = memphis_obstacle_text(&e->part, e->obstacle);

		if (!ok(!strcmp(text->why, e->why) && !strcmp(text->remedy, e->remedy), "%s", e->name))
			printf("# %s; %s\n", text->why, text->remedy);
	}
}

/*
 * Any part and obstacle have a text, and a sentence that fits the library's buffer (MEMPHIS_REMEDY_BYTES in backend/backend.h) with
 * the longest names: CPUID has 48 characters for that of the CPU, and 12 for that of the vendor.
 */
static void check_all(void)
{
	unsigned int bad = 0, family, model, obstacle, guest;
	int longest = 0, length;

	for (obstacle = MEMPHIS_OBSTACLE_VENDOR + 1; obstacle < MEMPHIS_OBSTACLES; obstacle++)
		for (family = 0; family < 0x20; family++)
			for (model = 0; model < 0x100; model++)
				for (guest = 0; guest < 2; guest++) {
					const struct memphis_cpu_part part = {family, model, guest};
					const struct memphis_obstacle_text *text =
						memphis_obstacle_text(&part, obstacle);

					length = snprintf(NULL, 0, MEMPHIS_OBSTACLE_SENTENCE,
							  "123456789 123456789 123456789 123456789 12345678",
							  "123456789 12", 0x10e, 0xff, text->why,
							  text->remedy);
					longest = length > longest ? length : longest;
					/* The text of the first row is that of a vendor, which these are not. */
					bad += strstr(text->why, "vendor") != NULL;
				}
	is(bad, 0, "each obstacle has a text for any part");
	ok(longest > 300 && longest < 512, "the longest sentence has %d characters", longest);
}

#define AMD   .vendor = MEMPHIS_VENDOR_AMD
#define INTEL .vendor = MEMPHIS_VENDOR_INTEL, .has_core_pmu = true, .has_pebs = true

static const struct finding {
	const char *name;
	struct memphis_signs signs;
	enum memphis_obstacle obstacle;
} findings[] = {
	{"a vendor without sampling hardware, whatever perf has",
	 {.has_core_pmu = true, .has_pebs = true, .has_load_latency = true},
	 MEMPHIS_OBSTACLE_VENDOR},
	{"AMD without IBS", {AMD, .part = {0xf, 0x5f, false}, .has_core_pmu = true}, MEMPHIS_OBSTACLE_IBS},
	{"AMD with IBS, but no PMU",
	 {AMD, .part = {0x19, 1, false}, .has_ibs = true},
	 MEMPHIS_OBSTACLE_IBS_PMU},
	{"AMD with IBS and its PMU",
	 {AMD, .part = {0x19, 1, false}, .has_ibs = true, .has_ibs_pmu = true},
	 MEMPHIS_OBSTACLE_NONE},
	{"Diamond Rapids, whose event perf knows",
	 {INTEL, .part = {0x13, 1, false}, .has_load_latency = true},
	 MEMPHIS_OBSTACLE_REGIONS},
	{"a hybrid, whose PMU perf calls cpu_core",
	 {.vendor = MEMPHIS_VENDOR_INTEL,
	  .part = {6, 0x97, false},
	  .is_hybrid = true,
	  .has_load_latency = true},
	 MEMPHIS_OBSTACLE_HYBRID},
	{"no counters", {.vendor = MEMPHIS_VENDOR_INTEL, .part = {6, 0x6a, true}}, MEMPHIS_OBSTACLE_PMU},
	{"counters without PEBS",
	 {.vendor = MEMPHIS_VENDOR_INTEL,
	  .part = {6, 0x6a, true},
	  .has_core_pmu = true,
	  .has_load_latency = true},
	 MEMPHIS_OBSTACLE_PEBS},
	{"Bartlett Lake",
	 {INTEL, .part = {6, 0xd7, false}, .has_load_latency = true, .needs_auxiliary = true},
	 MEMPHIS_OBSTACLE_AUXILIARY},
	{"Sapphire Rapids, with events of loads by source",
	 {INTEL, .part = {6, 0x8f, false}, .has_load_latency = true, .needs_auxiliary = true,
	  .has_by_source = true},
	 MEMPHIS_OBSTACLE_NONE},
	{"Sapphire Rapids, with events of loads by source only",
	 {INTEL, .part = {6, 0x8f, false}, .has_by_source = true},
	 MEMPHIS_OBSTACLE_NONE},
	{"Sierra Forest", {INTEL, .part = {6, 0xaf, false}}, MEMPHIS_OBSTACLE_EVENT},
	{"Broadwell", {INTEL, .part = {6, 0x4f, false}, .has_load_latency = true}, MEMPHIS_OBSTACLE_NONE},
};

static void check_findings(void)
{
	size_t i;

	for (i = 0; i < sizeof(findings) / sizeof(*findings); i++)
		ok(memphis_obstacle_find(&findings[i].signs) == findings[i].obstacle, "signs: %s",
		   findings[i].name);
}

/* The models with events of loads by source; Intel's lists of events (github.com/intel/perfmon) have one for each. */
static void check_models(void)
{
	static const unsigned int by_source[] = {0x55, 0x6a, 0x6c, 0x8f, 0xad, 0xae, 0xcf};
	unsigned int model, count = 0, right = 0;
	const struct memphis_cpu_part diamond = {0x13, 0x1, false}, granite = {6, 0xad, false},
				      family_15 = {15, 0x55, false};

	for (model = 0; model < 0x100; model++) {
		const struct memphis_cpu_part part = {6, model, false};

		if (!(memphis_model_traits(&part) & MEMPHIS_TRAIT_BY_SOURCE))
			continue;
		right += count < 7 && by_source[count] == model;
		count++;
	}
	ok(count == 7 && right == 7, "seven models have events of loads by source");
	is(memphis_model_traits(&family_15), 0, "models of another family are others");
	ok(memphis_model_traits(&diamond) == MEMPHIS_TRAIT_REGIONS &&
		   !(memphis_model_traits(&granite) & MEMPHIS_TRAIT_REGIONS),
	   "the data sources of Diamond Rapids are regions, those of Granite Rapids are not");
	ok(memphis_vendor("HygonGenuine") == MEMPHIS_VENDOR_AMD &&
		   memphis_vendor("AuthenticAMD") == MEMPHIS_VENDOR_AMD &&
		   memphis_vendor("GenuineIntel") == MEMPHIS_VENDOR_INTEL &&
		   memphis_vendor("CentaurHauls") == MEMPHIS_VENDOR_OTHER,
	   "vendors");
}

int main(void)
{
	check_texts();
	check_all();
	check_findings();
	check_models();
	return finish();
}
