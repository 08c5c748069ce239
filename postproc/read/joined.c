// SPDX-License-Identifier: BSD-3-Clause
/* Joins recordings of processes whose allocations were recorded by the library and whose samples were taken by perf. */
#include "read/joined.h"

#include <errno.h>
#include <string.h>

#include "read/spans.h"
#include "read/thread.h"

static bool has_setting(const struct memphis_settings *settings, const char *key, const char *value)
{
	const char *own = memphis_setting(settings, key);

	return own && !strcmp(own, value);
}

int memphis_partners_list(const struct memphis_processes *processes, struct memphis_perfdata_partner **list,
			  size_t *count)
{
	const struct memphis_process *process;
	struct memphis_perfdata_partner *partner;
	size_t room = 0, i;

	*list = NULL;
	*count = 0;
	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		if (!has_setting(&process->settings, "backend", "none"))
			continue;
		partner = memphis_append(*list, *count, room);
		if (!partner)
			return -ENOMEM;
		memcpy(partner->run, process->run, sizeof(partner->run));
		partner->pid = process->pid;
		partner->host = memphis_setting(&process->settings, "host");
		partner->program = memphis_setting(&process->settings, "executable");
		partner->start_realtime_ns =
			memphis_setting_number(&process->settings, "start_realtime_ns", 0);
		partner->start_ns = memphis_setting_number(&process->settings, "start_time_ns", 0);
		partner->stop_ns = memphis_setting_number(&process->settings, "stop_time_ns", UINT64_MAX);
	}
	return 0;
}

static bool is_of_perf(const struct memphis_thread *thread)
{
	return has_setting(&thread->metadata, "recorded_by", "perf");
}

/* Returns true if the accounting shows that the thread was sampled, even if no sample was kept. */
static bool was_sampled(const struct memphis_thread *thread)
{
	return thread->accounting.interrupts || thread->accounting.throttled;
}

static uint64_t start_of(const struct memphis_thread *thread)
{
	return memphis_setting_number(&thread->metadata, "start_time_ns", 0);
}

/*
 * Finds the library's thread that is the same thread as `of_perf`. A thread number may be reused. Of several
 * threads with this number, the result is the last one that started no later than perf's.
 */
static struct memphis_thread *counterpart(struct memphis_process *process,
					  const struct memphis_thread *of_perf)
{
	struct memphis_thread *thread, *found = NULL;

	for (thread = process->threads; thread < process->threads + process->thread_count; thread++) {
		if (thread->tid != of_perf->tid || is_of_perf(thread))
			continue;
		/*
		 * The library notices a thread slightly after its start. Therefore the first thread is
		 * accepted even if its start time is later.
		 */
		if (!found || (start_of(thread) <= start_of(of_perf) && start_of(thread) > start_of(found)))
			found = thread;
	}
	return found;
}

#define SWAP(a, b)                               \
	do {                                     \
		const __typeof__(a) kept_ = (a); \
		(a) = (b);                       \
		(b) = kept_;                     \
	} while (0)

/* Exchanges the samples, and what belongs to them, between perf's thread and the library's thread. */
static void take_samples(struct memphis_thread *thread, struct memphis_thread *of_perf)
{
	struct memphis_thread_log *log = thread->log, *other = of_perf->log;

	SWAP(thread->path, of_perf->path);
	SWAP(thread->begin, of_perf->begin);
	SWAP(thread->end, of_perf->end);
	SWAP(thread->accounting, of_perf->accounting);
	SWAP(thread->samples, of_perf->samples);
	SWAP(thread->chunks, of_perf->chunks);
	SWAP(log->parts, other->parts);
	SWAP(log->part_count, other->part_count);
	SWAP(log->part_room, other->part_room);
	SWAP(log->places, other->places);
	SWAP(log->place_count, other->place_count);
	SWAP(log->place_room, other->place_room);
	SWAP(log->place_stride, other->place_stride);
	SWAP(log->callers, other->callers);
	SWAP(log->in_frames, other->in_frames);
}

int memphis_threads_join(struct memphis_process *process, struct memphis_error *error)
{
	struct memphis_thread *thread, *found;
	size_t kept = 0, i;
	int rc;

	for (i = 0; i < process->thread_count; i++) {
		thread = &process->threads[i];
		found = is_of_perf(thread) ? counterpart(process, thread) : NULL;
		/* Another thread of perf with the same number has already been joined with this one. */
		if (found && was_sampled(found))
			found = NULL;
		if (!found)
			continue;
		rc = memphis_region_changes_read(process, found, error);
		if (rc)
			return rc;
		take_samples(found, thread);
	}
	for (i = 0; i < process->thread_count; i++) {
		thread = &process->threads[i];
		if (is_of_perf(thread) && !was_sampled(thread) && counterpart(process, thread))
			memphis_thread_close(thread);
		else
			process->threads[kept++] = *thread;
	}
	process->thread_count = kept;
	return 0;
}
