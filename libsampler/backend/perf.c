/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The backend that needs no module. It implements the requests of the device's ABI with perf_event_open(2).
 * Each thread has its own events. In each pass, the drain decodes the records of these events into a ring in
 * the library's memory.
 */
#include <stdio.h>
#include <string.h>

#include "decode/filter.h"
#include "backend/backend.h"
#include "base/lock.h"
#include "backend/perf_pmu.h"
#include "backend/perf_record.h"
#include "backend/perf_thread.h"
#include "data/region_log.h"
#include "base/sys.h"

#define BATCH 256 /* number of records decoded at a time */

struct perf_thread {
	struct perf_thread *next;
	pid_t tid;
	struct memphis_perf_thread events;
	struct memphis_control *control;
	struct memphis_status *status;
	struct memphis_region_log *log;
	struct memphis_region_cursor own, session;
};

static struct {
	struct memphis_lock lock; /* protects the whole structure */
	pid_t process;            /* 0: the calling process */
	struct memphis_perf_pmu pmu;
	struct memphis_config config;
	struct memphis_region_log *log;    /* log of changes of the session's region */
	struct memphis_region_cursor base; /* position in `log` at the beginning of the current pass */
	struct perf_thread *threads;
	bool running;
	const struct memphis_control *control; /* the session's page, which contains the ranges of the
					        * program's code */
	/* Sums of the detached threads. */
	struct memphis_stats ended; /* only `counts`, `enabled_ns` and `starved_ns` */
	__u64 ended_regions_left_out;
	/* The batch that is being decoded; used by the drain only. */
	unsigned int pending;
	struct memphis_sample samples[BATCH];
	bool undecided[BATCH]; /* the filter needs the home node of the page */
	bool without_stack[BATCH];
	/* the stacks of the samples with a stack, in the layout of the ring of stacks; NULL: the session has no stacks */
	char *stacks;
	void *pages[BATCH];
	int nodes[BATCH];
} perf;

static size_t round_to_pages(size_t bytes)
{
	return (bytes + MEMPHIS_PAGE_BYTES - 1) / MEMPHIS_PAGE_BYTES * MEMPHIS_PAGE_BYTES;
}

/* Returns the size of the status and the ring of samples. The ring of stacks follows them. */
static size_t ring_bytes(void)
{
	return MEMPHIS_PAGE_BYTES +
	       round_to_pages((size_t)perf.config.ring_records * sizeof(struct memphis_sample));
}

/* Returns the distance between two stacks in bytes. */
static size_t stack_distance(void)
{
	return sizeof(struct memphis_user_stack) + perf.config.stack_bytes;
}

static size_t area_bytes(void)
{
	return ring_bytes() + round_to_pages(perf.config.stack_records * stack_distance());
}

static struct perf_thread *find_thread(pid_t tid)
{
	struct perf_thread *thread;

	for (thread = perf.threads; thread; thread = thread->next)
		if (thread->tid == tid)
			return thread;
	return NULL;
}

/*
 * Returns the error for a thread that could not be attached. Returns -ENOSPC if there may be room later,
 * because threads that have ended keep their buffers and descriptors until the next passes of the drain.
 */
static int attach_error(int err)
{
	const struct perf_thread *thread;

	if (err != -EPERM && err != -EMFILE)
		return err;
	for (thread = perf.threads; thread; thread = thread->next)
		if (thread->status->exited || memphis_perf_thread_has_ended(&thread->events))
			return -ENOSPC;
	return err;
}

static int attach_thread(struct memphis_attach *attach)
{
	struct perf_thread *thread;
	int err;

	thread = find_thread(attach->tid);
	if (thread && !thread->status->exited)
		return -EEXIST;
	thread = sys_map(sizeof(*thread));
	if (!thread)
		return -ENOMEM;
	thread->tid = attach->tid;
	err = memphis_perf_thread_open(&thread->events, &perf.pmu, &perf.config, thread->tid);
	/* The program may have given up rights since the PMU was found. */
	if (err == -EACCES && memphis_perf_pmu_exclude_kernel(&perf.pmu))
		err = memphis_perf_thread_open(&thread->events, &perf.pmu, &perf.config, thread->tid);
	if (err) {
		sys_unmap(thread, sizeof(*thread));
		return attach_error(err);
	}
	thread->control = sys_map(MEMPHIS_PAGE_BYTES);
	thread->status = sys_map(area_bytes());
	thread->log = memphis_region_log_new();
	err = thread->control && thread->status && thread->log ? 0 : -ENOMEM;
	if (!err && perf.running)
		err = memphis_perf_thread_switch(&thread->events, true);
	if (err)
		goto fail;
	thread->session = perf.base;
	thread->next = perf.threads;
	perf.threads = thread;
	attach->control_offset = (uintptr_t)thread->control;
	attach->ring_offset = (uintptr_t)thread->status;
	attach->ring_bytes = area_bytes();
	attach->stacks_at = perf.config.stack_bytes ? ring_bytes() : 0;
	return 0;
fail:
	sys_unmap(thread->control, MEMPHIS_PAGE_BYTES);
	sys_unmap(thread->status, area_bytes());
	memphis_region_log_free(thread->log);
	memphis_perf_thread_close(&thread->events);
	sys_unmap(thread, sizeof(*thread));
	return err;
}

/*
 * Detaches a thread. The caller unmaps the areas. If the thread runs, keeps its log, because the thread may
 * be about to write to it.
 */
static int detach_thread(pid_t tid)
{
	struct perf_thread *thread, **link, *found = NULL, **of_found = NULL;

	/* If a tid was reused, detach the older thread first, which is nearer to the end of the list. */
	for (link = &perf.threads; (thread = *link); link = &thread->next)
		if (thread->tid == tid) {
			found = thread;
			of_found = link;
		}
	if (!found)
		return -ESRCH;
	memphis_perf_thread_add_counts(&found->events, &perf.ended);
	perf.ended_regions_left_out += atomic_load(&found->log->left_out);
	if (found->status->exited)
		memphis_region_log_free(found->log);
	*of_found = found->next;
	memphis_perf_thread_close(&found->events);
	sys_unmap(found, sizeof(*found));
	return 0;
}

static int set_configuration(struct memphis_config *config)
{
	__u32 least;

	if (perf.threads)
		return -EBUSY;
	if (!config->events)
		config->events = 1u << MEMPHIS_EVENT_ACCESS;
	/* Each event has a buffer of at least one page. */
	least = (__u32)__builtin_popcount(config->events) * MEMPHIS_PAGE_BYTES / perf.pmu.record_bytes_min;
	while (config->ring_records < least)
		config->ring_records *= 2;
	sys_unmap(perf.stacks, BATCH * stack_distance());
	perf.config = *config;
	perf.stacks = config->stack_bytes ? sys_map(BATCH * stack_distance()) : NULL;
	return config->stack_bytes && !perf.stacks ? -ENOMEM : 0;
}

static int stop_sampling(void)
{
	struct perf_thread *thread;

	if (!perf.running)
		return -EALREADY;
	perf.running = false;
	for (thread = perf.threads; thread; thread = thread->next)
		memphis_perf_thread_switch(&thread->events, false);
	return 0;
}

static int start_sampling(void)
{
	struct perf_thread *thread;
	int err;

	if (perf.running)
		return -EALREADY;
	perf.running = true;
	for (thread = perf.threads; thread; thread = thread->next) {
		err = thread->status->exited ? 0 : memphis_perf_thread_switch(&thread->events, true);
		/* If the program has closed an event's descriptor, the event keeps its state. */
		if (err && err != -EBADF) {
			stop_sampling();
			return err;
		}
	}
	return 0;
}

static void read_stats(struct memphis_stats *stats)
{
	struct perf_thread *thread;

	*stats = perf.ended;
	stats->running = perf.running;
	for (thread = perf.threads; thread; thread = thread->next) {
		memphis_perf_thread_add_counts(&thread->events, stats);
		stats->threads++;
		stats->ring_bytes += memphis_perf_thread_bytes(&thread->events);
	}
}

static int handle_request(unsigned long what, void *argument)
{
	int err;

	memphis_lock_take(&perf.lock);
	switch (what) {
	case MEMPHIS_IOC_QUERY:
		*(struct memphis_query *)argument = perf.pmu.query;
		err = 0;
		break;
	case MEMPHIS_IOC_CONFIGURE:
		err = set_configuration(argument);
		break;
	case MEMPHIS_IOC_ATTACH:
		err = attach_thread(argument);
		break;
	case MEMPHIS_IOC_DETACH:
		err = detach_thread(*(pid_t *)argument);
		break;
	case MEMPHIS_IOC_START:
		err = start_sampling();
		break;
	case MEMPHIS_IOC_STOP:
		err = stop_sampling();
		break;
	case MEMPHIS_IOC_STATS:
		read_stats(argument);
		err = 0;
		break;
	default:
		err = -ENOTTY;
	}
	memphis_lock_release(&perf.lock);
	return err;
}

static struct memphis_region_log *find_log(pid_t tid)
{
	struct perf_thread *thread;
	struct memphis_region_log *log;

	memphis_lock_take(&perf.lock);
	thread = tid ? find_thread(tid) : NULL;
	log = thread ? thread->log : tid ? NULL : perf.log;
	memphis_lock_release(&perf.lock);
	return log;
}

/*
 * Looks up the home nodes of the whole batch in one system call. These are the nodes at present, not those at
 * the time of the sample.
 */
static void find_home_nodes(void)
{
	unsigned int i;

	for (i = 0; i < perf.pending; i++)
		perf.pages[i] = (void *)(uintptr_t)(perf.samples[i].address & -(__u64)MEMPHIS_PAGE_BYTES);
	if (syscall(SYS_move_pages, perf.process, (unsigned long)perf.pending, perf.pages, NULL, perf.nodes,
		    0))
		memset(perf.nodes, 0xff, sizeof(perf.nodes));
	for (i = 0; i < perf.pending; i++)
		perf.samples[i].home_node = perf.nodes[i] < 0 ? MEMPHIS_NODE_UNKNOWN : (__u16)perf.nodes[i];
}

/* Writes the stack of sample i of the batch to the next entry of the ring of stacks. */
static void write_stack(struct perf_thread *thread, unsigned int i)
{
	struct memphis_status *status = thread->status;
	struct memphis_user_stack *stack = (void *)(perf.stacks + i * stack_distance());
	char *ring = (char *)status + ring_bytes();

	if (status->stack_head - thread->control->stack_tail >= perf.config.stack_records)
		return;
	stack->sample = status->head;
	memcpy(ring + (status->stack_head & (perf.config.stack_records - 1)) * stack_distance(), stack,
	       sizeof(*stack) + stack->bytes);
	status->stack_head++;
}

/* Writes sample i of the batch to the ring. */
static void write_sample(struct perf_thread *thread, unsigned int i)
{
	struct memphis_status *status = thread->status;
	struct memphis_sample *records = (void *)((char *)status + MEMPHIS_PAGE_BYTES);
	__u64 tail = thread->control->tail; /* only the drain writes the tail */

	if (status->head - tail >= perf.config.ring_records) {
		status->accounting.lost++;
		return;
	}
	if (perf.stacks && !perf.without_stack[i])
		write_stack(thread, i);
	records[status->head & (perf.config.ring_records - 1)] = perf.samples[i];
	status->head++;
	status->accounting.kept++;
}

static void finish_batch(struct perf_thread *thread)
{
	struct memphis_status *status = thread->status;
	unsigned int i, reason;

	if (!perf.pending)
		return;
	find_home_nodes();
	for (i = 0; i < perf.pending; i++) {
		reason = perf.undecided[i] ? memphis_filter(&perf.config, &perf.samples[i])
					   : MEMPHIS_REASON_NONE;
		if (reason == MEMPHIS_REASON_NONE)
			write_sample(thread, i);
		else
			status->accounting.filtered[reason]++;
	}
	perf.pending = 0;
}

/*
 * Adds the stack of the last sample of the batch. Leaves it out if the sample is in the program's own code
 * and its data is not on the thread's stack.
 */
static void add_stack(const struct memphis_control *control, const struct memphis_perf_fields *fields)
{
	const struct memphis_program *program =
		(const void *)((const char *)perf.control + MEMPHIS_PROGRAM_OFFSET);
	const unsigned int i = perf.pending;
	const struct memphis_sample *sample = &perf.samples[i];

	perf.without_stack[i] =
		memphis_program_code_has(program, sample->pc) &&
		(sample->address < control->stack_low || sample->address >= control->stack_high);
	if (!perf.without_stack[i])
		memphis_perf_stack(&perf.pmu, fields, (void *)(perf.stacks + i * stack_distance()),
				   perf.config.stack_bytes);
}

/* Decodes a PERF_RECORD_SAMPLE of the event into the batch. If the sample is dropped, counts the reason. */
static void add_sample(struct perf_thread *thread, __u32 event, const struct perf_event_header *header)
{
	struct memphis_sample *sample = &perf.samples[perf.pending];
	struct memphis_status *status = thread->status;
	unsigned int reason = MEMPHIS_REASON_INVALID;
	struct memphis_perf_fields fields;
	__u32 region;

	memset(sample, 0, sizeof(*sample));
	if (memphis_perf_read_fields(header, thread->events.sample_type, &fields))
		reason = memphis_perf_decode(&perf.pmu, event, header, &fields, sample);
	status->accounting.interrupts++;
	if (reason == MEMPHIS_REASON_NONE) {
		perf.undecided[perf.pending] = memphis_filter_needs_home(&perf.config, sample);
		if (!perf.undecided[perf.pending])
			reason = memphis_filter(&perf.config, sample);
	}
	if (reason != MEMPHIS_REASON_NONE) {
		status->accounting.filtered[reason]++;
		return;
	}
	region = memphis_region_log_at(thread->log, &thread->own, sample->time_ns);
	if (!region)
		region = memphis_region_log_at(perf.log, &thread->session, sample->time_ns);
	sample->region = region;
	if (perf.stacks)
		add_stack(thread->control, &fields);
	if (++perf.pending == BATCH)
		finish_batch(thread);
}

static void count_lost(struct perf_thread *thread, __u64 lost)
{
	thread->status->accounting.lost += lost;
	thread->status->accounting.interrupts += lost;
}

static void decode_record(struct perf_thread *thread, __u32 event, const struct perf_event_header *header)
{
	count_lost(thread, memphis_perf_lost(&perf.pmu, header));
	if (header->type == PERF_RECORD_SAMPLE)
		add_sample(thread, event, header);
	else if (header->type == PERF_RECORD_THROTTLE)
		thread->status->accounting.throttled++;
}

static void collect_thread(struct perf_thread *thread)
{
	const struct perf_event_header *header;
	__u64 now = now_ns();
	__u32 event;
	bool exited;

	/* Check this before reading the records. If the thread has exited, there will be no more records. */
	exited = memphis_perf_thread_has_ended(&thread->events);
	count_lost(thread, memphis_perf_thread_lost(&thread->events));
	memphis_perf_thread_begin(&thread->events);
	while ((header = memphis_perf_thread_next(&thread->events, &event)))
		decode_record(thread, event, header);
	finish_batch(thread);
	memphis_perf_thread_end(&thread->events);
	/* Advance the cursors even if there was no sample, so that the logs do not fill up. */
	memphis_region_log_at(thread->log, &thread->own, now);
	memphis_region_log_at(perf.log, &thread->session, now);
	memphis_region_log_release(thread->log, thread->own.at);
	if (exited)
		__atomic_store_n(&thread->status->exited, 1, __ATOMIC_RELEASE);
}

static void collect_threads(void)
{
	struct perf_thread *thread;

	memphis_lock_take(&perf.lock);
	/* At the end of the pass, all cursors have passed this position, so the entries before it can be released. */
	memphis_region_log_at(perf.log, &perf.base, now_ns());
	for (thread = perf.threads; thread; thread = thread->next)
		if (!thread->status->exited)
			collect_thread(thread);
	memphis_region_log_release(perf.log, perf.base.at);
	memphis_lock_release(&perf.lock);
}

static __u64 count_left_out_regions(void)
{
	struct perf_thread *thread;
	__u64 count;

	memphis_lock_take(&perf.lock);
	count = perf.ended_regions_left_out + (perf.log ? atomic_load(&perf.log->left_out) : 0);
	for (thread = perf.threads; thread; thread = thread->next)
		count += atomic_load(&thread->log->left_out);
	memphis_lock_release(&perf.lock);
	return count;
}

static unsigned int list_descriptors(struct pollfd *fds, unsigned int max)
{
	struct perf_thread *thread;
	unsigned int count = 0;

	memphis_lock_take(&perf.lock);
	for (thread = perf.threads; thread; thread = thread->next)
		if (!thread->status->exited)
			count += memphis_perf_thread_descriptors(&thread->events, fds + count, max - count);
	memphis_lock_release(&perf.lock);
	return count;
}

static int open_perf(pid_t process, char *remedy, size_t bytes)
{
	int err = memphis_perf_pmu_find(&perf.pmu, remedy, bytes);

	if (err)
		return err;
	perf.process = process;
	perf.log = memphis_region_log_new();
	if (!perf.log) {
		snprintf(remedy, bytes, "free some memory");
		return -ENOMEM;
	}
	perf.base = (struct memphis_region_cursor){0};
	perf.ended = (struct memphis_stats){0};
	perf.ended_regions_left_out = 0;
	return 0;
}

/*
 * Stops the backend. All threads are detached at this point. Keeps the session's log, because a thread inside
 * a caliper may still write to it.
 */
static void close_perf(void)
{
	memphis_lock_take(&perf.lock);
	perf.running = false;
	memphis_lock_release(&perf.lock);
}

static void handle_fork(void)
{
	struct perf_thread *thread, *next;

	memphis_lock_reset(&perf.lock);
	for (thread = perf.threads; thread; thread = next) {
		next = thread->next;
		memphis_region_log_free(thread->log);
		memphis_perf_thread_forked(&thread->events);
		sys_unmap(thread, sizeof(*thread));
	}
	perf.threads = NULL;
	perf.running = false;
	perf.pending = 0;
	memphis_region_log_free(perf.log);
	perf.log = NULL;
	sys_unmap(perf.stacks, BATCH * stack_distance());
	perf.stacks = NULL;
}

/* Returns the area at `offset`. An offset from ATTACH is an address. The session's page (offset 0) is new memory. */
static void *find_area(size_t bytes, UNUSED int protection, __u64 offset, int *error)
{
	void *area = offset ? (void *)(uintptr_t)offset : sys_map(bytes);

	if (!offset)
		perf.control = area;
	*error = area ? 0 : -ENOMEM;
	return area;
}

static bool drops_kernel(void)
{
	bool drops;

	memphis_lock_take(&perf.lock);
	drops = perf.pmu.can_exclude_kernel && perf.pmu.attr.exclude_kernel;
	memphis_lock_release(&perf.lock);
	return drops;
}

const struct memphis_backend memphis_perf = {
	.name = "perf",
	.is_there = memphis_perf_pmu_is_there,
	.open = open_perf,
	.close = close_perf,
	.forked = handle_fork,
	.request = handle_request,
	.map = find_area,
	.log = find_log,
	.regions_left_out = count_left_out_regions,
	.collect = collect_threads,
	.descriptors = list_descriptors,
	.remedy = memphis_perf_pmu_remedy,
	.shares_descriptors = true,
	.drops_kernel = drops_kernel,
};
