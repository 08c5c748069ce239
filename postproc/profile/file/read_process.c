// SPDX-License-Identifier: BSD-3-Clause
/* Loads the processes of a profile and their threads. */
#include "profile/file/read_process.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/file/evidence.h"
#include "profile/file/table.h"
#include "profile/reasons.h"
#include "read/thread.h"

/* Returns the total size of all keys and values, with a terminating NUL for each. */
static size_t pair_bytes(const Mprof__Pairs *pairs)
{
	size_t bytes = 2 * pairs->n_key, i;

	for (i = 0; i < pairs->n_key; i++)
		bytes += pairs->key[i].len + pairs->value[i].len;
	return bytes;
}

static char *copy_text(char *to, ProtobufCBinaryData bytes)
{
	if (bytes.len)
		memcpy(to, bytes.data, bytes.len);
	to[bytes.len] = 0;
	return to + bytes.len + 1;
}

static int load_pairs(struct mprof_reader *reader, struct memphis_settings *settings,
		      const Mprof__Pairs *pairs, const char *record)
{
	char *to;
	size_t i;

	if (!pairs || !pairs->n_key)
		return 0;
	if (pairs->n_key != pairs->n_value)
		return mprof_nonsense(reader, record, "key");
	for (i = 0; i < pairs->n_key; i++) {
		if (!mprof_is_text(pairs->key[i]))
			return mprof_nonsense(reader, record, "key");
		if (!mprof_is_text(pairs->value[i]))
			return mprof_nonsense(reader, record, "value");
	}
	settings->bytes = pair_bytes(pairs);
	settings->count = pairs->n_key;
	settings->text = to = malloc(settings->bytes);
	if (!to)
		return mprof_no_memory(reader);
	for (i = 0; i < pairs->n_key; i++)
		to = copy_text(copy_text(to, pairs->key[i]), pairs->value[i]);
	return 0;
}

static int load_nodes(struct mprof_reader *reader, struct memphis_process *process,
		      const Mprof__Process *from)
{
	struct memphis_node *node;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->n_node; i++) {
		if (from->node[i]->node >= MEMPHIS_NODE_UNKNOWN)
			return mprof_nonsense(reader, "process", "node");
		node = memphis_append(process->nodes, process->node_count, process->node_room);
		if (!node)
			return mprof_no_memory(reader);
		node->node = from->node[i]->node;
		node->memory_bytes = from->node[i]->memory_bytes;
		node->cpus = mprof_text_of(reader, from->node[i]->cpus, "process", "cpus", &rc);
		node->distances =
			mprof_text_of(reader, from->node[i]->distances, "process", "distances", &rc);
	}
	return rc;
}

static int load_process_regions(struct mprof_reader *reader, struct memphis_process *process,
				const Mprof__Process *from)
{
	struct memphis_region *region;
	size_t i;
	int rc = 0;

	if (from->n_region_id != from->n_region_name || from->n_region_id != from->n_region_parent)
		return mprof_nonsense(reader, "process", "region_id");
	for (i = 0; !rc && i < from->n_region_id; i++) {
		if (!from->region_id[i] || from->region_id[i] > UINT32_MAX ||
		    from->region_parent[i] > UINT32_MAX)
			return mprof_nonsense(reader, "process", "region_id");
		region = memphis_append(process->regions, process->region_count, process->region_room);
		if (!region)
			return mprof_no_memory(reader);
		region->id = (uint32_t)from->region_id[i];
		region->parent = (uint32_t)from->region_parent[i];
		region->name = mprof_text_of(reader, from->region_name[i], "process", "region_name", &rc);
	}
	return rc;
}

static int refuse_duplicate(const struct mprof_reader *reader, const Mprof__Process *from)
{
	const uint64_t run[] = {from->run_0, from->run_1};
	const int rc = memphis_profile_has_process(reader->profile, run);

	if (rc < 0)
		return mprof_no_memory(reader);
	return rc ? memphis_fail(reader->error, -EINVAL,
				 "%s: process %" PRIu32
				 " is in here and in what was given before; give each once",
				 reader->input.path, from->pid)
		  : 0;
}

static struct memphis_process *append_process(struct memphis_profile *profile)
{
	struct memphis_timeline *timelines =
		realloc(profile->timelines, (profile->processes.count + 2) * sizeof(*timelines));

	if (!timelines)
		return NULL;
	profile->timelines = timelines;
	memset(&timelines[profile->processes.count], 0, sizeof(*timelines));
	return memphis_append(profile->processes.list, profile->processes.count, profile->processes.room);
}

static void trim_list(void *list, size_t count, size_t *room, size_t bytes)
{
	void *old, *less;

	memcpy(&old, list, sizeof(old));
	if (!count || count == *room || !(less = reallocarray(old, count, bytes)))
		return;
	memcpy(list, &less, sizeof(less));
	*room = count;
}

void mprof_trim_process(struct mprof_reader *reader)
{
	struct memphis_process *process = reader->process;
	struct memphis_timeline *timeline;

	if (!process)
		return;
	timeline = &reader->profile->timelines[reader->profile->processes.count - 1];
	trim_list(&timeline->list, timeline->count, &timeline->room, sizeof(*timeline->list));
	trim_list(&timeline->threads, timeline->thread_count, &timeline->thread_room,
		  sizeof(*timeline->threads));
	trim_list(&timeline->waits, timeline->wait_count, &timeline->wait_room, sizeof(*timeline->waits));
	trim_list(&process->threads, process->thread_count, &process->thread_room, sizeof(*process->threads));
	if (!process->nodes_shared)
		trim_list(&process->nodes, process->node_count, &process->node_room, sizeof(*process->nodes));
	if (!process->regions_shared)
		trim_list(&process->regions, process->region_count, &process->region_room,
			  sizeof(*process->regions));
}

static bool has_same_nodes(const struct memphis_process *a, const struct memphis_process *b)
{
	size_t i;

	if (a->node_count != b->node_count)
		return false;
	for (i = 0; i < a->node_count; i++)
		if (a->nodes[i].node != b->nodes[i].node ||
		    a->nodes[i].memory_bytes != b->nodes[i].memory_bytes ||
		    strcmp(a->nodes[i].cpus, b->nodes[i].cpus) ||
		    strcmp(a->nodes[i].distances, b->nodes[i].distances))
			return false;
	return true;
}

static bool has_same_regions(const struct memphis_process *a, const struct memphis_process *b)
{
	size_t i;

	if (a->region_count != b->region_count)
		return false;
	for (i = 0; i < a->region_count; i++)
		if (a->regions[i].id != b->regions[i].id || a->regions[i].parent != b->regions[i].parent ||
		    strcmp(a->regions[i].name, b->regions[i].name))
			return false;
	return true;
}

/*
 * Lets the last process use the nodes and the regions of the previous one, if they are equal, to save memory. Ranks on
 * the same host have equal nodes, and ranks of the same program have equal regions. The shared memory stays valid,
 * because processes are never removed from a profile, and are only moved to another profile all together.
 */
static void share_with_previous(const struct memphis_profile *profile)
{
	struct memphis_process *process = &profile->processes.list[profile->processes.count - 1], *previous;

	if (profile->processes.count == 1)
		return;
	previous = process - 1;
	if (has_same_nodes(process, previous)) {
		memphis_process_free_nodes(process);
		process->nodes = previous->nodes;
		process->nodes_shared = true;
	}
	if (has_same_regions(process, previous)) {
		memphis_process_free_regions(process);
		process->regions = previous->regions;
		process->regions_shared = true;
	}
}

int mprof_load_process(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Process *from = record->process;
	struct memphis_process *process;
	uint64_t width = from->tick_width_ns;
	int rc = refuse_duplicate(reader, from);

	if (rc)
		return rc;
	if (width & (width - 1))
		return mprof_nonsense(reader, "process", "tick_width_ns");
	if (from->metric_width_ns & (from->metric_width_ns - 1))
		return mprof_nonsense(reader, "process", "metric_width_ns");
	mprof_trim_process(reader);
	process = append_process(reader->profile);
	if (!process)
		return mprof_no_memory(reader);
	reader->process = process;
	reader->bounds[MPROF_THREAD_OF_PROCESS] = 0;
	reader->profile->timelines[reader->profile->processes.count - 1].width_ns = width;
	process->run[0] = from->run_0;
	process->run[1] = from->run_1;
	process->pid = from->pid;
	reader->metric_width_ns = from->metric_width_ns;
	process->closed = from->closed;
	process->unfinished = from->unfinished;
	process->has_maps = from->has_maps;
	process->path = mprof_text_of(reader, from->path, "process", "path", &rc);
	if (!rc)
		rc = load_pairs(reader, &process->settings, from->settings, "process");
	if (!rc)
		rc = load_pairs(reader, &process->losses, from->losses, "process");
	if (!rc)
		rc = load_pairs(reader, &process->files, from->files, "process");
	if (!rc)
		rc = load_nodes(reader, process, from);
	process->heatmaps = from->heatmaps;
	process->condensed = from->condensed;
	if (!rc)
		rc = load_process_regions(reader, process, from);
	if (!rc)
		share_with_previous(reader->profile);
	return rc ? rc : mprof_load_evidence(reader, from);
}

static int load_times(struct mprof_reader *reader, struct memphis_thread *thread, const Mprof__Thread *from)
{
	const size_t count = from->n_time_region;
	uint64_t above = 0;
	size_t i;

	if (from->n_time_calls != count || from->n_time_ns != count || from->n_time_cpu_ns != count ||
	    from->n_time_cycles != count || from->n_time_instructions != count ||
	    (from->n_time_events && from->n_time_events != MEMPHIS_REGION_EVENTS * count))
		return mprof_nonsense(reader, "threads", "time_region");
	if (!count)
		return 0;
	thread->times = calloc(count, sizeof(*thread->times));
	if (!thread->times)
		return mprof_no_memory(reader);
	thread->time_count = thread->time_room = count;
	for (i = 0; i < count; above = from->time_region[i++]) {
		if (from->time_region[i] <= above || from->time_region[i] > UINT32_MAX)
			return mprof_nonsense(reader, "threads", "time_region");
		thread->times[i] = (struct memphis_region_time){.region = (uint32_t)from->time_region[i],
								.calls = from->time_calls[i],
								.ns = from->time_ns[i],
								.cpu_ns = from->time_cpu_ns[i],
								.cycles = from->time_cycles[i],
								.instructions = from->time_instructions[i]};
		if (from->n_time_events)
			memcpy(thread->times[i].events, from->time_events + i * MEMPHIS_REGION_EVENTS,
			       sizeof(thread->times[i].events));
	}
	return 0;
}

static int compare_sums(const void *a, const void *b)
{
	const struct memphis_mpi_sum *x = a, *y = b;

	return memphis_order(x->region, y->region) ?: memphis_order(x->partner, y->partner);
}

/*
 * Appends sums of calls of I/O functions if `io` is true, and of MPI functions otherwise. thread->mpi must have room
 * for them. Returns false if they are invalid.
 */
static bool add_sums(struct memphis_thread *thread, const uint64_t *number, size_t numbers, bool io)
{
	const uint64_t *end = number + numbers;
	const size_t first = thread->mpi_count;
	struct memphis_mpi_sum *sum;

	if (numbers % MPROF_MPI_NUMBERS)
		return false;
	for (; number < end; number += MPROF_MPI_NUMBERS) {
		if (number[0] > UINT32_MAX || number[1] > INT32_MAX)
			return false;
		sum = &thread->mpi[thread->mpi_count++];
		*sum = (struct memphis_mpi_sum){.region = (uint32_t)number[0],
						.partner = (int32_t)number[1] + MEMPHIS_MPI_OTHERS,
						.calls = number[2],
						.sent = number[3],
						.received = number[4],
						.sent_bytes = number[5],
						.received_bytes = number[6],
						.ns = number[7],
						.waits = number[8],
						.known = number[9],
						.waited_ns = number[10]};
		if (memphis_mpi_sum_is_io(sum) != io ||
		    (thread->mpi_count > first + 1 && compare_sums(sum - 1, sum) >= 0))
			return false;
	}
	return true;
}

static int load_mpi(struct mprof_reader *reader, struct memphis_thread *thread, const Mprof__Thread *from)
{
	const size_t count = (from->n_mpi + from->n_io) / MPROF_MPI_NUMBERS;

	if (!from->n_mpi && !from->n_io)
		return 0;
	thread->mpi = calloc(count + 1, sizeof(*thread->mpi));
	if (!thread->mpi)
		return mprof_no_memory(reader);
	thread->mpi_room = count + 1;
	if (!add_sums(thread, from->mpi, from->n_mpi, false))
		return mprof_nonsense(reader, "threads", "mpi");
	if (!add_sums(thread, from->io, from->n_io, true))
		return mprof_nonsense(reader, "threads", "io");
	qsort(thread->mpi, thread->mpi_count, sizeof(*thread->mpi), compare_sums);
	return 0;
}

static int load_thread(struct mprof_reader *reader, const Mprof__Thread *from)
{
	struct memphis_process *process = reader->process;
	struct memphis_thread *thread;
	size_t i;
	int rc = 0;

	if (from->n_accounting != 4 + MEMPHIS_REASONS_MAX)
		return mprof_nonsense(reader, "threads", "books");
	thread = memphis_append(process->threads, process->thread_count, process->thread_room);
	if (!thread)
		return mprof_no_memory(reader);
	thread->tid = from->tid;
	thread->closed = from->closed;
	thread->unfinished = from->unfinished;
	thread->samples = from->samples;
	thread->start_time_ns = from->start_time_ns;
	thread->read = from->read;
	thread->selected = from->selected;
	thread->own = from->own;
	if (from->others >= UINT32_MAX)
		return mprof_nonsense(reader, "threads", "others");
	thread->others = (uint32_t)from->others;
	if (from->mpi_threads > from->others + 1)
		return mprof_nonsense(reader, "threads", "mpi_threads");
	thread->mpi_threads = (uint32_t)from->mpi_threads;
	thread->homes =
		(struct memphis_homes){from->homes_told, from->homes_remote_at_home, from->homes_local_away};
	thread->accounting.interrupts = from->accounting[0];
	thread->accounting.kept = from->accounting[1];
	thread->accounting.lost = from->accounting[2];
	thread->accounting.throttled = from->accounting[3];
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		thread->accounting.filtered[i] = from->accounting[4 + i];
	thread->path = mprof_text_of(reader, from->path, "threads", "path", &rc);
	if (!rc)
		rc = load_times(reader, thread, from);
	if (!rc)
		rc = load_mpi(reader, thread, from);
	return rc ? rc : load_pairs(reader, &thread->metadata, from->metadata, "threads");
}

int mprof_load_threads(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Threads *threads = record->threads;
	size_t i;
	int rc = 0;

	if (!reader->process)
		return mprof_nonsense(reader, "threads", "threads without a process");
	for (i = 0; !rc && i < threads->n_thread; i++)
		rc = load_thread(reader, threads->thread[i]);
	reader->bounds[MPROF_THREAD_OF_PROCESS] = reader->process->thread_count;
	if (reader->profile->by_thread)
		reader->bounds[MPROF_THREAD_OF_CELL] += threads->n_thread;
	return rc;
}
