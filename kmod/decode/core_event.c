// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Decides which events of a core's PMU users may count. */
#ifdef __KERNEL__
#include <linux/kernel.h>
#endif
#include <linux/perf_event.h>

#include "decode/core_event.h"

/*
 * Bits of IA32_PERFEVTSELx (Intel) and PERF_CTL (AMD) that users may set: code, umask, edge detection,
 * inversion and counter mask. On AMD, the code has four more bits. All other bits belong to the kernel, or
 * make the counter count more than the thread. For example, bit 21 on Intel counts all threads of the core.
 */
#define EVENT_BITS     0xffffull
#define EDGE_BIT       (1ull << 18)
#define COMPARE_BITS   (1ull << 23 | 0xffull << 24)
#define RAW_BITS       (EVENT_BITS | EDGE_BIT | COMPARE_BITS)
#define AMD_EVENT_BITS (0xfull << 32)

/* Bits of perf_event_attr.config for the kernel's cache events: one byte each for cache, operation and result. */
#define CACHE_BITS 0xffffffull

/*
 * Intel's events that need another register, which the module does not set. Without this register, the events
 * count nothing. Besides, perf would reserve the register. Some of these registers are shared by the threads
 * of a core, and one of them is needed by the sampler.
 *
 * Sources: SDM volume 3B, "Performance Monitoring"; extra_regs in arch/x86/events/intel/core.c of Linux.
 */
static const struct {
	__u16 mask, event;
} with_register[] = {
	{0xff, 0xb7},   /* OFFCORE_RESPONSE_0 */
	{0xff, 0xbb},   /* OFFCORE_RESPONSE_1 */
	{0xff, 0x2a},   /* OCR, register 0 */
	{0xff, 0x2b},   /* OCR, register 1 */
	{0xff, 0xc6},   /* FRONTEND_RETIRED */
	{0xffff, 0x1cd} /* MEM_TRANS_RETIRED.LOAD_LATENCY */
};

/*
 * AMD's northbridge has no counters of its own before family 15h. The core's counters count its events, which
 * have the codes E0H to FFH, and so they count the traffic of all cores of the node. The kernel's cache
 * events "node" belong to these events (E9H). On later families, other PMUs count them.
 *
 * Sources: BIOS and Kernel Developer's Guide for AMD Family 10h (31116), "Performance Event Select Register";
 * amd_is_nb_event() and amd_hw_cache_event_ids in arch/x86/events/amd/core.c of Linux.
 */
#define NORTHBRIDGE_FAMILY_MIN 0x0f
#define NORTHBRIDGE_FAMILY_MAX 0x14
#define NORTHBRIDGE_EVENTS     0xe0ull
#define CACHE_ID_BITS          0xffull

static bool is_northbridge_event(__u32 type, __u64 config)
{
	if (type == PERF_TYPE_RAW)
		return (config & NORTHBRIDGE_EVENTS) == NORTHBRIDGE_EVENTS;
	return type == PERF_TYPE_HW_CACHE && (config & CACHE_ID_BITS) == PERF_COUNT_HW_CACHE_NODE;
}

bool memphis_core_event_is_allowed(__u32 type, __u64 config, bool intel, unsigned int family)
{
	unsigned int i;

	if (!intel && family >= NORTHBRIDGE_FAMILY_MIN && family <= NORTHBRIDGE_FAMILY_MAX &&
	    is_northbridge_event(type, config))
		return false;
	switch (type) {
	case PERF_TYPE_HARDWARE:
		return config < PERF_COUNT_HW_MAX;
	case PERF_TYPE_HW_CACHE:
		return !(config & ~CACHE_BITS);
	case PERF_TYPE_RAW:
		break;
	default:
		return false;
	}
	if (config & ~(RAW_BITS | (intel ? 0 : AMD_EVENT_BITS)))
		return false;
	for (i = 0; intel && i < sizeof(with_register) / sizeof(*with_register); i++)
		if ((config & with_register[i].mask) == with_register[i].event)
			return false;
	return true;
}
