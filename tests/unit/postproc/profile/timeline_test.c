// SPDX-License-Identifier: BSD-3-Clause
/* Samples over time, per pair of nodes. If this fails, samples are counted at the wrong time. */
#include "profile/timeline.h"

#include "../../tap.h"

static uint64_t sum(const struct memphis_timeline *timeline)
{
	uint64_t all = 0;
	size_t i, at;

	for (i = 0; i < timeline->count; i++)
		for (at = 0; at < MEMPHIS_TICKS; at++)
			all += timeline->list[i].ticks[at];
	return all;
}

static void test_steps(void)
{
	struct memphis_timeline a = {0}, b = {0};
	uint64_t i;

	memphis_timeline_add_thread(&a, 7 << 20, 5, 1, 0, 2);
	memphis_timeline_add_thread(&a, 8 << 20, 5, 1, 0, 3);
	memphis_timeline_add_thread(&a, 255 << 20, 5, 0, 1, 4);
	memphis_timeline_add_thread(&a, 0, 4, 1, 0, 1);
	memphis_timeline_add_wait(&a, 8 << 20, 1, 4, 2, 600);
	memphis_timeline_add_wait(&a, 9 << 20, 1, 2, 1, 200);
	ok(a.thread_count == 3 && a.threads[0].thread == 5 && a.threads[0].steps[0] == 2 &&
		   a.threads[0].steps[1] == 3 && a.threads[1].steps[31] == 4,
	   "threads have a line for each pair of nodes, in steps of eight ticks");
	ok(a.wait_count == 2 && a.waits[0].source == 2 && a.waits[1].source == 4 &&
		   a.waits[1].counts[1] == 2 && a.waits[1].cycles[1] == 600,
	   "loads that waited have a line for each source, with their latencies");
	memphis_timeline_add(&a, 256 << 20, 0, 1, 1);
	ok(a.width_ns == 2 << 20 && a.threads[0].steps[0] == 5 && a.threads[1].steps[15] == 4 &&
		   !a.threads[1].steps[31] && a.waits[1].counts[0] == 2 && a.waits[1].cycles[0] == 600,
	   "all lines widen together");
	for (i = 0; i < 10; i++)
		memphis_timeline_add_thread(&b, i << 28, (uint32_t)(i & 1) * 5, 1, 0, 1);
	memphis_timeline_add_wait(&b, 0, 1, 4, 1, 300);
	ok(b.width_ns == 16 << 20 && b.thread_count == 10, "samples of threads that alternate are not lost");
	ok(!memphis_timeline_merge(&a, &b) && a.width_ns == 16 << 20 && a.thread_count == 4 &&
		   a.threads[0].thread == 0 && a.threads[1].thread == 4 && a.threads[2].node == 0 &&
		   a.threads[3].thread == 5 && a.threads[3].steps[0] == 5 && a.threads[3].steps[2] == 1 &&
		   a.waits[1].counts[0] == 3 && a.waits[1].cycles[0] == 900,
	   "a thread's lines in two timelines become one, and lines are sorted");
	memphis_timeline_close(&a);
	ok(!memphis_timeline_merge(&a, &b) && a.thread_count == 2 && a.threads[1].steps[18] == 1,
	   "a timeline is merged into an empty one");
	memphis_timeline_close(&a);
	memphis_timeline_close(&b);
}

int main(void)
{
	struct memphis_timeline a = {0}, b = {0};
	uint64_t i;

	test_steps();

	memphis_timeline_add(&a, 3 << 20, 1, 0, 1);
	memphis_timeline_add(&a, (3 << 20) - 1, 0, 1, 1);
	memphis_timeline_add(&a, 255 << 20, 0, 1, 1);
	ok(a.width_ns == 1 << 20 && a.count == 2,
	   "time steps are narrow at first, and each pair of nodes has a line");
	ok(a.list[0].node == 0 && a.list[0].ticks[2] == 1 && a.list[0].ticks[255] == 1 &&
		   a.list[1].ticks[3] == 1,
	   "samples are counted in the step of their time");
	memphis_timeline_add(&a, 256 << 20, 0, 1, 1);
	ok(a.width_ns == 2 << 20 && a.list[0].ticks[1] == 1 && a.list[0].ticks[127] == 1 &&
		   a.list[0].ticks[128] == 1 && a.list[1].ticks[1] == 1,
	   "time steps widen for long runs");
	for (i = 0; i < 1000; i++)
		memphis_timeline_add(&b, i << 24, 2, 2, 1);
	ok(b.width_ns == 1 << 26 && sum(&b) == 1000, "no sample is lost when steps widen");
	ok(!memphis_timeline_merge(&a, &b) && a.width_ns == 1 << 26 && sum(&a) == 1004 &&
		   a.list[2].ticks[249] == 4,
	   "a timeline with wide steps is merged into one with narrow steps");
	memphis_timeline_close(&a);
	memphis_timeline_add(&a, 1 << 30, 0, 1, 1);
	ok(!memphis_timeline_merge(&b, &a) && b.width_ns == 1 << 26 && b.list[0].ticks[16] == 1 &&
		   sum(&b) == 1001,
	   "a timeline with narrow steps is merged into one with wide steps");
	memphis_timeline_close(&a);
	memphis_timeline_close(&b);
	return finish();
}
