// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the data that was appended to the files of running processes since the last look. Counts the samples,
 * and keeps maps and allocations for naming.
 */
#include "top/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "read/chunks.h"
#include "read/decode.h"
#include "read/stands_for.h"
#include "read/thread.h"

#define SILENT_S 10
/* Limit for node numbers. Linux supports fewer nodes than this. */
#define NODES_MAX 1024

void memphis_live_count_unread(struct memphis_live *live, int rc, const struct memphis_error *error)
{
	if (!rc || rc == -ENODATA || rc == -ENOENT || rc == -ENOTDIR || rc == -ESTALE)
		return;
	live->unread++;
	live->unread_reason = *error;
}

int memphis_live_add(struct memphis_live *live, const char *path)
{
	const uint32_t number = memphis_strings_add_text(&live->paths, path);
	const size_t before = live->present_room;
	struct memphis_live_file *file;

	if (number == MEMPHIS_NO_STRING ||
	    memphis_grow(&live->present, &live->present_room, (size_t)number + 1, sizeof(*live->present)))
		return -ENOMEM;
	if (live->present_room > before)
		memset(live->present + before, 0, (live->present_room - before) * sizeof(*live->present));
	if (live->present[number])
		return 0;
	file = memphis_append(live->files, live->file_count, live->file_room);
	if (!file)
		return -ENOMEM;
	file->number = number;
	file->process = file->thread = SIZE_MAX;
	file->growing.path = strdup(path);
	if (!file->growing.path) {
		live->file_count--;
		return -ENOMEM;
	}
	live->present[number] = true;
	return 0;
}

int memphis_live_add_wanted(struct memphis_live *live, const struct memphis_file_header *header)
{
	return memphis_strings_add(&live->wanted, header->run, sizeof(header->run)) == MEMPHIS_NO_STRING
		       ? -ENOMEM
		       : 0;
}

static bool is_wanted(const struct memphis_live *live, const struct memphis_growing *growing)
{
	return !live->only_wanted || memphis_strings_find(&live->wanted, growing->header.run,
							  sizeof(growing->header.run)) != MEMPHIS_NO_STRING;
}

/* Adds the thread with this header, which is in the file `file` at offset `begin`, to its process. */
static int add_thread(struct memphis_live *live, struct memphis_live_file *file,
		      const struct memphis_file_header *header, uint64_t begin)
{
	struct memphis_process *process = &live->metadata.list[file->process];
	struct memphis_thread *thread =
		memphis_append(process->threads, process->thread_count, process->thread_room);

	if (!thread)
		return -ENOMEM;
	thread->tid = header->tid;
	thread->start_time_ns = header->start_time_ns;
	thread->log = calloc(1, sizeof(*thread->log));
	thread->path = strdup(file->growing.path);
	file->thread = process->thread_count - 1;
	file->begin = begin;
	file->threads++;
	return thread->log && thread->path ? 0 : -ENOMEM;
}

/* Finds or adds the process and the thread of a file whose header is known. */
static int find_process_of_file(struct memphis_live *live, struct memphis_live_file *file)
{
	struct memphis_processes *metadata = &live->metadata;
	const size_t before = metadata->count;
	struct memphis_process *process = memphis_processes_add(metadata, &file->growing.header);

	if (!process || memphis_grow(&live->list, &live->room, metadata->count, sizeof(*live->list)))
		return -ENOMEM;
	if (metadata->count > before)
		memset(&live->list[before], 0, sizeof(*live->list));
	file->process = (size_t)(process - metadata->list);
	return file->growing.header.kind == MEMPHIS_FILE_THREAD
		       ? add_thread(live, file, &file->growing.header, 0)
		       : 0;
}

/* Returns true if a live view does not need chunks of this type. They are not loaded, because they would stay in memory. */
static bool is_unneeded(unsigned int type)
{
	switch (type) {
	case MEMPHIS_CHUNK_ACCOUNTING:
	case MEMPHIS_CHUNK_CHAINS:
	case MEMPHIS_CHUNK_CALLERS:
	case MEMPHIS_CHUNK_FRAMES:
	case MEMPHIS_CHUNK_IN_FRAMES:
	case MEMPHIS_CHUNK_REGION_TIMES:
	case MEMPHIS_CHUNK_SPANS:
	case MEMPHIS_CHUNK_MPI:
	case MEMPHIS_CHUNK_MPI_EVENTS:
	case MEMPHIS_CHUNK_IO:
	case MEMPHIS_CHUNK_FILES:
	case MEMPHIS_CHUNK_COUNTER_METRICS:
	case MEMPHIS_CHUNK_COUNTERS:
	case MEMPHIS_CHUNK_COUNTER_MARKS:
	case MEMPHIS_CHUNK_END:
		return true;
	}
	return false;
}

static int keep_maps(struct memphis_live_process *process, const struct memphis_chunk_view *chunk)
{
	char **text = memphis_append(process->maps, process->maps_count, process->maps_room);

	if (!text)
		return -ENOMEM;
	if (memphis_grow(&process->maps_bytes, &process->maps_bytes_room, process->maps_count,
			 sizeof(*process->maps_bytes)) ||
	    !(*text = malloc((size_t)chunk->bytes + 1))) {
		process->maps_count--;
		return -ENOMEM;
	}
	memcpy(*text, chunk->payload, chunk->bytes);
	process->maps_bytes[process->maps_count - 1] = chunk->bytes;
	process->new_maps = true;
	return 0;
}

struct taking {
	struct memphis_live *live;
	struct memphis_live_file *file;
};

/*
 * Returns the counts of the node, or NULL if the node is unknown or memory is exhausted. In the latter case,
 * sets *rc to -ENOMEM.
 */
static struct memphis_live_counts *find_node_counts(struct memphis_live_process *process, uint16_t node,
						    int *rc)
{
	const size_t before = process->node_count;

	if (node < before)
		return &process->nodes[node];
	if (node >= NODES_MAX)
		return NULL;
	if (memphis_grow(&process->nodes, &process->node_room, (size_t)node + 1, sizeof(*process->nodes))) {
		*rc = -ENOMEM;
		return NULL;
	}
	process->node_count = (size_t)node + 1;
	memset(process->nodes + before, 0, (process->node_count - before) * sizeof(*process->nodes));
	return &process->nodes[node];
}

static void add_sums(struct memphis_live_sums *sums, const struct memphis_live_sums *more)
{
	sums->dram += more->dram;
	sums->remote += more->remote;
	sums->moved += more->moved;
	sums->moved_away += more->moved_away;
	sums->served += more->served;
	sums->served_away += more->served_away;
}

static void add_counts(struct memphis_live_counts *counts, const struct memphis_live_sums *more)
{
	add_sums(&counts->now, more);
	add_sums(&counts->all, more);
}

/* Returns a random number from the generator xorshift64*. The numbers need not be secret, and may be the same in each run. */
static uint64_t next_random(struct memphis_live *live)
{
	uint64_t x = live->random ? live->random : 0x9e3779b97f4a7c15ULL;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	live->random = x;
	return (x * 0x2545f4914f6cdd1dULL) >> 32;
}

static int remember_load(struct memphis_live *live, struct memphis_live_process *process,
			 const struct memphis_sample *sample)
{
	size_t at = process->load_count;

	if (!process->loads)
		process->loads = calloc(MEMPHIS_LIVE_LOADS, sizeof(*process->loads));
	if (!process->loads)
		return -ENOMEM;
	if (at == MEMPHIS_LIVE_LOADS)
		at = (size_t)(next_random(live) % MEMPHIS_LIVE_LOADS);
	else
		process->load_count++;
	process->loads[at] = (struct memphis_live_load){sample->address, sample->time_ns};
	process->new_loads++;
	return 0;
}

static int count_sample(struct memphis_live *live, struct memphis_live_process *process,
			const struct memphis_sample *sample)
{
	const struct memphis_access access = memphis_access_of(sample);
	const bool remote = access.flags & MEMPHIS_FLAG_REMOTE,
		   from_memory = access.source == MEMPHIS_SOURCE_DRAM,
		   served = from_memory || access.source == MEMPHIS_SOURCE_EXTENSION,
		   moved = memphis_moves_line(&access);
	const struct memphis_live_sums by = {.dram = from_memory,
					     .remote = from_memory && remote,
					     .moved = moved,
					     .moved_away = moved && remote},
				       from = {.served = served, .served_away = served && remote};
	struct memphis_live_counts *node;
	int rc = 0;

	if (!moved)
		return 0;
	add_counts(&process->sum, &by);
	node = find_node_counts(process, access.node, &rc);
	if (node)
		add_counts(node, &by);
	node = find_node_counts(process, access.home, &rc);
	if (node)
		add_counts(node, &from);
	if (!rc && from_memory && remote)
		rc = remember_load(live, process, sample);
	return rc;
}

/* Counts the samples of a chunk by node, and remembers loads from remote memory. Returns 0 or -ENOMEM. */
static int count_samples(struct memphis_live *live, struct memphis_live_process *process,
			 const struct memphis_chunk_view *chunk)
{
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0) {
		if (memphis_own_has(&process->own, decoder.sample.pc, decoder.sample.address))
			continue;
		rc = count_sample(live, process, &decoder.sample);
		if (rc)
			return rc;
	}
	/*
	 * Ignore a decoding error. The checksum was right, so the next look would find the same data and
	 * count its samples again.
	 */
	return 0;
}

static int take_chunk(struct memphis_live *live, const struct memphis_live_file *from,
		      struct memphis_file *file, struct memphis_chunk_view *chunk,
		      struct memphis_error *error)
{
	struct memphis_process *process = &live->metadata.list[from->process];
	struct memphis_thread *thread = from->thread == SIZE_MAX ? NULL : &process->threads[from->thread];
	int rc;

	if (is_unneeded(chunk->type))
		return 0;
	if (chunk->type == MEMPHIS_CHUNK_SAMPLES || chunk->type == MEMPHIS_CHUNK_MAPS) {
		rc = memphis_file_payload(file, chunk, error);
		if (rc)
			return rc;
		return chunk->type == MEMPHIS_CHUNK_MAPS
			       ? keep_maps(&live->list[from->process], chunk)
			       : count_samples(live, &live->list[from->process], chunk);
	}
	if (thread && !memphis_chunk_is_shared(chunk->type)) {
		rc = memphis_chunk_load_own(thread, file, chunk, error);
		if (!rc && chunk->type == MEMPHIS_CHUNK_THREAD)
			memphis_thread_set_stack_bounds(thread);
		return rc;
	}
	return memphis_chunk_load(&live->metadata, process, thread, file, chunk, error);
}

static int take_file_chunk(void *context, struct memphis_file *file, struct memphis_chunk_view *chunk,
			   struct memphis_error *error)
{
	const struct taking *taking = context;
	int rc = 0;

	if (file->begin != taking->file->begin)
		rc = add_thread(taking->live, taking->file, &file->header, file->begin);
	if (!rc)
		rc = take_chunk(taking->live, taking->file, file, chunk, error);

	return rc == -ENOMEM ? memphis_fail(error, rc, "%s: out of memory", file->path) : rc;
}

static int read_file(struct memphis_live *live, struct memphis_live_file *file, struct memphis_error *error)
{
	const enum memphis_growing_state before = file->growing.state;
	const uint64_t offset = file->growing.offset;
	struct taking taking = {live, file};
	struct memphis_live_process *process;
	int rc;

	if (file->process == SIZE_MAX && is_wanted(live, &file->growing) && find_process_of_file(live, file))
		return memphis_fail(error, -ENOMEM, "out of memory");
	if (file->process == SIZE_MAX)
		return 0;
	rc = memphis_growing_read(&file->growing, take_file_chunk, &taking, error);
	process = &live->list[file->process];
	if (file->growing.offset != offset)
		process->silent_s = 0;
	if (file->growing.header.kind == MEMPHIS_FILE_PROCESS)
		process->process_closed = file->growing.state == MEMPHIS_GROWING_CLOSED;
	if (file->growing.state == MEMPHIS_GROWING_DAMAGED && before != MEMPHIS_GROWING_DAMAGED) {
		live->damaged++;
		snprintf(live->damaged_path, sizeof(live->damaged_path), "%.255s", file->growing.path);
	}
	return rc;
}

static void drop_removed_files(struct memphis_live *live)
{
	struct memphis_live_file *file;
	size_t kept = 0, i;

	for (i = 0; i < live->file_count; i++) {
		file = &live->files[i];
		if (file->growing.state == MEMPHIS_GROWING_GONE) {
			live->present[file->number] = false;
			free(file->growing.path);
			continue;
		}
		live->files[kept++] = *file;
	}
	live->file_count = kept;
}

/*
 * Reads either all process files or all files of threads. Process files must be read first, because the
 * settings and maps of a process are needed before the samples of its threads.
 */
static int read_files(struct memphis_live *live, bool threads, struct memphis_error *error)
{
	struct memphis_live_file *file;
	struct memphis_error reason;
	int rc = 0, unread;
	size_t i;

	for (i = 0; !rc && i < live->file_count; i++) {
		file = &live->files[i];
		unread = memphis_growing_read_header(&file->growing, &reason);
		if (!threads)
			memphis_live_count_unread(live, unread, &reason);
		if (file->growing.state != MEMPHIS_GROWING_NEW &&
		    file->growing.state != MEMPHIS_GROWING_GONE &&
		    (file->growing.header.kind != MEMPHIS_FILE_PROCESS) == threads)
			rc = read_file(live, file, error);
	}
	return rc;
}

/* Builds the maps of a process again from all its lists, because maps can be settled only once. New lists are rare. */
static int rebuild_maps(struct memphis_live *live, size_t number)
{
	struct memphis_live_process *process = &live->list[number];
	struct memphis_maps *maps = &live->metadata.list[number].log->maps;
	struct memphis_binaries *binaries = &live->metadata.binaries;
	struct memphis_error error;
	size_t i;
	int rc = 0;

	if (!process->new_maps)
		return 0;
	process->new_maps = false;
	memphis_maps_close(maps);
	memphis_own_close(&process->own);
	/* Skip a malformed list, and use the others. */
	for (i = 0; rc != -ENOMEM && i < process->maps_count; i++)
		rc = memphis_maps_add(maps, binaries,
				      (struct memphis_span){process->maps[i], process->maps_bytes[i]},
				      &error);
	if (rc == -ENOMEM || memphis_maps_settle(maps, binaries) ||
	    memphis_own_open(&process->own, maps, binaries))
		return -ENOMEM;
	return 0;
}

/* Updates all data that depends on the settings and maps of the processes. */
static int update_processes(struct memphis_live *live)
{
	struct memphis_process *metadata;
	size_t i;

	for (i = 0; i < live->metadata.count; i++) {
		metadata = &live->metadata.list[i];
		live->list[i].line_bytes =
			memphis_stands_for(&metadata->settings).accesses * MEMPHIS_LINE_BYTES;
		if (rebuild_maps(live, i))
			return -ENOMEM;
	}
	return 0;
}

/* Returns true if the process does not exist or is a zombie. */
static bool has_ended(uint32_t pid)
{
	char path[64], text[512] = "";
	const char *name_end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return errno == ENOENT;
	if (!fgets(text, sizeof(text), file))
		*text = '\0';
	fclose(file);
	name_end = strrchr(text, ')');
	/* If the text is empty, the process ended after the file was opened. */
	return !name_end || strchr("ZX", name_end[1] ? name_end[2] : 'X');
}

static enum memphis_live_state find_state(struct memphis_live_process *process,
					  const struct memphis_process *metadata)
{
	const bool was_gone = process->gone;

	if (process->process_closed || memphis_process_has_executed(metadata))
		return MEMPHIS_LIVE_ENDED;
	process->gone = process->host_here && has_ended(metadata->pid);
	/*
	 * If the process has ended, it may have closed its files after they were read. Therefore, report it
	 * as killed only if the previous look also found that it had ended.
	 */
	if (process->host_here)
		return process->gone && was_gone ? MEMPHIS_LIVE_KILLED : MEMPHIS_LIVE_RUNNING;
	return process->silent_s > SILENT_S ? MEMPHIS_LIVE_SILENT : MEMPHIS_LIVE_RUNNING;
}

/*
 * Frees the details of a process whose files are gone, and keeps only its counts. Otherwise, memory would
 * grow with each process.
 */
static void drop_details(struct memphis_live_process *process, const struct memphis_process *metadata)
{
	struct memphis_thread_log *log;
	size_t i;

	process->state = MEMPHIS_LIVE_HIDDEN;
	process->load_count = 0;
	process->new_loads = 0;
	free(process->loads);
	process->loads = NULL;
	for (i = 0; i < metadata->thread_count; i++) {
		log = metadata->threads[i].log;
		free(log->allocations);
		log->allocations = NULL;
		log->allocation_count = log->allocation_room = 0;
	}
}

static void update_states(struct memphis_live *live)
{
	char here[256] = "";
	const char *host;
	struct memphis_live_process *process;
	size_t i;

	gethostname(here, sizeof(here) - 1);
	for (i = 0; i < live->metadata.count; i++)
		live->list[i].files = live->list[i].threads = 0;
	for (i = 0; i < live->file_count; i++)
		if (live->files[i].process != SIZE_MAX) {
			process = &live->list[live->files[i].process];
			process->files++;
			process->threads += live->files[i].threads;
		}
	for (i = 0; i < live->metadata.count; i++) {
		process = &live->list[i];
		host = memphis_setting(&live->metadata.list[i].settings, "host");
		process->threads += memphis_threads_without_data(&live->metadata.list[i]);
		process->host_here = host && !strcmp(host, here);
		process->silent_s += live->elapsed_s;
		if (!process->files)
			drop_details(process, &live->metadata.list[i]);
		else
			process->state = find_state(process, &live->metadata.list[i]);
	}
}

static void start_look(struct memphis_live *live)
{
	const double now = memphis_clock_s();
	struct memphis_live_process *process;
	size_t i, j;

	live->elapsed_s = live->looked_s > 0 ? now - live->looked_s : 0;
	live->looked_s = now;
	for (i = 0; i < live->metadata.count; i++) {
		process = &live->list[i];
		memset(&process->sum.now, 0, sizeof(process->sum.now));
		for (j = 0; j < process->node_count; j++)
			memset(&process->nodes[j].now, 0, sizeof(process->nodes[j].now));
	}
}

int memphis_live_look(struct memphis_live *live, struct memphis_error *error)
{
	int rc;

	start_look(live);
	rc = read_files(live, false, error);
	if (!rc && update_processes(live))
		rc = memphis_fail(error, -ENOMEM, "out of memory");
	if (!rc)
		rc = read_files(live, true, error);
	drop_removed_files(live);
	update_states(live);
	return rc;
}

static void close_process(struct memphis_live_process *process)
{
	size_t i;

	for (i = 0; i < process->maps_count; i++)
		free(process->maps[i]);
	free(process->maps);
	free(process->maps_bytes);
	free(process->nodes);
	free(process->loads);
	free(process->leaders);
	memphis_own_close(&process->own);
}

void memphis_live_close(struct memphis_live *live)
{
	size_t i;

	for (i = 0; i < live->metadata.count; i++)
		close_process(&live->list[i]);
	for (i = 0; i < live->file_count; i++)
		free(live->files[i].growing.path);
	free(live->list);
	free(live->files);
	free(live->present);
	memphis_strings_close(&live->paths);
	memphis_strings_close(&live->wanted);
	memphis_profile_close(&live->variables);
	memphis_processes_close(&live->metadata);
	memset(live, 0, sizeof(*live));
}
