/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling hardware as provided by perf: PMU, capabilities, and event attributes. The hardware is detected
 * when the module is loaded; its description does not change afterwards.
 */
#ifndef MEMPHIS_PMU_H
#define MEMPHIS_PMU_H

#include <linux/perf_event.h>

#include <memphis/device.h>

struct memphis_ibs_machine;

/**
 * struct memphis_pmu - the sampling hardware
 * @hardware: MEMPHIS_HARDWARE_*
 * @type: value for perf_event_attr.type
 * @capabilities: hardware_capabilities of struct memphis_query
 * @counts: supported MEMPHIS_COUNT_*, as in struct memphis_query
 * @events: supported events, as in struct memphis_query
 * @hardware_filters: supported MEMPHIS_HARDWARE_FILTER_*, as in struct memphis_query
 * @period_min: shortest period
 * @filter_period_min: shortest period of sessions with a filter of the hardware
 * @period_max: longest period with one interrupt per sample
 * @period_step: periods are multiples of this value
 * @per_task: true if the kernel allows events of this PMU to follow a task
 * @filters_allowed: true if the administrator allows sessions with a filter of the hardware
 * @name: name of the PMU in perf
 */
struct memphis_pmu {
	u32 hardware;
	u32 type;
	u32 capabilities;
	u32 counts;
	u32 events;
	u32 hardware_filters;
	u64 period_min;
	u64 filter_period_min;
	u64 period_max;
	u64 period_step;
	bool per_task;
	bool filters_allowed;
	char name[32];
};

extern struct memphis_pmu memphis_pmu;
/* Parameters of the IBS decoder; valid only if the hardware is IBS. */
extern struct memphis_ibs_machine memphis_ibs_machine;

/**
 * memphis_pmu_find() - detects the hardware and fills in memphis_pmu; called at module load
 *
 * Return: 0; -ENODEV if there is no usable hardware, after logging one line that states what is missing and
 * what to do about it; -ENOMEM if memory is exhausted.
 */
int memphis_pmu_find(void);

/**
 * memphis_pmu_announce() - logs one line with the module's version, the CPU's model and what can be sampled
 */
void memphis_pmu_announce(void);

/**
 * memphis_pmu_exit() - undoes memphis_pmu_find()
 */
void memphis_pmu_exit(void);

/**
 * memphis_pmu_attr() - fills in the attributes of an event that is initially disabled
 * @attr: the attributes; overwritten
 * @config: the configuration that the event implements
 * @event: which of the configuration's events, enum memphis_sampling_event
 */
void memphis_pmu_attr(struct perf_event_attr *attr, const struct memphis_config *config, u32 event);

/**
 * memphis_pmu_event() - returns the event that a perf event implements
 * @event: a perf event with attributes from memphis_pmu_attr()
 *
 * Context: any, including NMIs.
 *
 * Return: enum memphis_sampling_event.
 */
u32 memphis_pmu_event(const struct perf_event *event);

/**
 * memphis_pmu_agree() - tests whether two configurations need the same hardware settings
 * @a: the first configuration
 * @b: the second configuration
 *
 * Return: true if a single event can implement both configurations.
 */
bool memphis_pmu_agree(const struct memphis_config *a, const struct memphis_config *b);

/**
 * struct memphis_pmu_totals - sums over perf events
 * @enabled: nanoseconds for which the events were enabled
 * @running: part of @enabled for which the events counted; in the rest of the time, other events used the
 *     hardware
 * @counts: counts of the events, indexed by enum memphis_sampling_event
 */
struct memphis_pmu_totals {
	u64 enabled;
	u64 running;
	u64 counts[MEMPHIS_EVENTS];
};

/**
 * memphis_pmu_add_totals() - adds times and count of an event to sums
 * @event: the event
 * @totals: the sums; updated
 *
 * Context: may sleep.
 */
void memphis_pmu_add_totals(struct perf_event *event, struct memphis_pmu_totals *totals);

#endif
