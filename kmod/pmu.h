/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampling hardware as perf offers it: which PMU, what it can do, how its events are asked for.
 * Found once, when the module is loaded; constant afterwards.
 */
#ifndef MEMPHIS_PMU_H
#define MEMPHIS_PMU_H

#include <linux/perf_event.h>

#include <memphis/device.h>

struct memphis_ibs_machine;

struct memphis_pmu {
	u32 hardware;     /* MEMPHIS_HARDWARE_* */
	u32 type;         /* perf_event_attr.type */
	u32 capabilities; /* as in struct memphis_query */
	u32 counts;
	u64 period_min;
	u64 period_max;
	u64 period_step;
	bool per_task; /* the kernel lets its events follow a task */
	char name[32];
};

extern struct memphis_pmu memphis_pmu;
/* For the decoder, if the hardware is IBS. */
extern struct memphis_ibs_machine memphis_ibs_machine;

/* 0, or -ENODEV after one line in the log that says what is missing and what to do. */
int memphis_pmu_find(void);

/* Fills the attributes of a disabled event. */
void memphis_pmu_attr(struct perf_event_attr *attr, const struct memphis_config *config);

/* Does the hardware do the same for both? */
bool memphis_pmu_agree(const struct memphis_config *a, const struct memphis_config *b);

/* How long events were to count, and how long they did: the rest other events had the hardware. */
struct memphis_times {
	u64 enabled, running;
};

/* Adds those of an event. May sleep. */
void memphis_pmu_add_times(struct perf_event *event, struct memphis_times *times);

#endif
