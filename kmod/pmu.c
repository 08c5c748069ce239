// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detects the PMU (AMD's ibs_op, or Intel's core PMU with its load latency facility). Tests whether its
 * events may follow a task. Logs the result, or why the CPU can't be sampled.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/perf_regs.h>
#include <asm/processor.h>

#include <memphis/sampling_events.h>
#include <memphis/version.h>

#include "compat.h"
#include "decode/ibs_decode.h"
#include "decode/obstacle.h"
#include "decode/pmu_events.h"
#include "pmu.h"

/* Number of PMU types to try. Types are small integers, assigned in the order of registration. */
#define TYPES_TRIED 1024

static unsigned int period_min;
module_param(period_min, uint, 0444);
MODULE_PARM_DESC(
	period_min,
	"Shortest sampling period that a user may ask for (default 0: 1024 with IBS, 101 with PEBS). Shorter ones can make a CPU do little but take samples.");

static unsigned int period_min_cpu = 262144;
module_param(period_min_cpu, uint, 0444);
MODULE_PARM_DESC(
	period_min_cpu,
	"The same for sampling per CPU, where the kernel lets no event follow a thread or a filter of the hardware is in use: each session then interrupts all CPUs, whoever runs there (default 262144).");

static bool hardware_filters;
module_param(hardware_filters, bool, 0444);
MODULE_PARM_DESC(
	hardware_filters,
	"Allow sessions with a filter of AMD's hardware: they sample all CPUs, displace events of other perf users there, and keep sessions without the filter from sampling (default off).");

/* CPU hotplug state of memphis_pmu_online(); 0 if it is not needed */
static int memphis_pmu_hotplug_state __ro_after_init;

/*
 * An event that exists while the module is loaded and is never enabled; NULL with IBS. It keeps perf's PEBS
 * buffers allocated. perf allocates the buffers of all CPUs for the machine's first event of the core's PMU,
 * and frees them with the last event. Both interrupt each CPU several times (reserve_ds_buffers() in
 * arch/x86/events/intel/ds.c). Users must not be able to cause this by each request.
 */
static struct perf_event *memphis_pmu_anchor __ro_after_init;

struct memphis_pmu memphis_pmu __ro_after_init;
struct memphis_ibs_machine memphis_ibs_machine __ro_after_init;

static void memphis_ibs_attr(struct perf_event_attr *attr, const struct memphis_config *config)
{
	attr->config = memphis_ibs_config(config);
	attr->config1 = memphis_ibs_config1(config);
	attr->sample_type = PERF_SAMPLE_RAW;
}

static void memphis_pebs_attr(struct perf_event_attr *attr, const struct memphis_config *config, u32 event)
{
	if (event == MEMPHIS_EVENT_ACCESS) {
		attr->config = PEBS_CONFIG;
		attr->config1 = max_t(u32, config->min_latency_cycles, PEBS_LATENCY_MIN);
		attr->sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT;
	} else {
		attr->config = PEBS_CONFIG_BY_SOURCE(event);
		attr->sample_type = PERF_SAMPLE_ADDR;
	}
	/* Ask for the registers at the sampled instruction, not at the interrupt. */
	if (config->stack_bytes) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = BIT(PERF_REG_X86_IP) | BIT(PERF_REG_X86_SP) | BIT(PERF_REG_X86_BP);
	}
	attr->precise_ip = 2;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->exclude_guest = 1;
	/*
	 * Prevent "large PEBS", where the hardware collects many records per interrupt, and the handler gets
	 * only the last one.
	 */
	attr->wakeup_events = 1;
}

void memphis_pmu_attr(struct perf_event_attr *attr, const struct memphis_config *config, u32 event)
{
	*attr = (struct perf_event_attr){
		.type = memphis_pmu.type,
		.size = sizeof(*attr),
		.sample_period = config->period,
		.disabled = 1,
	};
	if (memphis_pmu.hardware == MEMPHIS_HARDWARE_PEBS)
		memphis_pebs_attr(attr, config, event);
	else
		memphis_ibs_attr(attr, config);
}

u32 memphis_pmu_event(const struct perf_event *event)
{
	u64 config = event->attr.config;

	if (memphis_pmu.hardware != MEMPHIS_HARDWARE_PEBS || (config & 0xff) != PEBS_CONFIG_L3_MISS)
		return MEMPHIS_EVENT_ACCESS;
	return MEMPHIS_EVENT_LOCAL_DRAM + __ffs(config >> 8);
}

bool memphis_pmu_agree(const struct memphis_config *a, const struct memphis_config *b)
{
	struct perf_event_attr attr_a, attr_b;

	memphis_pmu_attr(&attr_a, a, MEMPHIS_EVENT_ACCESS);
	memphis_pmu_attr(&attr_b, b, MEMPHIS_EVENT_ACCESS);
	return !memcmp(&attr_a, &attr_b, sizeof(attr_a));
}

void memphis_pmu_add_totals(struct perf_event *event, struct memphis_pmu_totals *totals)
{
	u64 enabled, running;

	totals->counts[memphis_pmu_event(event)] += perf_event_read_value(event, &enabled, &running);
	totals->enabled += enabled;
	totals->running += running;
}

static void memphis_ignore_overflow(struct perf_event *event, struct perf_sample_data *data,
				    struct pt_regs *regs)
{
}

/* ---- messages in the kernel's log: which accesses can be sampled on this CPU, or why none can ---- */

/* Returns the model of the CPU, as CPUID describes it. */
static struct memphis_cpu_part __init memphis_part(void)
{
	return (struct memphis_cpu_part){
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.guest = boot_cpu_has(X86_FEATURE_HYPERVISOR),
	};
}

#define PART \
	boot_cpu_data.x86_model_id, boot_cpu_data.x86_vendor_id, boot_cpu_data.x86, boot_cpu_data.x86_model

/* Writes the names of the events that the PMU offers. These are values of the setting MEMPHIS_EVENT. */
static void __init memphis_list_events(char *text, size_t bytes)
{
#define MEMPHIS_NAME(event, name, source, flags) [event] = name,
	static const char *const names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(MEMPHIS_NAME)};
	size_t used = 0;
	int i;

	if (memphis_pmu.hardware == MEMPHIS_HARDWARE_IBS) {
		strscpy(text, "all ops", bytes);
		return;
	}
	for (i = 0; i < MEMPHIS_EVENTS; i++)
		if (memphis_pmu.events & BIT(i))
			used += scnprintf(text + used, bytes - used, "%s%s", used ? ", " : "", names[i]);
}

void __init memphis_pmu_announce(void)
{
	char events[96];

	memphis_list_events(events, sizeof(events));
	pr_info("version " MEMPHIS_VERSION
		", %s (%s, family %#x, model %#x): %s sampled per %s, capabilities %#x, events: %s, filters %#x\n",
		PART, memphis_pmu.name, memphis_pmu.per_task ? "task" : "CPU", memphis_pmu.capabilities,
		events, memphis_pmu.hardware_filters);
}

/* Creates an event to find the PMUs for core counters that perf has. */
static void __init memphis_find_core_pmu(struct memphis_signs *signs)
{
	/* Every core PMU counts this event: unhalted cycles, 3CH umask 0 (SDM volume 3B, "Architectural Performance Events"). */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = 0x3c,
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL,
						 memphis_ignore_overflow, NULL);
	if (IS_ERR(event))
		return;
	signs->has_core_pmu = true;
	signs->is_hybrid = !event->pmu->name || strcmp(event->pmu->name, PEBS_NAME);
	perf_event_release_kernel(event);
}

/*
 * Logs one line with the CPU's model, what is missing, and what helps. pebs_error: on an Intel CPU, perf's
 * (negative) error for an event of load latency. 0: none was tried, or perf creates the event but does not
 * recognise it.
 */
static void __init memphis_pmu_refuse(int pebs_error)
{
	struct memphis_signs signs = {
		.vendor = memphis_vendor(boot_cpu_data.x86_vendor_id),
		.part = memphis_part(),
		.has_ibs = boot_cpu_has(X86_FEATURE_IBS),
		.has_pebs = pebs_error != -EOPNOTSUPP,
		.needs_auxiliary = pebs_error == -ENODATA,
	};
	const struct memphis_obstacle_text *text;

	if (signs.vendor == MEMPHIS_VENDOR_INTEL)
		memphis_find_core_pmu(&signs);
	text = memphis_obstacle_text(&signs.part, memphis_obstacle_find(&signs));
	pr_err(MEMPHIS_OBSTACLE_SENTENCE "\n", PART, text->why, text->remedy);
}

/* ---- detection ---- */

/* Result of a trial to create an event. */
struct memphis_trial {
	bool pmu_matches;   /* the event belongs to memphis_pmu ... */
	bool event_matches; /* ... and samples the intended accesses */
};

/*
 * Returns true if perf has recognised the event as one that samples addresses. perf marks such an event with
 * a flag. perf has a table of events for each Intel generation. If an event is not in the table, perf treats
 * it as an ordinary event. Such an event may count something else, and its records contain neither address
 * nor source.
 */
static bool __init memphis_event_matches(const struct perf_event *event, u32 kind)
{
	if (memphis_pmu.hardware != MEMPHIS_HARDWARE_PEBS)
		return true;
	return event->hw.flags & (kind == MEMPHIS_EVENT_ACCESS ? PEBS_FLAGS_LATENCY : PEBS_FLAGS_ADDRESS);
}

/*
 * Tries to create an event of this type and kind (enum memphis_sampling_event). Returns 0 and fills in *trial
 * if perf creates the event, otherwise perf's error.
 */
static int __init memphis_try_event(u32 type, u32 kind, struct task_struct *task, struct memphis_trial *trial)
{
	/* Use the lowest supported count, because the first CPUs with IBS can't count ops. */
	const struct memphis_config config = {.period = memphis_pmu.period_max,
					      .count = __ffs(memphis_pmu.counts)};
	int cpu = task ? -1 : cpumask_first(cpu_online_mask);
	struct perf_event_attr attr;
	struct perf_event *event;

	memphis_pmu_attr(&attr, &config, kind);
	attr.type = type;
	event = perf_event_create_kernel_counter(&attr, cpu, task, memphis_ignore_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	trial->pmu_matches = event->pmu->name && !strcmp(event->pmu->name, memphis_pmu.name);
	trial->event_matches = trial->pmu_matches && memphis_event_matches(event, kind);
	perf_event_release_kernel(event);
	return 0;
}

/*
 * Returns the type of the PMU in [first, end), -ENOENT if there is none, or -ENOMEM. perf exports no look-up
 * by name. Therefore this function creates a disabled event of each type, and compares the name of the
 * event's PMU.
 */
static int __init memphis_find_type(u32 first, u32 end, struct memphis_trial *trial)
{
	int error;
	u32 type;

	for (type = first; type < end; type++) {
		error = memphis_try_event(type, MEMPHIS_EVENT_ACCESS, NULL, trial);
		if (!error && trial->event_matches)
			return type;
		if (error == -ENOMEM) /* does not depend on the type */
			return error;
	}
	return -ENOENT;
}

static u32 __init memphis_ibs_capabilities(void)
{
	u32 capabilities = 0;

	if (cpuid_eax(0x80000000) >= IBS_CPUID)
		capabilities = cpuid_eax(IBS_CPUID);
	if (!(capabilities & MEMPHIS_IBS_CAP_AVAILABLE)) /* the first CPUs with IBS lack this leaf */
		capabilities = MEMPHIS_IBS_CAP_AVAILABLE | MEMPHIS_IBS_CAP_OP;
	return capabilities;
}

static void __init memphis_describe(const char *name, u32 hardware, u32 capabilities, u32 counts)
{
	strscpy(memphis_pmu.name, name, sizeof(memphis_pmu.name));
	memphis_pmu.hardware = hardware;
	memphis_pmu.capabilities = capabilities;
	memphis_pmu.counts = counts;
	memphis_pmu.hardware_filters = BIT(MEMPHIS_HARDWARE_FILTER_NONE);
}

/* Returns the shortest period, rounded up to a multiple of the step and limited to the longest period. */
static u64 __init memphis_round_period_min(u64 shortest)
{
	u64 step = memphis_pmu.period_step;

	return min(round_up(max(shortest, step), step), memphis_pmu.period_max);
}

static void __init memphis_describe_periods(u64 shortest, u64 longest, u64 step)
{
	memphis_pmu.period_step = step;
	memphis_pmu.period_max = longest;
	memphis_pmu.period_min = memphis_round_period_min(period_min ? period_min : shortest);
}

/*
 * The capabilities that the CPU must have for each hardware filter, and the bits that perf must set in the
 * event's configuration.
 */
static const struct {
	u32 capabilities;
	u64 config;
} memphis_filter_needs[MEMPHIS_HARDWARE_FILTERS] __initconst = {
	[MEMPHIS_HARDWARE_FILTER_L3_MISS] = {MEMPHIS_IBS_CAP_ZEN4, IBS_CONFIG_L3_MISS_ONLY},
	[MEMPHIS_HARDWARE_FILTER_LATENCY] = {MEMPHIS_IBS_CAP_ZEN4 | MEMPHIS_IBS_CAP_LATENCY,
					     IBS_CONFIG_L3_MISS_ONLY | IBS_CONFIG_LATENCY},
};

/*
 * Tries to create an event with the filter. Returns 1 if perf uses the filter, 0 if it does not, or -ENOMEM.
 * The bits must be checked afterwards: kernels refuse unknown bits of config, but ignore config1.
 */
static int __init memphis_try_filter(u32 filter)
{
	const struct memphis_config config = {.period = memphis_pmu.period_max,
					      .count = __ffs(memphis_pmu.counts),
					      .hardware_filter = filter,
					      .min_latency_cycles = MEMPHIS_HARDWARE_LATENCY_STEP};
	const u64 bits = memphis_filter_needs[filter].config;
	struct perf_event_attr attr;
	struct perf_event *event;
	int used;

	memphis_pmu_attr(&attr, &config, MEMPHIS_EVENT_ACCESS);
	event = perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL,
						 memphis_ignore_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOMEM ? -ENOMEM : 0;
	used = (event->hw.config & bits) == bits;
	perf_event_release_kernel(event);
	return used;
}

/* Finds the hardware's filters. memphis_pmu.type must be set. Returns 0 or -ENOMEM. */
static int __init memphis_find_filters(void)
{
	u32 filter;
	int used;

	if (memphis_pmu.hardware != MEMPHIS_HARDWARE_IBS)
		return 0;
	for (filter = 1; filter < MEMPHIS_HARDWARE_FILTERS; filter++) {
		if (~memphis_pmu.capabilities & memphis_filter_needs[filter].capabilities)
			continue;
		used = memphis_try_filter(filter);
		if (used < 0)
			return used;
		if (used)
			memphis_pmu.hardware_filters |= BIT(filter);
	}
	return 0;
}

static int __init memphis_find_ibs(void)
{
	u32 capabilities = memphis_ibs_capabilities();
	u32 counts = BIT(MEMPHIS_COUNT_CYCLES);
	struct memphis_trial trial = {};
	int type;

	if (capabilities & MEMPHIS_IBS_CAP_COUNT_OPS)
		counts |= BIT(MEMPHIS_COUNT_OPS);
	memphis_describe(IBS_NAME, MEMPHIS_HARDWARE_IBS, capabilities, counts);
	memphis_pmu.events = BIT(MEMPHIS_EVENT_ACCESS);
	/*
	 * The longest period is one step less than the hardware's maximum. perf adds the rest of an
	 * interrupted period to the next period. If the sum exceeded the maximum, it would take several
	 * interrupts.
	 */
	memphis_describe_periods(
		IBS_PERIOD_MIN,
		(capabilities & MEMPHIS_IBS_CAP_LONG_COUNT ? IBS_PERIOD_MAX_LONG : IBS_PERIOD_MAX) - IBS_STEP,
		IBS_STEP);
	memphis_ibs_machine_init(&memphis_ibs_machine, boot_cpu_data.x86, boot_cpu_data.x86_model,
				 capabilities, TASK_SIZE_MAX);
	type = memphis_find_type(PERF_TYPE_MAX, PERF_TYPE_MAX + TYPES_TRIED, &trial);
	if (type == -ENOENT)
		memphis_pmu_refuse(0);
	return type;
}

static int __init memphis_find_pebs(void)
{
	const struct memphis_cpu_part part = memphis_part();
	const unsigned int traits = memphis_model_traits(&part);
	struct memphis_trial trial = {};
	u32 low = 0, high, event;
	int error, first = 0;

	if (traits & MEMPHIS_TRAIT_REGIONS) {
		memphis_pmu_refuse(0);
		return -ENOENT;
	}
	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsr_safe(MSR_IA32_PERF_CAPABILITIES, &low, &high);
	memphis_describe(PEBS_NAME, MEMPHIS_HARDWARE_PEBS, low, BIT(MEMPHIS_COUNT_LOADS));
	memphis_describe_periods(PEBS_PERIOD_MIN, PEBS_PERIOD_MAX, 1);
	for (event = 0; event < MEMPHIS_EVENTS; event++) {
		if (event && !(traits & MEMPHIS_TRAIT_BY_SOURCE))
			break;
		error = memphis_try_event(PERF_TYPE_RAW, event, NULL, &trial);
		if (error == -ENOMEM)
			return error;
		if (!error && trial.event_matches)
			memphis_pmu.events |= BIT(event);
		if (event == MEMPHIS_EVENT_ACCESS)
			first = error;
	}
	if (memphis_pmu.events)
		return PERF_TYPE_RAW;
	memphis_pmu_refuse(first);
	return -ENOENT;
}

/*
 * Makes perf set up the format of PEBS records on a CPU that has come online. There, perf assumes records
 * without an address (intel_cpuc_prepare() in arch/x86/events/intel/core.c resets pebs_record_size). But the
 * CPU keeps the format in MSR_PEBS_DATA_CFG, which perf writes only if the format differs from the last one.
 * If the next event needs the same format as the last event before the CPU went offline, perf therefore looks
 * for records at wrong places (read in Linux 6.1 and 6.12). This function enables an event that needs the
 * smallest record before the CPU runs tasks, which corrects the format.
 */
static int memphis_pmu_online(unsigned int cpu)
{
	const struct memphis_config config = {.period = PEBS_PERIOD_MAX};
	struct perf_event_attr attr;
	struct perf_event *event;

	memphis_pmu_attr(&attr, &config, __ffs(memphis_pmu.events));
	attr.disabled = 0;
	attr.sample_type = 0;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, memphis_ignore_overflow, NULL);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	return 0;
}

static int __init memphis_watch_cpus(void)
{
	int state;

	if (memphis_pmu.hardware != MEMPHIS_HARDWARE_PEBS || !(memphis_pmu.capabilities & PEBS_CAP_BASELINE))
		return 0;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "memphis:records", memphis_pmu_online, NULL);
	if (state < 0)
		return state;
	memphis_pmu_hotplug_state = state;
	return 0;
}

void memphis_pmu_exit(void)
{
	if (memphis_pmu_anchor)
		perf_event_release_kernel(memphis_pmu_anchor);
	if (memphis_pmu_hotplug_state)
		cpuhp_remove_state_nocalls(memphis_pmu_hotplug_state);
}

static int __init memphis_hold_buffers(void)
{
	const struct memphis_config config = {.period = PEBS_PERIOD_MAX};
	struct perf_event_attr attr;
	struct perf_event *event;

	if (memphis_pmu.hardware != MEMPHIS_HARDWARE_PEBS)
		return 0;
	memphis_pmu_attr(&attr, &config, __ffs(memphis_pmu.events));
	event = perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL,
						 memphis_ignore_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	memphis_pmu_anchor = event;
	return 0;
}

int __init memphis_pmu_find(void)
{
	struct memphis_trial trial = {};
	int type, error, task_error;

	if (boot_cpu_has(X86_FEATURE_IBS)) {
		type = memphis_find_ibs();
	} else if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL) {
		type = memphis_find_pebs();
	} else {
		memphis_pmu_refuse(0);
		return -ENODEV;
	}
	if (type < 0)
		return type == -ENOENT ? -ENODEV : type;
	memphis_pmu.type = type;
	task_error = memphis_try_event(type, __ffs(memphis_pmu.events), current, &trial);
	if (task_error == -ENOMEM)
		return task_error;
	memphis_pmu.per_task = !task_error;
	error = memphis_find_filters();
	if (error)
		return error;
	memphis_pmu.filters_allowed = hardware_filters;
	memphis_pmu.filter_period_min =
		memphis_round_period_min(max_t(u64, memphis_pmu.period_min, period_min_cpu));
	if (!memphis_pmu.per_task) {
		/* sampler_cpu.c creates only this event. */
		memphis_pmu.events &= BIT(MEMPHIS_EVENT_ACCESS);
		if (!memphis_pmu.events) {
			pr_err("perf gives no event of %s that follows a thread (error %d): see dmesg\n",
			       memphis_pmu.name, -task_error);
			return -ENODEV;
		}
		memphis_pmu.period_min = memphis_pmu.filter_period_min;
	}
	error = memphis_hold_buffers();
	if (error)
		return error;
	error = memphis_watch_cpus();
	if (error)
		memphis_pmu_exit();
	return error;
}
