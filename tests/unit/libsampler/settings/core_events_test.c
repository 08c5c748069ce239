/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of events. If this fails, another event is counted than the user named. */
#include <errno.h>

#include <linux/perf_event.h>

#include "settings/core_events.h"
#include "../../tap.h"

#define CACHE(cache, operation, result)                                          \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	const char *name;
	__u32 type;
	__u64 config;
} events[] = {
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS)},
	{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS)},
	{"LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS)},
	{"dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS)},
	{"branch-load-misses", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS)},
	{"node-prefetches", PERF_TYPE_HW_CACHE, CACHE(NODE, PREFETCH, ACCESS)},
	{"r81d0", PERF_TYPE_RAW, 0x81d0},
	{"rFF00000129", PERF_TYPE_RAW, 0xff00000129},
	{"cpu/event=0xd0,umask=0x81/", PERF_TYPE_RAW, 0x81d0},
	{"cpu/umask=129,event=208/", PERF_TYPE_RAW, 0x81d0},
	{"cpu/event=0x129,umask=1/", PERF_TYPE_RAW, 0x100000129},
	{"cpu/event=0x3c,edge,inv,cmask=16/", PERF_TYPE_RAW, 0x1084003c},
	{"cpu/event=0x3c,inv=0/", PERF_TYPE_RAW, 0x3c},
};

static const char *const refused[] = {
	"",
	"2",
	"on",
	"cache-miss",
	"cache-misses,",
	",cache-misses",
	"cache-misses:k",
	"L1-dcache",
	"L1-dcache-",
	"L1-dcache-load",
	"r",
	"rx",
	"r10000000000000000",
	"cpu//",
	"cpu/event=0x29",
	"cpu/event=0x1000/",
	"cpu/event=/",
	"cpu/event=1,offcore_rsp=1/",
	"cpu/event=1,any=1/",
	"cpu/event=1/u",
	"mem-loads",
	"papi:PAPI_L1_DCM",
	"PAPI_L1_DCM",
	"r1,r2,r3,r4,r5,r6,r7",
	"cpu/event=0x29,umask=0x1,event=0x29,umask=0x1,event=0x29,umask=0x1/",
	"loads=",
	"work=cycles",
	"a=cache-misses,a=branch-misses",
	"=r129",
	"two words=r129",
	"loads=other=r129",
	"a_name_of_64_characters_6789012345678901234567890123456789012345=r1",
};

static void check_lists(void)
{
	struct memphis_core_events list = {0};

	ok(!memphis_core_events_parse(&list, "1") && list.on && !list.count,
	   "1 counts cycles and instructions");
	ok(!memphis_core_events_parse(&list, "cycles,instructions:u,cpu-cycles") && list.on && !list.count,
	   "they may be in a list, and have no event of their own");
	ok(!memphis_core_events_parse(&list, "cycles,cpu/event=0x29,umask=0x1/,cache-misses:u,r1") &&
		   list.count == 3 && list.list[0].config == 0x129 &&
		   list.list[1].type == PERF_TYPE_HARDWARE && list.list[2].config == 1,
	   "commas between slashes do not separate events");
	is_text(list.names[0], "cpu/event=0x29,umask=0x1/", "a name is that of the user");
	is_text(list.names[1], "cache-misses", "without the suffix that is true of all");
	ok(!memphis_core_events_parse(&list,
				      "loads=cpu/event=0x29,umask=0x1/,LS_DISPATCH:LD_DISPATCH=r129:u") &&
		   list.count == 2 && list.list[0].config == 0x129 && list.list[1].config == 0x129,
	   "events may be given names");
	is_text(list.names[0], "loads", "a given name is the event's name");
	is_text(list.names[1], "LS_DISPATCH:LD_DISPATCH", "such as a name of PAPI");
	ok(!memphis_core_events_parse(&list, "r1,r2,r1") && list.count == 2, "an event is counted once");
	is(memphis_core_events_parse(&list, "r3,nothing"), (__u64)-EINVAL,
	   "a list with an unknown event is refused");
	ok(list.count == 2 && list.list[0].config == 1, "and changes nothing");
	ok(!memphis_core_events_parse(&list, "0") && !list.on && !list.count, "0 counts nothing");
	ok(!memphis_core_events_parse(&list, "r1,r2,r3,r4,r5,r6") && list.count == 6,
	   "six events are accepted");
}

int main(void)
{
	struct memphis_core_events list;
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		ok(!memphis_core_events_parse(&list, events[i].name) && list.on && list.count == 1 &&
			   list.list[0].type == events[i].type && list.list[0].config == events[i].config &&
			   !list.list[0].reserved,
		   "%s", events[i].name);
	for (i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		ok(memphis_core_events_parse(&list, refused[i]) == -EINVAL, "refused: \"%s\"", refused[i]);
	check_lists();
	return finish();
}
