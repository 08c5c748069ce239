// SPDX-License-Identifier: BSD-3-Clause
/*
 * The log of a thread's region changes: lookup of the region at a time, in order, across the wrap-around of the ring, and
 * overflow. If this fails, samples taken by perf are attributed to the wrong caliper.
 */
#include "../../tap.h"
#include "data/region_log.h"

static __u64 after(void)
{
	const struct timespec moment = {.tv_nsec = 1000};
	__u64 now = now_ns();

	nanosleep(&moment, NULL); /* gives the next change a later time */
	return now;
}

int main(void)
{
	struct memphis_region_log *log = memphis_region_log_new();
	struct memphis_region_cursor cursor = {0}, late = {.region = 3};
	__u64 before = after(), in_7, in_8, in_none;
	unsigned int i, wrong = 0;

	is(memphis_region_log_at(log, &cursor, after()), 0, "without changes there is no region");
	memphis_region_log_add(log, 7);
	in_7 = after();
	memphis_region_log_add(log, 8);
	in_8 = after();
	memphis_region_log_add(log, 0);
	in_none = after();
	is(memphis_region_log_at(log, &cursor, before), 0, "before the first change there is no region");
	is(memphis_region_log_at(log, &cursor, in_7), 7, "the first region is found");
	is(memphis_region_log_at(log, &cursor, in_7), 7, "the same time can be looked up again");
	is(memphis_region_log_at(log, &cursor, in_8), 8, "the second region is found");
	is(memphis_region_log_at(log, &cursor, in_none), 0, "after the last region there is none");
	is(memphis_region_log_at(log, &late, before), 3,
	   "a cursor keeps its initial region until the first change");
	is(memphis_region_log_at(log, &late, in_none), 0, "a cursor may skip changes");

	for (i = 3; i < MEMPHIS_REGION_LOG_ENTRIES; i++)
		memphis_region_log_add(log, i);
	is(log->left_out, 0, "as many changes are kept as the log has room for");
	memphis_region_log_add(log, 5);
	memphis_region_log_add(log, 6);
	is(log->left_out, 2, "further changes are counted as left out");
	is(memphis_region_log_at(log, &cursor, now_ns()), MEMPHIS_REGION_LOG_ENTRIES - 1,
	   "the last change that fitted stays in effect");
	memphis_region_log_release(log, cursor.at);
	for (i = 0; i < 3 * MEMPHIS_REGION_LOG_ENTRIES; i++) {
		memphis_region_log_add(log, i);
		wrong += memphis_region_log_at(log, &cursor, now_ns()) != i;
		memphis_region_log_release(log, cursor.at);
	}
	is(wrong, 0, "released entries are reused, three times around the ring");
	is(log->left_out, 2, "no change is left out while entries are released");
	return finish();
}
