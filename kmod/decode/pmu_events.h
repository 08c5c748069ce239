/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Attributes of the perf events that the module creates. If the module is not loaded, the library creates the same events. */
#ifndef MEMPHIS_PMU_EVENTS_H
#define MEMPHIS_PMU_EVENTS_H

#include <memphis/device.h>

/* AMD IBS op sampling. IbsOpCtl: AMD64 Architecture Programmer's Manual volume 2, section 13.3, MSRC001_1033. */
#define IBS_NAME             "ibs_op"
#define IBS_CPUID            0x8000001b
#define IBS_CONFIG_COUNT_OPS (1ULL << 19)
#define IBS_STEP             16
/*
 * Filters of the hardware (section 13.3.5, "IBS Filtering"). perf's ldlat in config1 is the threshold in
 * cycles. If it is set, perf also sets bit 63. AMD's Revision Guide 58251, erratum 1606: on Zen 5, the
 * threshold requires L3 miss filtering.
 */
#define IBS_CONFIG_L3_MISS_ONLY (1ULL << 16)
#define IBS_CONFIG_LATENCY      (1ULL << 63)
#define IBS_PERIOD_MAX          0xffff0
#define IBS_PERIOD_MAX_LONG     0x7fffff0
#define IBS_PERIOD_MIN          1024

/* Returns perf_event_attr.config of an IBS event that implements the configuration of a session. */
static inline __u64 memphis_ibs_config(const struct memphis_config *config)
{
	return (config->count == MEMPHIS_COUNT_OPS ? IBS_CONFIG_COUNT_OPS : 0) |
	       (config->hardware_filter ? IBS_CONFIG_L3_MISS_ONLY : 0);
}

/* Returns perf_event_attr.config1 of this event: the threshold of the latency filter in cycles, or 0. */
static inline __u64 memphis_ibs_config1(const struct memphis_config *config)
{
	const __u32 latency = config->min_latency_cycles;

	if (config->hardware_filter != MEMPHIS_HARDWARE_FILTER_LATENCY)
		return 0;
	return latency < MEMPHIS_HARDWARE_LATENCY_MAX ? latency - latency % MEMPHIS_HARDWARE_LATENCY_STEP
						      : MEMPHIS_HARDWARE_LATENCY_MAX;
}

/*
 * Intel's event MEM_TRANS_RETIRED.LOAD_LATENCY (SDM volume 3B, "Load Latency Facility") counts loads whose
 * latency is above the threshold in MSR_PEBS_LD_LAT_THRESHOLD (3F6H). perf sets this threshold to config1.
 */
#define PEBS_NAME        "cpu"
#define PEBS_CONFIG      0x1cd
#define PEBS_LATENCY_MIN 3
/*
 * The auxiliary event (mem-loads-aux in sysfs). On Sapphire Rapids and Emerald Rapids, Linux requires it as
 * the leader of the group of load latency. Without it, the data source is wrong (intel_pmu_hw_config() in
 * arch/x86/events/intel/core.c).
 */
#define PEBS_CONFIG_AUXILIARY 0x8203
/*
 * Events that sample loads by their data source: MEM_LOAD_L3_MISS_RETIRED. Each enum memphis_sampling_event
 * except the first one is one bit of its umask (Intel's event lists for Skylake-SP to Granite Rapids,
 * github.com/intel/perfmon). This applies to models with MEMPHIS_TRAIT_BY_SOURCE in decode/model.c. Other
 * models have other umasks, or have these sources in other events.
 */
#define PEBS_CONFIG_L3_MISS          0xd3
#define PEBS_CONFIG_BY_SOURCE(event) (PEBS_CONFIG_L3_MISS | 1u << ((event)-1 + 8))
/* PERF_X86_EVENT_PEBS_LD_HSW: the bit in hw_perf_event.flags of events for which perf reads the address. */
#define PEBS_FLAGS_ADDRESS 0x8
/* Bit of IA32_PERF_CAPABILITIES: records consist of groups that software selects (Ice Lake and later). */
#define PEBS_CAP_BASELINE (1u << 14)
/*
 * Bits in hw_perf_event.flags of events for which perf reads latency and source. PERF_X86_EVENT_PEBS_LDLAT is
 * bit 0, since Linux 3.10. PERF_X86_EVENT_PEBS_LAT_HYBRID is bit 17, since Linux 6.0, and was unused before.
 * perf sets it for this event on Lion Cove and its successors. Private headers of Linux define the bits
 * (arch/x86/events/perf_event.h, later perf_event_flags.h), with the same values from 5.10 to 7.1.
 */
#define PEBS_FLAGS_LATENCY 0x20001
/* Half the range of a 32-bit counter; perf would split a longer period into several interrupts. */
#define PEBS_PERIOD_MAX 0x7fffffff
#define PEBS_PERIOD_MIN 101

#endif
