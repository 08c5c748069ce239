/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunk with the calls and times of a thread's regions. */
#include "record/chunk.h"
#include "record/process_file.h"
#include "record/region_times_chunk.h"
#include "record/thread_file.h"

/* So often the numbers of a running thread are written: a process that is killed loses what came later. */
#define INTERVAL_NS 5000000000u

/* Copies the cell's numbers if they are not those written last. */
static bool take(struct memphis_region_times *times, __u32 region, pid_t tid, struct memphis_region_time *to)
{
	struct memphis_region_cell *cell;

	if (!memphis_region_times_read(times, region, tid, to))
		return false;
	cell = &times->pages[region / MEMPHIS_REGION_PAGE][region % MEMPHIS_REGION_PAGE];
	if (to->calls == cell->calls_written && to->ns <= cell->ns_written)
		return false;
	cell->calls_written = to->calls;
	/* The rate of the counter, which is measured again and again, must not let a time decrease. */
	if (to->ns < cell->ns_written)
		to->ns = cell->ns_written;
	cell->ns_written = to->ns;
	return true;
}

/* Writes the regions from `first` to `last`, all in one page. */
static void write_page(struct memphis_thread *thread, __u32 first, __u32 last, pid_t tid)
{
	struct memphis_region_time *times;
	__u32 region, count = 0;

	times = memphis_file_chunk_begin(&thread->file, MEMPHIS_CHUNK_REGION_TIMES,
					 MEMPHIS_REGION_PAGE * sizeof(*times));
	for (region = first; region <= last; region++) /* a chunk that is not ended leaves no trace */
		count += take(&thread->times, region, tid, &times[count]);
	if (!count)
		return;
	memphis_file_chunk_end(&thread->file, count * sizeof(*times), count);
	memphis_chunk_commit(&thread->file);
}

void memphis_region_times_chunk(struct memphis_thread *thread, bool ended, bool now)
{
	struct memphis_region_times *times = &thread->times;
	const __u32 regions = memphis_process_file_regions();
	const __u64 time = now_ns();
	__u32 first, last;

	if (!__atomic_load_n(&times->cell, __ATOMIC_RELAXED))
		return; /* no caliper was ever opened: most threads of some programs */
	if (!times->written_ns)
		times->written_ns = time;
	if (!now && time - times->written_ns < INTERVAL_NS)
		return;
	times->written_ns = time;
	for (first = 0; first <= regions; first += MEMPHIS_REGION_PAGE) {
		if (!__atomic_load_n(&times->pages[first / MEMPHIS_REGION_PAGE], __ATOMIC_ACQUIRE) ||
		    memphis_thread_file_need(thread))
			continue;
		last = first + MEMPHIS_REGION_PAGE - 1;
		write_page(thread, first ? first : 1, last < regions ? last : regions,
			   ended ? 0 : thread->tid);
	}
}
