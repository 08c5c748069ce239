// SPDX-License-Identifier: BSD-3-Clause
/* Saves a profile. Writes each table as records of at most MPROF_ROWS_MAX rows, and one process after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/file/mprof.h"
#include "profile/file/stream.h"
#include "profile/file/evidence.h"
#include "profile/file/table.h"
#include "profile/file/counters.h"
#include "read/thread.h"

#define STRINGS_MAX 1024 /* maximum number of strings per record; long strings reduce it */
#define THREADS_MAX 128
#define SERIES_MAX  256    /* maximum number of series of threads per record */
#define TIMES_MAX   100000 /* maximum number of region times per record, unless a single thread has more */

struct writer {
	struct mprof_output output;
	const struct memphis_profile *profile;
	struct memphis_error *error;
	uint64_t columns[MPROF_COLUMNS_MAX][MPROF_ROWS_MAX];
	uint64_t steps[SERIES_MAX * MEMPHIS_STEPS];
};

static int put_record(struct writer *writer, Mprof__Record__KindCase kind, ProtobufCMessage *message)
{
	Mprof__Record record = MPROF__RECORD__INIT;

	record.kind_case = kind;
	/* any member of the union will do, because all are pointers to messages */
	record.start = (Mprof__Start *)message;
	return mprof_output_record(&writer->output, &record, writer->error);
}

static int put_table(struct writer *writer, const struct mprof_table *table, Mprof__Record__KindCase kind,
		     ProtobufCMessage *message, const void *rows, size_t count)
{
	size_t done, some;
	int rc;

	for (done = 0; done < count; done += some) {
		some = count - done < MPROF_ROWS_MAX ? count - done : MPROF_ROWS_MAX;
		mprof_put_rows(table, message, (const char *)rows + done * table->row_bytes, some,
			       writer->columns);
		rc = put_record(writer, kind, message);
		if (rc)
			return rc;
	}
	return 0;
}

static ProtobufCBinaryData binary_data(const char *text)
{
	return (ProtobufCBinaryData){text ? strlen(text) : 0, (uint8_t *)text};
}

static int put_start(struct writer *writer)
{
	Mprof__Start start = MPROF__START__INIT;

	start.selection = binary_data(writer->profile->selection);
	start.by_region = writer->profile->by_region;
	start.by_thread = writer->profile->by_thread;
	start.empty_files = writer->profile->processes.empty_files;
	start.damaged_files = writer->profile->processes.damaged_files;
	start.empty_directories = writer->profile->processes.empty_directories;
	return put_record(writer, MPROF__RECORD__KIND_START, &start.base);
}

static int put_strings(struct writer *writer)
{
	const struct memphis_strings *strings = &writer->profile->strings;
	ProtobufCBinaryData texts[STRINGS_MAX];
	Mprof__Strings message = MPROF__STRINGS__INIT;
	size_t i, bytes = 0;
	int rc = 0;

	message.text = texts;
	for (i = 1; !rc && i < strings->count; i++) {
		texts[message.n_text++] = (ProtobufCBinaryData){memphis_strings_bytes(strings, i),
								(uint8_t *)memphis_strings_get(strings, i)};
		bytes += texts[message.n_text - 1].len;
		if (message.n_text < STRINGS_MAX && bytes < MPROF_RECORD_MAX / 4 && i + 1 < strings->count)
			continue;
		rc = put_record(writer, MPROF__RECORD__KIND_STRINGS, &message.base);
		message.n_text = bytes = 0;
	}
	return rc;
}

/* Writes the instructions from `first` to `end` - 1 with their frames, as records that contain two tables. */
static int put_instruction_record(struct writer *writer, size_t first, size_t end)
{
	const struct memphis_profile *profile = writer->profile;
	struct memphis_profile_frame *frames = malloc(MPROF_ROWS_MAX * sizeof(*frames));
	Mprof__Instructions message = MPROF__INSTRUCTIONS__INIT;
	const struct memphis_instruction *instruction;
	size_t frame_count = 0, i;
	int rc = 0;

	if (!frames)
		return memphis_fail(writer->error, -ENOMEM, "out of memory");
	for (i = first; !rc && i <= end; i++) {
		instruction = &profile->instructions[i];
		if (i > first && (i == end || i - first == MPROF_ROWS_MAX ||
				  frame_count + instruction->frame_count > MPROF_ROWS_MAX)) {
			mprof_put_rows(&mprof_instructions, &message.base, &profile->instructions[first],
				       i - first, writer->columns);
			mprof_put_rows(&mprof_frames, &message.base, frames, frame_count,
				       writer->columns + mprof_instructions.column_count);
			rc = put_record(writer, MPROF__RECORD__KIND_INSTRUCTIONS, &message.base);
			first = i;
			frame_count = 0;
		}
		if (i == end)
			break;
		memcpy(frames + frame_count, profile->frames + instruction->frame,
		       instruction->frame_count * sizeof(*frames));
		frame_count += instruction->frame_count;
	}
	free(frames);
	return rc;
}

/* Writes the chains of callers. Each record has a table of chains, and one of the calls in these chains. */
static int put_chains(struct writer *writer)
{
	const struct memphis_profile *profile = writer->profile;
	Mprof__Instructions message = MPROF__INSTRUCTIONS__INIT;
	size_t first = 0, calls, i;
	int rc = 0;

	for (i = 0; !rc && i < profile->chain_count; i++) {
		/* The calls are stored in the order of their chains. */
		calls = profile->chains[i].call + profile->chains[i].call_count - profile->chains[first].call;
		if (i + 1 < profile->chain_count && i + 1 - first < MPROF_ROWS_MAX &&
		    calls + profile->chains[i + 1].call_count <= MPROF_ROWS_MAX)
			continue;
		mprof_put_rows(&mprof_chains, &message.base, &profile->chains[first], i + 1 - first,
			       writer->columns);
		mprof_put_rows(&mprof_calls, &message.base, profile->calls + profile->chains[first].call,
			       calls, writer->columns + mprof_chains.column_count);
		rc = put_record(writer, MPROF__RECORD__KIND_INSTRUCTIONS, &message.base);
		first = i + 1;
	}
	return rc;
}

/*
 * Writes instructions and chains in an order in which references point backwards. Chains refer to calls, which are
 * instructions without a chain. These are the first instructions (profile_order.c). Instructions with a chain follow
 * after the chains.
 */
static int put_instructions(struct writer *writer)
{
	const struct memphis_profile *profile = writer->profile;
	size_t plain = 0;
	int rc;

	while (plain < profile->instruction_count && profile->instructions[plain].chain == MEMPHIS_NONE)
		plain++;
	rc = put_instruction_record(writer, 0, plain);
	if (!rc)
		rc = put_chains(writer);
	return rc ? rc : put_instruction_record(writer, plain, profile->instruction_count);
}

/* Sets the keys and values of `pairs`. `room` must have two elements per setting, and belongs to the caller. */
static void fill_pairs(Mprof__Pairs *pairs, const struct memphis_settings *settings,
		       ProtobufCBinaryData *room)
{
	const char *key = NULL, *value;
	size_t i = 0;

	mprof__pairs__init(pairs);
	pairs->n_key = pairs->n_value = settings->count;
	pairs->key = room;
	pairs->value = room + settings->count;
	for (; memphis_settings_next(settings, &key, &value); i++) {
		pairs->key[i] = binary_data(key);
		pairs->value[i] = binary_data(value);
	}
}

struct process_room {
	Mprof__Pairs settings, losses, files;
	ProtobufCBinaryData *texts;
	Mprof__Node *nodes, **node_pointers;
	uint64_t *ids;
};

static void fill_process(Mprof__Process *message, const struct memphis_process *process,
			 struct process_room *room)
{
	size_t i;

	message->run_0 = process->run[0];
	message->run_1 = process->run[1];
	message->pid = process->pid;
	message->path = binary_data(process->path);
	message->closed = process->closed;
	message->unfinished = process->unfinished;
	message->heatmaps = process->heatmaps;
	message->condensed = process->condensed;
	message->has_maps = process->has_maps;
	fill_pairs(&room->settings, &process->settings, room->texts);
	fill_pairs(&room->losses, &process->losses, room->texts + 2 * process->settings.count);
	fill_pairs(&room->files, &process->files,
		   room->texts + 2 * (process->settings.count + process->losses.count));
	message->settings = &room->settings;
	message->files = process->files.count ? &room->files : NULL;
	message->losses = &room->losses;
	message->n_node = process->node_count;
	message->node = room->node_pointers;
	for (i = 0; i < process->node_count; i++) {
		mprof__node__init(&room->nodes[i]);
		room->nodes[i].node = process->nodes[i].node;
		room->nodes[i].memory_bytes = process->nodes[i].memory_bytes;
		room->nodes[i].cpus = binary_data(process->nodes[i].cpus);
		room->nodes[i].distances = binary_data(process->nodes[i].distances);
		room->node_pointers[i] = &room->nodes[i];
	}
	message->n_region_id = message->n_region_parent = message->n_region_name = process->region_count;
	message->region_id = room->ids;
	message->region_parent = room->ids + process->region_count;
	message->region_name = room->files.key + 2 * process->files.count;
	for (i = 0; i < process->region_count; i++) {
		message->region_id[i] = process->regions[i].id;
		message->region_parent[i] = process->regions[i].parent;
		message->region_name[i] = binary_data(process->regions[i].name);
	}
}

static int put_process(struct writer *writer, const struct memphis_process *process, uint64_t tick_width_ns,
		       const struct memphis_finding *findings, size_t finding_count)
{
	struct mprof_evidence *evidence;
	const struct memphis_counters *counters = process->counters;
	Mprof__Process message = MPROF__PROCESS__INIT;
	struct process_room room = {
		.texts = calloc(2 * (process->settings.count + process->losses.count + process->files.count) +
					process->region_count + 1,
				sizeof(*room.texts)),
		.nodes = calloc(process->node_count + 1, sizeof(*room.nodes)),
		.node_pointers = calloc(process->node_count + 1, sizeof(*room.node_pointers)),
		.ids = calloc(2 * process->region_count + 1, sizeof(*room.ids)),
	};
	int rc = -ENOMEM;

	evidence = mprof_put_evidence(&message, findings, finding_count);
	if (evidence && room.texts && room.nodes && room.node_pointers && room.ids) {
		fill_process(&message, process, &room);
		message.tick_width_ns = tick_width_ns;
		message.metric_width_ns = counters && counters->metric_count ? counters->width_ns : 0;
		rc = put_record(writer, MPROF__RECORD__KIND_PROCESS, &message.base);
	} else {
		memphis_fail(writer->error, rc, "out of memory");
	}
	mprof_evidence_close(evidence);
	free(room.texts);
	free(room.nodes);
	free(room.node_pointers);
	free(room.ids);
	return rc;
}

static void fill_thread(Mprof__Thread *message, const struct memphis_thread *thread, uint64_t *accounting)
{
	const struct memphis_accounting *from = &thread->accounting;
	size_t i;

	mprof__thread__init(message);
	message->path = binary_data(thread->path);
	message->tid = thread->tid;
	message->closed = thread->closed;
	message->unfinished = thread->unfinished;
	message->samples = thread->samples;
	message->start_time_ns = thread->start_time_ns;
	message->read = thread->read;
	message->selected = thread->selected;
	message->own = thread->own;
	message->others = thread->others;
	message->mpi_threads = thread->mpi_threads;
	message->homes_told = thread->homes.known;
	message->homes_remote_at_home = thread->homes.remote_at_home;
	message->homes_local_away = thread->homes.local_away;
	message->accounting = accounting;
	accounting[message->n_accounting++] = from->interrupts;
	accounting[message->n_accounting++] = from->kept;
	accounting[message->n_accounting++] = from->lost;
	accounting[message->n_accounting++] = from->throttled;
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		accounting[message->n_accounting++] = from->filtered[i];
}

#define TIME_COLUMNS (6 + MEMPHIS_REGION_EVENTS)

/* Sets the columns of the thread's region times. Returns the next free element of `room`. */
static uint64_t *fill_times(Mprof__Thread *message, const struct memphis_thread *thread, uint64_t *room)
{
	const size_t count = thread->time_count;
	const struct memphis_region_time *time;
	uint64_t *events = room + 6 * count;
	bool counted = false;
	size_t i, event;

	message->n_time_region = message->n_time_calls = message->n_time_ns = message->n_time_cpu_ns =
		message->n_time_cycles = message->n_time_instructions = count;
	message->time_region = room;
	message->time_calls = room + count;
	message->time_ns = room + 2 * count;
	message->time_cpu_ns = room + 3 * count;
	message->time_cycles = room + 4 * count;
	message->time_instructions = room + 5 * count;
	for (i = 0; i < count; i++) {
		time = &thread->times[i];
		message->time_region[i] = time->region;
		message->time_calls[i] = time->calls;
		message->time_ns[i] = time->ns;
		message->time_cpu_ns[i] = time->cpu_ns;
		message->time_cycles[i] = time->cycles;
		message->time_instructions[i] = time->instructions;
		memcpy(events + i * MEMPHIS_REGION_EVENTS, time->events, sizeof(time->events));
		for (event = 0; event < MEMPHIS_REGION_EVENTS; event++)
			counted |= time->events[event] != 0;
	}
	message->time_events = events;
	message->n_time_events = counted ? MEMPHIS_REGION_EVENTS * count : 0;
	return room + TIME_COLUMNS * count;
}

/*
 * Writes the thread's sums of calls of I/O functions to `room` if `io` is true, and those of MPI functions otherwise.
 * Returns the next free element of `room`.
 */
static uint64_t *fill_sums(const struct memphis_thread *thread, bool io, uint64_t *room)
{
	const struct memphis_mpi_sum *sum;

	for (sum = thread->mpi; sum < thread->mpi + thread->mpi_count; sum++) {
		if (memphis_mpi_sum_is_io(sum) != io)
			continue;
		*room++ = sum->region;
		*room++ = (uint64_t)(sum->partner - MEMPHIS_MPI_OTHERS);
		*room++ = sum->calls;
		*room++ = sum->sent;
		*room++ = sum->received;
		*room++ = sum->sent_bytes;
		*room++ = sum->received_bytes;
		*room++ = sum->ns;
		*room++ = sum->waits;
		*room++ = sum->known;
		*room++ = sum->waited_ns;
	}
	return room;
}

static uint64_t *fill_mpi(Mprof__Thread *message, const struct memphis_thread *thread, uint64_t *room)
{
	message->mpi = room;
	message->io = fill_sums(thread, false, message->mpi);
	message->n_mpi = (size_t)(message->io - message->mpi);
	room = fill_sums(thread, true, message->io);
	message->n_io = (size_t)(room - message->io);
	return room;
}

static int put_thread_record(struct writer *writer, const struct memphis_thread *threads, size_t count)
{
	uint64_t accounting[THREADS_MAX][4 + MEMPHIS_REASONS_MAX];
	Mprof__Thread list[THREADS_MAX], *pointers[THREADS_MAX];
	Mprof__Threads message = MPROF__THREADS__INIT;
	Mprof__Pairs metadata[THREADS_MAX];
	ProtobufCBinaryData *texts;
	size_t pairs = 0, count_of_numbers = 0, i;
	uint64_t *numbers, *number;
	int rc;

	for (i = 0; i < count; i++) {
		pairs += threads[i].metadata.count;
		count_of_numbers +=
			TIME_COLUMNS * threads[i].time_count + MPROF_MPI_NUMBERS * threads[i].mpi_count;
	}
	texts = calloc(2 * pairs + 1, sizeof(*texts));
	number = numbers = malloc((count_of_numbers + 1) * sizeof(*numbers));
	if (!texts || !numbers) {
		free(texts);
		free(numbers);
		return memphis_fail(writer->error, -ENOMEM, "out of memory");
	}
	for (i = 0, pairs = 0; i < count; i++) {
		fill_thread(&list[i], &threads[i], accounting[i]);
		number = fill_times(&list[i], &threads[i], number);
		number = fill_mpi(&list[i], &threads[i], number);
		fill_pairs(&metadata[i], &threads[i].metadata, texts + 2 * pairs);
		pairs += threads[i].metadata.count;
		list[i].metadata = &metadata[i];
		pointers[i] = &list[i];
	}
	message.n_thread = count;
	message.thread = pointers;
	rc = put_record(writer, MPROF__RECORD__KIND_THREADS, &message.base);
	free(texts);
	free(numbers);
	return rc;
}

static int put_threads(struct writer *writer, const struct memphis_process *process)
{
	size_t done, some, times;
	int rc = 0;

	for (done = 0; !rc && done < process->thread_count; done += some) {
		times = process->threads[done].time_count;
		for (some = 1; some < THREADS_MAX && done + some < process->thread_count; some++) {
			times += process->threads[done + some].time_count;
			if (times > TIMES_MAX)
				break;
		}
		rc = put_thread_record(writer, process->threads + done, some);
	}
	return rc;
}

static int put_timeline(struct writer *writer, const struct memphis_timeline *timeline)
{
	Mprof__Series message = MPROF__SERIES__INIT;
	struct memphis_series *series;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < timeline->count; i++) {
		series = &timeline->list[i];
		message.node = series->node;
		message.home = series->home;
		message.ticks = series->ticks;
		message.n_ticks = MEMPHIS_TICKS;
		/* Omit trailing zeros. */
		while (message.n_ticks && !series->ticks[message.n_ticks - 1])
			message.n_ticks--;
		rc = put_record(writer, MPROF__RECORD__KIND_SERIES, &message.base);
	}
	return rc;
}

static int put_thread_series(struct writer *writer, const struct memphis_timeline *timeline)
{
	Mprof__ThreadSeries message = MPROF__THREAD_SERIES__INIT;
	const struct memphis_thread_series *list = timeline->threads;
	size_t done, some, i;
	int rc = 0;

	message.samples = writer->steps;
	for (done = 0; !rc && done < timeline->thread_count; done += some) {
		some = timeline->thread_count - done < SERIES_MAX ? timeline->thread_count - done
								  : SERIES_MAX;
		mprof_put_rows(&mprof_thread_series, &message.base, list + done, some, writer->columns);
		message.n_samples = some * MEMPHIS_STEPS;
		for (i = 0; i < message.n_samples; i++)
			writer->steps[i] = list[done + i / MEMPHIS_STEPS].steps[i % MEMPHIS_STEPS];
		rc = put_record(writer, MPROF__RECORD__KIND_THREAD_SERIES, &message.base);
	}
	return rc;
}

/* Writes each series as a record of its own, because a process has only a few of them. */
static int put_wait_series(struct writer *writer, const struct memphis_timeline *timeline)
{
	Mprof__WaitSeries message = MPROF__WAIT_SERIES__INIT;
	struct memphis_wait_series *waits = timeline->waits, *end = waits + timeline->wait_count;
	int rc = 0;

	message.n_samples = message.n_latency_cycles = MEMPHIS_STEPS;
	for (; !rc && waits < end; waits++) {
		mprof_put_rows(&mprof_wait_series, &message.base, waits, 1, writer->columns);
		message.samples = waits->counts;
		message.latency_cycles = waits->cycles;
		rc = put_record(writer, MPROF__RECORD__KIND_WAIT_SERIES, &message.base);
	}
	return rc;
}

/* Writes each process with its totals and its evidence. Both lists are sorted by process. */
static int put_processes(struct writer *writer)
{
	const struct memphis_profile *profile = writer->profile;
	const struct memphis_total *total = profile->totals.list, *end = total + profile->totals.count,
				   *first;
	const struct memphis_finding *finding = profile->evidence, *last = finding + profile->evidence_count,
				     *own;
	Mprof__Totals totals = MPROF__TOTALS__INIT;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < profile->processes.count; i++) {
		for (own = finding; finding < last && finding->process == i; finding++)
			;
		rc = put_process(writer, &profile->processes.list[i], profile->timelines[i].width_ns, own,
				 (size_t)(finding - own));
		if (!rc)
			rc = put_threads(writer, &profile->processes.list[i]);
		for (first = total; total < end && total->process == i; total++)
			;
		if (!rc && total > first)
			rc = put_table(writer, &mprof_totals, MPROF__RECORD__KIND_TOTALS, &totals.base, first,
				       (size_t)(total - first));
		if (!rc)
			rc = put_timeline(writer, &profile->timelines[i]);
		if (!rc)
			rc = put_thread_series(writer, &profile->timelines[i]);
		if (!rc)
			rc = put_wait_series(writer, &profile->timelines[i]);
		if (!rc)
			rc = mprof_put_counters(&writer->output, profile->processes.list[i].counters,
						writer->error);
	}
	return rc;
}

static int put_heatmap(struct writer *writer, const struct memphis_heatmap *heatmap)
{
	Mprof__Heatmap message = MPROF__HEATMAP__INIT;
	Mprof__Spots spots = MPROF__SPOTS__INIT;
	Mprof__Uses uses = MPROF__USES__INIT;
	Mprof__Fields fields = MPROF__FIELDS__INIT;
	Mprof__Words words = MPROF__WORDS__INIT;
	const struct {
		const struct mprof_table *table;
		const void *rows;
		size_t count;
	} tables[] = {
		{&mprof_heatmap_regions, heatmap->regions, heatmap->region_count},
		{&mprof_heatmap_stores, heatmap->stores, heatmap->store_count},
		{&mprof_heatmap_parts, heatmap->parts, heatmap->part_count},
		{&mprof_heatmap_latencies, heatmap->latencies, heatmap->latency_count},
		{&mprof_heatmap_loads, heatmap->loads, heatmap->load_count},
		{&mprof_heatmap_moments, heatmap->moments, heatmap->moment_count},
	};
	size_t column = 0, i;
	int rc;

	message.process = heatmap->process;
	message.variable = heatmap->variable;
	message.low = heatmap->low;
	message.high = heatmap->high;
	message.bin_shift = heatmap->bin_shift;
	message.from_ns = heatmap->from_ns;
	message.to_ns = heatmap->to_ns;
	message.tick_shift = heatmap->tick_shift;
	message.samples = heatmap->samples;
	message.selected = heatmap->selected;
	message.one_in = heatmap->one_in;
	message.element_bytes = heatmap->element_bytes;
	message.renewed = heatmap->renewed;
	message.typed = heatmap->typed;
	message.contradicted = heatmap->contradicted;
	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		mprof_put_rows(tables[i].table, &message.base, tables[i].rows, tables[i].count,
			       writer->columns + column);
		column += tables[i].table->column_count;
	}
	rc = put_record(writer, MPROF__RECORD__KIND_HEATMAP, &message.base);
	if (!rc)
		rc = put_table(writer, &mprof_spots, MPROF__RECORD__KIND_SPOTS, &spots.base, heatmap->spots,
			       heatmap->spot_count);
	if (!rc)
		rc = put_table(writer, &mprof_uses, MPROF__RECORD__KIND_USES, &uses.base, heatmap->uses,
			       heatmap->use_count);
	if (!rc)
		rc = put_table(writer, &mprof_fields, MPROF__RECORD__KIND_FIELDS, &fields.base,
			       heatmap->fields, heatmap->field_count);
	return rc ? rc
		  : put_table(writer, &mprof_words, MPROF__RECORD__KIND_WORDS, &words.base, heatmap->words,
			      heatmap->word_count);
}

static int put_heatmaps(struct writer *writer)
{
	const struct memphis_profile *profile = writer->profile;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < profile->heatmap_count; i++)
		rc = put_heatmap(writer, &profile->heatmaps[i]);
	return rc;
}

static int put_end(struct writer *writer)
{
	Mprof__End end = MPROF__END__INIT;

	end.records = writer->output.records;
	return put_record(writer, MPROF__RECORD__KIND_END, &end.base);
}

static int write_records(struct writer *writer)
{
	const struct memphis_profile *profile = writer->profile;
	Mprof__Objects objects = MPROF__OBJECTS__INIT;
	Mprof__Variables variables = MPROF__VARIABLES__INIT;
	Mprof__Regions regions = MPROF__REGIONS__INIT;
	Mprof__Cells cells = MPROF__CELLS__INIT;
	int rc = put_start(writer);

	if (!rc)
		rc = put_strings(writer);
	if (!rc)
		rc = put_table(writer, &mprof_objects, MPROF__RECORD__KIND_OBJECTS, &objects.base,
			       profile->objects, profile->object_count);
	if (!rc)
		rc = put_table(writer, &mprof_variables, MPROF__RECORD__KIND_VARIABLES, &variables.base,
			       profile->variables, profile->variable_count);
	if (!rc)
		rc = put_instructions(writer);
	if (!rc)
		rc = put_table(writer, &mprof_regions, MPROF__RECORD__KIND_REGIONS, &regions.base,
			       profile->regions, profile->region_count);
	if (!rc)
		rc = put_processes(writer);
	if (!rc)
		rc = put_table(writer, &mprof_cells, MPROF__RECORD__KIND_CELLS, &cells.base, profile->cells,
			       profile->cell_count);
	if (!rc)
		rc = put_heatmaps(writer);
	return rc ? rc : put_end(writer);
}

int memphis_mprof_save(const struct memphis_profile *profile, const char *path, struct memphis_error *error)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	int rc;

	if (!writer)
		return memphis_fail(error, -ENOMEM, "out of memory");
	writer->profile = profile;
	writer->error = error;
	rc = mprof_output_open(&writer->output, path, error);
	if (!rc)
		rc = mprof_output_close(&writer->output, write_records(writer), error);
	free(writer);
	return rc;
}
