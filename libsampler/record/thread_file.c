/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates and finishes the thread files, and writes their metadata. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/proc.h"
#include "base/say.h"
#include "base/text.h"
#include "core/names.h"
#include "core/session.h"
#include "data/sampled.h"
#include "record/chunk.h"
#include "record/output_paths.h"
#include "record/thread_file.h"
#include "settings/env.h"

#define OPEN_FILES_MAX 256 /* maximum number of thread files whose descriptors are kept open */
#define OPEN_FILES_SHARE \
	8 /* 1/8 of the descriptor limit, if the limit can't be raised and is shared with the program */
/*
 * Interval at which the times and the open spans of a running thread are written. If the process is killed,
 * later ones are lost.
 */
#define TIMES_INTERVAL_NS 500000000u
/*
 * Limits for data that is held in memory. In some programs, most threads end soon and need no file of their
 * own. The data of a new thread is held for HOLD_NS. If the thread ends in this time, its data is held until
 * the kernel has removed its task. HOLD_BYTES_MAX limits the held bytes of one thread. HOLD_BYTES_TOTAL
 * limits the held bytes of all threads after a pass.
 */
#define HOLD_NS          450000000u
#define HOLD_BYTES_MAX   (32u << 10)
#define HOLD_BYTES_TOTAL (16u << 20)
/*
 * If the file of ended threads has at least this size, the next data goes to a new file. Readers read several
 * files in parallel.
 */
#define ENDED_BYTES_MAX  (256u << 20)
#define SPANS_CHUNK      4096 /* spans per chunk */
#define MPI_EVENTS_CHUNK 2048 /* events per chunk */
/* interval for reading a thread's name, because programs may rename threads */
#define NAME_INTERVAL_NS 5000000000u

static int open_files, open_files_max;

/* The file for threads that ended before they got a file of their own. */
static MEMPHIS_AT_FORK struct {
	struct memphis_sample_file file;
	char *path;
	size_t path_bytes;
	bool is_made;
} ended_file;

static size_t held_bytes;  /* bytes held for the threads that this pass has visited so far */
static __u64 without_data; /* number of ended threads without data */

/* Reads the name of a running thread. For an ended thread, copies the name that the thread has stored. */
static void read_name(struct memphis_thread_record *thread, int ended, char name[16])
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
	if (open_files > open_files_max / 2 || thread->file.held)
		memphis_fd_close(&thread->comm);
	if (length < 0)
		length = 0;
	name[length - (length && name[length - 1] == '\n')] = '\0';
}

static void add_name(struct memphis_thread_record *thread, int ended)
{
	__u64 now = now_ns();
	char name[16];

	if (!ended && thread->named_ns && now - thread->named_ns < NAME_INTERVAL_NS)
		return;
	thread->named_ns = now;
	read_name(thread, ended, name);
	if (!*name || !strcmp(name, thread->name_written))
		return;
	memcpy(thread->name_written, name, sizeof(name));
	memphis_text_add_pair(&memphis_lines, "name", name);
}

/* Writes one STACK_FRAMES chunk for each record that the thread has queued. */
static void add_frames(struct memphis_thread_record *thread)
{
	struct memphis_frames *frames = __atomic_load_n(&thread->frames, __ATOMIC_ACQUIRE);
	__u64 words[MEMPHIS_FRAMES_RECORD_WORDS];
	size_t bytes;

	while ((bytes = memphis_frames_take(frames, words)))
		memphis_file_write_chunk(&thread->file, MEMPHIS_CHUNK_STACK_FRAMES, words, bytes, 1);
}

void memphis_thread_file_write_metadata(struct memphis_thread_record *thread, int ended)
{
	struct memphis_text_buffer *text = &memphis_lines;
	int openmp = __atomic_load_n(&thread->openmp, __ATOMIC_RELAXED);
	__u64 high;

	add_name(thread, ended);
	if (!thread->facts_written) {
		memphis_text_add(text, "start_time_ns %llu\n", thread->start_ns);
		if (thread->tid == memphis_session.identity.pid)
			memphis_text_add(text, "main 1\n");
		memphis_text_add(text, "attached %d\n", thread->attachment == MEMPHIS_ATTACHED);
		if (thread->attach_error)
			memphis_text_add_pair(text, "attach_error",
					      memphis_error_text(-thread->attach_error));
		thread->facts_written = 1;
	}
	if (openmp != thread->openmp_written)
		memphis_text_add(text, "openmp_thread %d\n", openmp - 1);
	thread->openmp_written = openmp;
	/* The bounds of the stack are known once the thread has called the library. */
	high = __atomic_load_n(&thread->stacks.high, __ATOMIC_ACQUIRE);
	if (high && !thread->stack_written) {
		memphis_text_add(text, "stack 0x%llx-0x%llx\n", thread->stacks.low, high);
		thread->stack_written = 1;
	}
	if (ended)
		memphis_text_add(text, "end_time_ns %llu\n", now_ns());
	memphis_chunk_write_lines(&thread->file, MEMPHIS_CHUNK_THREAD);
	memphis_tls_add_lines(text, &thread->tls, ended);
	memphis_chunk_write_lines(&thread->file, MEMPHIS_CHUNK_TLS);
	add_frames(thread);
}

int memphis_thread_file_ensure(struct memphis_thread_record *thread)
{
	if (thread->has_file)
		return thread->file.error;
	thread->has_file = 1;
	thread->file.error = memphis_file_hold(&thread->file, &memphis_session.output.stage,
					       &memphis_session.identity.run, (__u32)thread->tid);
	if (thread->file.error)
		return thread->file.error;
	memphis_thread_file_write_metadata(thread, 0);
	memphis_chunk_commit(&thread->file);
	return thread->file.error;
}

/* Creates a file with the first free name NAME[.M]SUFFIX. Returns 0 or -errno. */
static int make_file(struct memphis_sample_file *file, char **path, size_t *path_bytes, const char *name,
		     const char *suffix, __u16 kind, pid_t tid, bool keep_open)
{
	int m, err = -EEXIST;

	for (m = 0; m < 1000000 && err == -EEXIST; m++) {
		char number[16] = "";

		if (m)
			snprintf(number, sizeof(number), ".%d", m);
		if (memphis_output_path(path, path_bytes, "%s%s%s", name, number, suffix))
			return -ENOMEM;
		err = memphis_file_create(file, &memphis_session.output.stage, *path,
					  &memphis_session.identity.run, kind, (__u32)tid, keep_open);
	}
	return err;
}

/* Creates the thread's own file and writes all held data to it. */
static void create_own_file(struct memphis_thread_record *thread)
{
	struct memphis_sample_file made;
	char tid[16];
	int err;

	snprintf(tid, sizeof(tid), "%d", (int)thread->tid);
	err = make_file(&made, &thread->path, &thread->path_bytes, tid, ".thread" MEMPHIS_FILE_SUFFIX,
			MEMPHIS_FILE_THREAD, thread->tid, open_files < open_files_max);
	if (err) {
		thread->file.bytes_left_out += thread->file.held->used;
		memphis_file_drop(&thread->file);
		thread->file.error = err;
		if (memphis_chunk_is_first_error())
			memphis_say("memphis: %s: %s; this thread's samples are left out\n",
				    thread->path ? thread->path : memphis_session.directory,
				    memphis_error_text(-err));
		return;
	}
	open_files++;
	memphis_chunk_release(&made, &thread->file, false);
	made.bytes_left_out += thread->file.bytes_left_out;
	if (!made.error)
		made.error = thread->file.error;
	thread->file = made;
}

/* Creates the file of ended threads if there is none, or if the current one is large. Returns the error of the file. */
static int open_ended_file(void)
{
	struct memphis_sample_file *file = &ended_file.file;

	if (ended_file.is_made && !file->error && file->offset >= ENDED_BYTES_MAX) {
		memphis_file_finish(file);
		ended_file.is_made = false;
	}
	if (ended_file.is_made)
		return file->error;
	ended_file.is_made = true;
	file->error = make_file(file, &ended_file.path, &ended_file.path_bytes, "ended", MEMPHIS_FILE_SUFFIX,
				MEMPHIS_FILE_THREADS, 0, true);
	if (file->error && memphis_chunk_is_first_error())
		memphis_say("memphis: %s: %s; the samples of ended threads are left out\n",
			    ended_file.path ? ended_file.path : memphis_session.directory,
			    memphis_error_text(-file->error));
	return file->error;
}

/* Adds the complete data of an ended thread to the file of ended threads. */
static void add_ended_thread(struct memphis_thread_record *thread)
{
	struct memphis_sample_file *file = &ended_file.file;

	open_ended_file();
	memphis_chunk_release(file, &thread->file, true);
}

static bool has_interrupts(const struct memphis_accounting *accounting)
{
	return accounting->interrupts || accounting->kept || accounting->lost || accounting->throttled;
}

/*
 * Returns true if other threads have sampled the thread's stack or its thread-local variables. The
 * post-processor then needs their bounds to name these samples.
 */
static bool is_sampled(const struct memphis_thread_record *thread)
{
	const __u64 high = __atomic_load_n(&thread->stacks.high, __ATOMIC_ACQUIRE);

	return (high && memphis_sampled_has(thread->stacks.low, high)) ||
	       memphis_tls_is_sampled(&thread->tls);
}

void memphis_thread_file_ensure_if_used(struct memphis_thread_record *thread)
{
	if (!thread->has_file && thread->status &&
	    (has_interrupts(&thread->accounting) || is_sampled(thread)))
		memphis_thread_file_ensure(thread);
}

void memphis_thread_file_give_own(struct memphis_thread_record *thread, bool now)
{
	const struct memphis_file_held *held = thread->file.held;

	if (!thread->has_file || !held)
		return;
	if (!now && !thread->file.error &&
	    (atomic_load(&thread->ended) || now_ns() - thread->start_ns < HOLD_NS) &&
	    held->used < HOLD_BYTES_MAX && held_bytes + held->used < HOLD_BYTES_TOTAL) {
		held_bytes += held->used;
		return;
	}
	create_own_file(thread);
}

void memphis_thread_file_write_names(struct memphis_thread_record *thread)
{
	memphis_names_take(thread, &memphis_lines);
	if (!memphis_lines.lines)
		return;
	if (!memphis_thread_file_ensure(thread)) {
		memphis_chunk_write_lines(&thread->file, MEMPHIS_CHUNK_NAMES);
		memphis_chunk_commit(&thread->file);
	}
	memphis_text_clear(&memphis_lines);
}

/* Copies the cell's numbers. Returns false if they are the same as in the last record. */
static bool copy_times(struct memphis_region_clock *times, __u32 region, pid_t tid,
		       struct memphis_region_time *to)
{
	struct memphis_region_time *written;

	if (!memphis_region_times_read(times, region, tid, to))
		return false;
	written = &times->pages[region / MEMPHIS_REGION_PAGE][region % MEMPHIS_REGION_PAGE].written;
	/* Do not let a time decrease. It could, because the rate of the counter is measured repeatedly. */
	if (to->ns < written->ns)
		to->ns = written->ns;
	if (to->cpu_ns < written->cpu_ns)
		to->cpu_ns = written->cpu_ns;
	if (!memcmp(to, written, sizeof(*to)))
		return false;
	*written = *to;
	return true;
}

/* Writes the times of the regions from `first` to `last`, which are in one page of cells. */
static void write_times(struct memphis_thread_record *thread, __u32 first, __u32 last, pid_t tid)
{
	struct memphis_region_time *times;
	__u32 region, count = 0;

	times = memphis_file_chunk_begin(&thread->file, MEMPHIS_CHUNK_REGION_TIMES,
					 MEMPHIS_REGION_PAGE * sizeof(*times));
	for (region = first; region <= last; region++) /* without memphis_file_chunk_end(), the chunk is
						        * not written */
		count += copy_times(&thread->times, region, tid, &times[count]);
	if (!count)
		return;
	memphis_file_chunk_end(&thread->file, count * sizeof(*times), count);
	memphis_chunk_commit(&thread->file);
}

/* Writes the sums over calls of MPI or, with `io`, of I/O functions. */
static void write_sums(struct memphis_thread_record *thread, bool io)
{
	const __u32 count = memphis_mpi_sums_count(&thread->mpi);
	struct memphis_mpi_sum *sums;
	__u32 at, changed = 0;

	if (!count || memphis_thread_file_ensure(thread))
		return;
	sums = memphis_file_chunk_begin(&thread->file, io ? MEMPHIS_CHUNK_IO : MEMPHIS_CHUNK_MPI,
					count * sizeof(*sums));
	for (at = 0; at < count; at++)
		if (memphis_mpi_sums_is_io(&thread->mpi, at) == io)
			changed += memphis_mpi_sums_take(&thread->mpi, at, &sums[changed]);
	if (!changed)
		return;
	memphis_file_chunk_end(&thread->file, changed * sizeof(*sums), changed);
	memphis_chunk_commit(&thread->file);
}

void memphis_thread_file_write_times(struct memphis_thread_record *thread, __u32 regions, bool ended,
				     bool now)
{
	struct memphis_region_clock *times = &thread->times;
	const __u64 time = now_ns();
	__u32 first, last;

	if (!__atomic_load_n(&times->cell, __ATOMIC_RELAXED) && !memphis_mpi_sums_count(&thread->mpi))
		return; /* no caliper was ever opened, as in most threads of some programs */
	if (!times->written_ns)
		times->written_ns = time;
	if (!now && time - times->written_ns < TIMES_INTERVAL_NS)
		return;
	times->written_ns = time;
	write_sums(thread, false);
	write_sums(thread, true);
	memphis_region_times_check(times);
	for (first = 0; first <= regions; first += MEMPHIS_REGION_PAGE) {
		if (!__atomic_load_n(&times->pages[first / MEMPHIS_REGION_PAGE], __ATOMIC_ACQUIRE) ||
		    memphis_thread_file_ensure(thread))
			continue;
		last = first + MEMPHIS_REGION_PAGE - 1;
		write_times(thread, first ? first : 1, last < regions ? last : regions,
			    ended ? 0 : thread->tid);
	}
}

/*
 * Drops spans beyond the limit of the file. Keeps those that already have a record as open spans. Returns how
 * many of the `count` spans remain.
 */
static __u32 limit_spans(struct memphis_spans *spans, struct memphis_region_span *list, __u32 count)
{
	const __u64 open_to = memphis_clock_ns(spans->open_to);
	__u32 i, kept = 0;

	for (i = 0; i < count; i++) {
		if (spans->recorded >= memphis_settings.spans_max && list[i].begin_ns > open_to)
			continue;
		spans->recorded++;
		list[kept++] = list[i];
	}
	atomic_fetch_add(&spans->left_out, count - kept);
	return kept;
}

static void write_spans(struct memphis_thread_record *thread, struct memphis_region_span *list, __u32 count)
{
	memphis_file_chunk_end(&thread->file, count * sizeof(*list), count);
	memphis_chunk_commit(&thread->file);
}

/* Writes up to SPANS_CHUNK ended spans. Returns true if there may be more. */
static bool write_ended_spans(struct memphis_thread_record *thread, __u64 until)
{
	struct memphis_region_span *list;
	__u32 taken, kept;

	list = memphis_file_chunk_begin(&thread->file, MEMPHIS_CHUNK_SPANS, SPANS_CHUNK * sizeof(*list));
	taken = memphis_spans_take(&thread->spans, until, list, SPANS_CHUNK);
	kept = limit_spans(&thread->spans, list, taken);
	if (kept)
		write_spans(thread, list, kept);
	return taken == SPANS_CHUNK;
}

static void write_open_spans(struct memphis_thread_record *thread, __u64 until)
{
	struct memphis_region_span *list;
	__u32 count;

	list = memphis_file_chunk_begin(&thread->file, MEMPHIS_CHUNK_SPANS,
					MEMPHIS_SPANS_DEPTH_MAX * sizeof(*list));
	count = memphis_spans_open(&thread->spans, until, list);
	if (count)
		write_spans(thread, list, count);
}

void memphis_thread_file_write_spans(struct memphis_thread_record *thread, __u64 until, bool now)
{
	struct memphis_spans *spans = &thread->spans;
	const __u64 time = now_ns();

	if (!memphis_spans_are_there(spans) || memphis_thread_file_ensure(thread))
		return;
	while (write_ended_spans(thread, until))
		;
	if (!spans->opened_ns)
		spans->opened_ns = time;
	if ((!now && time - spans->opened_ns < TIMES_INTERVAL_NS) ||
	    spans->recorded >= memphis_settings.spans_max)
		return;
	spans->opened_ns = time;
	write_open_spans(thread, until);
}

void memphis_thread_file_write_mpi_events(struct memphis_thread_record *thread, __u64 until)
{
	struct memphis_mpi_event *list;
	__u32 taken;

	if (!memphis_mpi_events_are_there(&thread->mpi_events) || memphis_thread_file_ensure(thread))
		return;
	do {
		list = memphis_file_chunk_begin(&thread->file, MEMPHIS_CHUNK_MPI_EVENTS,
						MPI_EVENTS_CHUNK * sizeof(*list));
		taken = memphis_mpi_events_take(&thread->mpi_events, until, list, MPI_EVENTS_CHUNK);
		if (!taken)
			return;
		memphis_file_chunk_end(&thread->file, taken * sizeof(*list), taken);
		memphis_chunk_commit(&thread->file);
	} while (taken == MPI_EVENTS_CHUNK);
}

void memphis_thread_file_finish(struct memphis_thread_record *thread, int ended)
{
	if (!thread->has_file && thread->attachment == MEMPHIS_ATTACHED)
		without_data++;
	if (!thread->has_file)
		return;
	if (!thread->file.error) {
		if (!ended)
			thread->named_ns = 0; /* read the name once more */
		memphis_thread_file_write_metadata(thread, ended);
		memphis_file_finish(&thread->file);
	}
	memphis_fd_close(&thread->comm);
	if (thread->file.held && !thread->file.error) {
		add_ended_thread(thread);
		return;
	}
	/*
	 * A part of the data is missing. A member of the file of ended threads must be complete, so write the
	 * data to the thread's own file.
	 */
	if (thread->file.held)
		create_own_file(thread);
	open_files -= !!thread->file.path;
	memphis_file_drop(&thread->file);
}

void memphis_thread_file_begin_pass(void)
{
	held_bytes = 0;
}

__u64 memphis_thread_file_without_data(void)
{
	const struct memphis_thread_record *thread;
	__u64 count = without_data;

	for (thread = memphis_thread_first(); thread; thread = thread->next)
		count += !thread->done && !thread->finished && !thread->has_file &&
			 thread->attachment == MEMPHIS_ATTACHED;
	return count;
}

const struct memphis_sample_file *memphis_thread_file_of_ended(void)
{
	return &ended_file.file;
}

void memphis_thread_file_close(void)
{
	if (ended_file.is_made && !ended_file.file.error)
		memphis_file_finish(&ended_file.file);
	else
		memphis_file_drop(&ended_file.file);
	ended_file.is_made = false;
}

void memphis_thread_file_forked(void)
{
	memphis_file_forked(&ended_file.file);
	ended_file.is_made = false;
}

static int find_open_files_max(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < limit.rlim_max ||
	    limit.rlim_cur / OPEN_FILES_SHARE > OPEN_FILES_MAX)
		return OPEN_FILES_MAX;
	return (int)(limit.rlim_cur / OPEN_FILES_SHARE);
}

int memphis_thread_file_open(void)
{
	if (ended_file.is_made)
		memphis_file_drop(&ended_file.file);
	ended_file.is_made = false;
	ended_file.file = (struct memphis_sample_file){.stage = &memphis_session.output.stage, .fd.fd = -1};
	without_data = 0;
	open_files = 0;
	open_files_max = find_open_files_max();
	return memphis_sampled_open();
}
