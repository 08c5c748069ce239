// SPDX-License-Identifier: BSD-3-Clause
/* Part of make_samples: chunks and the encoding of samples as format.h defines them. */
#include <stdlib.h>
#include <string.h>

#include "make_samples.h"

static void put(struct output *output, const void *data, size_t bytes)
{
	if (output->bytes + bytes > output->room) {
		output->room = (output->bytes + bytes) * 2;
		output->payload = realloc(output->payload, output->room);
		if (!output->payload)
			die("out of memory", "payload");
	}
	if (bytes)
		memcpy(output->payload + output->bytes, data, bytes);
	output->bytes += bytes;
}

static void put_varint(struct output *output, uint64_t value)
{
	unsigned char byte;

	do {
		byte = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		put(output, &byte, 1);
		value >>= 7;
	} while (value);
}

static void put_svarint(struct output *output, uint64_t difference)
{
	put_varint(output, difference << 1 ^ (difference >> 63 ? ~0ULL : 0));
}

static void put_header(struct output *output, uint16_t kind, const uint64_t run[2], unsigned int pid,
		       unsigned int tid)
{
	struct memphis_file_header header = {
		.magic = MEMPHIS_FILE_MAGIC,
		.version = MEMPHIS_FILE_VERSION,
		.kind = kind,
		.header_bytes = sizeof(header),
		.run = {run[0], run[1]},
		.pid = pid,
		.tid = tid,
		.start_time_ns = 1000,
		.start_realtime_ns = 1700000000000000000ULL,
	};

	header.header_crc32c = memphis_crc32c(0, &header, sizeof(header) - 4);
	fwrite(&header, sizeof(header), 1, output->file);
}

void output_open(struct output *output, const char *path, uint16_t kind, const uint64_t run[2],
		 unsigned int pid, unsigned int tid)
{
	memset(output, 0, sizeof(*output));
	output->file = fopen(path, "w");
	if (!output->file)
		die("cannot write", path);
	put_header(output, kind, run, pid, tid);
}

static unsigned char *read_file(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "r");
	unsigned char *data;
	long end;

	if (!file || fseek(file, 0, SEEK_END))
		die("cannot read", path);
	end = ftell(file);
	rewind(file);
	data = malloc((size_t)end);
	if (!data || fread(data, 1, (size_t)end, file) != (size_t)end)
		die("cannot read", path);
	fclose(file);
	*bytes = (size_t)end;
	return data;
}

void output_continue(struct output *output, const char *path, unsigned int tid,
		     struct memphis_file_header *first)
{
	unsigned char *data;
	unsigned int owner = 0;
	struct memphis_file_header header;
	struct memphis_chunk chunk;
	size_t bytes, at = 0, length;

	memset(output, 0, sizeof(*output));
	data = read_file(path, &bytes);
	if (bytes < sizeof(*first))
		die("not a sample file", path);
	memcpy(first, data, sizeof(*first));
	output->file = fopen(path, "w");
	if (!output->file)
		die("cannot write", path);
	for (; at + sizeof(chunk) <= bytes; at += length) {
		memcpy(&chunk, data + at, sizeof(chunk));
		length = sizeof(chunk) + ((chunk.payload_bytes + 7ULL) & ~7ULL);
		if (chunk.magic != MEMPHIS_CHUNK_MAGIC) {
			memcpy(&header, data + at, sizeof(header));
			if (header.magic != MEMPHIS_FILE_MAGIC)
				break; /* zeros: the writer was killed */
			owner = header.tid;
			length = sizeof(header);
		} else if (chunk.type == MEMPHIS_CHUNK_END && owner == tid) {
			break;
		} else if (chunk.type == MEMPHIS_CHUNK_TOPOLOGY) {
			continue;
		}
		fwrite(data + at, 1, length, output->file);
	}
	output->rest_bytes = bytes - at;
	output->rest = data;
	memmove(data, data + at, output->rest_bytes);
}

void output_member(struct output *output, const uint64_t run[2], unsigned int pid, unsigned int tid)
{
	output_flush(output);
	put_header(output, MEMPHIS_FILE_THREAD, run, pid, tid);
}

void output_flush(struct output *output)
{
	struct memphis_chunk header = {.magic = MEMPHIS_CHUNK_MAGIC,
				       .type = output->type,
				       .payload_bytes = (uint32_t)output->bytes,
				       .count = output->count};

	if (!output->file || !output->type)
		return;
	header.payload_crc32c = memphis_crc32c(0, output->payload, output->bytes);
	header.header_crc32c = memphis_crc32c(0, &header, sizeof(header) - 4);
	while (output->bytes % 8)
		put(output, "", 1);
	fwrite(&header, sizeof(header), 1, output->file);
	fwrite(output->payload, 1, output->bytes, output->file);
	output->type = 0;
	output->count = 0;
	output->bytes = 0;
	memset(&output->last, 0, sizeof(output->last));
}

void output_close(struct output *output)
{
	output_flush(output);
	if (output->rest)
		fwrite(output->rest, 1, output->rest_bytes, output->file);
	free(output->rest);
	if (output->file && fclose(output->file))
		die("cannot write", "sample file");
	free(output->payload);
	memset(output, 0, sizeof(*output));
}

static void begin(struct output *output, uint16_t type)
{
	if (!output->file)
		die("no file yet", "begin with `process PID`");
	if (output->type != type)
		output_flush(output);
	output->type = type;
}

void output_chunk(struct output *output, uint16_t type, const void *payload, size_t bytes, uint32_t count)
{
	begin(output, type);
	put(output, payload, bytes);
	output->count += count;
	/* A chunk contains one set of accounting, or one list of maps. */
	if (type == MEMPHIS_CHUNK_ACCOUNTING || type == MEMPHIS_CHUNK_MAPS)
		output_flush(output);
}

void output_text_chunk(struct output *output, uint16_t type, const char *text)
{
	uint32_t lines = 0;
	const char *at;

	for (at = text; *at; at++)
		lines += *at == '\n';
	output_chunk(output, type, text, strlen(text), lines);
}

void output_sample(struct output *output, const struct memphis_sample *sample)
{
	struct memphis_sample *last = &output->last;
	unsigned char control, kind[2] = {(unsigned char)sample->source, (unsigned char)sample->flags};

	begin(output, MEMPHIS_CHUNK_SAMPLES);
	control = (unsigned char)((sample->source != last->source || sample->flags != last->flags ||
						   sample->home_node != last->home_node
					   ? MEMPHIS_CODE_KIND
					   : 0) |
				  (sample->cpu != last->cpu || sample->node != last->node ? MEMPHIS_CODE_CPU
											  : 0) |
				  (sample->region != last->region ? MEMPHIS_CODE_REGION : 0));
	put(output, &control, 1);
	put_svarint(output, sample->pc - last->pc);
	put_svarint(output, sample->address - last->address);
	put_varint(output, sample->time_ns - last->time_ns);
	put_varint(output, sample->latency_cycles);
	if (control & MEMPHIS_CODE_KIND) {
		put(output, kind, 2);
		put_varint(output, sample->home_node);
	}
	if (control & MEMPHIS_CODE_CPU) {
		put_varint(output, sample->cpu);
		put_varint(output, sample->node);
	}
	if (control & MEMPHIS_CODE_REGION)
		put_varint(output, sample->region);
	*last = *sample;
	output->count++;
}

void output_entry(struct output *output, uint16_t type, uint64_t skipped, uint64_t code)
{
	begin(output, type);
	put_varint(output, skipped);
	put_varint(output, code);
	output->count++;
}
