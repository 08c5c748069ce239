// SPDX-License-Identifier: GPL-2.0-only
/* Which events users may count. If a test fails, users get events that the administrator has not allowed, or can't have harmless ones. */
#include <linux/perf_event.h>

#include "../tap.h"
#include "decode/core_event.h"

static const struct {
	const char *name;
	unsigned int type;
	unsigned long long config;
	bool on_amd, on_intel, on_old_amd;
} events[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, true, true},
	{"the last of the kernel's names", PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX - 1, true, true, true},
	{"a number without a name", PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, false, false, false},
	{"a name with the number of a PMU", PERF_TYPE_HARDWARE, 4ull << 32 | PERF_COUNT_HW_CACHE_MISSES,
	 false, false, false},
	{"a cache event", PERF_TYPE_HW_CACHE, 0x10000, true, true, true},
	{"a cache event with the number of a PMU", PERF_TYPE_HW_CACHE, 4ull << 32, false, false, false},
	{"code and umask", PERF_TYPE_RAW, 0x81d0, true, true, true},
	{"edge, inv and cmask", PERF_TYPE_RAW, 0xff840076 | 1 << 18, true, true, true},
	{"AMD's code of 12 bits", PERF_TYPE_RAW, 0xf00000029ull, true, false, true},
	{"bit 16, user mode", PERF_TYPE_RAW, 1 << 16 | 0xc0, false, false, false},
	{"bit 17, kernel mode", PERF_TYPE_RAW, 1 << 17 | 0xc0, false, false, false},
	{"bit 19, pin control", PERF_TYPE_RAW, 1 << 19 | 0xc0, false, false, false},
	{"bit 20, interrupts", PERF_TYPE_RAW, 1 << 20 | 0xc0, false, false, false},
	{"bit 21, any thread of the core", PERF_TYPE_RAW, 1 << 21 | 0xc0, false, false, false},
	{"bit 22, enabled", PERF_TYPE_RAW, 1 << 22 | 0xc0, false, false, false},
	{"bit 33, checkpoints of TSX", PERF_TYPE_RAW, 1ull << 33 | 0xc0, true, false, true},
	{"bit 36", PERF_TYPE_RAW, 1ull << 36 | 0xc0, false, false, false},
	{"bits 40 and 41, guests and hosts", PERF_TYPE_RAW, 3ull << 40 | 0xc0, false, false, false},
	{"bit 63", PERF_TYPE_RAW, 1ull << 63 | 0xc0, false, false, false},
	{"OFFCORE_RESPONSE_0", PERF_TYPE_RAW, 0x01b7, true, false, true},
	{"OFFCORE_RESPONSE_1", PERF_TYPE_RAW, 0x01bb, true, false, true},
	{"OCR, register 0", PERF_TYPE_RAW, 0x012a, true, false, true},
	{"OCR, register 1", PERF_TYPE_RAW, 0x012b, true, false, true},
	{"FRONTEND_RETIRED", PERF_TYPE_RAW, 0x01c6, true, false, true},
	{"load latency", PERF_TYPE_RAW, 0x01cd, true, false, true},
	{"load latency with a counter mask", PERF_TYPE_RAW, 0x010001cd, true, false, true},
	{"stores, of the same code", PERF_TYPE_RAW, 0x02cd, true, true, true},
	{"E0H, accesses to DRAM", PERF_TYPE_RAW, 0x07e0, true, true, false},
	{"E9H, requests of cores to memory", PERF_TYPE_RAW, 0x98e9, true, true, false},
	{"FFH, the last of the northbridge", PERF_TYPE_RAW, 0x01ff, true, true, false},
	{"E0H with edge and cmask", PERF_TYPE_RAW, 0x010407e0, true, true, false},
	{"4E0H, reads of the L3", PERF_TYPE_RAW, 0x4000007e0ull, true, false, false},
	{"DFH, of the core", PERF_TYPE_RAW, 0x01df, true, true, true},
	{"D1H with a umask of E0H", PERF_TYPE_RAW, 0xe0d1, true, true, true},
	{"node-loads, E9H", PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE, true, true, false},
	{"node-load-misses, E9H", PERF_TYPE_HW_CACHE,
	 PERF_COUNT_HW_CACHE_NODE | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, true, true, false},
	{"LLC-load-misses, of the core", PERF_TYPE_HW_CACHE,
	 PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, true, true, true},
	{"a software event", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false, false, false},
	{"a tracepoint", PERF_TYPE_TRACEPOINT, 1, false, false, false},
	{"a breakpoint", PERF_TYPE_BREAKPOINT, 0, false, false, false},
	{"another PMU", PERF_TYPE_MAX, 0, false, false, false},
};

/* Families before 15h, in which the core's counters also count the northbridge, and later ones. Hygon's is 18h. */
static const unsigned int old_families[] = {0x10, 0x12, 0x14};
static const unsigned int new_families[] = {0x15, 0x16, 0x17, 0x18, 0x1a};

static void check(unsigned int event, bool intel, unsigned int family, bool expected)
{
	char name[128];

	snprintf(name, sizeof(name), "%s, %s family %#x", events[event].name, intel ? "Intel's" : "AMD's",
		 family);
	is(memphis_core_event_is_allowed(events[event].type, events[event].config, intel, family), expected,
	   name);
}

int main(void)
{
	unsigned int i, k;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		for (k = 0; k < sizeof(old_families) / sizeof(*old_families); k++)
			check(i, false, old_families[k], events[i].on_old_amd);
		for (k = 0; k < sizeof(new_families) / sizeof(*new_families); k++)
			check(i, false, new_families[k], events[i].on_amd);
		check(i, true, 6, events[i].on_intel);
	}
	return finish();
}
