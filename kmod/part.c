// SPDX-License-Identifier: GPL-2.0-only
/* The CPU in the kernel's log. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/string.h>

#include <asm/cpufeature.h>
#include <asm/processor.h>

#include <memphis/sampling_events.h>
#include <memphis/version.h>

#include "decode/pmu_events.h"
#include "part.h"
#include "pmu.h"

struct memphis_cpu_part __init memphis_part(void)
{
	return (struct memphis_cpu_part){
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.guest = boot_cpu_has(X86_FEATURE_HYPERVISOR),
	};
}

#define PART \
	boot_cpu_data.x86_model_id, boot_cpu_data.x86_vendor_id, boot_cpu_data.x86, boot_cpu_data.x86_model

/* Writes the names of the events that the PMU offers, as MEMPHIS_EVENT takes them. */
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

void __init memphis_part_announce(void)
{
	char events[96];

	memphis_list_events(events, sizeof(events));
	pr_info("version " MEMPHIS_VERSION
		", %s (%s, family %#x, model %#x): %s sampled per %s, capabilities %#x, events: %s, filters %#x\n",
		PART, memphis_pmu.name, memphis_pmu.per_task ? "task" : "CPU", memphis_pmu.capabilities,
		events, memphis_pmu.hardware_filters);
}

static void memphis_ignore_overflow(struct perf_event *event, struct perf_sample_data *data,
				    struct pt_regs *regs)
{
}

/* Finds out by an event which PMUs of counters perf has. */
static void __init memphis_find_core_pmu(struct memphis_signs *signs)
{
	/* An event that every core PMU counts: unhalted cycles, 3CH umask 0 (SDM volume 3B, "Architectural Performance Events"). */
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

void __init memphis_part_refuse(int pebs_error)
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
