/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling hardware as perf provides it: its PMU, capabilities, and event attributes.
 * Detected once, when the module is loaded; constant afterwards.
 */
#ifndef MEMPHIS_PMU_H
#define MEMPHIS_PMU_H

#include <linux/perf_event.h>

#include <memphis/device.h>

struct memphis_ibs_machine;

/**
 * struct memphis_pmu - the sampling hardware
 * @hardware: MEMPHIS_HARDWARE_*
 * @type: perf_event_attr.type
 * @capabilities: as in struct memphis_query
 * @counts: likewise
 * @period_min: likewise
 * @period_max: likewise
 * @period_step: likewise
 * @per_task: the kernel lets events of this PMU follow a task
 * @name: name of perf's PMU
 */
struct memphis_pmu {
	u32 hardware;
	u32 type;
	u32 capabilities;
	u32 counts;
	u64 period_min;
	u64 period_max;
	u64 period_step;
	bool per_task;
	char name[32];
};

extern struct memphis_pmu memphis_pmu;
/* Parameters of the decoder; valid if the hardware is IBS. */
extern struct memphis_ibs_machine memphis_ibs_machine;

/**
 * memphis_pmu_find() - detects the hardware and fills in memphis_pmu, at module load
 *
 * Return: 0; -ENODEV after one line in the log that names what is missing and the remedy; -ENOMEM.
 */
int memphis_pmu_find(void);

/**
 * memphis_pmu_attr() - sets the attributes of a disabled event
 * @attr: filled in
 * @config: what to sample
 */
void memphis_pmu_attr(struct perf_event_attr *attr, const struct memphis_config *config);

/**
 * memphis_pmu_agree() - do two configurations need the same hardware settings?
 * @a: a configuration
 * @b: another one
 *
 * Return: true if one event serves both.
 */
bool memphis_pmu_agree(const struct memphis_config *a, const struct memphis_config *b);

/**
 * struct memphis_times - how long events were enabled, and how long of that they had the hardware
 * @enabled: nanoseconds during which the events were enabled
 * @running: nanoseconds during which the events counted; in the rest other events had the hardware
 */
struct memphis_times {
	u64 enabled;
	u64 running;
};

/**
 * memphis_pmu_add_times() - adds the times of an event
 * @event: the event
 * @times: the sum
 *
 * Context: may sleep.
 */
void memphis_pmu_add_times(struct perf_event *event, struct memphis_times *times);

#endif
