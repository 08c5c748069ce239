/* SPDX-License-Identifier: BSD-3-Clause */
/* The perf events of one thread. */
#include <errno.h>
#include <stddef.h>

#include "backend/perf_record.h"
#include "backend/perf_thread.h"

#define SAMPLES_MIN 4 /* minimum number of samples with stacks that a buffer holds */

/* Returns the minimum size of a buffer: a power of two of at least a page that holds SAMPLES_MIN samples. */
static size_t buffer_bytes_min(const struct memphis_config *config)
{
	size_t bytes = MEMPHIS_PAGE_BYTES;

	while (config->stack_bytes && bytes < SAMPLES_MIN * (MEMPHIS_PERF_FIELDS_BYTES + config->stack_bytes))
		bytes *= 2;
	return bytes;
}

/*
 * Returns the size of each buffer, which is a power of two. All buffers together hold at most as many records
 * without stacks as the ring. For samples with stacks, the buffers are larger only if this is necessary,
 * because locked memory is scarce.
 */
static size_t buffer_bytes(const struct memphis_perf_pmu *pmu, const struct memphis_config *config)
{
	const size_t records = config->ring_records / (size_t)__builtin_popcount(config->events);
	size_t bytes = buffer_bytes_min(config);

	while (bytes * 2 <= records * pmu->record_bytes_min)
		bytes *= 2;
	return bytes;
}

/*
 * Opens the leader of the group if the event needs one. Returns the leader's descriptor, or -1 if there is
 * none. Stores 0 or -errno in *error.
 */
static int open_leader(struct memphis_perf_thread *thread, const struct memphis_perf_pmu *pmu, __u32 event,
		       pid_t tid, int *error)
{
	struct perf_event_attr attr;

	*error = 0;
	if (!memphis_perf_pmu_leader(pmu, event, &attr))
		return -1;
	*error = memphis_perf_event_open(&thread->leader, &attr, tid, -1, 0);
	return thread->leader.fd;
}

/* Opens the events with buffers of `bytes` each. */
static int open_events(struct memphis_perf_thread *thread, const struct memphis_perf_pmu *pmu,
		       const struct memphis_config *config, pid_t tid, size_t bytes)
{
	int leader, err = 0;
	__u32 event;

	leader = open_leader(thread, pmu, (__u32)__builtin_ctz(config->events), tid, &err);
	for (event = 0; !err && event < MEMPHIS_EVENTS; event++) {
		struct perf_event_attr attr = memphis_perf_pmu_attr(pmu, config, event);

		if (!(config->events & 1u << event))
			continue;
		err = memphis_perf_event_open(&thread->events[thread->count], &attr, tid, leader, bytes);
		if (err)
			break;
		thread->kinds[thread->count++] = event;
		thread->sample_type = attr.sample_type;
	}
	if (err)
		memphis_perf_thread_close(thread);
	return err;
}

/*
 * Halves the size of all buffers until they fit into the locked memory. All buffers have the same size,
 * because large first buffers would leave no room for the last ones.
 */
int memphis_perf_thread_open(struct memphis_perf_thread *thread, const struct memphis_perf_pmu *pmu,
			     const struct memphis_config *config, pid_t tid)
{
	size_t bytes = buffer_bytes(pmu, config);
	int err = open_events(thread, pmu, config, tid, bytes);

	while (err == -EPERM && bytes > buffer_bytes_min(config)) {
		bytes /= 2;
		err = open_events(thread, pmu, config, tid, bytes);
	}
	return err;
}

/* Closes the leader last, because the other event of its group must not count without it. */
void memphis_perf_thread_close(struct memphis_perf_thread *thread)
{
	unsigned int i;

	for (i = 0; i < thread->count; i++)
		memphis_perf_event_close(&thread->events[i]);
	memphis_perf_event_close(&thread->leader);
	thread->count = 0;
}

void memphis_perf_thread_forked(struct memphis_perf_thread *thread)
{
	unsigned int i;

	for (i = 0; i < thread->count; i++)
		memphis_perf_event_forked(&thread->events[i]);
	if (thread->leader.page)
		memphis_perf_event_forked(&thread->leader);
}

int memphis_perf_thread_switch(const struct memphis_perf_thread *thread, bool on)
{
	int err = thread->leader.page ? memphis_perf_event_switch(&thread->leader, on) : 0, failed;
	unsigned int i;

	for (i = 0; i < thread->count; i++) {
		failed = memphis_perf_event_switch(&thread->events[i], on);
		err = err ? err : failed;
	}
	return err;
}

void memphis_perf_thread_add_counts(struct memphis_perf_thread *thread, struct memphis_stats *stats)
{
	__u64 enabled = 0, running = 0;
	unsigned int i;

	for (i = 0; i < thread->count; i++) {
		struct memphis_perf_readout readout = memphis_perf_event_read(&thread->events[i]);

		stats->counts[thread->kinds[i]] += readout.count;
		enabled += readout.enabled;
		running += readout.running;
	}
	stats->enabled_ns += enabled / thread->count;
	stats->starved_ns += enabled > running ? (enabled - running) / thread->count : 0;
}

__u64 memphis_perf_thread_lost(struct memphis_perf_thread *thread)
{
	unsigned int i;
	__u64 lost = 0;

	for (i = 0; i < thread->count; i++)
		lost += memphis_perf_event_lost(&thread->events[i]);
	return lost;
}

bool memphis_perf_thread_has_ended(const struct memphis_perf_thread *thread)
{
	unsigned int i;

	for (i = 0; i < thread->count; i++)
		if (memphis_perf_event_has_ended(&thread->events[i]))
			return true;
	return false;
}

size_t memphis_perf_thread_bytes(const struct memphis_perf_thread *thread)
{
	size_t bytes = thread->leader.page ? MEMPHIS_PAGE_BYTES : 0;
	unsigned int i;

	for (i = 0; i < thread->count; i++)
		bytes += MEMPHIS_PAGE_BYTES + thread->events[i].data_bytes;
	return bytes;
}

unsigned int memphis_perf_thread_descriptors(const struct memphis_perf_thread *thread, struct pollfd *fds,
					     unsigned int max)
{
	unsigned int i, count = 0;

	for (i = 0; i < thread->count && count < max; i++)
		if (memphis_perf_event_is_ours(&thread->events[i]))
			fds[count++] = (struct pollfd){.fd = thread->events[i].fd, .events = POLLIN};
	return count;
}

void memphis_perf_thread_begin(struct memphis_perf_thread *thread)
{
	memphis_perf_event_heads(thread->events, thread->count);
	thread->record = NULL;
}

const struct perf_event_header *memphis_perf_thread_next(struct memphis_perf_thread *thread, __u32 *event)
{
	/* Copies of records that wrap around the end of their buffers. */
	static char copies[MEMPHIS_EVENTS][MEMPHIS_PERF_RECORD_BYTES_MAX] __attribute__((aligned(8)));
	__u64 time, first = 0;
	unsigned int i;

	if (thread->record)
		thread->events[thread->read_last].tail += thread->record->size;
	thread->record = NULL;
	for (i = 0; i < thread->count; i++) {
		const struct perf_event_header *record =
			memphis_perf_event_record(&thread->events[i], copies[i]);

		if (!record)
			continue;
		time = memphis_perf_time(record, thread->sample_type);
		if (thread->record && time >= first)
			continue;
		thread->record = record;
		thread->read_last = i;
		first = time;
	}
	*event = thread->kinds[thread->read_last];
	return thread->record;
}

void memphis_perf_thread_end(struct memphis_perf_thread *thread)
{
	unsigned int i;

	for (i = 0; i < thread->count; i++)
		memphis_perf_event_release(&thread->events[i]);
}
