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
#include "read/callers.h"
#include "read/decode.h"
#include "base/json.h"
#include "base/pager.h"
#include "profile/reasons.h"

struct dump {
	bool json;
	struct memphis_text text; /* one line */
	struct memphis_json writer;
	const struct memphis_file *file;
	const struct memphis_chunk_view *chunk;
	int written; /* 0, or the negative errno of standard output */
};

static void usage(FILE *to)
{
	fputs("usage: memphis dump [options] FILE...\n"
	      "Prints every chunk of the sample files, samples one per line. JSON is one object per line.\n\n"
	      "  --format text|json  (default text)\n"
	      "  --no-pager          write to a terminal without a pager\n",
	      to);
}

/* A line consists of begin_line(), put_*() for each field, and end_line(). As text a field is `key=value`. */
static void begin_line(struct dump *dump, const char *kind)
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

static void put_text(struct dump *dump, const char *key, const char *value)
{
	if (dump->json) {
		memphis_json_string(&dump->writer, key, value);
		return;
	}
	memphis_text_print(&dump->text, " %s=", key);
	memphis_text_put_plain(&dump->text, value);
}

static void put_number(struct dump *dump, const char *key, uint64_t value)
{
	if (dump->json)
		memphis_json_number(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=%" PRIu64, key, value);
}

static void put_hex(struct dump *dump, const char *key, uint64_t value)
{
	if (dump->json)
		memphis_json_hex(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=0x%" PRIx64, key, value);
}

static void end_line(struct dump *dump)
{
	if (dump->json)
		memphis_json_close(&dump->writer, '}');
	memphis_text_put(&dump->text, "\n");
	if (!dump->text.failed && !dump->written &&
	    fwrite(dump->text.text, 1, dump->text.bytes, stdout) != dump->text.bytes)
		dump->written = -errno;
}

static void dump_header(struct dump *dump)
{
	const struct memphis_file_header *header = &dump->file->header;
	char run[33];

	snprintf(run, sizeof(run), "%016llx%016llx", header->run[0], header->run[1]);
	begin_line(dump, "file");
	put_text(dump, "path", dump->file->path);
	put_text(dump, "kind", header->kind == MEMPHIS_FILE_PROCESS ? "process" : "thread");
	put_number(dump, "version", header->version);
	put_text(dump, "run", run);
	put_number(dump, "pid", header->pid);
	if (header->kind == MEMPHIS_FILE_THREAD)
		put_number(dump, "tid", header->tid);
	put_number(dump, "start_time_ns", header->start_time_ns);
	put_number(dump, "start_realtime_ns", header->start_realtime_ns);
	end_line(dump);
}

static void dump_chunk_header(struct dump *dump)
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

static void dump_sample(struct dump *dump, const struct memphis_sample *sample)
{
	char room[80];

	begin_line(dump, "sample");
	put_number(dump, "time_ns", sample->time_ns);
	put_hex(dump, "pc", sample->pc);
	put_hex(dump, "address", sample->address);
	put_text(dump, "source", memphis_source_name(sample->source));
	put_text(dump, "flags", flag_names(sample->flags, room));
	put_number(dump, "latency_cycles", sample->latency_cycles);
	put_number(dump, "cpu", sample->cpu);
	put_number(dump, "node", sample->node);
	put_number(dump, "home_node", sample->home_node);
	put_number(dump, "region", sample->region);
	end_line(dump);
}

static int dump_samples(struct dump *dump, struct memphis_error *error)
{
	const struct memphis_chunk_view *chunk = dump->chunk;
	struct memphis_decoder decoder;
	int rc;

	memphis_decoder_start(&decoder, chunk->payload, chunk->bytes, chunk->count);
	while ((rc = memphis_decoder_next(&decoder)) > 0)
		dump_sample(dump, &decoder.sample);
	if (!rc)
		return 0;
	return memphis_fail(
		error, rc,
		"%s: offset 0x%" PRIx64 ": no sample can be coded like this; the writer has a defect: "
		"please report it",
		dump->file->path,
		chunk->offset + sizeof(struct memphis_chunk) + (uint64_t)(decoder.next - chunk->payload));
}

static void dump_accounting(struct dump *dump, const struct memphis_accounting *sum)
{
	char room[24];
	unsigned int i;

	begin_line(dump, "accounting");
	put_number(dump, "interrupts", sum->interrupts);
	put_number(dump, "kept", sum->kept);
	put_number(dump, "lost", sum->lost);
	put_number(dump, "throttled", sum->throttled);
	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		if (sum->filtered[i])
			put_number(dump, memphis_reason_label(i, room), sum->filtered[i]);
	end_line(dump);
}

/* Prints the records of a STACKS or CHAINS chunk. */
static int dump_stacks(struct dump *dump, const char *kind, struct memphis_error *error)
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
		begin_line(dump, kind);
		put_number(dump, "id", header.id);
		for (j = 0; j < header.depth; j++, next += 8) {
			memcpy(&pc, next, 8);
			snprintf(key, sizeof(key), "%" PRIu32, j);
			put_hex(dump, key, pc);
		}
		end_line(dump);
	}
	if (next == end)
		return 0;
bad:
	return memphis_fail(error, -1,
			    "%s: offset 0x%" PRIx64 ": the %s chunk is malformed; the writer has a defect: "
			    "please report it",
			    dump->file->path, dump->chunk->offset, memphis_chunk_name(dump->chunk->type));
}

/* `sample` is the number of the sample in the SAMPLES chunk before, from 0. */
static int dump_callers(struct dump *dump, struct memphis_error *error)
{
	const uint8_t *next = dump->chunk->payload, *end = next + dump->chunk->bytes;
	uint64_t sample = 0, skipped, code;
	char room[24];
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++, sample++) {
		if (memphis_callers_decode(&next, end, &skipped, &code))
			break;
		sample += skipped;
		begin_line(dump, "callers");
		put_number(dump, "sample", sample);
		snprintf(room, sizeof(room), "%" PRIu64, code >> 1);
		if (!(code & 1))
			put_number(dump, "chain", code >> 1);
		else
			put_text(dump, "unknown",
				 code >> 1 && code >> 1 < MEMPHIS_NO_CALLERS_REASONS
					 ? memphis_no_callers_texts[code >> 1].name
					 : room);
		end_line(dump);
	}
	if (i == dump->chunk->count && next == end)
		return 0;
	return memphis_fail(error, -1,
			    "%s: offset 0x%" PRIx64
			    ": the callers chunk is malformed; the writer has a defect: "
			    "please report it",
			    dump->file->path, dump->chunk->offset);
}

static int dump_stack_frames(struct dump *dump, struct memphis_error *error)
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
		begin_line(dump, "stack-frames");
		put_number(dump, "time_ns", stack_frames.time_ns);
		put_hex(dump, "low", stack_frames.low);
		put_number(dump, "same_sp", stack_frames.same_sp);
		end_line(dump);
		for (j = 0; j < stack_frames.depth; j++, next += sizeof(frame)) {
			memcpy(&frame, next, sizeof(frame));
			begin_line(dump, "frame");
			put_hex(dump, "cfa", frame.cfa);
			put_hex(dump, "bp", frame.bp);
			put_hex(dump, "pc", frame.pc);
			put_hex(dump, "end_pc", frame.end_pc);
			end_line(dump);
		}
	}
	if (next == end)
		return 0;
bad:
	return memphis_fail(error, -1,
			    "%s: offset 0x%" PRIx64
			    ": the stack-frames chunk is malformed; the writer has a defect: "
			    "please report it",
			    dump->file->path, dump->chunk->offset);
}

static void dump_pool(struct dump *dump, uint64_t previous)
{
	put_number(dump, "pool", MEMPHIS_PART_POOL(previous));
	if (MEMPHIS_PART_POOL_NAME(previous))
		put_number(dump, "pool_name", MEMPHIS_PART_POOL_NAME(previous));
	if (MEMPHIS_PART_NAME(previous))
		put_number(dump, "name", MEMPHIS_PART_NAME(previous));
}

static void dump_allocations(struct dump *dump)
{
	static const char *const kinds[] = {"?",     "malloc", "free", "map",       "unmap",
					    "share", "small",  "part", "part_free", "pool_reset"};
	struct memphis_allocation event;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&event, dump->chunk->payload + i * sizeof(event), sizeof(event));
		begin_line(dump, event.kind < sizeof(kinds) / sizeof(*kinds) ? kinds[event.kind] : "?");
		put_number(dump, "time_ns", event.time_ns);
		put_hex(dump, "address", event.address);
		put_number(dump, "size_bytes", event.size_bytes);
		if (event.kind == MEMPHIS_ALLOCATION_SMALL)
			put_number(dump, "mean_bytes", event.previous);
		else if (event.kind >= MEMPHIS_ALLOCATION_PART && event.kind <= MEMPHIS_ALLOCATION_POOL_RESET)
			dump_pool(dump, event.previous);
		else if (event.previous)
			put_hex(dump, "previous", event.previous);
		put_number(dump, "stack", event.stack);
		end_line(dump);
	}
}

static void dump_holders(struct dump *dump)
{
	struct memphis_holder holder;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&holder, dump->chunk->payload + i * sizeof(holder), sizeof(holder));
		begin_line(dump, "holder");
		put_number(dump, "time_ns", holder.time_ns);
		put_hex(dump, "slot", holder.slot);
		put_hex(dump, "block", holder.block);
		end_line(dump);
	}
}

static void put_value(struct dump *dump, const char *key, double value)
{
	if (dump->json)
		memphis_json_real(&dump->writer, key, value);
	else
		memphis_text_print(&dump->text, " %s=%.17g", key, value);
}

static void dump_readings(struct dump *dump)
{
	struct memphis_counter_value value;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&value, dump->chunk->payload + i * sizeof(value), sizeof(value));
		begin_line(dump, "reading");
		put_number(dump, "time_ns", value.time_ns);
		put_number(dump, "took_ns", value.took_ns);
		put_number(dump, "metric", value.metric);
		put_value(dump, "value", value.value);
		put_text(dump, "flags", value.flags & MEMPHIS_COUNTER_GAP ? "gap" : "");
		end_line(dump);
	}
}

static void dump_marks(struct dump *dump)
{
	struct memphis_counter_mark mark;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&mark, dump->chunk->payload + i * sizeof(mark), sizeof(mark));
		begin_line(dump, "mark");
		put_number(dump, "time_ns", mark.time_ns);
		put_number(dump, "region", mark.region);
		end_line(dump);
	}
}

/* Those up to the last that has been counted. */
static void dump_events(struct dump *dump, const struct memphis_region_time *time)
{
	unsigned int count = MEMPHIS_REGION_EVENTS, i;
	char key[16];

	while (count && !time->events[count - 1])
		count--;
	for (i = 0; i < count; i++) {
		snprintf(key, sizeof(key), "event%u", i + 1);
		put_number(dump, key, time->events[i]);
	}
}

static void dump_region_times(struct dump *dump)
{
	struct memphis_region_time time;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		time = memphis_chunk_region_time(dump->chunk, i);
		begin_line(dump, "region-time");
		put_number(dump, "region", time.region);
		put_number(dump, "calls", time.calls);
		put_number(dump, "ns", time.ns);
		put_number(dump, "cpu_ns", time.cpu_ns);
		put_number(dump, "cycles", time.cycles);
		put_number(dump, "instructions", time.instructions);
		dump_events(dump, &time);
		end_line(dump);
	}
}

static void dump_spans(struct dump *dump)
{
	struct memphis_region_span span;
	uint32_t i;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&span, dump->chunk->payload + i * sizeof(span), sizeof(span));
		begin_line(dump, "span");
		put_number(dump, "region", span.region);
		put_number(dump, "begin_ns", span.begin_ns);
		put_number(dump, "end_ns", span.end_ns);
		end_line(dump);
	}
}

static void dump_mpi(struct dump *dump)
{
	static const char *const names[] = {"calls", "sent",  "received", "sent_bytes", "received_bytes",
					    "ns",    "waits", "known",    "waited_ns"};
	struct memphis_mpi_sum sum;
	char partner[16];
	uint32_t i, j;

	for (i = 0; i < dump->chunk->count; i++) {
		memcpy(&sum, dump->chunk->payload + i * sizeof(sum), sizeof(sum));
		begin_line(dump, memphis_chunk_name(dump->chunk->type));
		put_number(dump, "region", sum.region);
		snprintf(partner, sizeof(partner), "%" PRId32, sum.partner);
		put_text(dump, "partner", partner);
		for (j = 0; j < 9; j++)
			put_number(dump, names[j], (&sum.calls)[j]); /* and the members after it */
		end_line(dump);
	}
}

/* Prints the lines of a text chunk unchanged. */
static void dump_lines(struct dump *dump)
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

static int dump_payload(struct dump *dump, struct memphis_error *error)
{
	struct memphis_accounting sum;

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
	case MEMPHIS_CHUNK_ALLOCATIONS:
		dump_allocations(dump);
		return 0;
	case MEMPHIS_CHUNK_HOLDERS:
		dump_holders(dump);
		return 0;
	case MEMPHIS_CHUNK_COUNTERS:
		dump_readings(dump);
		return 0;
	case MEMPHIS_CHUNK_COUNTER_MARKS:
		dump_marks(dump);
		return 0;
	case MEMPHIS_CHUNK_REGION_TIMES:
		dump_region_times(dump);
		return 0;
	case MEMPHIS_CHUNK_MPI:
	case MEMPHIS_CHUNK_IO:
		dump_mpi(dump);
		return 0;
	case MEMPHIS_CHUNK_SPANS:
		dump_spans(dump);
		return 0;
	case MEMPHIS_CHUNK_END:
		return 0;
	}
	if (strcmp(memphis_chunk_name(dump->chunk->type), "unknown") != 0)
		dump_lines(dump);
	return 0;
}

static int dump_file(struct dump *dump, const char *path, struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	struct memphis_file file;
	int rc;

	rc = memphis_file_open(&file, path, error);
	/* An empty file is reported but is not an error, so that the other files are still shown. */
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
	/* Stop when standard output fails, for example because the pager was closed. */
	while (!dump->written && (rc = memphis_file_next(&file, &chunk, error)) > 0) {
		dump_chunk_header(dump);
		rc = memphis_file_payload(&file, &chunk, error);
		if (!rc)
			rc = dump_payload(dump, error);
		if (rc)
			break;
	}
	if (!rc && !file.closed) {
		begin_line(dump, "unfinished");
		put_hex(dump, "offset", file.offset);
		end_line(dump);
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
	struct dump dump = {0};
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
