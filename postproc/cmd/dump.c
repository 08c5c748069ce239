// SPDX-License-Identifier: BSD-3-Clause
/* memphis dump: prints every chunk of sample files, as text or as one JSON object per line. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "view/accounting.h"
#include "cmd/arguments.h"
#include "cmd/command.h"
#include "base/json.h"
#include "perfdata/convert.h"
#include "read/callers.h"
#include "read/decode.h"
#include "base/terminal.h"
#include "read/reader.h"
#include "profile/reasons.h"

struct memphis_dump {
	bool json;
	struct memphis_text text; /* the current line */
	struct memphis_json writer;
	const struct memphis_file *file;
	struct memphis_chunk_view *chunk;
	int written; /* 0, or the negative errno of a failed write to standard output */
};

/* ---- lines: a line is begun, gets its fields, and is ended; in the text format, a field is `key=value` ---- */
static void begin_line(struct memphis_dump *dump, const char *kind)
{
	dump->text.bytes = 0;
	dump->writer = (struct memphis_json){&dump->text, false};
	if (dump->json) {
		memphis_json_open(&dump->writer, NULL, '{');
		memphis_json_string(&dump->writer, "what", kind);
	} else {
		memphis_text_print(&dump->text, "%s", kind);
	}
}

static void put_text(struct memphis_dump *dump, const char *key, const char *value)
{
	if (dump->json) {
		memphis_json_string(&dump->writer, key, value);
		return;
	}
	memphis_text_print(&dump->text, " %s=", key);
	memphis_text_put_plain(&dump->text, value);
}

static void put_number(struct memphis_dump *dump, const char *key, uint64_t value)
{
	if (dump->json)
		memphis_json_number(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=%" PRIu64, key, value);
}

static void put_hex(struct memphis_dump *dump, const char *key, uint64_t value)
{
	if (dump->json)
		memphis_json_hex(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=0x%" PRIx64, key, value);
}

static void end_line(struct memphis_dump *dump)
{
	if (dump->json)
		memphis_json_close(&dump->writer, '}');
	memphis_text_put(&dump->text, "\n");
	if (!dump->text.failed && !dump->written &&
	    fwrite(dump->text.text, 1, dump->text.bytes, stdout) != dump->text.bytes)
		dump->written = -errno;
}

static void put_real(struct memphis_dump *dump, const char *key, double value)
{
	if (dump->json)
		memphis_json_real(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=%.17g", key, value);
}

static const char *const file_kinds[] = {[MEMPHIS_FILE_PROCESS] = "process",
					 [MEMPHIS_FILE_THREAD] = "thread",
					 [MEMPHIS_FILE_THREADS] = "threads"};

static void dump_header(struct memphis_dump *dump)
{
	const struct memphis_file_header *header = &dump->file->header;
	char run[33];

	snprintf(run, sizeof(run), "%016llx%016llx", header->run[0], header->run[1]);
	begin_line(dump, "file");
	put_text(dump, "path", dump->file->path);
	put_text(dump, "kind", file_kinds[header->kind]);
	put_number(dump, "version", header->version);
	put_text(dump, "run", run);
	put_number(dump, "pid", header->pid);
	if (header->kind == MEMPHIS_FILE_THREAD)
		put_number(dump, "tid", header->tid);
	put_number(dump, "start_time_ns", header->start_time_ns);
	put_number(dump, "start_realtime_ns", header->start_realtime_ns);
	end_line(dump);
}

static void dump_chunk_header(struct memphis_dump *dump)
{
	begin_line(dump, "chunk");
	put_text(dump, "type", memphis_chunk_name(dump->chunk->type));
	if (!strcmp(memphis_chunk_name(dump->chunk->type), "unknown"))
		put_number(dump, "number", dump->chunk->type);
	put_hex(dump, "offset", dump->chunk->offset);
	put_number(dump, "bytes", dump->chunk->bytes);
	put_number(dump, "count", dump->chunk->count);
	end_line(dump);
}

/* The members of a record, in the order in which they are printed. The name of the member is the key. */
enum field_kind { NUMBER, HEX, SIGNED, REAL, SOURCE, SAMPLE_FLAGS, READING_FLAGS };

struct field {
	const char *key;
	size_t at, bytes;
	enum field_kind kind;
};

#define FIELD(record, member, kind)                                                    \
	{                                                                              \
#member, offsetof(record, member), sizeof(((record *)0)->member), kind \
	}
#define NO_FIELD                   \
	{                          \
		NULL, 0, 0, NUMBER \
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

static uint64_t number_of(const struct field *field, const void *record)
{
	const char *at = (const char *)record + field->at;
	uint64_t number = 0;

	/* Numbers are little-endian, as in the file. */
	memcpy(&number, at, field->bytes);
	return number;
}

static void put_field(struct memphis_dump *dump, const struct field *field, const void *record)
{
	const uint64_t number = number_of(field, record);
	char room[80];
	double real;

	switch (field->kind) {
	case NUMBER:
		put_number(dump, field->key, number);
		return;
	case HEX:
		put_hex(dump, field->key, number);
		return;
	case SIGNED:
		snprintf(room, sizeof(room), "%" PRId32, (int32_t)number);
		put_text(dump, field->key, room);
		return;
	case REAL:
		memcpy(&real, &number, sizeof(real));
		put_real(dump, field->key, real);
		return;
	case SOURCE:
		put_text(dump, field->key, memphis_source_name((unsigned int)number));
		return;
	case SAMPLE_FLAGS:
		put_text(dump, field->key, flag_names((unsigned int)number, room));
		return;
	case READING_FLAGS:
		put_text(dump, field->key, number & MEMPHIS_COUNTER_GAP ? "gap" : "");
		return;
	}
}

static void put_fields(struct memphis_dump *dump, const struct field *fields, const void *record)
{
	for (; fields->key; fields++)
		put_field(dump, fields, record);
}

#define SAMPLE(member, kind) FIELD(struct memphis_sample, member, kind)
static const struct field sample_fields[] = {
	SAMPLE(time_ns, NUMBER),
	SAMPLE(pc, HEX),
	SAMPLE(address, HEX),
	SAMPLE(source, SOURCE),
	SAMPLE(flags, SAMPLE_FLAGS),
	SAMPLE(latency_cycles, NUMBER),
	SAMPLE(cpu, NUMBER),
	SAMPLE(node, NUMBER),
	SAMPLE(home_node, NUMBER),
	SAMPLE(region, NUMBER),
	NO_FIELD,
};

static int dump_samples(struct memphis_dump *dump, struct memphis_error *error)
{
	const struct memphis_chunk_view *chunk = dump->chunk;
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0) {
		begin_line(dump, "sample");
		put_fields(dump, sample_fields, &decoder.sample);
		end_line(dump);
	}
	if (!rc)
		return 0;
	return memphis_fail(error, rc,
			    "%s: offset 0x%" PRIx64
			    ": no sample can be coded like this; the writer has a defect: please report it",
			    dump->file->path,
			    chunk->offset + sizeof(struct memphis_chunk) +
				    (uint64_t)(decoder.next - chunk->payload));
}

#define ACCOUNTING(member) FIELD(struct memphis_accounting, member, NUMBER)
static const struct field accounting_fields[] = {ACCOUNTING(interrupts), ACCOUNTING(kept), ACCOUNTING(lost),
						 ACCOUNTING(throttled), NO_FIELD};

static void dump_accounting(struct memphis_dump *dump, const struct memphis_accounting *sum)
{
	char room[24];
	unsigned int i;

	begin_line(dump, "accounting");
	put_fields(dump, accounting_fields, sum);
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		if (sum->filtered[i])
			put_number(dump, memphis_reason_label(i, room), sum->filtered[i]);
	end_line(dump);
}

static int malformed(const struct memphis_dump *dump, struct memphis_error *error)
{
	return memphis_fail(error, -1,
			    "%s: offset 0x%" PRIx64
			    ": the %s chunk is malformed; the writer has a defect: please report it",
			    dump->file->path, dump->chunk->offset, memphis_chunk_name(dump->chunk->type));
}

/* Prints one word of a stack: a PC, a reference to another stack, or a line of Python code. */
static void put_stack_word(struct memphis_dump *dump, uint32_t index, uint64_t word)
{
	char key[24];

	if (MEMPHIS_PC_KIND(word) == MEMPHIS_PC_STACK) {
		put_number(dump, "stack", MEMPHIS_PC_NUMBER(word));
		return;
	}
	snprintf(key, sizeof(key), "%s%" PRIu32, MEMPHIS_PC_KIND(word) == MEMPHIS_PC_PYTHON ? "python-" : "",
		 index);
	if (MEMPHIS_PC_KIND(word) == MEMPHIS_PC_PYTHON)
		put_number(dump, key, MEMPHIS_PC_NUMBER(word));
	else
		put_hex(dump, key, word);
}

/* Prints the records of a STACKS or CHAINS chunk. */
static int dump_stacks(struct memphis_dump *dump, const char *kind, struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	struct memphis_stack header;
	uint64_t pc;
	uint32_t i, j;

	for (i = 0; i < dump->chunk->count; i++) {
		if ((size_t)(end - next) < sizeof(header))
			return malformed(dump, error);
		memcpy(&header, next, sizeof(header));
		next += sizeof(header);
		if ((size_t)(end - next) / 8 < header.depth)
			return malformed(dump, error);
		begin_line(dump, kind);
		put_number(dump, "id", header.id);
		for (j = 0; j < header.depth; j++, next += 8) {
			memcpy(&pc, next, 8);
			put_stack_word(dump, j, pc);
		}
		end_line(dump);
	}
	return next == end ? 0 : malformed(dump, error);
}

#define SAMPLED(member) FIELD(struct memphis_sampled_frame, member, HEX)
static const struct field sampled_fields[] = {SAMPLED(pc), SAMPLED(low),   SAMPLED(cfa),
					      SAMPLED(bp), SAMPLED(flags), NO_FIELD};

static int dump_frames(struct memphis_dump *dump, struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	struct memphis_stack header;
	struct memphis_sampled_frame frame;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		if ((size_t)(end - next) < sizeof(header))
			return malformed(dump, error);
		memcpy(&header, next, sizeof(header));
		next += sizeof(header);
		if (header.depth < MEMPHIS_FRAME_WORDS || (size_t)(end - next) / 8 < header.depth)
			return malformed(dump, error);
		memcpy(&frame, next, sizeof(frame));
		next += (size_t)header.depth * 8;
		begin_line(dump, "sampled-frame");
		put_number(dump, "id", header.id);
		put_fields(dump, sampled_fields, &frame);
		end_line(dump);
	}
	return next == end ? 0 : malformed(dump, error);
}

/*
 * Prints the entries of a CALLERS or IN_FRAMES chunk. Each line has the kind `kind` and prints the id with
 * the key `key`. `sample` is the number of the sample, from 0, in the preceding SAMPLES chunk.
 */
static int dump_entries(struct memphis_dump *dump, const char *kind, const char *key,
			struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	uint64_t sample = 0, skipped, code;
	char room[24];
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++, sample++) {
		if (memphis_callers_decode(&next, end, &skipped, &code))
			break;
		sample += skipped;
		begin_line(dump, kind);
		put_number(dump, "sample", sample);
		snprintf(room, sizeof(room), "%" PRIu64, code >> 1);
		if (!(code & 1))
			put_number(dump, key, code >> 1);
		else
			put_text(dump, "unknown",
				 code >> 1 && code >> 1 < MEMPHIS_NO_CALLERS_REASONS
					 ? memphis_no_callers_texts[code >> 1].name
					 : room);
		end_line(dump);
	}
	return i == dump->chunk->count && next == end ? 0 : malformed(dump, error);
}

#define STACK_FRAMES(member, kind) FIELD(struct memphis_stack_frames, member, kind)
static const struct field stack_frames_fields[] = {STACK_FRAMES(time_ns, NUMBER), STACK_FRAMES(low, HEX),
						   STACK_FRAMES(same_sp, NUMBER), NO_FIELD};

#define FRAME(member) FIELD(struct memphis_stack_frame, member, HEX)
static const struct field frame_fields[] = {FRAME(cfa), FRAME(bp), FRAME(pc), FRAME(end_pc), NO_FIELD};

static int dump_stack_frames(struct memphis_dump *dump, struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	struct memphis_stack_frame frame;
	struct memphis_stack_frames stack_frames;
	uint32_t i, j;

	for (i = 0; i < dump->chunk->count; i++) {
		if ((size_t)(end - next) < sizeof(stack_frames))
			return malformed(dump, error);
		memcpy(&stack_frames, next, sizeof(stack_frames));
		next += sizeof(stack_frames);
		if ((size_t)(end - next) / sizeof(frame) < stack_frames.depth)
			return malformed(dump, error);
		begin_line(dump, "stack-frames");
		put_fields(dump, stack_frames_fields, &stack_frames);
		end_line(dump);
		for (j = 0; j < stack_frames.depth; j++, next += sizeof(frame)) {
			memcpy(&frame, next, sizeof(frame));
			begin_line(dump, "frame");
			put_fields(dump, frame_fields, &frame);
			end_line(dump);
		}
	}
	return next == end ? 0 : malformed(dump, error);
}

/* Prints the remaining members of an allocation. The meaning of `previous` depends on the kind. */
static void put_previous(struct memphis_dump *dump, const void *record)
{
	const struct memphis_allocation *event = record;
	const uint64_t previous = event->previous;

	if (event->kind == MEMPHIS_ALLOCATION_SMALL) {
		put_number(dump, "mean_bytes", previous);
	} else if (event->kind >= MEMPHIS_ALLOCATION_PART && event->kind <= MEMPHIS_ALLOCATION_POOL_RESET) {
		put_number(dump, "pool", MEMPHIS_PART_POOL(previous));
		if (MEMPHIS_PART_POOL_NAME(previous))
			put_number(dump, "pool_name", MEMPHIS_PART_POOL_NAME(previous));
		if (MEMPHIS_PART_NAME(previous))
			put_number(dump, "name", MEMPHIS_PART_NAME(previous));
	} else if (previous) {
		put_hex(dump, "previous", previous);
	}
	put_number(dump, "stack", event->stack);
}

/* Prints the counts of a region's events, up to the last event that was counted. */
static void put_events(struct memphis_dump *dump, const void *record)
{
	const struct memphis_region_time *time = record;
	unsigned int count = MEMPHIS_REGION_EVENTS, i;
	char key[16];

	while (count && !time->events[count - 1])
		count--;
	for (i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "event%u", i + 1);
		put_number(dump, key, time->events[i]);
	}
}

static const char *const allocation_kinds[] = {"?",     "malloc", "free",      "map",        "unmap", "share",
					       "small", "part",   "part_free", "pool_reset", NULL};
static const char *const mpi_event_kinds[] = {"unknown", "send", "receive", "collective", NULL};

#define ALLOCATION(member, kind) FIELD(struct memphis_allocation, member, kind)
#define HOLDER(member, kind)     FIELD(struct memphis_holder, member, kind)
#define READING(member, kind)    FIELD(struct memphis_counter_value, member, kind)
#define MARK(member)             FIELD(struct memphis_counter_mark, member, NUMBER)
#define REGION_TIME(member)      FIELD(struct memphis_region_time, member, NUMBER)
#define SPAN(member)             FIELD(struct memphis_region_span, member, NUMBER)
#define MPI(member, kind)        FIELD(struct memphis_mpi_sum, member, kind)
#define MPI_EVENT(member, kind)  FIELD(struct memphis_mpi_event, member, kind)

static const struct field allocation_fields[] = {ALLOCATION(time_ns, NUMBER), ALLOCATION(address, HEX),
						 ALLOCATION(size_bytes, NUMBER), NO_FIELD};
static const struct field holder_fields[] = {HOLDER(time_ns, NUMBER), HOLDER(slot, HEX), HOLDER(block, HEX),
					     NO_FIELD};
static const struct field reading_fields[] = {READING(time_ns, NUMBER),      READING(took_ns, NUMBER),
					      READING(metric, NUMBER),       READING(value, REAL),
					      READING(flags, READING_FLAGS), NO_FIELD};
static const struct field mark_fields[] = {MARK(time_ns), MARK(region), NO_FIELD};
static const struct field region_time_fields[] = {
	REGION_TIME(region), REGION_TIME(calls),        REGION_TIME(ns), REGION_TIME(cpu_ns),
	REGION_TIME(cycles), REGION_TIME(instructions), NO_FIELD};
static const struct field span_fields[] = {SPAN(region), SPAN(begin_ns), SPAN(end_ns), NO_FIELD};
static const struct field mpi_fields[] = {
	MPI(region, NUMBER),   MPI(partner, SIGNED),    MPI(calls, NUMBER),          MPI(sent, NUMBER),
	MPI(received, NUMBER), MPI(sent_bytes, NUMBER), MPI(received_bytes, NUMBER), MPI(ns, NUMBER),
	MPI(waits, NUMBER),    MPI(known, NUMBER),      MPI(waited_ns, NUMBER),      NO_FIELD,
};
static const struct field mpi_event_fields[] = {
	MPI_EVENT(begin_ns, NUMBER),
	MPI_EVENT(end_ns, NUMBER),
	MPI_EVENT(region, NUMBER),
	MPI_EVENT(partner, SIGNED),
	MPI_EVENT(tag, SIGNED),
	MPI_EVENT(comm, HEX),
	MPI_EVENT(sent_bytes, NUMBER),
	MPI_EVENT(received_bytes, NUMBER),
	NO_FIELD,
};

/* Chunks whose records have a fixed size. */
static const struct records {
	unsigned int type;
	size_t bytes;
	/*
	 * First word of a line. If NULL, this word is an element of `kinds`, and the member `kind` of the
	 * record is its index. For a kind that is not in the list, the word is the first of `kinds`.
	 */
	const char *name;
	const char *const *kinds;
	struct field kind;
	const struct field *fields;
	void (*put_rest)(struct memphis_dump *dump, const void *record);
} records[] = {
	{MEMPHIS_CHUNK_ALLOCATIONS, sizeof(struct memphis_allocation), NULL, allocation_kinds,
	 ALLOCATION(kind, NUMBER), allocation_fields, put_previous},
	{MEMPHIS_CHUNK_HOLDERS, sizeof(struct memphis_holder), "holder", NULL, NO_FIELD, holder_fields, NULL},
	{MEMPHIS_CHUNK_COUNTERS, sizeof(struct memphis_counter_value), "reading", NULL, NO_FIELD,
	 reading_fields, NULL},
	{MEMPHIS_CHUNK_COUNTER_MARKS, sizeof(struct memphis_counter_mark), "mark", NULL, NO_FIELD,
	 mark_fields, NULL},
	{MEMPHIS_CHUNK_REGION_TIMES, sizeof(struct memphis_region_time), "region-time", NULL, NO_FIELD,
	 region_time_fields, put_events},
	{MEMPHIS_CHUNK_MPI, sizeof(struct memphis_mpi_sum), "mpi", NULL, NO_FIELD, mpi_fields, NULL},
	{MEMPHIS_CHUNK_IO, sizeof(struct memphis_mpi_sum), "io", NULL, NO_FIELD, mpi_fields, NULL},
	{MEMPHIS_CHUNK_MPI_EVENTS, sizeof(struct memphis_mpi_event), NULL, mpi_event_kinds,
	 MPI_EVENT(kind, NUMBER), mpi_event_fields, NULL},
	{MEMPHIS_CHUNK_SPANS, sizeof(struct memphis_region_span), "span", NULL, NO_FIELD, span_fields, NULL},
};

static const char *name_of(const struct records *of, const void *record)
{
	uint64_t kind, i;

	if (of->name)
		return of->name;
	kind = number_of(&of->kind, record);
	for (i = 0; i < kind && of->kinds[i]; i++)
		;
	return of->kinds[i] ? of->kinds[i] : of->kinds[0];
}

static void dump_records(struct memphis_dump *dump, const struct records *of)
{
	union {
		struct memphis_allocation allocation;
		struct memphis_region_time time;
		struct memphis_mpi_event event;
		char bytes[128];
	} record; /* properly aligned; the payload may not be */
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&record, dump->chunk->payload + i * of->bytes, of->bytes);
		begin_line(dump, name_of(of, &record));
		put_fields(dump, of->fields, &record);
		if (of->put_rest)
			of->put_rest(dump, &record);
		end_line(dump);
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
			begin_line(dump, "line");
			put_text(dump, "text", one.text);
		} else {
			begin_line(dump, "  ");
			memphis_text_put_plain(&dump->text, one.text);
		}
		end_line(dump);
	}
	memphis_text_close(&one);
}

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
		return dump_entries(dump, "callers", "chain", error);
	case MEMPHIS_CHUNK_FRAMES:
		return dump_frames(dump, error);
	case MEMPHIS_CHUNK_IN_FRAMES:
		return dump_entries(dump, "in-frame", "frame", error);
	case MEMPHIS_CHUNK_STACK_FRAMES:
		return dump_stack_frames(dump, error);
	case MEMPHIS_CHUNK_ACCOUNTING:
		if (dump->chunk->count) {
			memcpy(&sum, dump->chunk->payload, sizeof(sum));
			dump_accounting(dump, &sum);
		}
		return 0;
	case MEMPHIS_CHUNK_JITDUMP:
	case MEMPHIS_CHUNK_END:
		return 0;
	}
	for (i = 0; i < sizeof(records) / sizeof(*records); i++) {
		if (records[i].type == dump->chunk->type) {
			dump_records(dump, &records[i]);
			return 0;
		}
	}
	if (strcmp(memphis_chunk_name(dump->chunk->type), "unknown") != 0)
		dump_lines(dump);
	return 0;
}

/* Prints all chunks. Stops if writing to standard output fails, for example because the user quit the pager. */
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

	while (!dump->written && (rc = memphis_file_begin_member(file, error)) > 0) {
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
	/* Report an empty file, but not as an error, so that the other files are also shown. */
	if (rc == -ENODATA) {
		begin_line(dump, "empty");
		put_text(dump, "path", path);
		end_line(dump);
		return 0;
	}
	if (rc)
		return rc;
	dump->file = &file;
	dump->chunk = &chunk;
	dump_header(dump);
	rc = file.has_members ? dump_members(dump, &file, error) : dump_chunks(dump, &file, error);
	if (!rc && !file.closed) {
		begin_line(dump, "unfinished");
		put_hex(dump, "offset", file.offset);
		end_line(dump);
	}
	memphis_file_close(&file);
	return rc;
}

struct options {
	bool json, no_pager;
};

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION_TEXT_JSON(offsetof(struct options, json)),
	MEMPHIS_OPTION_NO_PAGER(offsetof(struct options, no_pager)),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis dump",
	.text = "usage: memphis dump [options] FILE...\n"
		"Prints every chunk of the sample files, samples one per line. JSON is one object per line.\n\n",
	.options = option_rows,
};

static int run(int count, char **arguments)
{
	struct options options = {.json = false};
	struct memphis_dump dump = {0};
	struct memphis_perfdata files = {0};
	struct memphis_error error;
	size_t i;
	int status = memphis_options_parse(&usage, count, arguments, &options), rc = 0;

	if (status >= 0)
		return status;
	if (optind == count) {
		fputs("memphis dump: no file; give sample files\n", stderr);
		return memphis_options_refuse(usage.command);
	}
	dump.json = options.json;
	rc = memphis_perfdata_expand(&files, arguments + optind, (size_t)(count - optind), &error);
	if (!options.no_pager)
		memphis_pager_start();
	for (i = 0; !rc && !dump.written && i < files.count; i++)
		rc = dump_file(&dump, files.paths[i], &error);
	dump.written = memphis_pager_finish(dump.written);
	if (rc)
		fprintf(stderr, "memphis dump: %s\n", error.text);
	else if (dump.written)
		fprintf(stderr, "memphis dump: standard output: %s\n", strerror(-dump.written));
	memphis_text_close(&dump.text);
	memphis_perfdata_close(&files);
	return rc || dump.written ? MEMPHIS_EXIT_ERROR : 0;
}

const struct memphis_command memphis_dump = {"dump", "prints the contents of sample files", run};
