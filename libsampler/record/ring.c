/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfer of a thread's samples and accounting from its ring to its file. */
#include <string.h>

#include "core/session.h"
#include "data/encode.h"
#include "data/sampled.h"
#include "data/short_lived.h"
#include "record/callers.h"
#include "record/chunk.h"
#include "record/ring.h"
#include "record/thread_file.h"

#define SAMPLES_PER_CHUNK MEMPHIS_CALLERS_SAMPLES_MAX
#define WRITE_INTERVAL_NS \
	450000000u /* maximum wait of a few samples; with the drain's interval, at most half a second */
/*
 * Interval at which the metadata of a thread without interrupts is updated; long, since each update takes
 * system calls.
 */
#define REST_INTERVAL_NS 5000000000u

_Static_assert(SAMPLES_PER_CHUNK *MEMPHIS_SAMPLE_CODE_BYTES_MAX < MEMPHIS_STAGE_BYTES / 2,
	       "a chunk of samples fits the stage");

/* Copies accounting and head consistently: `sequence` is a seqlock (struct memphis_status). */
static void snapshot(struct memphis_thread_record *thread)
{
	const struct memphis_status *status = thread->status;
	struct memphis_accounting accounting;
	__u64 head, stack_head;
	__u32 before, after;
	int tries;

	for (tries = 0; tries < 1000000; tries++) {
		before = __atomic_load_n(&status->sequence, __ATOMIC_ACQUIRE);
		head = *(const volatile __u64 *)&status->head;
		stack_head = *(const volatile __u64 *)&status->stack_head;
		memcpy(&accounting, (const void *)&status->accounting, sizeof(accounting));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&status->sequence, __ATOMIC_RELAXED);
		if (before == after && !(before & 1)) {
			thread->head = head;
			thread->stack_head = stack_head;
			thread->accounting = accounting;
			return;
		}
	}
	/*
	 * No consistent copy was obtained: the previous snapshot remains valid for the records up to its
	 * head.
	 */
}

static const struct memphis_sample *records_of(const struct memphis_thread_record *thread)
{
	return (const struct memphis_sample *)((const char *)thread->status + MEMPHIS_PAGE_BYTES);
}

/*
 * Records the addresses of new samples, including samples that stay in the ring for a while, so that their
 * blocks are kept.
 */
static void touch(struct memphis_thread_record *thread)
{
	const struct memphis_sample *records = records_of(thread);
	__u32 capacity = memphis_session.config.ring_records;
	__u64 i = thread->touched;

	if (thread->head - i > capacity)
		i = thread->head - capacity;
	for (; i < thread->head; i++) {
		memphis_short_lived_touch(records[i & (capacity - 1)].address);
		memphis_sampled_add(records[i & (capacity - 1)].address);
	}
	thread->touched = thread->head;
}

void memphis_ring_look(struct memphis_thread_record *thread)
{
	snapshot(thread);
	touch(thread);
}

/* Writes the samples from tail to head. */
static void write_samples(struct memphis_thread_record *thread)
{
	__u32 capacity = memphis_session.config.ring_records;
	const struct memphis_sample *records = records_of(thread);
	__u64 total = thread->head - thread->tail;

	if (total > capacity)
		total = 0; /* violates the ABI: write nothing rather than garbage */
	while (thread->tail != thread->head && total) {
		struct memphis_sample previous = {0};
		__u64 n = thread->head - thread->tail, i;
		unsigned char *start, *p;

		if (n > SAMPLES_PER_CHUNK)
			n = SAMPLES_PER_CHUNK;
		start = p = memphis_file_chunk_begin(&thread->file, MEMPHIS_CHUNK_SAMPLES,
						     n * MEMPHIS_SAMPLE_CODE_BYTES_MAX);
		for (i = 0; i < n; i++) {
			struct memphis_sample sample = records[(thread->tail + i) & (capacity - 1)];

			p += memphis_encode_sample(p, &sample, &previous);
			previous = sample;
		}
		memphis_file_chunk_end(&thread->file, (size_t)(p - start), (__u32)n);
		if (thread->stacks_at)
			memphis_callers_write(thread, thread->tail, (__u32)n);
		thread->tail += n;
		/* The records have been copied, so the handler may overwrite them. */
		__atomic_store_n(&thread->page->tail, thread->tail, __ATOMIC_RELEASE);
	}
}

void memphis_ring_write(struct memphis_thread_record *thread, int final)
{
	__u64 now = now_ns();

	if (!thread->has_file)
		return; /* nothing to write: memphis_thread_file_look() */
	/*
	 * Let a few samples wait for more, since a chunk and its accounting take as many bytes as a dozen
	 * samples; but not with a ring of stacks that is half full, which the device reports until it is read.
	 */
	if (!final && !memphis_callers_are_due(thread) &&
	    thread->head - thread->tail < memphis_session.config.wakeup_records &&
	    now - thread->written_ns < WRITE_INTERVAL_NS)
		return;
	/* There is neither a new sample nor a new interrupt. */
	if (!final && thread->written_ns && thread->head == thread->tail &&
	    now - thread->written_ns < REST_INTERVAL_NS &&
	    !memcmp(&thread->accounting, &thread->accounting_written, sizeof(thread->accounting)))
		return;
	if (memphis_thread_file_need(thread)) {
		/*
		 * There is no file: discard the samples, so that the ring does not fill up. The accounting in
		 * the file shows that the file ended early.
		 */
		thread->tail = thread->head;
		if (thread->stacks_at)
			memphis_callers_skip(thread, thread->tail);
		__atomic_store_n(&thread->page->tail, thread->tail, __ATOMIC_RELEASE);
		return;
	}
	memphis_thread_file_metadata(thread, 0);
	write_samples(thread);
	if (!thread->written_ns ||
	    memcmp(&thread->accounting, &thread->accounting_written, sizeof(thread->accounting))) {
		memphis_file_chunk(&thread->file, MEMPHIS_CHUNK_ACCOUNTING, &thread->accounting,
				   sizeof(thread->accounting), 1);
		thread->accounting_written = thread->accounting;
	}
	thread->written_ns = now;
	memphis_chunk_commit(&thread->file);
}
