// SPDX-License-Identifier: BSD-3-Clause
/* Checks of the sampling hardware: whether Memphis supports it, and what it offers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <memphis/sampling_defaults.h>
#include <memphis/sampling_events.h>

#include "decode/obstacle.h"
#include "node/node.h"

#define DEVICES "/sys/bus/event_source/devices"

/*
 * The event MEM_TRANS_RETIRED.LOAD_LATENCY in the notation of sysfs. It is the load latency event of all
 * Intel CPUs that Memphis supports.
 */
#define LOAD_LATENCY "event=0xcd,umask=0x1"

/* Prints those features of a PMU that exist as a file in its `directory`. `names` are the names of all features. */
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

static void put_ibs(struct memphis_text *text, const char *root)
{
	static const char *const formats[] = {"cnt_ctl", "l3missonly", "ldlat", "swfilt", NULL};
	static const char *const pmus[] = {"ibs_op", "ibs_fetch"};
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!memphis_root_has(root, DEVICES "/%s/type", pmus[i]))
			continue;
		memphis_text_print(text, "%s%s", text->bytes ? ", " : "", pmus[i]);
		put_offers(text, root, pmus[i], "format", formats);
	}
}

static bool has_mem_loads(const char *root, const char *pmu)
{
	return memphis_root_has(root, DEVICES "/%s/events/mem-loads", pmu);
}

/* Returns true if the event mem-loads of the core PMU is the load latency event. */
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

/* Whether Memphis can sample on the CPU, and the reason if it cannot. */
struct support {
	unsigned int hardware; /* MEMPHIS_HARDWARE_* if Memphis can sample, else 0 */
	enum memphis_obstacle obstacle;
	bool is_refused; /* sysfs lists the event, but perf cannot create it */
};

/* Collects what sysfs and /proc/cpuinfo show. */
static struct memphis_signs read_signs(const struct memphis_examination *examination)
{
	const struct memphis_processor *processor = &examination->machine->processor;
	const char *root = examination->machine->root;
	struct memphis_signs signs = {
		.vendor = processor->vendor,
		.part = processor->part,
		.has_ibs = processor->vendor == MEMPHIS_VENDOR_AMD && processor->has_ibs,
		.has_ibs_pmu = memphis_root_has(root, DEVICES "/ibs_op/type"),
		.has_core_pmu = memphis_root_has(root, DEVICES "/cpu"),
		.is_hybrid = memphis_root_has(root, DEVICES "/cpu_core") ||
			     memphis_root_has(root, DEVICES "/cpu_atom"),
		.has_load_latency = is_load_latency(root),
		.needs_auxiliary = needs_auxiliary(root),
	};
	uint64_t precision;

	/* If the maximum of perf's precise_ip is at least 2, PEBS reports the exact instruction. */
	signs.has_pebs =
		memphis_root_number(&precision, root, DEVICES "/cpu/caps/max_precise") && precision >= 2;
	signs.has_by_source =
		signs.has_load_latency && memphis_model_traits(&signs.part) & MEMPHIS_TRAIT_BY_SOURCE;
	return signs;
}

static struct support find_support(const struct memphis_examination *examination)
{
	struct memphis_signs signs = read_signs(examination);
	struct support support = {.obstacle = MEMPHIS_OBSTACLE_NONE};

	if (examination->offer->by) {
		support.hardware = examination->offer->query.hardware;
		return support;
	}
	support.obstacle = memphis_obstacle_find(&signs);
	if (support.obstacle == MEMPHIS_OBSTACLE_NONE && examination->offer->is_lacking) {
		support.is_refused = true;
		signs.has_ibs |= signs.has_ibs_pmu;
		signs.has_ibs_pmu = signs.has_load_latency = signs.has_by_source = signs.needs_auxiliary =
			false;
		support.obstacle = memphis_obstacle_find(&signs);
	}
	if (support.obstacle == MEMPHIS_OBSTACLE_NONE)
		support.hardware = signs.has_ibs_pmu ? MEMPHIS_HARDWARE_IBS : MEMPHIS_HARDWARE_PEBS;
	return support;
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

/* Values of the check `pmu` for CPUs on which Memphis cannot sample. */
static const char *const obstacle_values[MEMPHIS_OBSTACLES] = {
	[MEMPHIS_OBSTACLE_VENDOR] = "none",   [MEMPHIS_OBSTACLE_IBS] = "none",
	[MEMPHIS_OBSTACLE_IBS_PMU] = "none",  [MEMPHIS_OBSTACLE_REGIONS] = "other",
	[MEMPHIS_OBSTACLE_HYBRID] = "hybrid", [MEMPHIS_OBSTACLE_PMU] = "none",
	[MEMPHIS_OBSTACLE_PEBS] = "none",     [MEMPHIS_OBSTACLE_AUXILIARY] = "other",
	[MEMPHIS_OBSTACLE_EVENT] = "other",
};

enum memphis_verdict memphis_check_pmu(const struct memphis_examination *examination,
				       struct memphis_check_result *finding)
{
	const struct memphis_processor *processor = &examination->machine->processor;
	const struct support support = find_support(examination);
	const struct memphis_obstacle_text *text = memphis_obstacle_text(&processor->part, support.obstacle);

	if (!examination->offer->by && !memphis_root_has(examination->machine->root, DEVICES))
		return memphis_check_unknown(finding, "not reported by the kernel (no CONFIG_PERF_EVENTS?)");
	put_listed(&finding->evidence, examination->machine->root);
	if (support.hardware) {
		memphis_text_put(&finding->value, support.hardware == MEMPHIS_HARDWARE_PEBS ? "pebs" : "ibs");
		return MEMPHIS_VERDICT_OK;
	}
	memphis_text_put(&finding->value, support.is_refused ? "refused" : obstacle_values[support.obstacle]);
	memphis_text_print(&finding->evidence, "%s" MEMPHIS_OBSTACLE_WHY, finding->evidence.bytes ? "; " : "",
			   processor->name, processor->identification, processor->part.family,
			   processor->part.model, text->why);
	memphis_text_put(&finding->remedy, text->remedy);
	return MEMPHIS_VERDICT_FAIL;
}

/* Returns MEMPHIS_HARDWARE_* if Memphis supports the hardware, else 0. */
static unsigned int supported_hardware(const struct memphis_examination *examination)
{
	return find_support(examination).hardware;
}

/*
 * Returns the bitmap of enum memphis_sampling_event. It comes from the device or perf. If this user can use
 * neither, it comes from sysfs and the CPU's model.
 */
static unsigned int find_events(const struct memphis_examination *examination)
{
	const struct memphis_machine *machine = examination->machine;
	const unsigned int traits = memphis_model_traits(&machine->processor.part);
	unsigned int events = 1u << MEMPHIS_EVENT_ACCESS;

	if (examination->offer->by)
		return examination->offer->query.events;
	if (supported_hardware(examination) != MEMPHIS_HARDWARE_PEBS)
		return events;
	if (needs_auxiliary(machine->root))
		events = 0;
	if (traits & MEMPHIS_TRAIT_BY_SOURCE)
		events |= ((1u << MEMPHIS_EVENTS) - 1) & ~(1u << MEMPHIS_EVENT_ACCESS);
	return events;
}

#define NAME(event, name, source, flags) [event] = name,

const char *memphis_event_name(unsigned int hardware, unsigned int event)
{
	static const char *const names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(NAME)};

	return event == MEMPHIS_EVENT_ACCESS && hardware == MEMPHIS_HARDWARE_IBS ? "ops" : names[event];
}

/* Appends the source of the information about the hardware: the device, perf or sysfs. */
static void put_offer_source(struct memphis_text *text, const struct memphis_offer *offer)
{
	if (offer->by)
		memphis_text_print(text, ", by %s", offer->by);
	else
		memphis_text_put(text,
				 ", as sysfs lists them: this user can use neither the device nor perf");
}

static enum memphis_verdict report_unsupported(struct memphis_check_result *finding)
{
	return memphis_check_unknown(finding, "none of this hardware: see the check pmu");
}

enum memphis_verdict memphis_check_events(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	const unsigned int hardware = supported_hardware(examination), events = find_events(examination);
	unsigned int event;

	if (!hardware)
		return report_unsupported(finding);
	for (event = 0; event < MEMPHIS_EVENTS; event++) {
		if (!(events & 1u << event))
			continue;
		/* The separator is "+", because --expect takes a list separated by commas. */
		memphis_text_print(&finding->value, "%s%s", finding->value.bytes ? "+" : "",
				   memphis_event_name(hardware, event));
		memphis_text_print(&finding->evidence, "%s%s", finding->evidence.bytes ? ", " : "",
				   memphis_event_name(hardware, event));
	}
	put_offer_source(&finding->evidence, examination->offer);
	return MEMPHIS_VERDICT_OK;
}

/* ---- filters of the hardware ---- */

/*
 * Returns the bitmap of MEMPHIS_HARDWARE_FILTER_*. It comes from the device or perf. If this user can use
 * neither, it comes from sysfs.
 */
static unsigned int find_filters(const struct memphis_examination *examination)
{
	const char *root = examination->machine->root;
	unsigned int filters = 0;

	if (examination->offer->by)
		return examination->offer->query.hardware_filters;
	if (memphis_root_has(root, DEVICES "/ibs_op/format/l3missonly"))
		filters |= 1u << MEMPHIS_HARDWARE_FILTER_L3_MISS;
	if (memphis_root_has(root, DEVICES "/ibs_op/format/ldlat"))
		filters |= 1u << MEMPHIS_HARDWARE_FILTER_LATENCY;
	return filters;
}

enum memphis_verdict memphis_check_filters(const struct memphis_examination *examination,
					   struct memphis_check_result *finding)
{
	static const char *const names[MEMPHIS_HARDWARE_FILTERS] = {
		[MEMPHIS_HARDWARE_FILTER_L3_MISS] = "l3-miss",
		[MEMPHIS_HARDWARE_FILTER_LATENCY] = "latency",
	};
	const struct memphis_offer *offer = examination->offer;
	const unsigned int hardware = supported_hardware(examination), filters = find_filters(examination);
	unsigned int filter;

	if (!hardware)
		return report_unsupported(finding);
	for (filter = 1; filter < MEMPHIS_HARDWARE_FILTERS; filter++) {
		if (!(filters & 1u << filter))
			continue;
		memphis_text_print(&finding->value, "%s%s", finding->value.bytes ? "+" : "", names[filter]);
		memphis_text_print(&finding->evidence, "%s%s", finding->evidence.bytes ? ", " : "",
				   names[filter]);
	}
	if (!finding->value.bytes) {
		memphis_text_put(&finding->value, "none");
		memphis_text_put(&finding->evidence, hardware == MEMPHIS_HARDWARE_IBS
							     ? "none: they need Zen 4 and Linux 5.19"
							     : "none: only AMD's CPUs have them");
		return MEMPHIS_VERDICT_OK;
	}
	put_offer_source(&finding->evidence, offer);
	if (offer->by && offer->query.filter_sampler == MEMPHIS_SAMPLER_CPU)
		memphis_text_print(&finding->evidence,
				   "; all CPUs are sampled, with a period of at least %" PRIu64,
				   (uint64_t)offer->query.filter_period_min);
	else
		memphis_text_print(
			&finding->evidence,
			"; %scounts of rare loads are too high in threads that are interrupted often",
			offer->by ? "" : "by perf without the module, ");
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

/*
 * The highest number of counts per second on a CPU. For IBS: one op per cycle at 4 GHz. For PEBS: loads that
 * take at least 30 cycles, one after the other.
 */
#define OPS_PER_SECOND   4e9
#define LOADS_PER_SECOND (OPS_PER_SECOND / 30)

static double max_counts_per_second(unsigned int hardware)
{
	return hardware == MEMPHIS_HARDWARE_IBS ? OPS_PER_SECOND : LOADS_PER_SECOND;
}

static uint64_t default_period(const struct memphis_examination *examination, unsigned int hardware)
{
	const struct defaults *defaults = find_defaults(hardware);

	return find_events(examination) & 1u << MEMPHIS_EVENT_ACCESS ? defaults->period
								     : defaults->period_by_source;
}

double memphis_default_rate(const struct memphis_examination *examination)
{
	const unsigned int hardware = supported_hardware(examination);

	return hardware ? max_counts_per_second(hardware) / (double)default_period(examination, hardware) : 0;
}

enum memphis_verdict memphis_check_period(const struct memphis_examination *examination,
					  struct memphis_check_result *finding)
{
	const unsigned int hardware = supported_hardware(examination);
	const struct defaults *defaults = find_defaults(hardware);
	struct memphis_text *evidence = &finding->evidence;
	const uint64_t shortest = examination->offer->query.period_min;
	uint64_t preset, rate;

	if (!hardware)
		return report_unsupported(finding);
	preset = default_period(examination, hardware);
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
				   max_counts_per_second(hardware) / (double)rate);
	if (!examination->offer->by) {
		memphis_text_print(&finding->value, "%" PRIu64, preset);
		return MEMPHIS_VERDICT_OK;
	}
	memphis_text_print(evidence, "; shortest %" PRIu64 " (by %s)", shortest, examination->offer->by);
	memphis_text_print(&finding->value, "%" PRIu64, preset > shortest ? preset : shortest);
	if (preset >= shortest)
		return MEMPHIS_VERDICT_OK;
	memphis_text_put(
		&finding->remedy,
		"the administrator has made the shortest period longer than the default one (period_min of the module), so that runs have fewer samples");
	return MEMPHIS_VERDICT_WARN;
}

/* --- Latencies */

/* What the latency of a sample measures: a key, and its explanation. docs/hardware.md has the sources. */
static const struct {
	const char *value, *evidence;
} latencies[] = {
	{"none", "none: events of loads by source have no latency"},
	{"l1-miss", "time from the L1 miss to the arrival of the line, of loads only; 0 for a hit in the L1"},
	{"dispatch-to-data",
	 "time from the dispatch of the load to its data, of loads only, TLB misses included"},
	{"cache-access",
	 "time of the load's cache access alone, of loads only, which the record has apart from that of the instruction"},
};

enum memphis_verdict memphis_check_latency_meaning(const struct memphis_examination *examination,
						   struct memphis_check_result *finding)
{
	const unsigned int hardware = supported_hardware(examination);
	const unsigned int traits = memphis_model_traits(&examination->machine->processor.part);
	size_t kind;

	if (!hardware)
		return report_unsupported(finding);
	kind = !(find_events(examination) & 1u << MEMPHIS_EVENT_ACCESS)                              ? 0
	       : hardware == MEMPHIS_HARDWARE_IBS                                                    ? 1
	       : traits & MEMPHIS_TRAIT_SPLIT_LATENCY || needs_auxiliary(examination->machine->root) ? 3
												     : 2;
	memphis_text_put(&finding->value, latencies[kind].value);
	memphis_text_put(&finding->evidence, latencies[kind].evidence);
	return MEMPHIS_VERDICT_OK;
}
