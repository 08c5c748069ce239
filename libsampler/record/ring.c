/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfer of a thread's samples and accounting from its ring to its file. The copies of the thread's stack
 * are unwound here. From them, the drain finds the callers of samples in libraries, and the stack frames that
 * contain the data of samples.
 *
 * The unwinder reads the call frame information of loaded objects, and the program may unload an object at
 * any time. The unwinder therefore runs in callbacks of memphis_loaded_each(). A companion survives a page
 * fault in such a callback. In a thread of the program, the callback prevents the unloading.
 */
#include <memphis/format.h>
#include <string.h>

#include "base/loaded.h"
#include "core/attachment.h"
#include "core/session.h"
#include "data/encode.h"
#include "data/sampled.h"
#include "data/short_lived.h"
#include "record/ring.h"
#include "record/chunk.h"
#include "record/program.h"
#include "record/thread_file.h"

#define SAMPLES_PER_CHUNK 8192u
/* number of stacks unwound in one callback; each takes some microseconds, during which the loader waits */
#define STACKS_AT_ONCE 32
#define DEPTH_MAX      64
/* maximum length of the part of a call chain that begins with the innermost frame in the program's own code */
#define DEPTH_BEYOND 16

/* Encoded entries of a chunk. Each entry refers to a sample of the SAMPLES chunk. */
struct entries {
	__u64 last; /* number of the last entry's sample, plus 1 */
	unsigned char *out;
	__u32 count;
};

/* Position in the samples of a chunk and in their stacks. */
struct place {
	struct memphis_thread_record *thread;
	__u64 sample, end;
	struct entries callers, frames;
};

static const struct memphis_sample *find_sample(const struct memphis_thread_record *thread, __u64 number)
{
	const struct memphis_sample *records =
		(const void *)((const char *)thread->status + MEMPHIS_PAGE_BYTES);

	return &records[number & (memphis_session.config.ring_records - 1)];
}

static const struct memphis_user_stack *find_stack(const struct memphis_thread_record *thread, __u64 number)
{
	const struct memphis_config *config = &memphis_session.config;
	const size_t bytes = sizeof(struct memphis_user_stack) + config->stack_bytes;

	return (const void *)((const char *)thread->status + thread->stacks_at +
			      (number & (config->stack_records - 1)) * bytes);
}

/* Returns the stack of a sample, or NULL if it has none. Skips the stacks of earlier samples. */
static const struct memphis_user_stack *find_stack_of_sample(struct memphis_thread_record *thread,
							     __u64 sample)
{
	const struct memphis_user_stack *stack;

	while (thread->stack_tail != thread->stack_head) {
		stack = find_stack(thread, thread->stack_tail);
		if (stack->sample > sample)
			break;
		if (stack->sample == sample)
			return stack;
		thread->stack_tail++;
	}
	return NULL;
}

/* Returns the code of the entry in CALLERS: the sample's call chain, or the reason why there is none. */
static __u32 chain_code(struct memphis_thread_record *thread, __u64 pc,
			const struct memphis_user_stack *stack)
{
	unsigned int depth, i;
	__u64 pcs[DEPTH_MAX];
	int reason;
	__u32 id;

	if (!stack)
		return 2 * MEMPHIS_NO_CALLERS_LOST + 1;
	if (stack->flags & MEMPHIS_STACK_IN_KERNEL)
		return 2 * MEMPHIS_NO_CALLERS_KERNEL + 1;
	if (stack->flags & MEMPHIS_STACK_OVER_BUDGET)
		return 2 * MEMPHIS_NO_CALLERS_BUDGET + 1;
	/*
	 * With IBS, the interrupt comes after the sampled instruction, so `ip` may already be in another function
	 * than `pc`.
	 */
	if (pc != stack->ip && !memphis_stack_are_in_function(&thread->chains, pc, stack->ip))
		return 2 * MEMPHIS_NO_CALLERS_SKID + 1;
	reason = memphis_stack_walk_copy(&thread->chains, stack, pcs, DEPTH_MAX, &depth);
	for (i = 0; i < depth && !memphis_program_contains(pcs[i] - 1); i++)
		;
	if (i == depth && (reason || !depth))
		return 2 * (__u32)(reason ? reason : MEMPHIS_NO_CALLERS_NO_RULE) + 1;
	if (depth > i + DEPTH_BEYOND)
		depth = i + DEPTH_BEYOND;
	id = memphis_stack_store(&thread->chains, pcs, depth);
	return id ? 2 * id : 2 * MEMPHIS_NO_CALLERS_NO_MEMORY + 1;
}

/*
 * Returns the code of the entry in IN_FRAMES: the stack frame that contains the sample's data. Returns 0 if
 * there is no such frame.
 */
static __u32 frame_code(struct memphis_thread_record *thread, const struct memphis_sample *sample,
			const struct memphis_user_stack *stack)
{
	const __u64 low = thread->page->stack_low, high = thread->page->stack_high;
	struct memphis_sampled_frame frame;
	__u64 words[MEMPHIS_FRAME_WORDS];

	if (stack->flags & MEMPHIS_STACK_IN_KERNEL || sample->address - low >= high - low ||
	    stack->sp - low >= high - low)
		return 0;
	/*
	 * Reject a frame beyond the stack: hand-written code may keep a number where its call frame
	 * information expects the frame pointer.
	 */
	if (memphis_stack_frame_in_copy(&thread->chains, stack, sample->pc, sample->address, &frame) ||
	    frame.cfa > high)
		return 0;
	memcpy(words, &frame, sizeof(words));
	return 2 * memphis_stack_store(&thread->in_frames, words, MEMPHIS_FRAME_WORDS);
}

static void add_entry(struct entries *entries, __u64 sample, __u32 code)
{
	entries->out = memphis_encode_varint(entries->out, sample - entries->last);
	entries->out = memphis_encode_varint(entries->out, code);
	entries->last = sample + 1;
	entries->count++;
}

/* Adds entries until there are no more samples, or until STACKS_AT_ONCE stacks were unwound. */
static int add_entries(UNUSED struct dl_phdr_info *info, UNUSED size_t size, void *data)
{
	struct place *place = data;
	struct memphis_thread_record *thread = place->thread;
	unsigned int unwound = 0;
	__u32 chain, frame;
	bool is_program;

	for (; place->sample != place->end && unwound < STACKS_AT_ONCE; place->sample++) {
		const struct memphis_sample *sample = find_sample(thread, place->sample);
		const struct memphis_user_stack *stack = find_stack_of_sample(thread, place->sample);

		is_program = memphis_program_contains(sample->pc);
		if (!stack && is_program)
			continue;
		/* A fault may end this callback inside these calls (see the top of this file). */
		chain = is_program ? 0 : chain_code(thread, sample->pc, stack);
		frame = stack ? frame_code(thread, sample, stack) : 0;
		if (chain)
			add_entry(&place->callers, place->sample, chain);
		if (frame)
			add_entry(&place->frames, place->sample, frame);
		unwound += !!stack;
	}
	return 1; /* no further object is needed */
}

/* Releases the stacks of the samples before number `end`. */
static void skip_stacks(struct memphis_thread_record *thread, __u64 end)
{
	while (thread->stack_tail != thread->stack_head &&
	       find_stack(thread, thread->stack_tail)->sample < end)
		thread->stack_tail++;
	/* The stacks have been read, so the handler may overwrite them. */
	__atomic_store_n(&thread->page->stack_tail, thread->stack_tail, __ATOMIC_RELEASE);
}

/*
 * Entries are collected in these two buffers instead of the stage of the file. The chunks CHAINS and FRAMES
 * must come first in the file, because the entries refer to them.
 */
static unsigned char callers_codes[SAMPLES_PER_CHUNK * MEMPHIS_CALLERS_CODE_BYTES_MAX];
static unsigned char frames_codes[SAMPLES_PER_CHUNK * MEMPHIS_CALLERS_CODE_BYTES_MAX];

static void write_entries(struct memphis_thread_record *thread, __u16 type, const struct entries *entries,
			  const unsigned char *codes)
{
	if (entries->count)
		memphis_file_write_chunk(&thread->file, type, codes, (size_t)(entries->out - codes),
					 entries->count);
}

/*
 * Writes the chunks CHAINS, CALLERS, FRAMES and IN_FRAMES for the thread's last SAMPLES chunk, and releases
 * the stacks of its samples. `first`: number of the chunk's first sample in the ring. `count`: number of its
 * samples.
 */
static void write_callers(struct memphis_thread_record *thread, __u64 first, __u32 count)
{
	struct place place = {.thread = thread,
			      .sample = first,
			      .end = first + count,
			      .callers = {.last = first, .out = callers_codes},
			      .frames = {.last = first, .out = frames_codes}};

	while (place.sample != place.end)
		if (memphis_loaded_each(add_entries, &place) == -EFAULT) {
			if (!memphis_program_contains(find_sample(thread, place.sample)->pc))
				add_entry(&place.callers, place.sample, 2 * MEMPHIS_NO_CALLERS_NO_RULE + 1);
			place.sample++;
		}
	memphis_chunk_write_stacks(&thread->chains, &thread->file, MEMPHIS_CHUNK_CHAINS);
	write_entries(thread, MEMPHIS_CHUNK_CALLERS, &place.callers, callers_codes);
	memphis_chunk_write_stacks(&thread->in_frames, &thread->file, MEMPHIS_CHUNK_FRAMES);
	write_entries(thread, MEMPHIS_CHUNK_IN_FRAMES, &place.frames, frames_codes);
	skip_stacks(thread, first + count);
}

/* Returns true if the thread's ring of stacks is at least half full. */
static bool callers_are_due(const struct memphis_thread_record *thread)
{
	return thread->stacks_at &&
	       2 * (thread->stack_head - thread->stack_tail) >= memphis_session.config.stack_records;
}

#define WRITE_INTERVAL_NS \
	450000000u /* maximum time for which a few samples wait; with the drain's interval, at most half a
		    * second */
/* Interval at which the metadata of a thread without interrupts is updated. It is long because each update takes system calls. */
#define REST_INTERVAL_NS 5000000000u

_Static_assert(SAMPLES_PER_CHUNK *MEMPHIS_SAMPLE_CODE_BYTES_MAX < MEMPHIS_STAGE_BYTES / 2,
	       "a chunk of samples fits the stage");

/* Copies the accounting and the head of the ring consistently. `sequence` is a seqlock (struct memphis_status). */
static void take_snapshot(struct memphis_thread_record *thread)
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
	/* No consistent copy was obtained. The previous snapshot remains valid for the records up to its head. */
}

static const struct memphis_sample *ring_records(const struct memphis_thread_record *thread)
{
	return (const struct memphis_sample *)((const char *)thread->status + MEMPHIS_PAGE_BYTES);
}

/*
 * Records the addresses of new samples, so that the allocation records of their blocks are kept. Includes
 * samples that stay in the ring for a while.
 */
static void touch_samples(struct memphis_thread_record *thread)
{
	const struct memphis_sample *records = ring_records(thread);
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

void memphis_ring_take_snapshot(struct memphis_thread_record *thread)
{
	if (thread->stacks_at)
		memphis_attachment_pass_bounds(thread);
	take_snapshot(thread);
	touch_samples(thread);
}

/* Writes the samples between the ring's tail and its head. */
static void write_samples(struct memphis_thread_record *thread)
{
	__u32 capacity = memphis_session.config.ring_records;
	const struct memphis_sample *records = ring_records(thread);
	__u64 total = thread->head - thread->tail;

	if (total > capacity)
		total = 0; /* the kernel violates the ABI: write nothing rather than garbage */
	while (thread->tail != thread->head && total) {
		static const struct memphis_sample none;
		const struct memphis_sample *sample, *previous = &none;
		__u64 n = thread->head - thread->tail, i;
		unsigned char *start, *p;

		if (n > SAMPLES_PER_CHUNK)
			n = SAMPLES_PER_CHUNK;
		start = p = memphis_file_chunk_begin(&thread->file, MEMPHIS_CHUNK_SAMPLES,
						     n * MEMPHIS_SAMPLE_CODE_BYTES_MAX);
		for (i = 0; i < n; i++) {
			sample = &records[(thread->tail + i) & (capacity - 1)];
			p += memphis_encode_sample(p, sample, previous);
			previous = sample;
		}
		memphis_file_chunk_end(&thread->file, (size_t)(p - start), (__u32)n);
		if (thread->stacks_at)
			write_callers(thread, thread->tail, (__u32)n);
		thread->tail += n;
		/* The records have been copied, so the handler may overwrite them. */
		__atomic_store_n(&thread->page->tail, thread->tail, __ATOMIC_RELEASE);
	}
}

void memphis_ring_write_samples(struct memphis_thread_record *thread, int final)
{
	__u64 now = now_ns();

	if (!thread->has_file)
		return; /* there is nothing to write, see memphis_thread_file_ensure_if_used() */
	/*
	 * Let a few samples wait for more, because a chunk and its accounting take as many bytes as a dozen
	 * samples. But do not wait if the ring of stacks is half full: the device then reports the ring as
	 * ready until it is read.
	 */
	if (!final && !callers_are_due(thread) &&
	    thread->head - thread->tail < memphis_session.config.wakeup_records &&
	    now - thread->written_ns < WRITE_INTERVAL_NS)
		return;
	/* There is neither a new sample nor a new interrupt. */
	if (!final && thread->written_ns && thread->head == thread->tail &&
	    now - thread->written_ns < REST_INTERVAL_NS &&
	    !memcmp(&thread->accounting, &thread->accounting_written, sizeof(thread->accounting)))
		return;
	if (memphis_thread_file_ensure(thread)) {
		/*
		 * There is no file, so discard the samples to keep the ring from filling up. The accounting in
		 * the file shows that the file ended early.
		 */
		thread->tail = thread->head;
		if (thread->stacks_at)
			skip_stacks(thread, thread->tail);
		__atomic_store_n(&thread->page->tail, thread->tail, __ATOMIC_RELEASE);
		return;
	}
	memphis_thread_file_write_metadata(thread, 0);
	write_samples(thread);
	if (!thread->written_ns ||
	    memcmp(&thread->accounting, &thread->accounting_written, sizeof(thread->accounting))) {
		memphis_file_write_chunk(&thread->file, MEMPHIS_CHUNK_ACCOUNTING, &thread->accounting,
					 sizeof(thread->accounting), 1);
		thread->accounting_written = thread->accounting;
	}
	thread->written_ns = now;
	memphis_chunk_commit(&thread->file);
}
