// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sample files of a process from what perf recorded. docs/format.md describes them. */
#include "perfdata/images.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memphis/sampling_events.h>

#include "decode/pmu_events.h"
#include "perfdata/varint.h"

#define CHUNK_BYTES 16384

static int no_memory(const struct memphis_perfdata_recording *recording, struct memphis_error *error)
{
	return memphis_fail(error, -ENOMEM, "%s: out of memory", recording->path);
}

/* Writes a chunk, unless it is empty. */
static int put_chunk(struct memphis_perfdata_recording *recording, struct memphis_perfdata_thread *thread,
		     uint16_t type, const struct memphis_perfdata_filling *filling,
		     struct memphis_error *error)
{
	return filling->count ? memphis_spool_chunk(&recording->spool, &thread->chunks, type, filling->bytes,
						    filling->used, filling->count, error)
			      : 0;
}

/*
 * Writes the collected samples. New chains are written before the samples, and the entries that assign chains
 * to samples are written after them.
 */
static int end_chunk(struct memphis_perfdata_recording *recording, struct memphis_perfdata_thread *thread,
		     struct memphis_error *error)
{
	struct memphis_perfdata_chains *chains = &thread->chains;
	int rc = put_chunk(recording, thread, MEMPHIS_CHUNK_CHAINS, &chains->added, error);

	if (!rc)
		rc = put_chunk(recording, thread, MEMPHIS_CHUNK_SAMPLES, &thread->samples, error);
	if (!rc)
		rc = put_chunk(recording, thread, MEMPHIS_CHUNK_CALLERS, &chains->entries, error);
	thread->samples.used = 0;
	thread->samples.count = 0;
	memset(&thread->previous, 0, sizeof(thread->previous));
	memphis_perfdata_chains_next(chains);
	return rc;
}

/* With copies of the stack, perf's call chain has no user part. */
static int keep_callers(struct memphis_perfdata_recording *recording, struct memphis_perfdata_thread *thread,
			const struct memphis_perfdata_sample *from)
{
	struct memphis_perfdata_image *image = &recording->tasks.images[thread->image];
	uint64_t returns[MEMPHIS_PERFDATA_CALLERS_MAX], ip = 0;
	int count;

	if ((!from->chain_words && !from->stack_bytes) ||
	    memphis_perfdata_space_is_own(&image->space, &recording->strings, from->ip)) {
		memphis_perfdata_chains_skip(&thread->chains);
		return 0;
	}
	count = from->stack_bytes
			? memphis_perfdata_unwind(&recording->unwinders, thread->image, &image->space,
						  &recording->strings, &recording->header.origin, from, &ip,
						  returns, MEMPHIS_PERFDATA_CALLERS_MAX)
			: memphis_perfdata_chain_returns(from, &ip, returns);
	return memphis_perfdata_chains_add(&thread->chains, from, ip, returns, count);
}

int memphis_perfdata_sample_keep(struct memphis_perfdata_recording *recording,
				 struct memphis_perfdata_thread *thread, const struct memphis_sample *sample,
				 const struct memphis_perfdata_sample *from, struct memphis_error *error)
{
	struct memphis_perfdata_filling *samples = &thread->samples;

	if (keep_callers(recording, thread, from) ||
	    memphis_grow(&samples->bytes, &samples->room, samples->used + MEMPHIS_SAMPLE_CODE_BYTES_MAX, 1))
		return no_memory(recording, error);
	samples->used += memphis_sample_encode(samples->bytes + samples->used, sample, &thread->previous);
	samples->count++;
	thread->previous = *sample;
	return samples->used >= CHUNK_BYTES ? end_chunk(recording, thread, error) : 0;
}

static int put_text(struct memphis_perfdata_recording *recording, struct memphis_spooled *file, uint16_t type,
		    struct memphis_text *text, struct memphis_error *error)
{
	uint32_t lines = 0;
	size_t i;
	int rc = text->failed ? no_memory(recording, error) : 0;

	for (i = 0; !rc && i < text->bytes; i++)
		lines += text->text[i] == '\n';
	/* Drop text that does not fit into a chunk. No real process has so many maps. */
	if (!rc && text->bytes && text->bytes <= MEMPHIS_CHUNK_BYTES_MAX)
		rc = memphis_spool_chunk(&recording->spool, file, type, text->text, text->bytes, lines,
					 error);
	memphis_text_close(text);
	return rc;
}

int memphis_perfdata_maps_keep(struct memphis_perfdata_recording *recording,
			       struct memphis_perfdata_image *image, uint64_t time_ns,
			       struct memphis_error *error)
{
	struct memphis_text text = {0};

	memphis_perfdata_space_put(&image->space, &recording->strings, &recording->header.origin, time_ns,
				   &text);
	image->space.changed = image->space.grown = false;
	recording->list_bytes += text.bytes;
	return put_text(recording, &image->chunks, MEMPHIS_CHUNK_MAPS, &text, error);
}

/* Appends a line with a value that may contain any characters. Line feeds and backslashes are escaped. */
static void put_value(struct memphis_text *text, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	memphis_text_print(text, "%s ", key);
	for (; *value; value++)
		if (*value == '\n' || *value == '\\')
			memphis_text_put(text, *value == '\n' ? "\\n" : "\\\\");
		else
			memphis_text_add(text, value, 1);
	memphis_text_put(text, "\n");
}

static void put_number(struct memphis_text *text, const char *key, uint64_t value)
{
	memphis_text_print(text, "%s %" PRIu64 "\n", key, value);
}

/* Appends an argument of a command line, in quotes if necessary. */
static void add_argument(struct memphis_text *line, const char *argument)
{
	const bool quoted = !*argument || strpbrk(argument, " '\"\t\n");

	memphis_text_put(line, quoted ? "'" : "");
	for (; *argument; argument++)
		if (*argument == '\'')
			memphis_text_put(line, "'\\''");
		else
			memphis_text_add(line, argument, 1);
	memphis_text_put(line, quoted ? "'" : "");
}

/*
 * Appends the command line of the process. It is the end of perf's own command line, from the name of the
 * program on. If that does not contain the program, it is only the name.
 */
static void put_command(const struct memphis_perfdata_recording *recording,
			const struct memphis_perfdata_image *image, struct memphis_text *text)
{
	const struct memphis_perfdata_origin *origin = &recording->header.origin;
	struct memphis_text line = {0};
	const char *name;
	size_t i;

	for (i = 1; i < origin->argument_count; i++) {
		name = memphis_basename(origin->arguments[i]);
		if (!strncmp(name, image->name, MEMPHIS_PERFDATA_NAME - 1) && *name)
			break;
	}
	for (; i < origin->argument_count; i++) {
		memphis_text_put(&line, line.bytes ? " " : "");
		add_argument(&line, origin->arguments[i]);
	}
	text->failed |= line.failed;
	put_value(text, "command", line.bytes ? line.text : image->name);
	memphis_text_close(&line);
}

/* Returns the first event of the kind that comes first in enum memphis_perfdata_kind. */
static const struct memphis_perfdata_event *main_event(const struct memphis_perfdata_events *events)
{
	const struct memphis_perfdata_event *event = events->list, *end = event + events->count,
					    *found = event;

	for (; event < end; event++)
		if (event->kind != MEMPHIS_PERFDATA_OTHER &&
		    (found->kind == MEMPHIS_PERFDATA_OTHER || event->kind < found->kind))
			found = event;
	return found;
}

/*
 * Returns the mean period of the samples of this kind, or 0 if it is unknown. A mean is needed because perf
 * varies the period if the user has set a frequency.
 */
static uint64_t period_of(const struct memphis_perfdata_events *events, enum memphis_perfdata_kind kind)
{
	const struct memphis_perfdata_event *event = events->list, *end = event + events->count;
	uint64_t periods = 0, count = 0;

	for (; event < end; event++)
		if (event->kind == kind) {
			periods += event->periods;
			count += event->period_count;
		}
	return count ? periods / count : 0;
}

#define NAME(event, name, source, flags) [event] = name,
static const char *const event_names[MEMPHIS_EVENTS] = {MEMPHIS_SAMPLING_EVENTS(NAME)};

/* Appends the list of events. Loads are sampled by load latency, or else by their source. */
static void put_events(const struct memphis_perfdata_events *events, struct memphis_text *text)
{
	unsigned int taken = 0, event;
	const char *comma = "";
	size_t i;

	for (i = 0; i < events->count; i++)
		if (events->list[i].kind != MEMPHIS_PERFDATA_OTHER)
			taken |= 1u << (events->list[i].kind == MEMPHIS_PERFDATA_BY_SOURCE
						? events->list[i].source
						: MEMPHIS_EVENT_ACCESS);
	memphis_text_put(text, "event ");
	for (event = 0; event < MEMPHIS_EVENTS; event++)
		if (taken & 1u << event) {
			memphis_text_print(text, "%s%s", comma, event_names[event]);
			comma = ",";
		}
	memphis_text_put(text, "\n");
}

/* Appends the mean periods of loads by source and of stores that differ from `period`. */
static void put_periods(const struct memphis_perfdata_recording *recording, uint64_t period,
			struct memphis_text *text)
{
	const struct memphis_perfdata_periods *periods;
	unsigned int event;
	char key[32];

	for (event = MEMPHIS_EVENT_ACCESS + 1; event <= MEMPHIS_EVENTS; event++) {
		periods = &recording->periods[event];
		snprintf(key, sizeof(key), "period_%s",
			 event < MEMPHIS_EVENTS ? event_names[event] : "stores");
		if (periods->count && periods->sum / periods->count != period)
			put_number(text, key, periods->sum / periods->count);
	}
}

static void put_ibs(const struct memphis_perfdata_recording *recording,
		    const struct perf_event_attr *attribute, struct memphis_text *text)
{
	const char *filter = attribute->config & IBS_CONFIG_L3_MISS_ONLY ? "l3-miss" : "none";

	memphis_text_print(text, "hardware ibs\npmu %s\n", IBS_NAME);
	if (recording->translator.capabilities)
		memphis_text_print(text, "hardware_capabilities 0x%x\n", recording->translator.capabilities);
	put_value(text, "count", attribute->config & IBS_CONFIG_COUNT_OPS ? "ops" : "cycles");
	put_value(text, "hardware_filter", attribute->config1 ? "latency" : filter);
	put_number(text, "min_latency", attribute->config1);
	/* Since Linux 6.14, IBS samples of the kernel are dropped without being counted. */
	if (attribute->exclude_kernel)
		put_value(text, "uncounted", "kernel");
}

static void put_pebs(const struct memphis_perfdata_recording *recording,
		     const struct memphis_perfdata_event *event, struct memphis_text *text)
{
	memphis_text_print(text, "hardware pebs\npmu %s\ncount loads\n", PEBS_NAME);
	put_events(&recording->header.events, text);
	put_number(text, "min_latency",
		   event->kind == MEMPHIS_PERFDATA_LOADS ? event->attribute.config1 & 0xffff : 0);
}

static void put_sampling(const struct memphis_perfdata_recording *recording, struct memphis_text *text)
{
	const struct memphis_perfdata_event *event = main_event(&recording->header.events);
	const struct perf_event_attr *attribute = &event->attribute;
	const uint64_t period = period_of(&recording->header.events, event->kind);

	if (event->kind == MEMPHIS_PERFDATA_IBS)
		put_ibs(recording, attribute, text);
	else
		put_pebs(recording, event, text);
	if (period)
		put_number(text, "period", period);
	put_periods(recording, period, text);
	put_value(text, "sampler", "task");
	put_value(text, "drop", "none");
	if (recording->placeless)
		put_value(text, "cpus", "unknown");
}

/*
 * Appends the time of day that corresponds to a time of perf's clock. It is known only if the user told perf
 * which clock to use.
 */
static void put_time_of_day(const struct memphis_perfdata_origin *origin, uint64_t time_ns,
			    struct memphis_text *text)
{
	if (origin->has_clock)
		put_number(text, "start_realtime_ns", origin->wall_ns + time_ns - origin->clock_ns);
}

static void put_program_code(const char *program, struct memphis_text *text)
{
	struct memphis_text directory = {0};

	if (program)
		memphis_perfdata_program_directory(program, &directory);
	text->failed |= directory.failed;
	put_value(text, "program_code", directory.text);
	memphis_text_close(&directory);
}

static int put_settings(struct memphis_perfdata_recording *recording, struct memphis_perfdata_image *image,
			struct memphis_spooled *file, struct memphis_error *error)
{
	const struct memphis_perfdata_origin *origin = &recording->header.origin;
	const char *program = memphis_perfdata_space_program(&image->space, &recording->strings);
	const char *id = program ? memphis_perfdata_build_id_of(origin, program) : NULL;
	struct memphis_text text = {0};

	put_command(recording, image, &text);
	put_value(&text, "executable", program);
	put_value(&text, "build_id", id ? id : "-");
	put_program_code(program, &text);
	put_value(&text, "host", origin->host);
	put_number(&text, "pid", image->pid);
	put_value(&text, "kernel_release", origin->release);
	put_value(&text, "machine", origin->architecture);
	put_value(&text, "cpu_model", origin->cpu);
	put_value(&text, "backend", "perf.data");
	put_value(&text, "mode",
		  main_event(&recording->header.events)->attribute.enable_on_exec ? "program" : "attached");
	put_value(&text, "alloc_min_bytes", "off");
	put_sampling(recording, &text);
	put_number(&text, "start_time_ns", image->start_ns);
	put_time_of_day(origin, image->start_ns, &text);
	if (image->last_ns) {
		put_number(&text, "stop_time_ns", image->last_ns);
		put_number(&text, "active_count", 1);
		put_number(&text, "active_ns", image->last_ns - image->start_ns);
		put_number(&text, "active_first_ns", image->start_ns);
		put_number(&text, "active_last_ns", image->last_ns);
	}
	return put_text(recording, file, MEMPHIS_CHUNK_SETTINGS, &text, error);
}

static int put_topology(struct memphis_perfdata_recording *recording, struct memphis_spooled *file,
			struct memphis_error *error)
{
	const struct memphis_perfdata_origin *origin = &recording->header.origin;
	const struct memphis_perfdata_node *node;
	struct memphis_text text = {0};
	size_t i;

	/* The node distances are empty, because perf does not record them. */
	for (i = 0; i < origin->node_count; i++) {
		node = &origin->nodes[i];
		memphis_text_print(&text, "node %" PRIu32 " %" PRIu64 " %s \n", node->node,
				   node->memory_bytes, *node->cpus ? node->cpus : "-");
	}
	return put_text(recording, file, MEMPHIS_CHUNK_TOPOLOGY, &text, error);
}

/* Writes the losses of the whole recording into the first file only, so that they are counted once. */
static int put_losses(struct memphis_perfdata_recording *recording, struct memphis_spooled *file,
		      struct memphis_error *error)
{
	struct memphis_text text = {0};

	if (!recording->losses_told && recording->unowned_lost)
		put_number(&text, "samples_lost_by_perf", recording->unowned_lost);
	if (!recording->losses_told && recording->left_out)
		put_number(&text, "samples_left_out", recording->left_out);
	if (!recording->losses_told && recording->end_lost)
		put_number(&text, "compressed_end_lost", 1);
	recording->losses_told = true;
	return put_text(recording, file, MEMPHIS_CHUNK_LOSSES, &text, error);
}

static struct memphis_file_header header_of(const struct memphis_perfdata_recording *recording,
					    const struct memphis_perfdata_image *image, uint16_t kind)
{
	const struct memphis_perfdata_origin *origin = &recording->header.origin;
	struct memphis_file_header header = {.kind = kind, .pid = image->pid};
	const struct {
		uint64_t host, start_ns, pid, number;
	} identity = {origin->host ? memphis_hash(origin->host, strlen(origin->host)) : 0, image->start_ns,
		      image->pid, image->number};

	/* The identity does not depend on the path, so all copies of the recording get the same run number. */
	header.run[0] = memphis_hash(&identity, sizeof(identity));
	header.run[1] = memphis_hash(&header.run[0], sizeof(header.run[0]));
	header.start_time_ns = image->start_ns;
	if (origin->has_clock)
		header.start_realtime_ns = origin->wall_ns + image->start_ns - origin->clock_ns;
	return header;
}

static int make_process_file(struct memphis_perfdata_recording *recording,
			     struct memphis_perfdata_image *image, const char *path,
			     struct memphis_error *error)
{
	const struct memphis_file_header header = header_of(recording, image, MEMPHIS_FILE_PROCESS);
	struct memphis_spool *spool = &recording->spool;
	struct memphis_spooled file = {0};
	int rc = image->space.changed || image->space.grown
			 ? memphis_perfdata_maps_keep(recording, image, image->last_ns, error)
			 : 0;

	if (!rc)
		rc = memphis_spool_header(spool, &file, &header, error);
	if (!rc)
		rc = put_settings(recording, image, &file, error);
	if (!rc)
		rc = put_topology(recording, &file, error);
	if (!rc)
		rc = put_losses(recording, &file, error);
	if (!rc)
		rc = memphis_spooled_move(&file, &image->chunks, error);
	if (!rc && !recording->unfinished)
		rc = memphis_spool_chunk(spool, &file, MEMPHIS_CHUNK_END, "", 0, 0, error);
	if (!rc)
		rc = memphis_spool_keep(spool, &file, path, error);
	memphis_spooled_close(&file);
	return rc;
}

static int put_thread(struct memphis_perfdata_recording *recording,
		      const struct memphis_perfdata_thread *thread, bool joined, struct memphis_spooled *file,
		      struct memphis_error *error)
{
	const struct memphis_perfdata_image *image = &recording->tasks.images[thread->image];
	struct memphis_text text = {0};

	put_value(&text, "name", thread->name);
	put_number(&text, "start_time_ns", thread->start_ns);
	if (thread->tid == image->pid)
		put_number(&text, "main", 1);
	put_number(&text, "attached", 1);
	if (joined)
		put_value(&text, "recorded_by", "perf");
	if (thread->ended)
		put_number(&text, "end_time_ns", thread->last_ns);
	return put_text(recording, file, MEMPHIS_CHUNK_THREAD, &text, error);
}

static bool has_data(const struct memphis_perfdata_thread *thread)
{
	return thread->accounting.interrupts || thread->accounting.throttled;
}

/* Writes the settings of the sampling into the first thread file of a run whose process file has no samples. */
static int put_joined(struct memphis_perfdata_recording *recording, struct memphis_spooled *file,
		      struct memphis_error *error)
{
	struct memphis_text text = {0};
	int rc;

	put_value(&text, "backend", "perf");
	put_value(&text, "mode", "program");
	put_sampling(recording, &text);
	rc = put_text(recording, file, MEMPHIS_CHUNK_SETTINGS, &text, error);
	return rc ? rc : put_losses(recording, file, error);
}

/* Appends the thread to the file. Its last samples were not yet written. */
static int add_thread(struct memphis_perfdata_recording *recording, struct memphis_perfdata_thread *thread,
		      struct memphis_file_header header, bool joined, bool first,
		      struct memphis_spooled *file, struct memphis_error *error)
{
	struct memphis_spool *spool = &recording->spool;
	int rc;

	header.kind = MEMPHIS_FILE_THREAD;
	header.tid = thread->tid;
	/* Threads that have the same TID one after the other are distinguished by their start times. */
	header.start_time_ns = thread->start_ns;
	rc = memphis_spool_header(spool, file, &header, error);
	if (!rc)
		rc = put_thread(recording, thread, joined, file, error);
	if (!rc && first)
		rc = put_joined(recording, file, error);
	if (!rc)
		rc = end_chunk(recording, thread, error);
	if (!rc)
		rc = memphis_spooled_move(file, &thread->chunks, error);
	if (!rc)
		rc = memphis_spool_chunk(spool, file, MEMPHIS_CHUNK_ACCOUNTING, &thread->accounting,
					 sizeof(thread->accounting), 1, error);
	return rc ? rc : memphis_spool_chunk(spool, file, MEMPHIS_CHUNK_END, "", 0, 0, error);
}

static int make_thread_file(struct memphis_perfdata_recording *recording, size_t image, const char *path,
			    struct memphis_error *error)
{
	const uint64_t *run = recording->tasks.images[image].run;
	struct memphis_file_header header =
		header_of(recording, &recording->tasks.images[image], MEMPHIS_FILE_THREADS);
	struct memphis_perfdata_thread *thread;
	struct memphis_spooled file = {0};
	bool first = run;
	size_t next;
	int rc;

	if (run)
		memcpy(header.run, run, sizeof(header.run));
	rc = memphis_spool_header(&recording->spool, &file, &header, error);
	for (next = recording->tasks.images[image].first; !rc && next; next = thread->next) {
		thread = &recording->tasks.threads[next - 1];
		if (!has_data(thread))
			continue;
		rc = add_thread(recording, thread, header, run, first, &file, error);
		first = false;
	}
	if (!rc && !recording->unfinished)
		rc = memphis_spool_chunk(&recording->spool, &file, MEMPHIS_CHUNK_END, "", 0, 0, error);
	if (!rc)
		rc = memphis_spool_keep(&recording->spool, &file, path, error);
	memphis_spooled_close(&file);
	return rc;
}

int memphis_perfdata_image_write(struct memphis_perfdata_recording *recording, size_t image, char *paths[2],
				 struct memphis_error *error)
{
	struct memphis_perfdata_image *written = &recording->tasks.images[image];
	char number[16] = "";
	int rc = 0;

	if (written->number)
		snprintf(number, sizeof(number), ".%" PRIu32, written->number);
	if (asprintf(&paths[0], "%s:%" PRIu32 "%s", recording->path, written->pid, number) < 0)
		paths[0] = NULL;
	if (asprintf(&paths[1], "%s:%" PRIu32 "%s:threads", recording->path, written->pid, number) < 0)
		paths[1] = NULL;
	if (!paths[0] || !paths[1])
		return no_memory(recording, error);
	if (!written->run)
		rc = make_process_file(recording, written, paths[0], error);
	return rc ? rc : make_thread_file(recording, image, paths[1], error);
}
