// SPDX-License-Identifier: BSD-3-Clause
/* Checks of the sampling hardware: whether Memphis supports it, and what it offers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <memphis/sampling_defaults.h>
#include <memphis/sampling_events.h>

#include "node/node.h"

#define DEVICES "/sys/bus/event_source/devices"

/* MEM_TRANS_RETIRED.LOAD_LATENCY as sysfs names it: the load latency event of all Intel CPUs that Memphis supports. */
#define LOAD_LATENCY "event=0xcd,umask=0x1"

/*
 * Models of family 6 that the checks distinguish. kmod/decode/pmu_events.h has the same list of models with events of loads by
 * source (PEBS_BY_SOURCE_MODELS). `splits_latency`: the record has the latency of the cache access apart from that of the instruction, and perf
 * reports the former (PMU_FL_INSTR_LATENCY in Linux, arch/x86/events/intel/core.c).
 */
static const struct intel_model {
	unsigned int model;
	const char *name;
	bool has_loads_by_source, splits_latency, is_atom;
} intel_models[] = {
	{0x55, "Skylake-SP to Cooper Lake", true, false, false},
	{0x6a, "Ice Lake-SP", true, false, false},
	{0x6c, "Ice Lake-D", true, false, false},
	{0x8f, "Sapphire Rapids", true, true, false},
	{0xcf, "Emerald Rapids", true, true, false},
	{0xad, "Granite Rapids", true, true, false},
	{0xae, "Granite Rapids-D", true, true, false},
	{0x37, "Bay Trail", false, false, true},
	{0x4d, "Avoton", false, false, true},
	{0x5c, "Apollo Lake", false, false, true},
	{0x7a, "Gemini Lake", false, false, true},
	{0x96, "Elkhart Lake", false, false, true},
	{0x9c, "Jasper Lake", false, false, true},
	{0x57, "Xeon Phi (Knights Landing)", false, false, true},
	{0x85, "Xeon Phi (Knights Mill)", false, false, true},
	{0x5f, "Denverton", false, false, true},
	{0x86, "Snow Ridge", false, false, true},
	{0xaf, "Sierra Forest", false, false, true},
	{0xb6, "Grand Ridge", false, false, true},
	{0xdd, "Clearwater Forest", false, false, true},
};

static const struct intel_model *find_model(const struct memphis_processor *processor)
{
	static const struct intel_model unknown = {0};
	size_t i;

	for (i = 0; i < sizeof(intel_models) / sizeof(*intel_models); i++)
		if (processor->vendor == MEMPHIS_VENDOR_INTEL && processor->family == 6 &&
		    processor->model == intel_models[i].model)
			return &intel_models[i];
	return &unknown;
}

/* Prints the features of a PMU: each of `names` that exists as a file in its `directory`. */
static void put_offers(struct memphis_text *text, const char *root, const char *pmu, const char *directory,
		       const char *const *names)
{
	const char *comma = " (";
	bool any = false;

	for (; *names; names++) {
		if (!memphis_root_has(root, DEVICES "/%s/%s/%s", pmu, directory, *names))
			continue;
		memphis_text_print(text, "%s%s", comma, *names);
		comma = ", ";
		any = true;
	}
	if (any)
		memphis_text_put(text, ")");
}

static bool put_ibs(struct memphis_text *text, const char *root)
{
	static const char *const formats[] = {"cnt_ctl", "l3missonly", "ldlat", "swfilt", NULL};
	static const char *const pmus[] = {"ibs_op", "ibs_fetch"};
	bool found = false;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!memphis_root_has(root, DEVICES "/%s/type", pmus[i]))
			continue;
		memphis_text_print(text, "%s%s", text->bytes ? ", " : "", pmus[i]);
		put_offers(text, root, pmus[i], "format", formats);
		found |= !i;
	}
	return found;
}

/* What sysfs, and the device or perf, reveal about the sampling hardware. */
enum support {
	SUPPORT_IBS,
	SUPPORT_PEBS,
	SUPPORT_HYBRID,      /* cores of several kinds */
	SUPPORT_REGIONS,     /* data sources don't say whether memory is remote: kmod/decode/obstacle.h */
	SUPPORT_OTHER_EVENT, /* perf samples loads by an event that Memphis does not decode */
	SUPPORT_AUX, /* load latency needs an auxiliary event, and there are no events of loads by source */
	SUPPORT_REFUSED, /* sysfs lists the event, but perf can't create it */
	SUPPORT_NONE
};

static bool has_mem_loads(const char *root, const char *pmu)
{
	return memphis_root_has(root, DEVICES "/%s/events/mem-loads", pmu);
}

/* Returns true if mem-loads of the core PMU is the load latency event. */
static bool is_load_latency(const char *root)
{
	char *event = memphis_root_read(root, DEVICES "/cpu/events/mem-loads");
	bool is = event && !strncmp(event, LOAD_LATENCY, strlen(LOAD_LATENCY));

	free(event);
	return is;
}

static bool needs_auxiliary(const char *root)
{
	return memphis_root_has(root, DEVICES "/cpu/events/mem-loads-aux");
}

/* Diamond Rapids; the module and the library refuse it by memphis_obstacle_is_regions(), though perf has its event. */
static bool names_regions(const struct memphis_processor *processor)
{
	return processor->vendor == MEMPHIS_VENDOR_INTEL && processor->family == 0x13;
}

static enum support find_support(const struct memphis_examination *examination)
{
	const char *root = examination->machine->root;
	const struct memphis_offer *offer = examination->offer;

	if (offer->by)
		return offer->query.hardware == MEMPHIS_HARDWARE_PEBS ? SUPPORT_PEBS : SUPPORT_IBS;
	if (memphis_root_has(root, DEVICES "/ibs_op/type"))
		return offer->is_lacking ? SUPPORT_REFUSED : SUPPORT_IBS;
	if (has_mem_loads(root, "cpu_core"))
		return SUPPORT_HYBRID;
	if (!has_mem_loads(root, "cpu"))
		return SUPPORT_NONE;
	if (names_regions(&examination->machine->processor))
		return SUPPORT_REGIONS;
	if (!is_load_latency(root))
		return SUPPORT_OTHER_EVENT;
	if (needs_auxiliary(root) && !find_model(&examination->machine->processor)->has_loads_by_source)
		return SUPPORT_AUX;
	return offer->is_lacking ? SUPPORT_REFUSED : SUPPORT_PEBS;
}

/* Describes the sampling hardware that sysfs lists. */
static void put_listed(struct memphis_text *text, const char *root)
{
	static const char *const formats[] = {"ldlat", NULL}, *const pmus[] = {"cpu", "cpu_core"};
	size_t i;

	put_ibs(text, root);
	for (i = 0; i < 2; i++) {
		if (!has_mem_loads(root, pmus[i]))
			continue;
		memphis_text_print(text, "%s%s: mem-loads", text->bytes ? ", " : "", pmus[i]);
		put_offers(text, root, pmus[i], "format", formats);
	}
	if (needs_auxiliary(root))
		memphis_text_put(text, ", which needs mem-loads-aux in its group");
}

/* Reasons why a CPU without any PMU for sampling has none, and what helps. */
static void explain_none(struct memphis_check_result *finding, const struct memphis_processor *processor)
{
	memphis_text_print(&finding->evidence, "%sneither ibs_op nor mem-loads on ",
			   finding->evidence.bytes ? "; " : "");
	memphis_processor_put(&finding->evidence, processor);
	if (processor->is_guest) {
		memphis_text_put(&finding->evidence, ", in the guest of a hypervisor");
		memphis_text_put(
			&finding->remedy,
			processor->vendor == MEMPHIS_VENDOR_INTEL
				? "the hypervisor does not pass PEBS on: measure on the host, or let it "
				  "(KVM: on a "
				  "host of Linux 6.0 or later with Ice Lake or later, -cpu host with pmu=on)"
				: "the hypervisor does not pass IBS on: measure on the host");
		return;
	}
	if (processor->vendor == MEMPHIS_VENDOR_INTEL && find_model(processor)->is_atom) {
		memphis_text_print(&finding->evidence, ": %s has Atom cores", find_model(processor)->name);
		memphis_text_put(
			&finding->remedy,
			"Memphis does not support Atom cores: measure on a CPU that docs/hardware.md "
			"lists");
		return;
	}
	if (processor->vendor == MEMPHIS_VENDOR_INTEL)
		memphis_text_put(
			&finding->remedy,
			"the kernel does not know PEBS of this CPU: boot a newer one (Granite Rapids "
			"needs one later than 6.1), and see the line 'Performance Events' in dmesg; "
			"CPUs before Sandy Bridge are not supported");
	else if (processor->vendor == MEMPHIS_VENDOR_AMD && processor->has_ibs)
		memphis_text_put(
			&finding->remedy,
			"the CPU has IBS, and the kernel does not use it: see the lines with IBS or LVT "
			"in dmesg; switch IBS on in the BIOS set-up");
	else
		memphis_text_put(
			&finding->remedy,
			processor->vendor == MEMPHIS_VENDOR_AMD
				? "switch IBS on in the BIOS set-up; CPUs before family 10h have none"
				: "needed is an AMD CPU with IBS, or an Intel server with PEBS "
				  "(docs/hardware.md)");
}

/* Names the CPU and the reason why it can't be sampled, and what helps. */
static void explain(struct memphis_check_result *finding, const struct memphis_examination *examination,
		    enum support support)
{
	const struct memphis_processor *processor = &examination->machine->processor;
	struct memphis_text *evidence = &finding->evidence, *remedy = &finding->remedy;
	char *event;

	if (support == SUPPORT_NONE) {
		explain_none(finding, processor);
		return;
	}
	memphis_text_put(evidence, "; ");
	memphis_processor_put(evidence, processor);
	switch (support) {
	case SUPPORT_HYBRID:
		memphis_text_put(evidence, " has cores of several kinds, which have different events");
		memphis_text_put(remedy,
				 "hybrid CPUs are not supported, even with one kind of core switched off: "
				 "measure on a server that docs/hardware.md lists");
		break;
	case SUPPORT_REGIONS:
		memphis_text_put(evidence, " names regions of memory as the source of data, and not whether "
					   "they are remote");
		memphis_text_put(remedy,
				 "Diamond Rapids is not supported: measure on a CPU that docs/hardware.md "
				 "lists");
		break;
	case SUPPORT_OTHER_EVENT:
		event = memphis_root_read(examination->machine->root, DEVICES "/cpu/events/mem-loads");
		if (find_model(processor)->is_atom)
			memphis_text_print(evidence, " has Atom cores (%s), and",
					   find_model(processor)->name);
		memphis_text_print(evidence, " samples loads by %s, not by " LOAD_LATENCY,
				   event ? event : "another event");
		free(event);
		memphis_text_put(remedy,
				 "this event is not supported: measure on a CPU that docs/hardware.md lists");
		break;
	case SUPPORT_AUX:
		memphis_text_put(evidence,
				 " is none of the models whose events of loads by source are known, and "
				 "events of the module can't have the auxiliary one");
		memphis_text_put(
			remedy, "measure on a server that docs/hardware.md lists; where perf is open to "
				"this user (kernel.perf_event_paranoid), this check tries what perf accepts");
		break;
	default:
		memphis_text_print(evidence, "%s: perf refuses the event: %s",
				   processor->is_guest ? ", in the guest of a hypervisor" : "",
				   examination->offer->refusal);
		memphis_text_put(
			remedy, processor->is_guest
					? "the hypervisor does not pass the sampling hardware on: measure on "
					  "the host"
					: "see dmesg; the BIOS set-up or the kernel may have switched the "
					  "sampling hardware off");
	}
}

enum memphis_verdict memphis_check_pmu(const struct memphis_examination *examination,
				       struct memphis_check_result *finding)
{
	static const char *const values[] = {
		[SUPPORT_IBS] = "ibs",           [SUPPORT_PEBS] = "pebs",     [SUPPORT_HYBRID] = "hybrid",
		[SUPPORT_OTHER_EVENT] = "other", [SUPPORT_AUX] = "other",     [SUPPORT_REFUSED] = "refused",
		[SUPPORT_NONE] = "none",         [SUPPORT_REGIONS] = "other",
	};
	enum support support = find_support(examination);

	if (!examination->offer->by && !memphis_root_has(examination->machine->root, DEVICES))
		return memphis_check_unknown(finding, "not reported by the kernel (no CONFIG_PERF_EVENTS?)");
	memphis_text_put(&finding->value, values[support]);
	put_listed(&finding->evidence, examination->machine->root);
	if (support <= SUPPORT_PEBS)
		return MEMPHIS_VERDICT_OK;
	explain(finding, examination, support);
	return MEMPHIS_VERDICT_FAIL;
}

/* Returns MEMPHIS_HARDWARE_* if Memphis supports the hardware, else 0. */
static unsigned int supported(const struct memphis_examination *examination)
{
	enum support support = find_support(examination);

	return support == SUPPORT_IBS    ? MEMPHIS_HARDWARE_IBS
	       : support == SUPPORT_PEBS ? MEMPHIS_HARDWARE_PEBS
					 : 0;
}

/* Returns the bitmap of enum memphis_sampling_event, from the device or perf, else from sysfs and the model. */
static unsigned int find_events(const struct memphis_examination *examination)
{
	const struct memphis_machine *machine = examination->machine;
	unsigned int events = 1u << MEMPHIS_EVENT_ACCESS;

	if (examination->offer->by)
		return examination->offer->query.events;
	if (supported(examination) != MEMPHIS_HARDWARE_PEBS)
		return events;
	if (needs_auxiliary(machine->root))
		events = 0;
	if (find_model(&machine->processor)->has_loads_by_source)
		events |= ((1u << MEMPHIS_EVENTS) - 1) & ~(1u << MEMPHIS_EVENT_ACCESS);
	return events;
}

#define NAME(event, name, source, flags) [event] = name,

const char *memphis_event_name(unsigned int hardware, unsigned int event)
{
	static const char *const names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(NAME)};

	return event == MEMPHIS_EVENT_ACCESS && hardware == MEMPHIS_HARDWARE_IBS ? "ops" : names[event];
}

static enum memphis_verdict unsupported(struct memphis_check_result *finding)
{
	return memphis_check_unknown(finding, "none of this hardware: see the check pmu");
}

enum memphis_verdict memphis_check_events(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	const unsigned int hardware = supported(examination), events = find_events(examination);
	unsigned int event;

	if (!hardware)
		return unsupported(finding);
	for (event = 0; event < MEMPHIS_EVENTS; event++) {
		if (!(events & 1u << event))
			continue;
		/* "+", as --expect takes a list with commas. */
		memphis_text_print(&finding->value, "%s%s", finding->value.bytes ? "+" : "",
				   memphis_event_name(hardware, event));
		memphis_text_print(&finding->evidence, "%s%s", finding->evidence.bytes ? ", " : "",
				   memphis_event_name(hardware, event));
	}
	if (examination->offer->by)
		memphis_text_print(&finding->evidence, ", by %s", examination->offer->by);
	else
		memphis_text_put(&finding->evidence,
				 ", as sysfs lists them: this user can use neither the device nor perf");
	return MEMPHIS_VERDICT_OK;
}

/* --- Periods */

struct defaults {
	unsigned int hardware, count;
	uint64_t period, period_by_source;
};

#define DEFAULTS(hardware, name, count, period, min_latency, period_by_source, is_exact) \
	{hardware, count, period, period_by_source},

static const struct defaults *find_defaults(unsigned int hardware)
{
	static const struct defaults all[] = {MEMPHIS_SAMPLING_DEFAULTS(DEFAULTS)};
	size_t i;

	for (i = 0; i + 1 < sizeof(all) / sizeof(*all) && all[i].hardware != hardware; i++)
		;
	return &all[i];
}

/* How often a CPU counts at most, per second: ops at 4 GHz and one per cycle; loads of 30 cycles and more, one after the other. */
#define OPS_PER_SECOND   4e9
#define LOADS_PER_SECOND (OPS_PER_SECOND / 30)

enum memphis_verdict memphis_check_period(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	const unsigned int hardware = supported(examination), events = find_events(examination);
	const struct defaults *defaults = find_defaults(hardware);
	struct memphis_text *evidence = &finding->evidence;
	const uint64_t shortest = examination->offer->query.period_min;
	uint64_t preset, rate;

	if (!hardware)
		return unsupported(finding);
	preset = events & 1u << MEMPHIS_EVENT_ACCESS ? defaults->period : defaults->period_by_source;
	memphis_text_print(evidence, "default %" PRIu64, preset);
	if (hardware == MEMPHIS_HARDWARE_IBS)
		memphis_text_put(evidence, " ops");
	else if (preset == defaults->period)
		memphis_text_print(evidence, " loads, with events of loads by source %" PRIu64,
				   defaults->period_by_source);
	else
		memphis_text_put(evidence, " loads of each event");
	if (memphis_root_number(&rate, examination->machine->root,
				"/proc/sys/kernel/perf_event_max_sample_rate") &&
	    rate)
		memphis_text_print(evidence,
				   "; below about %.0f perf's limit of samples per second may be reached",
				   (hardware == MEMPHIS_HARDWARE_IBS ? OPS_PER_SECOND : LOADS_PER_SECOND) /
					   (double)rate);
	if (!examination->offer->by) {
		memphis_text_print(&finding->value, "%" PRIu64, preset);
		return MEMPHIS_VERDICT_OK;
	}
	memphis_text_print(evidence, "; shortest %" PRIu64 " (by %s)", shortest, examination->offer->by);
	memphis_text_print(&finding->value, "%" PRIu64, preset > shortest ? preset : shortest);
	if (preset >= shortest)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(&finding->remedy,
			 "the administrator has made the shortest period longer than the default "
			 "one (period_min of the module), so that runs have fewer samples");
	return MEMPHIS_VERDICT_WARN;
}

/* --- Latencies */

/* Kinds of latencies, from docs/hardware.md. */
static const struct {
	const char *value, *evidence;
} latencies[] = {
	{"none", "none: events of loads by source have no latency"},
	{"l1-miss", "time from the L1 miss to the arrival of the line, of loads only; 0 for a hit in the L1"},
	{"dispatch-to-data",
	 "time from the dispatch of the load to its data, of loads only, TLB misses included"},
	{"cache-access",
	 "time of the load's cache access alone, of loads only, which the record has apart from that of "
	 "the instruction"},
};

enum memphis_verdict memphis_check_latency_meaning(const struct memphis_examination *examination,
						   struct memphis_check_result *finding)
{
	const unsigned int hardware = supported(examination);
	const struct intel_model *model = find_model(&examination->machine->processor);
	size_t kind;

	if (!hardware)
		return unsupported(finding);
	kind = !(find_events(examination) & 1u << MEMPHIS_EVENT_ACCESS)               ? 0
	       : hardware == MEMPHIS_HARDWARE_IBS                                     ? 1
	       : model->splits_latency || needs_auxiliary(examination->machine->root) ? 3
										      : 2;
	memphis_text_put(&finding->value, latencies[kind].value);
	memphis_text_put(&finding->evidence, latencies[kind].evidence);
	return MEMPHIS_VERDICT_OK;
}
