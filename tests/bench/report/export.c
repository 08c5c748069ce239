// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts sample files to a perf.data file, as `perf record` would have written it: one event, in rounds, each with the samples of one CPU
 * after the other. File layout: tools/perf/Documentation/perf.data-file-format.txt of the kernel; layout of records: perf_event_open(2).
 * usage: export DIRECTORY FILE
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "read/decode.h"
#include "read/process.h"

/* PERF_RECORD_FINISHED_ROUND: records before it are older than those after it, so perf need not keep them to sort. */
#define FINISHED_ROUND  68
#define ROUND_SAMPLES   4096
#define BUILD_ID_BYTES  20
#define MISC_BUILD_ID   (1 << 14) /* of MMAP2: a build-id in the place of device and inode */
#define PERF_HEADER_ALL 104
#define SAMPLE_TYPE                                                                                 \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)

/* Numbers of the sections that say of the machine which CPUs and which blocks of physical memory a node has. */
#define NUMA_TOPOLOGY 14
#define MEM_TOPOLOGY  22
#define NODES_MAX     64
/* Block N is on node N. */
#define BLOCK_BYTES (1ULL << 40)

struct section {
	uint64_t offset, size;
};

static struct {
	char magic[8];
	uint64_t size, attribute_size;
	struct section attributes, data, event_types;
	uint64_t features[4];
} header = {.magic = "PERFILE2"};

static struct {
	struct perf_event_attr attribute;
	struct section ids;
} event;

/* Fields in the order that SAMPLE_TYPE implies. */
struct sample_record {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time_ns, address;
	uint32_t cpu, reserved;
	uint64_t weight, data_source, physical;
};

/* The samples of a round. */
static struct sample_record samples[ROUND_SAMPLES];
static size_t sample_count;

struct source {
	struct memphis_file file;
	struct memphis_decoder decoder;
};

static FILE *out;
static struct memphis_error error;

static _Noreturn void fail(void)
{
	fprintf(stderr, "export: %s\n", error.text);
	exit(1);
}

static void put(const void *data, size_t bytes)
{
	if (fwrite(data, 1, bytes, out) != bytes) {
		perror("export: cannot write");
		exit(1);
	}
}

/* Writes a record that ends with a name, padded to a multiple of eight bytes. */
static void put_named(void *record, size_t bytes, const char *name)
{
	static const char zeros[8];
	size_t text = strlen(name) + 1, room = (text + 7) & ~(size_t)7;
	struct perf_event_header *head = record;

	head->size = (uint16_t)(bytes + room);
	put(record, bytes);
	put(name, text);
	put(zeros, room - text);
}

/* Sets the bytes of a build-id, which is text; returns their number. */
static uint8_t set_build_id(uint8_t *bytes, const char *text)
{
	uint8_t count = 0;

	while (count < BUILD_ID_BYTES && sscanf(text + 2 * (size_t)count, "%2hhx", &bytes[count]) == 1)
		count++;
	return count;
}

/* With a build-id, as of `perf record --buildid-mmap`. */
static void put_maps(const struct memphis_processes *processes, const struct memphis_process *process)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, bytes, offset;
		uint8_t build_id_bytes, reserved[3], build_id[BUILD_ID_BYTES];
		uint32_t protection, flags;
	} record = {.header = {.type = PERF_RECORD_MMAP2}};
	const struct memphis_map *map;
	size_t i;

	for (i = 0; i < process->log->maps.count; i++) {
		map = &process->log->maps.list[i];
		record.pid = record.tid = process->pid;
		record.start = map->start;
		record.bytes = map->end - map->start;
		record.offset = map->offset;
		record.protection = 1U | (map->writable ? 2 : 0) | (map->executable ? 4 : 0);
		record.flags = 2;
		record.header.misc = PERF_RECORD_MISC_USER;
		if (map->binary != MEMPHIS_NO_BINARY) {
			record.header.misc |= MISC_BUILD_ID;
			record.build_id_bytes = set_build_id(record.build_id,
							     processes->binaries.list[map->binary]->build_id);
		}
		put_named(&record, sizeof(record), *map->path ? map->path : "//anon");
	}
}

static void put_threads(const struct memphis_process *process)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} record = {.header = {.type = PERF_RECORD_COMM}};
	size_t i;

	for (i = 0; i < process->thread_count; i++) {
		record.pid = process->pid;
		record.tid = process->threads[i].tid;
		put_named(&record, sizeof(record), "program");
	}
}

static uint64_t data_source(const struct memphis_sample *sample)
{
	uint64_t remote = sample->flags & MEMPHIS_FLAG_REMOTE, level = PERF_MEM_LVL_NA;

	switch (sample->source) {
	case MEMPHIS_SOURCE_L1:
		level = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1;
		break;
	case MEMPHIS_SOURCE_L2:
		level = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L2;
		break;
	case MEMPHIS_SOURCE_L3:
		level = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3;
		break;
	case MEMPHIS_SOURCE_PEER_CACHE:
		level = PERF_MEM_LVL_HIT | (remote ? PERF_MEM_LVL_REM_CCE2 : PERF_MEM_LVL_REM_CCE1);
		break;
	case MEMPHIS_SOURCE_DRAM:
		level = PERF_MEM_LVL_HIT | (remote ? PERF_MEM_LVL_REM_RAM1 : PERF_MEM_LVL_LOC_RAM);
		break;
	}
	return (sample->flags & MEMPHIS_FLAG_STORE ? PERF_MEM_S(OP, STORE) : PERF_MEM_S(OP, LOAD)) |
	       level << PERF_MEM_LVL_SHIFT;
}

static int by_cpu(const void *a, const void *b)
{
	const struct sample_record *x = a, *y = b;

	return memphis_order(x->cpu, y->cpu) ?: memphis_order(x->time_ns, y->time_ns);
}

static void end_round(void)
{
	static const struct perf_event_header round = {FINISHED_ROUND, 0, sizeof(round)};

	qsort(samples, sample_count, sizeof(*samples), by_cpu);
	put(samples, sample_count * sizeof(*samples));
	put(&round, sizeof(round));
	sample_count = 0;
}

static void add_sample(const struct source *source)
{
	const struct memphis_sample *sample = &source->decoder.sample;

	samples[sample_count++] = (struct sample_record){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP,
			   sizeof(*samples)},
		.ip = sample->pc,
		.pid = source->file.header.pid,
		.tid = source->file.header.tid,
		.time_ns = sample->time_ns,
		.address = sample->address,
		.cpu = sample->cpu,
		.weight = sample->latency_cycles,
		.data_source = data_source(sample),
		.physical = sample->home_node * BLOCK_BYTES + (sample->address & (BLOCK_BYTES - 1)),
	};
	if (sample_count == ROUND_SAMPLES)
		end_round();
}

/* Advances to the next sample of the file; returns false at its end. */
static bool next(struct source *source)
{
	struct memphis_chunk_view chunk;
	int rc;

	while ((rc = memphis_decoder_next(&source->decoder)) == 0) {
		rc = memphis_file_next(&source->file, &chunk, &error);
		if (!rc)
			return false;
		if (rc < 0)
			break;
		if (chunk.type != MEMPHIS_CHUNK_SAMPLES)
			continue;
		rc = memphis_file_payload(&source->file, &chunk, &error);
		if (rc)
			break;
		memphis_decoder_start(&source->decoder, chunk.payload, chunk.bytes, chunk.count);
	}
	if (rc < 0)
		fail();
	return true;
}

static void sift_down(struct source **heap, size_t count, size_t at)
{
	struct source *moved = heap[at];
	size_t child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    heap[child + 1]->decoder.sample.time_ns < heap[child]->decoder.sample.time_ns)
			child++;
		if (heap[child]->decoder.sample.time_ns >= moved->decoder.sample.time_ns)
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

static void put_samples(const struct memphis_process *process)
{
	struct source **heap = calloc(process->thread_count, sizeof(*heap));
	size_t count = 0, i;

	for (i = 0; heap && i < process->thread_count; i++) {
		heap[count] = calloc(1, sizeof(**heap));
		if (!heap[count] ||
		    memphis_file_open_part(&heap[count]->file, process->threads[i].path,
					   process->threads[i].begin, process->threads[i].end, &error))
			fail();
		heap[count]->file.ahead = MEMPHIS_FILE_AHEAD / 4;
		count += next(heap[count]);
	}
	for (i = count; i-- > 0;)
		sift_down(heap, count, i);
	while (count) {
		add_sample(heap[0]);
		if (!next(heap[0])) {
			memphis_file_close(&heap[0]->file);
			free(heap[0]);
			heap[0] = heap[--count];
		}
		if (count)
			sift_down(heap, count, 0);
	}
	free(heap);
	end_round();
}

/* A string: its size, and its bytes up to a multiple of 64. */
struct string {
	uint32_t bytes;
	char text[64];
};

/* Writes the sections of the topology behind the records, and their places before them. */
static void put_topology(const struct memphis_process *process)
{
	struct __attribute__((packed)) {
		uint32_t count;
		struct __attribute__((packed)) {
			uint32_t node;
			uint64_t kilobytes, unused_kilobytes;
			struct string cpus;
		} nodes[NODES_MAX];
	} nodes = {.count = (uint32_t)process->node_count};
	struct {
		uint64_t version, block_bytes, count;
		struct {
			uint64_t node, bits, bitmap_bits, blocks;
		} nodes[NODES_MAX];
	} memory = {1, BLOCK_BYTES, process->node_count, {{0}}};
	const size_t node_bytes = offsetof(typeof(nodes), nodes[process->node_count]);
	const size_t memory_bytes = offsetof(typeof(memory), nodes[process->node_count]);
	const uint64_t begin = header.data.offset + header.data.size + 2 * sizeof(struct section);
	const struct section sections[] = {{begin, node_bytes}, {begin + node_bytes, memory_bytes}};
	const struct memphis_node *node;
	size_t i;

	for (i = 0; i < process->node_count && i < NODES_MAX; i++) {
		node = &process->nodes[i];
		nodes.nodes[i].node = node->node;
		nodes.nodes[i].kilobytes = node->memory_bytes / 1024;
		nodes.nodes[i].cpus.bytes = sizeof(nodes.nodes[i].cpus.text);
		snprintf(nodes.nodes[i].cpus.text, sizeof(nodes.nodes[i].cpus.text), "%s", node->cpus);
		memory.nodes[i].node = node->node;
		memory.nodes[i].bits = memory.nodes[i].bitmap_bits = 64;
		memory.nodes[i].blocks = 1ULL << node->node;
	}
	header.features[0] = 1U << NUMA_TOPOLOGY | 1U << MEM_TOPOLOGY;
	put(sections, sizeof(sections));
	put(&nodes, node_bytes);
	put(&memory, memory_bytes);
}

int main(int count, char **arguments)
{
	struct memphis_processes processes = {0};

	if (count != 3) {
		fputs("usage: export DIRECTORY FILE\n", stderr);
		return 2;
	}
	if (memphis_processes_load(&processes, arguments + 1, 1, &error))
		fail();
	out = fopen(arguments[2], "w");
	if (!out) {
		perror(arguments[2]);
		return 1;
	}
	event.attribute = (struct perf_event_attr){.type = PERF_TYPE_RAW,
						   .size = sizeof(event.attribute),
						   .config = 0x1cd,
						   .sample_period = 65536,
						   .sample_type = SAMPLE_TYPE,
						   .exclude_kernel = 1,
						   .mmap = 1,
						   .comm = 1,
						   .mmap_data = 1,
						   .mmap2 = 1};
	header.size = sizeof(header);
	header.attribute_size = sizeof(event);
	header.attributes = (struct section){sizeof(header), sizeof(event)};
	header.data.offset = sizeof(header) + sizeof(event);
	put(&header, sizeof(header));
	put(&event, sizeof(event));
	put_threads(&processes.list[0]);
	put_maps(&processes, &processes.list[0]);
	put_samples(&processes.list[0]);
	header.data.size = (uint64_t)ftello(out) - header.data.offset;
	put_topology(&processes.list[0]);
	rewind(out);
	put(&header, sizeof(header));
	memphis_processes_close(&processes);
	return fclose(out) ? 1 : 0;
}

_Static_assert(sizeof(header) == PERF_HEADER_ALL, "the header has 104 bytes");
_Static_assert(sizeof(struct sample_record) == 72, "a sample has 72 bytes");
