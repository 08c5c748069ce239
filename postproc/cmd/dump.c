// SPDX-License-Identifier: BSD-3-Clause
/* memphis dump: every chunk of sample files, as text or as one JSON object per line. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "view/accounting.h"
#include "cmd/command.h"
#include "cmd/dump_line.h"
#include "read/callers.h"
#include "read/decode.h"
#include "base/terminal.h"
#include "profile/reasons.h"

static void usage(FILE *to)
{
	fputs("usage: memphis dump [options] FILE...\n"
	      "Prints every chunk of the sample files, samples one per line. JSON is one object per line.\n\n"
	      "  --format text|json  (default text)\n"
	      "  --no-pager          write to a terminal without a pager\n",
	      to);
}

static const char *const kinds[] = {[MEMPHIS_FILE_PROCESS] = "process",
				    [MEMPHIS_FILE_THREAD] = "thread",
				    [MEMPHIS_FILE_THREADS] = "threads"};

static void dump_header(struct memphis_dump *dump)
{
	const struct memphis_file_header *header = &dump->file->header;
	char run[33];

	snprintf(run, sizeof(run), "%016llx%016llx", header->run[0], header->run[1]);
	memphis_dump_begin(dump, "file");
	memphis_dump_text(dump, "path", dump->file->path);
	memphis_dump_text(dump, "kind", kinds[header->kind]);
	memphis_dump_number(dump, "version", header->version);
	memphis_dump_text(dump, "run", run);
	memphis_dump_number(dump, "pid", header->pid);
	if (header->kind == MEMPHIS_FILE_THREAD)
		memphis_dump_number(dump, "tid", header->tid);
	memphis_dump_number(dump, "start_time_ns", header->start_time_ns);
	memphis_dump_number(dump, "start_realtime_ns", header->start_realtime_ns);
	memphis_dump_end(dump);
}

static void dump_chunk_header(struct memphis_dump *dump)
{
	memphis_dump_begin(dump, "chunk");
	memphis_dump_text(dump, "type", memphis_chunk_name(dump->chunk->type));
	if (!strcmp(memphis_chunk_name(dump->chunk->type), "unknown"))
		memphis_dump_number(dump, "number", dump->chunk->type);
	memphis_dump_hex(dump, "offset", dump->chunk->offset);
	memphis_dump_number(dump, "bytes", dump->chunk->bytes);
	memphis_dump_number(dump, "count", dump->chunk->count);
	memphis_dump_end(dump);
}

static const char *flag_names(unsigned int flags, char room[80])
{
	static const char *const names[] = {"load",   "store",       "remote",      "hitm",
					    "locked", "l1-tlb-miss", "l2-tlb-miss", "by-source"};
	unsigned int i;
	char *to = room;

	*room = 0;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (flags >> i & 1)
			to += sprintf(to, "%s%s", to == room ? "" : ",", names[i]);
	return room;
}

static void dump_sample(struct memphis_dump *dump, const struct memphis_sample *sample)
{
	char room[80];

	memphis_dump_begin(dump, "sample");
	memphis_dump_number(dump, "time_ns", sample->time_ns);
	memphis_dump_hex(dump, "pc", sample->pc);
	memphis_dump_hex(dump, "address", sample->address);
	memphis_dump_text(dump, "source", memphis_source_name(sample->source));
	memphis_dump_text(dump, "flags", flag_names(sample->flags, room));
	memphis_dump_number(dump, "latency_cycles", sample->latency_cycles);
	memphis_dump_number(dump, "cpu", sample->cpu);
	memphis_dump_number(dump, "node", sample->node);
	memphis_dump_number(dump, "home_node", sample->home_node);
	memphis_dump_number(dump, "region", sample->region);
	memphis_dump_end(dump);
}

static int dump_samples(struct memphis_dump *dump, struct memphis_error *error)
{
	const struct memphis_chunk_view *chunk = dump->chunk;
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0)
		dump_sample(dump, &decoder.sample);
	if (!rc)
		return 0;
	return memphis_fail(error, rc,
			    "%s: offset 0x%" PRIx64
			    ": no sample can be coded like this; the writer has a defect: please report it",
			    dump->file->path,
			    chunk->offset + sizeof(struct memphis_chunk) +
				    (uint64_t)(decoder.next - chunk->payload));
}

static void dump_accounting(struct memphis_dump *dump, const struct memphis_accounting *sum)
{
	char room[24];
	unsigned int i;

	memphis_dump_begin(dump, "accounting");
	memphis_dump_number(dump, "interrupts", sum->interrupts);
	memphis_dump_number(dump, "kept", sum->kept);
	memphis_dump_number(dump, "lost", sum->lost);
	memphis_dump_number(dump, "throttled", sum->throttled);
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		if (sum->filtered[i])
			memphis_dump_number(dump, memphis_reason_label(i, room), sum->filtered[i]);
	memphis_dump_end(dump);
}

/* Prints the records of a STACKS or CHAINS chunk. */
static int dump_stacks(struct memphis_dump *dump, const char *kind, struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	struct memphis_stack header;
	char key[24];
	uint64_t pc;
	uint32_t i, j;

	for (i = 0; i < dump->chunk->count; i++) {
		if ((size_t)(end - next) < sizeof(header))
			goto bad;
		memcpy(&header, next, sizeof(header));
		next += sizeof(header);
		if ((size_t)(end - next) / 8 < header.depth)
			goto bad;
		memphis_dump_begin(dump, kind);
		memphis_dump_number(dump, "id", header.id);
		for (j = 0; j < header.depth; j++, next += 8) {
			memcpy(&pc, next, 8);
			snprintf(key, sizeof(key), "%" PRIu32, j);
			memphis_dump_hex(dump, key, pc);
		}
		memphis_dump_end(dump);
	}
	if (next == end)
		return 0;
bad:
	return memphis_fail(error, -1,
			    "%s: offset 0x%" PRIx64
			    ": the %s chunk is malformed; the writer has a defect: please report it",
			    dump->file->path, dump->chunk->offset, memphis_chunk_name(dump->chunk->type));
}

/* `sample` is the number of the sample in the SAMPLES chunk before, from 0. */
static int dump_callers(struct memphis_dump *dump, struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	uint64_t sample = 0, skipped, code;
	char room[24];
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++, sample++) {
		if (memphis_callers_decode(&next, end, &skipped, &code))
			break;
		sample += skipped;
		memphis_dump_begin(dump, "callers");
		memphis_dump_number(dump, "sample", sample);
		snprintf(room, sizeof(room), "%" PRIu64, code >> 1);
		if (!(code & 1))
			memphis_dump_number(dump, "chain", code >> 1);
		else
			memphis_dump_text(dump, "unknown",
					  code >> 1 && code >> 1 < MEMPHIS_NO_CALLERS_REASONS
						  ? memphis_no_callers_texts[code >> 1].name
						  : room);
		memphis_dump_end(dump);
	}
	if (i == dump->chunk->count && next == end)
		return 0;
	return memphis_fail(error, -1,
			    "%s: offset 0x%" PRIx64
			    ": the callers chunk is malformed; the writer has a defect: please report it",
			    dump->file->path, dump->chunk->offset);
}

static int dump_stack_frames(struct memphis_dump *dump, struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	struct memphis_stack_frame frame;
	struct memphis_stack_frames stack_frames;
	uint32_t i, j;

	for (i = 0; i < dump->chunk->count; i++) {
		if ((size_t)(end - next) < sizeof(stack_frames))
			goto bad;
		memcpy(&stack_frames, next, sizeof(stack_frames));
		next += sizeof(stack_frames);
		if ((size_t)(end - next) / sizeof(frame) < stack_frames.depth)
			goto bad;
		memphis_dump_begin(dump, "stack-frames");
		memphis_dump_number(dump, "time_ns", stack_frames.time_ns);
		memphis_dump_hex(dump, "low", stack_frames.low);
		memphis_dump_number(dump, "same_sp", stack_frames.same_sp);
		memphis_dump_end(dump);
		for (j = 0; j < stack_frames.depth; j++, next += sizeof(frame)) {
			memcpy(&frame, next, sizeof(frame));
			memphis_dump_begin(dump, "frame");
			memphis_dump_hex(dump, "cfa", frame.cfa);
			memphis_dump_hex(dump, "bp", frame.bp);
			memphis_dump_hex(dump, "pc", frame.pc);
			memphis_dump_hex(dump, "end_pc", frame.end_pc);
			memphis_dump_end(dump);
		}
	}
	if (next == end)
		return 0;
bad:
	return memphis_fail(
		error, -1,
		"%s: offset 0x%" PRIx64
		": the stack-frames chunk is malformed; the writer has a defect: please report it",
		dump->file->path, dump->chunk->offset);
}

static void dump_pool(struct memphis_dump *dump, uint64_t previous)
{
	memphis_dump_number(dump, "pool", MEMPHIS_PART_POOL(previous));
	if (MEMPHIS_PART_POOL_NAME(previous))
		memphis_dump_number(dump, "pool_name", MEMPHIS_PART_POOL_NAME(previous));
	if (MEMPHIS_PART_NAME(previous))
		memphis_dump_number(dump, "name", MEMPHIS_PART_NAME(previous));
}

static void dump_allocations(struct memphis_dump *dump)
{
	static const char *const kinds[] = {"?",     "malloc", "free", "map",       "unmap",
					    "share", "small",  "part", "part_free", "pool_reset"};
	struct memphis_allocation event;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&event, dump->chunk->payload + i * sizeof(event), sizeof(event));
		memphis_dump_begin(dump,
				   event.kind < sizeof(kinds) / sizeof(*kinds) ? kinds[event.kind] : "?");
		memphis_dump_number(dump, "time_ns", event.time_ns);
		memphis_dump_hex(dump, "address", event.address);
		memphis_dump_number(dump, "size_bytes", event.size_bytes);
		if (event.kind == MEMPHIS_ALLOCATION_SMALL)
			memphis_dump_number(dump, "mean_bytes", event.previous);
		else if (event.kind >= MEMPHIS_ALLOCATION_PART && event.kind <= MEMPHIS_ALLOCATION_POOL_RESET)
			dump_pool(dump, event.previous);
		else if (event.previous)
			memphis_dump_hex(dump, "previous", event.previous);
		memphis_dump_number(dump, "stack", event.stack);
		memphis_dump_end(dump);
	}
}

static void dump_holders(struct memphis_dump *dump)
{
	struct memphis_holder holder;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&holder, dump->chunk->payload + i * sizeof(holder), sizeof(holder));
		memphis_dump_begin(dump, "holder");
		memphis_dump_number(dump, "time_ns", holder.time_ns);
		memphis_dump_hex(dump, "slot", holder.slot);
		memphis_dump_hex(dump, "block", holder.block);
		memphis_dump_end(dump);
	}
}

static void dump_readings(struct memphis_dump *dump)
{
	struct memphis_counter_value value;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&value, dump->chunk->payload + i * sizeof(value), sizeof(value));
		memphis_dump_begin(dump, "reading");
		memphis_dump_number(dump, "time_ns", value.time_ns);
		memphis_dump_number(dump, "took_ns", value.took_ns);
		memphis_dump_number(dump, "metric", value.metric);
		memphis_dump_real(dump, "value", value.value);
		memphis_dump_text(dump, "flags", value.flags & MEMPHIS_COUNTER_GAP ? "gap" : "");
		memphis_dump_end(dump);
	}
}

static void dump_marks(struct memphis_dump *dump)
{
	struct memphis_counter_mark mark;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&mark, dump->chunk->payload + i * sizeof(mark), sizeof(mark));
		memphis_dump_begin(dump, "mark");
		memphis_dump_number(dump, "time_ns", mark.time_ns);
		memphis_dump_number(dump, "region", mark.region);
		memphis_dump_end(dump);
	}
}

/* Those up to the last that has been counted. */
static void dump_events(struct memphis_dump *dump, const struct memphis_region_time *time)
{
	unsigned int count = MEMPHIS_REGION_EVENTS, i;
	char key[16];

	while (count && !time->events[count - 1])
		count--;
	for (i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "event%u", i + 1);
		memphis_dump_number(dump, key, time->events[i]);
	}
}

static void dump_region_times(struct memphis_dump *dump)
{
	struct memphis_region_time time;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&time, dump->chunk->payload + i * sizeof(time), sizeof(time));
		memphis_dump_begin(dump, "region-time");
		memphis_dump_number(dump, "region", time.region);
		memphis_dump_number(dump, "calls", time.calls);
		memphis_dump_number(dump, "ns", time.ns);
		memphis_dump_number(dump, "cpu_ns", time.cpu_ns);
		memphis_dump_number(dump, "cycles", time.cycles);
		memphis_dump_number(dump, "instructions", time.instructions);
		dump_events(dump, &time);
		memphis_dump_end(dump);
	}
}

static void dump_spans(struct memphis_dump *dump)
{
	struct memphis_region_span span;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&span, dump->chunk->payload + i * sizeof(span), sizeof(span));
		memphis_dump_begin(dump, "span");
		memphis_dump_number(dump, "region", span.region);
		memphis_dump_number(dump, "begin_ns", span.begin_ns);
		memphis_dump_number(dump, "end_ns", span.end_ns);
		memphis_dump_end(dump);
	}
}

static void dump_mpi(struct memphis_dump *dump)
{
	static const char *const names[] = {"calls", "sent",  "received", "sent_bytes", "received_bytes",
					    "ns",    "waits", "known",    "waited_ns"};
	struct memphis_mpi_sum sum;
	char partner[16];
	uint32_t i, j;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&sum, dump->chunk->payload + i * sizeof(sum), sizeof(sum));
		memphis_dump_begin(dump, memphis_chunk_name(dump->chunk->type));
		memphis_dump_number(dump, "region", sum.region);
		snprintf(partner, sizeof(partner), "%" PRId32, sum.partner);
		memphis_dump_text(dump, "partner", partner);
		for (j = 0; j < 9; j++)
			memphis_dump_number(dump, names[j], (&sum.calls)[j]); /* and the members after it */
		memphis_dump_end(dump);
	}
}

static void dump_mpi_events(struct memphis_dump *dump)
{
	static const char *const kinds[] = {"unknown", "send", "receive", "collective"};
	struct memphis_mpi_event event;
	char number[16];
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&event, dump->chunk->payload + i * sizeof(event), sizeof(event));
		memphis_dump_begin(dump, kinds[event.kind <= MEMPHIS_MPI_COLLECTIVE ? event.kind : 0]);
		memphis_dump_number(dump, "begin_ns", event.begin_ns);
		memphis_dump_number(dump, "end_ns", event.end_ns);
		memphis_dump_number(dump, "region", event.region);
		snprintf(number, sizeof(number), "%" PRId32, event.partner);
		memphis_dump_text(dump, "partner", number);
		snprintf(number, sizeof(number), "%" PRId32, event.tag);
		memphis_dump_text(dump, "tag", number);
		memphis_dump_hex(dump, "comm", event.comm);
		memphis_dump_number(dump, "sent_bytes", event.sent_bytes);
		memphis_dump_number(dump, "received_bytes", event.received_bytes);
		memphis_dump_end(dump);
	}
}

/* Prints the lines of a text chunk unchanged. */
static void dump_lines(struct memphis_dump *dump)
{
	struct memphis_span rest = {(const char *)dump->chunk->payload, dump->chunk->bytes}, line;
	struct memphis_text one = {0};

	while (memphis_next_line(&rest, &line)) {
		one.bytes = 0;
		memphis_text_add(&one, line.text, line.bytes);
		if (one.failed)
			break;
		if (dump->json) {
			memphis_dump_begin(dump, "line");
			memphis_dump_text(dump, "text", one.text);
		} else {
			memphis_dump_begin(dump, "  ");
			memphis_text_put_plain(&dump->text, one.text);
		}
		memphis_dump_end(dump);
	}
	memphis_text_close(&one);
}

/* Chunks of records. */
static const struct {
	unsigned int type;
	void (*dump)(struct memphis_dump *dump);
} records[] = {
	{MEMPHIS_CHUNK_ALLOCATIONS, dump_allocations},
	{MEMPHIS_CHUNK_HOLDERS, dump_holders},
	{MEMPHIS_CHUNK_COUNTERS, dump_readings},
	{MEMPHIS_CHUNK_COUNTER_MARKS, dump_marks},
	{MEMPHIS_CHUNK_REGION_TIMES, dump_region_times},
	{MEMPHIS_CHUNK_MPI, dump_mpi},
	{MEMPHIS_CHUNK_IO, dump_mpi},
	{MEMPHIS_CHUNK_MPI_EVENTS, dump_mpi_events},
	{MEMPHIS_CHUNK_SPANS, dump_spans},
};

static int dump_payload(struct memphis_dump *dump, struct memphis_error *error)
{
	struct memphis_accounting sum;
	size_t i;

	switch (dump->chunk->type) {
	case MEMPHIS_CHUNK_SAMPLES:
		return dump_samples(dump, error);
	case MEMPHIS_CHUNK_STACKS:
		return dump_stacks(dump, "stack", error);
	case MEMPHIS_CHUNK_CHAINS:
		return dump_stacks(dump, "chain", error);
	case MEMPHIS_CHUNK_CALLERS:
		return dump_callers(dump, error);
	case MEMPHIS_CHUNK_STACK_FRAMES:
		return dump_stack_frames(dump, error);
	case MEMPHIS_CHUNK_ACCOUNTING:
		if (dump->chunk->count) {
			memcpy(&sum, dump->chunk->payload, sizeof(sum));
			dump_accounting(dump, &sum);
		}
		return 0;
	case MEMPHIS_CHUNK_END:
		return 0;
	}
	for (i = 0; i < sizeof(records) / sizeof(*records); i++) {
		if (records[i].type == dump->chunk->type) {
			records[i].dump(dump);
			return 0;
		}
	}
	if (strcmp(memphis_chunk_name(dump->chunk->type), "unknown") != 0)
		dump_lines(dump);
	return 0;
}

/* Stops when standard output fails, for example because the pager was closed. */
static int dump_chunks(struct memphis_dump *dump, struct memphis_file *file, struct memphis_error *error)
{
	int rc = 0;

	while (!dump->written && (rc = memphis_file_next(file, dump->chunk, error)) > 0) {
		dump_chunk_header(dump);
		rc = memphis_file_payload(file, dump->chunk, error);
		if (!rc)
			rc = dump_payload(dump, error);
		if (rc)
			return rc;
	}
	return rc;
}

static int dump_members(struct memphis_dump *dump, struct memphis_file *file, struct memphis_error *error)
{
	int rc = 0;

	while (!dump->written && (rc = memphis_file_member(file, error)) > 0) {
		dump_header(dump);
		rc = dump_chunks(dump, file, error);
		if (rc)
			return rc;
	}
	return rc;
}

static int dump_file(struct memphis_dump *dump, const char *path, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc;

	rc = memphis_file_open(&file, path, error);
	/* An empty file is reported but is not an error, so that the other files are still shown. */
	if (rc == -ENODATA) {
		memphis_dump_begin(dump, "empty");
		memphis_dump_text(dump, "path", path);
		memphis_dump_end(dump);
		return 0;
	}
	if (rc)
		return rc;
	dump->file = &file;
	dump->chunk = &chunk;
	dump_header(dump);
	rc = file.has_members ? dump_members(dump, &file, error) : dump_chunks(dump, &file, error);
	if (!rc && !file.closed) {
		memphis_dump_begin(dump, "unfinished");
		memphis_dump_hex(dump, "offset", file.offset);
		memphis_dump_end(dump);
	}
	memphis_file_close(&file);
	return rc;
}

static int run(int count, char **arguments)
{
	static const struct option list[] = {{"format", required_argument, NULL, 'f'},
					     {"no-pager", no_argument, NULL, 'P'},
					     {"help", no_argument, NULL, 'h'},
					     {NULL, 0, NULL, 0}};
	struct memphis_dump dump = {0};
	struct memphis_error error;
	int option, status = 0, rc = 0;
	bool pager = true;

	while ((option = getopt_long(count, arguments, "h", list, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return 0;
		}
		if (option == 'P') {
			pager = false;
			continue;
		}
		if (option != 'f' || (strcmp(optarg, "text") && strcmp(optarg, "json"))) {
			usage(stderr);
			return MEMPHIS_EXIT_USAGE;
		}
		dump.json = *optarg == 'j';
	}
	if (optind == count) {
		usage(stderr);
		return MEMPHIS_EXIT_USAGE;
	}
	if (pager)
		memphis_pager_start();
	for (; !rc && !dump.written && optind < count; optind++)
		rc = dump_file(&dump, arguments[optind], &error);
	dump.written = memphis_pager_finish(dump.written);
	if (rc)
		fprintf(stderr, "memphis dump: %s\n", error.text);
	else if (dump.written)
		fprintf(stderr, "memphis dump: standard output: %s\n", strerror(-dump.written));
	if (rc || dump.written)
		status = MEMPHIS_EXIT_ERROR;
	memphis_text_close(&dump.text);
	return status;
}

const struct memphis_command memphis_dump = {"dump", "prints the contents of sample files", run};
