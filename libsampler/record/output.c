/* SPDX-License-Identifier: BSD-3-Clause */
/* What one pass of the drain does: rings, events, regions and metadata become chunks. Run by the drain alone. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "data/blocks.h"
#include "core/attachment.h"
#include "base/clock.h"
#include "counters/counters.h"
#include "data/encode.h"
#include "settings/env.h"
#include "record/metadata.h"
#include "record/pointer_scan.h"
#include "data/short_lived.h"
#include "core/names.h"
#include "record/output.h"
#include "backend/backend.h"
#include "record/output_paths.h"
#include "base/proc.h"
#include "base/say.h"
#include "core/stamp.h"

#define TAKE_EVENTS       MEMPHIS_SHORT_LIVED_EVENTS
#define SAMPLES_PER_CHUNK 8192u
#define WRITE_INTERVAL_NS 450000000u /* with the drain's own: at most half a second */
#define OPEN_FILES_MAX    256        /* thread files whose descriptors stay open, at most */
#define OPEN_FILES_SHARE  8          /* of those that the program may have, if they are from the same stock */
#define NAME_INTERVAL_NS  5000000000u /* threads may be renamed, and only a file of the system tells */
#define REST_INTERVAL_NS \
	5000000000u /* of a thread that is not interrupted: its other metadata take system calls */

_Static_assert(SAMPLES_PER_CHUNK *MEMPHIS_SAMPLE_CODE_BYTES_MAX < MEMPHIS_STAGE_BYTES / 2,
	       "a chunk of samples fits the stage");
_Static_assert(TAKE_EVENTS * sizeof(struct memphis_allocation) < MEMPHIS_STAGE_BYTES / 2,
	       "a chunk of allocations fits the stage");

struct output {
	struct memphis_blocks blocks;
	struct memphis_region *regions_written;
	struct memphis_text text;
	struct memphis_event *events;       /* TAKE_EVENTS, and as they go to the file: */
	struct memphis_allocation *records; /* as many */
	__u64 mark;                         /* stamp: events up to it can be converted */
	__u64 records_granted, allocations_left_out;
	__u64 holders_left_out;
	_Atomic __u64 maps_version; /* of the loader, + 1 */
	__u64 losses_sum;           /* of all counts, as last written */
	int open_files, open_files_max;
	int error_told;
};

static struct output out;
static _Atomic __u64 block_changes;

void memphis_output_forked(bool past_handlers)
{
	/* Inherited blocks stay in the table, as holders are still searched for them; but a change of it may have been under way. */
	if (past_handlers)
		memphis_blocks_free(&out.blocks);
	memphis_text_clear(&out.text);
	memphis_session.stage.aside = false;
}

__u64 memphis_output_block_changes(void)
{
	return atomic_load(&block_changes);
}

int memphis_output_lacks_maps(void)
{
	return atomic_load(&out.maps_version) != memphis_metadata_maps_version() + 1;
}

int memphis_output_events_waiting(void)
{
	struct memphis_thread *thread;

	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && memphis_events_waiting(&thread->events))
			return 1;
	return 0;
}

static void commit(struct memphis_file *file)
{
	int before = file->error;
	int err = memphis_file_commit(file);

	if (!err || before || out.error_told)
		return;
	out.error_told = 1;
	memphis_say(
		"memphis: %s: %s at offset %llu; what stands before is complete, the rest of this file is "
		"left out\n",
		file->path, strerror(-err), file->offset);
}

static void add_text_chunk(struct memphis_file *file, __u16 type, struct memphis_text *text)
{
	if (text->lines && !text->error)
		memphis_file_chunk(file, type, text->data, text->used, text->lines);
	memphis_text_clear(text);
}

/* The thread's name into `name`: of one that has ended, what it left. */
static void look_at_name(struct memphis_thread *thread, int ended, char name[16])
{
	char path[MEMPHIS_PROC_PATH];
	ssize_t length;
	int fd;

	memphis_proc(path, "task/%d/comm", (int)thread->tid);
	fd = ended ? -1 : memphis_fd_keep(&thread->comm, path, O_RDONLY);
	if (fd < 0) {
		memcpy(name, thread->last_name, 16);
		return;
	}
	length = pread(fd, name, 15, 0);
	if (out.open_files > out.open_files_max / 2)
		memphis_fd_close(&thread->comm);
	if (length < 0)
		length = 0;
	name[length - (length && name[length - 1] == '\n')] = '\0';
}

static void add_name(struct memphis_thread *thread, int ended)
{
	__u64 now = now_ns();
	char name[16];

	if (!ended && thread->named_ns && now - thread->named_ns < NAME_INTERVAL_NS)
		return;
	thread->named_ns = now;
	look_at_name(thread, ended, name);
	if (!*name || !strcmp(name, thread->name_told))
		return;
	memcpy(thread->name_told, name, sizeof(name));
	memphis_text_pair(&out.text, "name", name);
}

/* One STACK_FRAMES chunk for each record that the thread has queued. */
static void add_frames(struct memphis_thread *thread)
{
	struct memphis_frames *frames = __atomic_load_n(&thread->frames, __ATOMIC_ACQUIRE);
	__u64 words[MEMPHIS_FRAMES_RECORD_WORDS];
	size_t bytes;

	while ((bytes = memphis_frames_take(frames, words)))
		memphis_file_chunk(&thread->file, MEMPHIS_CHUNK_STACK_FRAMES, words, bytes, 1);
}

/* The THREAD chunk: at the start of the file, and again with what has become known or has changed. */
static void add_thread_metadata(struct memphis_thread *thread, int ended)
{
	struct memphis_text *text = &out.text;
	int openmp = __atomic_load_n(&thread->openmp, __ATOMIC_RELAXED);
	__u64 high;

	add_name(thread, ended);
	if (!thread->facts_told) {
		memphis_text_add(text, "start_time_ns %llu\n", thread->start_ns);
		if (thread->tid == memphis_session.pid)
			memphis_text_add(text, "main 1\n");
		memphis_text_add(text, "attached %d\n", thread->attachment == MEMPHIS_ATTACHED);
		if (thread->attach_error)
			memphis_text_pair(text, "attach_error", strerror(-thread->attach_error));
		thread->facts_told = 1;
	}
	if (openmp != thread->openmp_told)
		memphis_text_add(text, "openmp_thread %d\n", openmp - 1);
	thread->openmp_told = openmp;
	/* Known from the thread's first call of the library on. */
	high = __atomic_load_n(&thread->stacks.high, __ATOMIC_ACQUIRE);
	if (high && !thread->stack_told) {
		memphis_text_add(text, "stack 0x%llx-0x%llx\n", thread->stacks.low, high);
		thread->stack_told = 1;
	}
	if (ended)
		memphis_text_add(text, "end_time_ns %llu\n", now_ns());
	add_text_chunk(&thread->file, MEMPHIS_CHUNK_THREAD, text);
	memphis_tls_add(text, &thread->tls, ended);
	add_text_chunk(&thread->file, MEMPHIS_CHUNK_TLS, text);
	add_frames(thread);
}

/* The thread's file, made when there is something for it. 0 or -errno. */
static int need_file(struct memphis_thread *thread)
{
	int m, err = -EEXIST;

	if (thread->has_file)
		return thread->file.error;
	for (m = 0; m < 1000000 && err == -EEXIST; m++) {
		char suffix[16] = "";

		if (m)
			snprintf(suffix, sizeof(suffix), ".%d", m);
		if (memphis_output_path(&thread->path, &thread->path_bytes, "%d%s.thread.memphis",
					(int)thread->tid, suffix))
			return -ENOMEM;
		err = memphis_file_create(&thread->file, &memphis_session.stage, thread->path,
					  &memphis_session.run, MEMPHIS_FILE_THREAD, (__u32)thread->tid,
					  out.open_files < out.open_files_max);
	}
	thread->has_file = 1;
	if (err) {
		thread->file.error = err;
		if (!out.error_told) {
			out.error_told = 1;
			memphis_say("memphis: %s: %s; this thread's samples are left out\n", thread->path,
				    strerror(-err));
		}
		return err;
	}
	out.open_files++;
	add_thread_metadata(thread, 0);
	return 0;
}

/* Stacks that were stored since the last time. */
static void add_stacks(struct memphis_thread *thread)
{
	struct memphis_stacks *stacks = &thread->stacks;
	struct memphis_stack_block *block, *next;

	if (!stacks->written_block)
		stacks->written_block = atomic_load_explicit(&stacks->first, memory_order_acquire);
	for (block = stacks->written_block; block; block = next) {
		__u64 used, at;
		__u32 count = 0;

		next = atomic_load_explicit(&block->next, memory_order_acquire);
		/* After `next`: a block with a successor is full. */
		used = atomic_load_explicit(&block->used, memory_order_acquire);
		for (at = stacks->written; at < used; count++) {
			struct memphis_stack header;

			memcpy(&header, &block->words[at], sizeof(header));
			at += 1 + header.depth;
		}
		if (count)
			memphis_file_chunk(&thread->file, MEMPHIS_CHUNK_STACKS,
					   &block->words[stacks->written], 8 * (used - stacks->written),
					   count);
		stacks->written = used;
		if (!next)
			break;
		stacks->written_block = next;
		stacks->written = 0;
	}
}

/*
 * Keep the live blocks up to date; say whether the record is to be written. With a block's record goes the room for that
 * of its release.
 */
static int admit(const struct memphis_allocation *event)
{
	int allocates = memphis_allocates(event->kind);
	int full = out.records_granted >= memphis_settings.alloc_max_records;
	const struct memphis_block *block = memphis_blocks_find(&out.blocks, event->address);
	int has_room = event->kind == MEMPHIS_ALLOCATION_FREE && block && block->is_live;

	if (full && allocates) {
		out.allocations_left_out++;
		return 0;
	}
	if (full && event->kind == MEMPHIS_ALLOCATION_FREE && !has_room)
		return 0;
	memphis_blocks_put(&out.blocks, event->address, event->time_ns, allocates);
	if (!has_room)
		out.records_granted += event->kind == MEMPHIS_ALLOCATION_MALLOC ? 2 : 1;
	return 1;
}

/*
 * Half of the records are for whatever comes. From then on a block of the allocator's has its record when a sample
 * falls into it; what is released or still there at the end without one, explains nothing. A moved one keeps its
 * identity, so that both records of realloc() are written. Returns whether the event waits or is dropped.
 */
static int withhold(struct memphis_thread *thread, const struct memphis_allocation *event, int is_moved)
{
	int dropped;

	if (event->kind == MEMPHIS_ALLOCATION_FREE) {
		if (is_moved)
			memphis_withheld_touch(event->address);
		dropped = !is_moved && memphis_withheld_drop(event->address);
		memphis_session.allocations_unsampled += (__u64)dropped;
		if (dropped)
			memphis_blocks_put(&out.blocks, event->address, event->time_ns, 0);
		return dropped;
	}
	if (event->kind != MEMPHIS_ALLOCATION_MALLOC || event->previous ||
	    out.records_granted < memphis_settings.alloc_max_records / 2 ||
	    memphis_short_lived_is_touched(event->address, event->size_bytes))
		return 0;
	dropped = memphis_withheld_add(&thread->withheld, event);
	if (dropped < 0)
		return 0;
	memphis_session.allocations_unsampled += (__u64)dropped;
	/* Whoever holds it is looked for meanwhile. */
	memphis_blocks_put(&out.blocks, event->address, event->time_ns, 1);
	return 1;
}

/* A signal handler's events may stand before those of the call it interrupted: sort what is nearly sorted. */
static void sort_events(struct memphis_allocation *events, size_t count)
{
	size_t i, j;

	for (i = 1; i < count; i++) {
		struct memphis_allocation event = events[i];

		for (j = i; j && events[j - 1].time_ns > event.time_ns; j--)
			events[j] = events[j - 1];
		events[j] = event;
	}
}

static void write_records(struct memphis_thread *thread, size_t count)
{
	if (!count || need_file(thread))
		return;
	sort_events(out.records, count);
	add_stacks(thread);
	memphis_file_chunk(&thread->file, MEMPHIS_CHUNK_ALLOCATIONS, out.records,
			   count * sizeof(*out.records), (__u32)count);
	commit(&thread->file);
}

/* Records that waited: of blocks that were sampled meanwhile, or `all`, as nobody will write the others. */
static void write_withheld(struct memphis_thread *thread, int all)
{
	size_t count, kept, i;

	while ((count = memphis_withheld_take(&thread->withheld, out.records, TAKE_EVENTS, all))) {
		for (i = kept = 0; i < count; i++)
			if (admit(&out.records[i]))
				out.records[kept++] = out.records[i];
		write_records(thread, kept);
	}
}

/* `complete`: all samples up to then were looked at. */
static void write_events(struct memphis_thread *thread, __u64 upto, int complete)
{
	size_t taken, stay, kept, i;
	int is_moved;

	write_withheld(thread, 0);
	memphis_session.allocations_unsampled += atomic_exchange(&thread->events.unsampled, 0);
	do {
		taken = memphis_events_take(&thread->events, out.events, TAKE_EVENTS, upto);
		stay = complete ? memphis_short_lived_drop(out.events, taken,
							   &memphis_session.allocations_unsampled)
				: taken;
		for (i = kept = 0; i < stay; i++) {
			out.records[kept] = out.events[i].record;
			out.records[kept].time_ns = memphis_clock_ns(out.records[kept].time_ns);
			is_moved = i + 1 < stay &&
				   out.events[i + 1].record.previous == out.records[kept].address;
			if (!withhold(thread, &out.records[kept], is_moved || !complete))
				kept += (size_t)admit(&out.records[kept]);
		}
		write_records(thread, kept);
	} while (taken == TAKE_EVENTS);
	block_changes = out.blocks.changes;
}

static void write_names(struct memphis_thread *thread)
{
	memphis_names_take(thread, &out.text);
	if (!out.text.lines)
		return;
	if (!need_file(thread)) {
		add_text_chunk(&thread->file, MEMPHIS_CHUNK_NAMES, &out.text);
		commit(&thread->file);
	}
	memphis_text_clear(&out.text);
}

/* Books and head as they stood at one moment (struct memphis_status tells how). */
static void snapshot(struct memphis_thread *thread)
{
	const struct memphis_status *status = thread->status;
	struct memphis_accounting accounting;
	__u32 before, after;
	__u64 head;
	int tries;

	for (tries = 0; tries < 1000000; tries++) {
		before = __atomic_load_n(&status->sequence, __ATOMIC_ACQUIRE);
		head = *(const volatile __u64 *)&status->head;
		memcpy(&accounting, (const void *)&status->accounting, sizeof(accounting));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&status->sequence, __ATOMIC_RELAXED);
		if (before == after && !(before & 1)) {
			thread->head = head;
			thread->accounting = accounting;
			return;
		}
	}
	/* What was true before is still true of the records up to there. */
}

static const struct memphis_sample *records_of(const struct memphis_thread *thread)
{
	return (const struct memphis_sample *)((const char *)thread->status + MEMPHIS_PAGE_BYTES);
}

/* Tell the events' side where samples fell, also those that stay in the ring for a while. */
static void touch(struct memphis_thread *thread)
{
	const struct memphis_sample *records = records_of(thread);
	__u32 capacity = memphis_session.config.ring_records;
	__u64 i = thread->touched;

	if (thread->head - i > capacity)
		i = thread->head - capacity;
	for (; i < thread->head; i++)
		memphis_short_lived_touch(records[i & (capacity - 1)].address);
	thread->touched = thread->head;
}

/* The samples from tail to head. */
static void write_samples(struct memphis_thread *thread)
{
	__u32 capacity = memphis_session.config.ring_records;
	const struct memphis_sample *records = records_of(thread);
	__u64 total = thread->head - thread->tail;

	if (total > capacity)
		total = 0; /* not what the ABI promises: take nothing rather than nonsense */
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
		thread->tail += n;
		/* The records are copied: the handler may have their room. */
		__atomic_store_n(&thread->page->tail, thread->tail, __ATOMIC_RELEASE);
	}
}

static void write_ring(struct memphis_thread *thread, int final)
{
	__u64 now = now_ns();

	/* Few samples can wait for more: a chunk and the accounting with it take as many bytes as a dozen of them. */
	if (!final && thread->head - thread->tail < memphis_session.config.wakeup_records &&
	    now - thread->written_ns < WRITE_INTERVAL_NS)
		return;
	/* Nothing new at all. */
	if (!final && thread->written_ns && thread->head == thread->tail &&
	    now - thread->written_ns < REST_INTERVAL_NS &&
	    !memcmp(&thread->accounting, &thread->books_written, sizeof(thread->accounting)))
		return;
	if (need_file(thread)) {
		/* Nowhere to put them: let the ring go on, the accounting of the file say that it ended early. */
		thread->tail = thread->head;
		__atomic_store_n(&thread->page->tail, thread->tail, __ATOMIC_RELEASE);
		return;
	}
	add_thread_metadata(thread, 0);
	write_samples(thread);
	if (!thread->written_ns ||
	    memcmp(&thread->accounting, &thread->books_written, sizeof(thread->accounting))) {
		memphis_file_chunk(&thread->file, MEMPHIS_CHUNK_ACCOUNTING, &thread->accounting,
				   sizeof(thread->accounting), 1);
		thread->books_written = thread->accounting;
	}
	thread->written_ns = now;
	commit(&thread->file);
}

static void finish_file(struct memphis_thread *thread, int ended)
{
	if (!thread->has_file || thread->file.error)
		return;
	if (!ended)
		thread->named_ns = 0; /* the last look */
	add_thread_metadata(thread, ended);
	memphis_fd_close(&thread->comm);
	memphis_file_finish(&thread->file);
	out.open_files--;
}

static void write_thread(struct memphis_thread *thread, int final)
{
	bool exited = memphis_thread_is_gone(thread);

	if (thread->finished)
		goto let_go;
	/* Whatever it still did stands before `exited`. */
	write_events(thread, out.mark, 1);
	if (exited || final)
		write_events(thread, memphis_clock_mark(), 0);
	write_names(thread);
	if (thread->status) {
		if (exited) {
			snapshot(thread);
			touch(thread);
		}
		write_ring(thread, final || exited);
	}
	if (!exited)
		return;
	/* Nobody else may write into this file: what others may still sample is written. */
	write_withheld(thread, 1);
	/* Writes: not under the lock, which threads that begin need, and fork(). */
	finish_file(thread, 1);
	thread->finished = true;
let_go:
	/* Records change hands under the session's lock; whoever holds it may wait for us. */
	if (pthread_mutex_trylock(&memphis_session.lock))
		return;
	memphis_detach(thread);
	memphis_thread_retire(thread);
	pthread_mutex_unlock(&memphis_session.lock);
}

/* What the loader has not finished has its list in a later pass. */
static void write_maps(__u64 version, int must)
{
	int rc = memphis_metadata_maps(&out.text, must);

	if (rc < 0)
		return;
	add_text_chunk(&memphis_session.process_file, MEMPHIS_CHUNK_MAPS, &out.text);
	out.maps_version = rc ? UINT64_MAX : version;
	if (!memphis_session.other)
		memphis_tls_list();
}

static void write_process_metadata(unsigned int what)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_file *file = &s->process_file;
	__u64 version = memphis_metadata_maps_version() + 1;
	int first = !out.maps_version;
	/* The last chance: whatever the loader is doing. */
	int must = first || (what & (MEMPHIS_DRAIN_CLOSE | MEMPHIS_DRAIN_EXEC));

	if (first) {
		memphis_metadata_settings(&out.text, s);
		add_text_chunk(file, MEMPHIS_CHUNK_SETTINGS, &out.text);
		memphis_metadata_topology(&out.text, "/sys/devices/system/node");
		add_text_chunk(file, MEMPHIS_CHUNK_TOPOLOGY, &out.text);
	}
	if (version != out.maps_version || (what & MEMPHIS_DRAIN_CLOSE))
		write_maps(version, must);
	memphis_counters_look(); /* before the regions that its marks name */
	memphis_region_list(&out.text, &out.regions_written);
	add_text_chunk(file, MEMPHIS_CHUNK_REGIONS, &out.text);
	memphis_counters_write(&out.text, file);
	commit(file);
}

/* What counts all that the pass did. */
static void write_activity(unsigned int what)
{
	struct memphis_session *s = &memphis_session;

	if (what & MEMPHIS_DRAIN_EXEC)
		memphis_text_add(&out.text, "exec_time_ns %llu\n", now_ns());
	memphis_metadata_activity(&out.text, s, !!(what & MEMPHIS_DRAIN_CLOSE));
	add_text_chunk(&s->process_file, MEMPHIS_CHUNK_SETTINGS, &out.text);
	commit(&s->process_file);
}

static int open_files_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < limit.rlim_max ||
	    limit.rlim_cur / OPEN_FILES_SHARE > OPEN_FILES_MAX)
		return OPEN_FILES_MAX;
	return (int)(limit.rlim_cur / OPEN_FILES_SHARE);
}

int memphis_output_open(void)
{
	struct memphis_thread *thread;

	out.records_granted = out.allocations_left_out = out.holders_left_out = 0;
	out.regions_written = NULL;
	out.maps_version = 0;
	out.losses_sum = 0;
	out.open_files = 0;
	out.open_files_max = open_files_max();
	out.error_told = 0;
	if (!out.events)
		out.events = sys_map(TAKE_EVENTS * sizeof(*out.events));
	if (!out.records)
		out.records = sys_map(TAKE_EVENTS * sizeof(*out.records));
	if (!out.events || !out.records || memphis_short_lived_open())
		return -ENOMEM;
	memphis_withheld_open();
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		thread->withheld = (struct memphis_withheld){0};
	/* Before the first sample, so that a process that is killed right then has a file that says who it was. */
	if (!memphis_session.deferred)
		write_process_metadata(0);
	return 0;
}

int memphis_output_begin(void)
{
	struct memphis_session *s = &memphis_session;
	int deferred = MEMPHIS_DEFERRED;
	int err;

	if (!atomic_load(&s->deferred))
		return 0;
	if (!atomic_compare_exchange_strong(&s->deferred, &deferred, MEMPHIS_DEFERRED_MAKING))
		return -EAGAIN;
	err = memphis_output_directory(s);
	if (!err)
		err = memphis_output_process_file(s);
	if (err)
		return err;
	write_process_metadata(0);
	atomic_store(&s->deferred, MEMPHIS_DEFERRED_NOT);
	return 0;
}

static void add_loss(struct memphis_text *text, const char *key, __u64 count, __u64 *sum)
{
	*sum += count;
	if (count)
		memphis_text_add(text, "%s %llu\n", key, count);
}

static void write_losses(void)
{
	const struct memphis_retired *gone = &memphis_retired;
	__u64 allocations = out.allocations_left_out + gone->allocations_left_out;
	__u64 releases = gone->releases_left_out, stacks = gone->stacks_left_out;
	__u64 errors = gone->write_errors, bytes = gone->bytes_left_out;
	const struct memphis_counters_losses counters = memphis_counters_losses();
	struct memphis_session *s = &memphis_session;
	struct memphis_thread *thread;
	__u64 sum = 0;

	for (thread = memphis_thread_first(); thread; thread = thread->next) {
		if (thread->done)
			continue;
		allocations += thread->allocations_left_out;
		releases += thread->releases_left_out;
		stacks += thread->stacks.left_out;
		errors += thread->file.error != 0;
		bytes += thread->file.bytes_left_out;
	}
	add_loss(&out.text, "allocations_left_out", allocations, &sum);
	add_loss(&out.text, "releases_left_out", releases, &sum);
	add_loss(&out.text, "stacks_left_out", stacks, &sum);
	add_loss(&out.text, "regions_left_out", memphis_regions_left_out, &sum);
	add_loss(&out.text, "region_changes_left_out", memphis_backend->regions_left_out(), &sum);
	add_loss(&out.text, "calipers_too_deep", memphis_calipers_too_deep, &sum);
	add_loss(&out.text, "calipers_left", memphis_calipers_left, &sum);
	add_loss(&out.text, "names_left_out", memphis_names_left_out(), &sum);
	add_loss(&out.text, "threads_unsampled", s->threads_unsampled, &sum);
	add_loss(&out.text, "writers_not_made", (__u64)s->drain_missing, &sum);
	add_loss(&out.text, "write_errors", errors, &sum);
	add_loss(&out.text, "bytes_left_out", bytes, &sum);
	add_loss(&out.text, "holders_left_out", out.holders_left_out, &sum);
	add_loss(&out.text, "context_values_left_out", counters.values_left_out, &sum);
	add_loss(&out.text, "context_marks_left_out", counters.marks_left_out, &sum);
	add_loss(&out.text, "context_metrics_left_out", counters.metrics_left_out, &sum);
	add_loss(&out.text, "context_metrics_refused", counters.metrics_refused, &sum);
	add_loss(&out.text, "context_readings_late", counters.readings_late, &sum);
	if (sum == out.losses_sum) {
		memphis_text_clear(&out.text);
		return;
	}
	out.losses_sum = sum;
	add_text_chunk(&s->process_file, MEMPHIS_CHUNK_LOSSES, &out.text);
	commit(&s->process_file);
}

void memphis_output_pass(unsigned int what)
{
	int final = !!(what & ~(unsigned int)MEMPHIS_DRAIN_HOLDERS);
	struct memphis_thread *thread;

	memphis_backend->collect();
	if (what & MEMPHIS_DRAIN_HOLDERS)
		memphis_holders_list();
	out.mark = memphis_clock_mark();
	memphis_short_lived_turn();
	memphis_names_touch();
	/*
	 * Snapshots first, then the regions: so no sample up to its thread's snapshot has a region that the
	 * process file does not know.
	 */
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && __atomic_load_n(&thread->status, __ATOMIC_ACQUIRE)) {
			snapshot(thread);
			touch(thread);
		}
	write_process_metadata(what);
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done)
			write_thread(thread, final);
	if (what & MEMPHIS_DRAIN_SETTINGS)
		write_activity(what);
	write_losses();
}

static void write_holders(void *data, const struct memphis_holder *holders, size_t count)
{
	(void)data;
	memphis_file_chunk(&memphis_session.process_file, MEMPHIS_CHUNK_HOLDERS, holders,
			   count * sizeof(*holders), (__u32)count);
}

void memphis_output_holders(void)
{
	out.holders_left_out = memphis_pointer_scan(&out.blocks, write_holders, NULL);
	commit(&memphis_session.process_file);
}

/*
 * No task has the thread's number any more. The device says `exited` later, when the task has left its CPU for good, and
 * only when it is asked: of a thread that ends just before the process does, it may not have said so yet.
 */
static int is_over(const struct memphis_thread *thread)
{
	return syscall(SYS_tgkill, memphis_session.pid, thread->tid, 0) && errno == ESRCH;
}

void memphis_output_close(void)
{
	struct memphis_thread *thread;

	/* Threads that go on may be in a caliper or an allocation: what they use stays until the process is gone. */
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && !thread->finished) {
			write_withheld(thread, 0);
			finish_file(thread, is_over(thread));
		}
	write_losses();
	memphis_file_finish(&memphis_session.process_file);
}
