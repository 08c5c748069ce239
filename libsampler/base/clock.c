/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of time stamp counter values to CLOCK_MONOTONIC, by interpolation between pairs of both clocks. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"

#define MARKS 4096
/* minimum distance between two marks; the latest mark may be closer */
#define SPACING_NS 1000000000u

/* A reading of both clocks at (nearly) the same moment. */
struct mark {
	__u64 stamp, ns;
};

int memphis_clock_counts;

/* Sorted by time. memphis_clock_setup() fills the first entry. The drain alone writes and reads all other entries. */
static struct mark marks[MARKS];
static size_t count;

/* Reads both clocks several times. Returns the pair whose reading took the shortest time. */
static struct mark read_both_clocks(void)
{
	struct mark best = {0};
	__u64 narrowest = UINT64_MAX;
	int i;

	for (i = 0; i < 4; i++) {
		__u64 before = stamp_after(), ns = now_ns(), after = stamp_after();

		if (after - before < narrowest) {
			narrowest = after - before;
			best.stamp = before + narrowest / 2;
			best.ns = ns;
		}
	}
	return best;
}

void memphis_clock_setup(void)
{
	static bool is_done;
	char name[8] = "";
	int fd;

	/* The kernel may change its clock later, but stamps are compared with earlier ones. */
	if (is_done)
		return;
	is_done = true;
	/*
	 * Use the counter only if it is the kernel's own clock source. The kernel then has found that it never
	 * stops and that the counters of all CPUs agree, and its watchdog verifies this.
	 */
	fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (read(fd, name, sizeof(name) - 1) < 0)
			name[0] = '\0';
		close(fd);
	}
	memphis_clock_counts = !strcmp(name, "tsc\n");
	if (!memphis_clock_counts)
		return;
	marks[0] = read_both_clocks();
	count = 1;
}

/* Drops every other mark to make room. Each remaining pair then covers two former intervals. */
static void drop_every_other_mark(void)
{
	size_t i;

	for (i = 1; 2 * i < count; i++)
		marks[i] = marks[2 * i];
	count = i;
}

__u64 memphis_clock_take_mark(void)
{
	struct mark mark;

	if (!memphis_clock_counts)
		return now_ns();
	mark = read_both_clocks();
	if (mark.stamp <= marks[count - 1].stamp || mark.ns <= marks[count - 1].ns)
		return marks[count - 1].stamp;
	/*
	 * Replace the latest mark if both it and the new mark are less than SPACING_NS after its predecessor.
	 * Earlier marks are not changed, so conversions of earlier stamps do not change. The marks are only
	 * sparser.
	 */
	if (count > 2 && marks[count - 1].ns - marks[count - 2].ns < SPACING_NS &&
	    mark.ns - marks[count - 2].ns < SPACING_NS)
		count--;
	if (count == MARKS)
		drop_every_other_mark();
	marks[count++] = mark;
	return mark.stamp;
}

__u64 memphis_clock_ns(__u64 stamp)
{
	size_t low = 0, high = count;
	const struct mark *a, *b;

	if (!memphis_clock_counts)
		return stamp;
	/* Binary search: `low` becomes the index of the first mark after the stamp. */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (marks[middle].stamp <= stamp)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return marks[0].ns;
	if (low == count)
		low--;
	if (!low)
		return marks[0].ns;
	a = &marks[low - 1];
	b = &marks[low];
	return a->ns +
	       (__u64)((unsigned __int128)(stamp - a->stamp) * (b->ns - a->ns) / (b->stamp - a->stamp));
}

__u64 memphis_clock_duration_ns(__u64 stamps)
{
	const struct mark *first = &marks[0], *last = &marks[count ? count - 1 : 0];

	if (!memphis_clock_counts)
		return stamps;
	if (last == first)
		return 0;
	return (__u64)((unsigned __int128)stamps * (last->ns - first->ns) / (last->stamp - first->stamp));
}
