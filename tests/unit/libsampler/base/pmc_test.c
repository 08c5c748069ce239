/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the counters of the CPU, with a page and a counter of our own. If this fails, cycles and instructions of regions are wrong. */
#include <linux/types.h>

static __u64 fake_rdpmc(__u32 number);
#define MEMPHIS_RDPMC(number) fake_rdpmc(number)

#include "base/pmc.h"
#include "../../tap.h"

static struct perf_event_mmap_page page;
static __u64 counter;
static __u32 asked;
static int moves; /* times that the kernel is about to move the event while it is read */

static __u64 fake_rdpmc(__u32 number)
{
	asked = number;
	if (moves) {
		moves--;
		page.lock += 2;
		page.index = 0;
		page.offset = 5000;
	}
	return counter;
}

static int answer(__u64 values[MEMPHIS_COUNTERS_MAX])
{
	values[MEMPHIS_COUNTER_CYCLES] = 70;
	values[MEMPHIS_COUNTER_INSTRUCTIONS] = 40;
	values[MEMPHIS_COUNTER_EVENT_FIRST] = 7;
	return 0;
}

static int refuse(__u64 values[MEMPHIS_COUNTERS_MAX])
{
	(void)values;
	return -ESRCH;
}

static void check_requests(void)
{
	struct memphis_pmc pmc = {0};
	__u64 values[MEMPHIS_COUNTERS_MAX];

	memphis_pmc_request = refuse;
	is(memphis_pmc_open(&pmc), (__u64)-ESRCH, "what the module answers is the result");
	ok(!pmc.open, "then the counters are not open");
	memphis_pmc_request = answer;
	memphis_pmc_event_count = 1;
	is(memphis_pmc_open(&pmc), 0, "counters of the module are opened");
	ok(pmc.open && !pmc.pages[0], "they have no page");
	is(memphis_pmc_values(&pmc, values), 0, "they are read by a request");
	is(values[MEMPHIS_COUNTER_CYCLES], 70, "cycles come from the module");
	is(values[MEMPHIS_COUNTER_INSTRUCTIONS], 40, "so do instructions");
	ok(pmc.count == MEMPHIS_COUNTER_EVENT_FIRST + 1 && values[MEMPHIS_COUNTER_EVENT_FIRST] == 7,
	   "and an event");
	memphis_pmc_event_count = 0;
	ok(!memphis_pmc_is_shared(&pmc), "the module shares them with nobody");
	memphis_pmc_close(&pmc);
	ok(!pmc.open, "closed counters are not open");
	memphis_pmc_request = NULL;
}

/* All of them are read from their pages: here, the same one. */
static void check_all(struct memphis_pmc *pmc)
{
	__u64 values[MEMPHIS_COUNTERS_MAX] = {0};
	unsigned int i;

	page.index = 0;
	pmc->count = MEMPHIS_COUNTERS_MAX - 1;
	for (i = 0; i < pmc->count; i++)
		pmc->pages[i] = &page;
	ok(!memphis_pmc_values(pmc, values) && values[0] == 5000 &&
		   values[MEMPHIS_COUNTERS_MAX - 2] == 5000 && !values[MEMPHIS_COUNTERS_MAX - 1],
	   "as many counters are read as are open");
	memset(pmc, 0, sizeof(*pmc));
}

/* perf refuses one of the events here, or all. */
static void check_trial(void)
{
	int err;

	memphis_pmc_event_count = 1;
	memphis_pmc_events[0] = (struct memphis_counter_event){.type = PERF_TYPE_MAX + 1000};
	err = memphis_pmc_test_events(NULL, 0);
	ok(err < 0 && err != -ENOSPC, "an event that does not exist has perf's error: %d", -err);
	memphis_pmc_event_count = 0;
}

int main(void)
{
	struct memphis_pmc pmc = {0};
	int err, i;

	check_requests();
	check_trial();
	page.pmc_width = 48;
	page.offset = 1000;
	is(memphis_pmc_read(&page), 1000, "without a counter, the value is what the kernel has added up");
	page.index = 3;
	counter = 234;
	is(memphis_pmc_read(&page), 1234, "the value of the counter is added");
	is(asked, 2, "the counter has the number before the index");
	counter = 0xfffffffffff0;
	is(memphis_pmc_read(&page), 1000 - 16, "a value with the highest of its bits set is negative");
	counter = 0xabcd00000000000f;
	is(memphis_pmc_read(&page), 1015, "bits above the width are ignored");
	page.offset = 100 - (1LL << 47) - 1;
	counter = 0x800000000001;
	is(memphis_pmc_read(&page), 100,
	   "an offset for a counter that is not extended by its sign is recognised");
	page.offset = 1000;
	moves = 1;
	is(memphis_pmc_read(&page), 5000, "a value is read again if the event was moved meanwhile");

	pmc.pages[0] = &page;
	page.time_enabled = 1000;
	page.time_running = 995;
	ok(!memphis_pmc_is_shared(&pmc), "an event that was counted nearly all the time was not shared");
	page.time_running = 900;
	ok(memphis_pmc_is_shared(&pmc), "an event that waited for a counter was shared");
	check_all(&pmc);
	pmc.pages[0] = NULL;
	ok(!memphis_pmc_is_shared(&pmc), "no counters are not shared");

	err = memphis_pmc_open(&pmc);
	if (err) {
		ok(!pmc.pages[0] && !pmc.pages[1], "counters that cannot be opened leave nothing");
		printf("# not counted here: error %d\n", -err);
		return finish();
	}
	ok(pmc.pages[0] && pmc.pages[1], "both counters are open");
	/* The real counters are tested where they exist, in tests/vm/library. */
	memphis_pmc_close(&pmc);
	for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++)
		ok(!pmc.pages[i], "a counter is closed");
	return finish();
}
