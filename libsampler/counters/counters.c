/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that reads counters: its schedule, the requests that wake it up, and the functions that wait for
 * its readings.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <string.h>

#include "counters/counters.h"
#include "settings/counter_list.h"
#include "counters/values.h"
#include "settings/env.h"
#include "base/own_thread.h"

#define PAUSE_NS     10000000u /* minimum time between two readings */
#define DEFERRED_MS  5         /* polling interval of await_files() */
#define CHUNK_VALUES 4096u

/* Bits of the variable `word`. */
#define KICKED 0x1 /* a caliper was opened or closed */
#define ASKED  0x2 /* a thread is waiting for a reading */
#define LAST   0x4 /* end the thread after the next reading */

/* Sources in the order in which they are read: slow sources last, so that they do not delay the others. */
static const struct memphis_counters_source *const sources[] = {
	&memphis_counters_numastat, &memphis_counters_vmstat, &memphis_counters_net,  &memphis_counters_io,
	&memphis_counters_uncore,   &memphis_counters_pcp,    &memphis_counters_papi,
};

static struct memphis_counters_values *values;
static struct memphis_counters_reading readings[ARRAY_SIZE(sources)];
static unsigned int reading_count;
static char names[MEMPHIS_COUNTER_LIST_MAX];

static _Atomic __u32 word;            /* futex; contains the requests to the thread */
static _Atomic __u32 asked, answered; /* numbers of readings requested and completed; `answered` is a futex */
static _Atomic int sleeping, tid, ended;
static _Atomic __u64 late; /* readings that were not complete in time */
static bool left;          /* memphis_counters_leave() has ended the thread */
static _Atomic bool apart; /* the thread has a descriptor table of its own */
static __u64 values_seen,
	marks_seen; /* heads of the queues at the latest memphis_counters_snapshot(); used by the drain only */

static void wake(_Atomic __u32 *futex)
{
	int saved = errno;

	syscall(SYS_futex, futex, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

/* Sleeps while *futex equals `value`, at most until the CLOCK_MONOTONIC time `until_ns`. May return early. */
static void wait_for(_Atomic __u32 *futex, __u32 value, __u64 until_ns)
{
	const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};

	syscall(SYS_futex, futex, FUTEX_WAIT_BITSET_PRIVATE, value, &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

pid_t memphis_counters_tid(void)
{
	return atomic_load(&ended) ? 0 : atomic_load(&tid);
}

/* Opens the requested sources. Sources that fail are reported as refused, and not read. */
static void open_sources(void)
{
	struct memphis_counters_reading *reading;
	const char *why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!memphis_counters_wants(memphis_settings.counters, sources[i]->name, names))
			continue;
		reading = &readings[reading_count];
		memphis_counters_reading_init(reading, values, sources[i]);
		why = sources[i]->open ? sources[i]->open(&reading->sink, names) : NULL;
		if (why)
			reading->sink.refuse(&reading->sink, sources[i]->name, why);
		else
			reading_count++;
	}
}

static void close_sources(void)
{
	unsigned int i;

	for (i = 0; i < reading_count; i++)
		if (readings[i].source->close)
			readings[i].source->close();
}

static void read_all(__u64 interval_ns)
{
	__u64 start = now_ns(), after = start;
	bool waits = false;
	const char *why;
	unsigned int i;

	for (i = 0; i < reading_count; i++) {
		memphis_counters_reading_begin(&readings[i], after);
		why = readings[i].source->read(&readings[i].sink);
		after = now_ns();
		memphis_counters_reading_end(&readings[i], after, why);
		waits |= why == memphis_counters_late;
	}
	if (waits || after - start > interval_ns)
		atomic_fetch_add(&late, 1);
}

/*
 * Sleeps until the next reading is due at `due_ns` or is requested earlier. Calipers can't request it before
 * `soonest_ns`.
 */
static void sleep_until(__u64 soonest_ns, __u64 due_ns)
{
	__u32 bits;

	/*
	 * Calipers may be opened thousands of times per second, so their requests wait until the pause is
	 * over, without waking this thread.
	 */
	while (!((bits = atomic_load(&word)) & (ASKED | LAST)) && now_ns() < soonest_ns)
		wait_for(&word, bits, soonest_ns);
	atomic_store(&sleeping, 1);
	while (!atomic_load(&word) && now_ns() < due_ns)
		wait_for(&word, 0, due_ns);
	atomic_store(&sleeping, 0);
}

/*
 * Waits until the process has files. A forked child that executes another program at once never has files,
 * and its counters are not read.
 */
static void await_files(void)
{
	const struct timespec pause = {.tv_nsec = DEFERRED_MS * 1000000};

	while (atomic_load(&memphis_session.deferred) && !(atomic_load(&word) & LAST))
		nanosleep(&pause, NULL);
}

/*
 * Gives the thread a separate descriptor table, since it opens files at each reading. The program's lowest
 * free number then does not change, and the program can't close the thread's descriptors. Numbers 0 to 2 are
 * opened, because libraries treat them as the standard streams. Before Linux 5.9, the table remains shared.
 */
static void part_with_descriptors(void)
{
	int i;

	apart = !syscall(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE);
	if (!apart)
		return;
	for (i = 0; i < 3; i++)
		if (open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			errno = 0;
}

static void *read_on(void *unused)
{
	const __u64 interval_ns = memphis_settings.counter_interval_ms * 1000000;
	__u64 start, due;
	__u32 bits = 0, upto;

	(void)unused;
	part_with_descriptors();
	atomic_store(&tid, sys_gettid());
	wake((_Atomic __u32 *)&tid);
	await_files();
	open_sources();
	while (!(bits & LAST)) {
		bits = atomic_exchange(&word, 0);
		upto = atomic_load(&asked);
		start = now_ns();
		read_all(interval_ns);
		if (bits & LAST)
			close_sources();
		atomic_store(&answered, upto);
		wake(&answered);
		due = start + interval_ns;
		if (!(bits & LAST))
			sleep_until(now_ns() + PAUSE_NS, due);
	}
	atomic_store(&ended, 1);
	return NULL;
}

void memphis_counters_start(struct memphis_session *s)
{
	static const struct memphis_own_thread thread = {"memphis-context", read_on};
	struct memphis_thread *leader;

	if (!*memphis_settings.counters)
		return;
	if (!values)
		values = sys_map(sizeof(*values));
	if (!values || memphis_own_thread_start(&thread)) {
		atomic_store(&late, 1);
		return;
	}
	/* The tid must be known before the threads of the process are listed for attaching. */
	while (!atomic_load(&tid))
		wait_for((_Atomic __u32 *)&tid, 0, now_ns() + 1000000000);
	pthread_mutex_lock(&s->lead_lock);
	memphis_session_watch((int)memphis_settings.counter_depth);
	leader = atomic_load(&s->leader);
	if (leader && leader->depth)
		memphis_counters_note(memphis_counter_region(s, leader));
	pthread_mutex_unlock(&s->lead_lock);
}

void memphis_counters_note(__u32 region)
{
	memphis_counters_mark_add(values, now_ns(), region);
	atomic_fetch_or(&word, KICKED);
	if (atomic_load(&sleeping))
		wake(&word);
}

void memphis_counters_note_lost(void)
{
	atomic_fetch_add(&values->marks_left_out, 1);
}

void memphis_counters_read(bool last, unsigned int timeout_ms)
{
	const struct timespec moment = {.tv_nsec = 100000};
	const __u64 until = now_ns() + timeout_ms * 1000000ull;
	const pid_t thread = memphis_counters_tid();
	__u32 mine, seen;

	if (!thread)
		return;
	mine = atomic_fetch_add(&asked, 1) + 1;
	atomic_fetch_or(&word, last ? ASKED | LAST : ASKED);
	wake(&word);
	while ((__s32)((seen = atomic_load(&answered)) - mine) < 0 && now_ns() < until)
		wait_for(&answered, seen, until);
	if ((__s32)(seen - mine) < 0)
		atomic_fetch_add(&late, 1);
	/*
	 * Wait until the thread has ended. If a process contains only threads of the library, the last one
	 * calls exit(3), which flushes the program's streams. That must be the drain, since this thread does
	 * not have the program's descriptors.
	 */
	while (last && !sys_thread_is_gone(thread) && now_ns() < until)
		nanosleep(&moment, NULL);
}

int memphis_counters_leave(unsigned int timeout_ms)
{
	const pid_t thread = memphis_counters_tid();

	memphis_counters_read(true, timeout_ms);
	left = thread && sys_thread_is_gone(thread);
	return !thread || left ? 0 : -ETIMEDOUT;
}

/* Metrics are identified by name, so known metrics keep their ids. */
void memphis_counters_return(struct memphis_session *s)
{
	if (!left)
		return;
	left = false;
	reading_count = 0;
	word = 0;
	sleeping = tid = ended = 0;
	memphis_counters_start(s);
}

/*
 * A child does not have the descriptors of a thread with a table of its own: behind their numbers are the program's, which may look the same,
 * since all events, epolls and timers of the kernel have one inode.
 */
void memphis_counters_forked(void)
{
	if (!apart)
		close_sources();
	reading_count = 0;
	if (values)
		sys_unmap(values, sizeof(*values));
	values = NULL;
	word = asked = answered = 0;
	sleeping = tid = ended = 0;
	left = false;
	late = 0;
	values_seen = marks_seen = 0;
	memphis_session_watch(0);
}

void memphis_counters_snapshot(void)
{
	if (!values)
		return;
	values_seen = atomic_load_explicit(&values->values_head, memory_order_acquire);
	marks_seen = atomic_load_explicit(&values->marks_head, memory_order_acquire);
}

void memphis_counters_write(struct memphis_text *text, struct memphis_file *file)
{
	struct memphis_counter_value *value;
	struct memphis_counter_mark *mark;
	__u32 count;

	if (!values)
		return;
	memphis_counters_metrics_take(values, text);
	if (text->lines && !text->error)
		memphis_file_chunk(file, MEMPHIS_CHUNK_COUNTER_METRICS, text->data, text->used, text->lines);
	memphis_text_clear(text);
	while (values_seen != atomic_load_explicit(&values->values_tail, memory_order_relaxed)) {
		value = memphis_file_chunk_begin(file, MEMPHIS_CHUNK_COUNTERS, CHUNK_VALUES * sizeof(*value));
		count = memphis_counters_values_take(values, values_seen, value, CHUNK_VALUES);
		memphis_file_chunk_end(file, count * sizeof(*value), count);
	}
	if (marks_seen != atomic_load_explicit(&values->marks_tail, memory_order_relaxed)) {
		mark = memphis_file_chunk_begin(file, MEMPHIS_CHUNK_COUNTER_MARKS,
						MEMPHIS_COUNTER_MARKS_MAX * sizeof(*mark));
		count = memphis_counters_marks_take(values, marks_seen, mark, MEMPHIS_COUNTER_MARKS_MAX);
		memphis_file_chunk_end(file, count * sizeof(*mark), count);
	}
}

struct memphis_counters_losses memphis_counters_losses(void)
{
	struct memphis_counters_losses losses = {.readings_late = atomic_load(&late)};

	if (values) {
		losses.values_left_out = atomic_load(&values->values_left_out);
		losses.marks_left_out = atomic_load(&values->marks_left_out);
		losses.metrics_left_out = atomic_load(&values->metrics_left_out);
		losses.metrics_refused = atomic_load(&values->metrics_refused);
	}
	return losses;
}
