// SPDX-License-Identifier: GPL-2.0-only
/* Which events users may count. If a test fails, users get events that the administrator has not allowed, or can't have harmless ones. */
#include <linux/perf_event.h>

#include "../tap.h"
#include "decode/core_event.h"

static const struct {
	const char *name;
	unsigned int type;
	unsigned long long config;
	bool on_amd, on_intel;
} events[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, true},
	{"the last of the kernel's names", PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX - 1, true, true},
	{"a number without a name", PERF_TYPE_HARDWARE, PERF_COUNT_HW_MAX, false, false},
	{"a name with the number of a PMU", PERF_TYPE_HARDWARE, 4ull << 32 | PERF_COUNT_HW_CACHE_MISSES,
	 false, false},
	{"a cache event", PERF_TYPE_HW_CACHE, 0x10000, true, true},
	{"a cache event with the number of a PMU", PERF_TYPE_HW_CACHE, 4ull << 32, false, false},
	{"code and umask", PERF_TYPE_RAW, 0x81d0, true, true},
	{"edge, inv and cmask", PERF_TYPE_RAW, 0xff840076 | 1 << 18, true, true},
	{"AMD's code of 12 bits", PERF_TYPE_RAW, 0xf00000029ull, true, false},
	{"bit 16, user mode", PERF_TYPE_RAW, 1 << 16 | 0xc0, false, false},
	{"bit 17, kernel mode", PERF_TYPE_RAW, 1 << 17 | 0xc0, false, false},
	{"bit 19, pin control", PERF_TYPE_RAW, 1 << 19 | 0xc0, false, false},
	{"bit 20, interrupts", PERF_TYPE_RAW, 1 << 20 | 0xc0, false, false},
	{"bit 21, any thread of the core", PERF_TYPE_RAW, 1 << 21 | 0xc0, false, false},
	{"bit 22, enabled", PERF_TYPE_RAW, 1 << 22 | 0xc0, false, false},
	{"bit 33, checkpoints of TSX", PERF_TYPE_RAW, 1ull << 33 | 0xc0, true, false},
	{"bit 36", PERF_TYPE_RAW, 1ull << 36 | 0xc0, false, false},
	{"bits 40 and 41, guests and hosts", PERF_TYPE_RAW, 3ull << 40 | 0xc0, false, false},
	{"bit 63", PERF_TYPE_RAW, 1ull << 63 | 0xc0, false, false},
	{"OFFCORE_RESPONSE_0", PERF_TYPE_RAW, 0x01b7, true, false},
	{"OFFCORE_RESPONSE_1", PERF_TYPE_RAW, 0x01bb, true, false},
	{"OCR, register 0", PERF_TYPE_RAW, 0x012a, true, false},
	{"OCR, register 1", PERF_TYPE_RAW, 0x012b, true, false},
	{"FRONTEND_RETIRED", PERF_TYPE_RAW, 0x01c6, true, false},
	{"load latency", PERF_TYPE_RAW, 0x01cd, true, false},
	{"load latency with a counter mask", PERF_TYPE_RAW, 0x010001cd, true, false},
	{"stores, of the same code", PERF_TYPE_RAW, 0x02cd, true, true},
	{"a software event", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false, false},
	{"a tracepoint", PERF_TYPE_TRACEPOINT, 1, false, false},
	{"a breakpoint", PERF_TYPE_BREAKPOINT, 0, false, false},
	{"another PMU", PERF_TYPE_MAX, 0, false, false},
};

int main(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		is(memphis_core_event_is_allowed(events[i].type, events[i].config, false), events[i].on_amd,
		   events[i].name);
		is(memphis_core_event_is_allowed(events[i].type, events[i].config, true), events[i].on_intel,
		   events[i].name);
	}
	return finish();
}
