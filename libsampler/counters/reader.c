/* SPDX-License-Identifier: BSD-3-Clause */
/* The companion that reads counters: its schedule, the requests that wake it, and the functions that wait for its readings. */
#include <fcntl.h>
#include <string.h>

#include "base/companion.h"
#include "base/lock.h"
#include "counters/reader.h"
#include "counters/helper.h"
#include "counters/values.h"
#include "settings/counter_list.h"
#include "settings/env.h"

#define PAUSE_NS     10000000u /* minimum time between two readings */
#define CHUNK_VALUES 4096u

/* Bits of the variable `word`. */
#define KICKED 0x1 /* a caliper was opened or closed */
#define ASKED  0x2 /* a thread is waiting for a reading */
#define LAST   0x4 /* end the companion after the next reading */

/* Sources in the order in which they are read. Slow sources are last, so that they do not delay the others. */
static const struct memphis_counters_source *const sources[] = {
	&memphis_counters_numastat, &memphis_counters_vmstat, &memphis_counters_net,  &memphis_counters_io,
	&memphis_counters_uncore,   &memphis_counters_pcp,    &memphis_counters_papi,
};

static MEMPHIS_AT_FORK struct memphis_counters_values *values;
static struct memphis_counters_reading readings[ARRAY_SIZE(sources)];
static MEMPHIS_AT_FORK unsigned int reading_count;
static char names[MEMPHIS_COUNTER_LIST_MAX];

static void run_reader(void);

static MEMPHIS_AT_FORK struct memphis_companion companion = {.name = MEMPHIS_COUNTERS_NAME,
							     .run = run_reader};
static MEMPHIS_AT_FORK _Atomic __u32 word; /* futex; contains the requests to the companion */
static MEMPHIS_AT_FORK _Atomic __u32 asked,
	answered; /* numbers of readings that were requested and completed; `answered` is a futex */
static MEMPHIS_AT_FORK _Atomic int sleeping;
static MEMPHIS_AT_FORK _Atomic __u64 late; /* readings that were not completed in time */
static MEMPHIS_AT_FORK _Atomic bool apart; /* the companion has its own descriptor table */
static MEMPHIS_AT_FORK __u64 values_seen,
	marks_seen; /* heads of the queues at the latest memphis_counters_take_snapshot(); used by the drain
		     * only */

/* Opens the requested sources. A source that fails is reported as refused and is not read. */
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

static void read_sources(__u64 interval_ns)
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
 * Sleeps until the next reading is due at `due_ns`, or until a reading is requested. Calipers can't request a
 * reading before `soonest_ns`.
 */
static void sleep_until(__u64 soonest_ns, __u64 due_ns)
{
	__u32 bits;

	/*
	 * Calipers may be opened thousands of times per second. Their requests wait until the pause is over,
	 * and do not wake this companion.
	 */
	while (!((bits = atomic_load(&word)) & (ASKED | LAST)) && now_ns() < soonest_ns)
		sys_wait(&word, bits, soonest_ns);
	atomic_store(&sleeping, 1);
	while (!atomic_load(&word) && now_ns() < due_ns)
		sys_wait(&word, 0, due_ns);
	atomic_store(&sleeping, 0);
}

static void run_reader(void)
{
	const __u64 interval_ns = memphis_settings.counters_interval_ms * 1000000;
	__u64 start, due;
	__u32 bits = 0, upto;

	memphis_companion_leave_session();
	apart = !memphis_companion_own_descriptors(NULL, 0);
	open_sources();
	/* Read the values at the start, even if the last reading is already requested. */
	read_sources(interval_ns);
	while (!(bits & LAST)) {
		bits = atomic_exchange(&word, 0);
		upto = atomic_load(&asked);
		start = now_ns();
		if (!(bits & (ASKED | LAST)) && !memphis_companion_is_needed())
			bits = LAST; /* if the program has ended, its drain may not have requested the
				      * last reading */
		read_sources(interval_ns);
		if (bits & LAST)
			close_sources();
		atomic_store(&answered, upto);
		sys_wake(&answered, INT_MAX);
		due = start + interval_ns;
		if (!(bits & LAST))
			sleep_until(now_ns() + PAUSE_NS, due);
	}
}

void memphis_counters_start(struct memphis_session *s)
{
	struct memphis_thread_record *leader;

	if (!*memphis_settings.counters)
		return;
	if (!values)
		values = sys_map(sizeof(*values));
	memphis_helper_setup();
	reading_count = 0; /* metrics are identified by name, so known metrics keep their ids */
	word = 0;
	sleeping = 0;
	if (!values || memphis_companion_start(&companion)) {
		atomic_store(&late, 1);
		return;
	}
	memphis_lock_take(&s->lead.lock);
	memphis_session_watch((int)memphis_settings.counters_depth);
	leader = atomic_load(&s->lead.leader);
	if (leader && leader->depth)
		memphis_counters_note(memphis_counter_region(s, leader));
	memphis_lock_release(&s->lead.lock);
}

void memphis_counters_note(__u32 region)
{
	memphis_counters_mark_add(values, now_ns(), region);
	atomic_fetch_or(&word, KICKED);
	if (atomic_load(&sleeping))
		sys_wake(&word, INT_MAX);
}

void memphis_counters_note_lost(void)
{
	atomic_fetch_add(&values->marks_left_out, 1);
}

void memphis_counters_read(bool last, unsigned int timeout_ms)
{
	const __u64 until = now_ns() + timeout_ms * 1000000ull;
	__u32 mine, seen;

	if (!memphis_companion_runs(&companion))
		return;
	mine = atomic_fetch_add(&asked, 1) + 1;
	atomic_fetch_or(&word, last ? ASKED | LAST : ASKED);
	sys_wake(&word, INT_MAX);
	while ((__s32)((seen = atomic_load(&answered)) - mine) < 0 && now_ns() < until &&
	       memphis_companion_runs(&companion))
		sys_wait(&answered, seen, until);
	if ((__s32)(seen - mine) < 0)
		atomic_fetch_add(&late, 1);
	if (last)
		memphis_companion_wait(&companion, until);
}

/*
 * Forgets the descriptors of a companion that has its own descriptor table. A child does not inherit this
 * table. In the child, the same numbers may be descriptors of the program. A check of the inode would not
 * detect this, because all events, epolls and timers of the kernel have the same inode.
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
	sleeping = 0;
	memphis_companion_forked(&companion);
	late = 0;
	values_seen = marks_seen = 0;
	memphis_session_watch(0);
}

void memphis_counters_take_snapshot(void)
{
	if (!values)
		return;
	values_seen = atomic_load_explicit(&values->values_head, memory_order_acquire);
	marks_seen = atomic_load_explicit(&values->marks_head, memory_order_acquire);
}

void memphis_counters_write(struct memphis_text_buffer *text, struct memphis_sample_file *file)
{
	struct memphis_counter_value *value;
	struct memphis_counter_mark *mark;
	__u32 count;

	if (!values)
		return;
	memphis_counters_metrics_take(values, text);
	if (text->lines && !text->error)
		memphis_file_write_chunk(file, MEMPHIS_CHUNK_COUNTER_METRICS, text->data, text->used,
					 text->lines);
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
