// SPDX-License-Identifier: BSD-3-Clause
/*
 * The log of regions: what was current at a time, in order, across the end of the ring, with more changes than it has room for.
 * If this fails, samples taken by perf are counted under the wrong caliper.
 */
#include "../../tap.h"
#include "data/region_log.h"

static __u64 after(void)
{
	const struct timespec moment = {.tv_nsec = 1000};
	__u64 now = now_ns();

	nanosleep(&moment, NULL); /* the next change is later than this */
	return now;
}

int main(void)
{
	struct memphis_region_log *log = memphis_region_log_new();
	struct memphis_region_cursor cursor = {0}, late = {.region = 3};
	__u64 before = after(), in_7, in_8, in_none;
	unsigned int i, wrong = 0;

	is(memphis_region_log_at(log, &cursor, after()), 0, "no change yet: none");
	memphis_region_log_add(log, 7);
	in_7 = after();
	memphis_region_log_add(log, 8);
	in_8 = after();
	memphis_region_log_add(log, 0);
	in_none = after();
	is(memphis_region_log_at(log, &cursor, before), 0, "before the first change");
	is(memphis_region_log_at(log, &cursor, in_7), 7, "in the first");
	is(memphis_region_log_at(log, &cursor, in_7), 7, "asked again");
	is(memphis_region_log_at(log, &cursor, in_8), 8, "in the second");
	is(memphis_region_log_at(log, &cursor, in_none), 0, "outside again");
	is(memphis_region_log_at(log, &late, before), 3,
	   "a cursor keeps what it came with until the first change");
	is(memphis_region_log_at(log, &late, in_none), 0, "and may skip changes");

	for (i = 3; i < MEMPHIS_REGION_LOG_ENTRIES; i++)
		memphis_region_log_add(log, i);
	is(log->left_out, 0, "as many changes as it has room for");
	memphis_region_log_add(log, 5);
	memphis_region_log_add(log, 6);
	is(log->left_out, 2, "more are counted as left out");
	is(memphis_region_log_at(log, &cursor, now_ns()), MEMPHIS_REGION_LOG_ENTRIES - 1,
	   "and the last that had room holds on");
	memphis_region_log_release(log, cursor.at);
	for (i = 0; i < 3 * MEMPHIS_REGION_LOG_ENTRIES; i++) {
		memphis_region_log_add(log, i);
		wrong += memphis_region_log_at(log, &cursor, now_ns()) != i;
		memphis_region_log_release(log, cursor.at);
	}
	is(wrong, 0, "what was read gives room again, three times around");
	is(log->left_out, 2, "with none left out");
	return finish();
}
