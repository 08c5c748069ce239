// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes sample files of a program that never ran (world.h), with the library's encoder and file writer.
 * usage: generate samples PROGRAM DIRECTORY COUNT THREADS	COUNT samples in total, written by a process per CPU
 *        generate instructions PROGRAM DIRECTORY COUNT		one thread, with each sample at another instruction; prints the
 *								link-time addresses of the instructions
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "data/encode.h"
#include "data/file.h"
#include "world.h"

#define PID            4711
#define PASS_NS        100000000ULL /* the library's drain makes ten passes a second ... */
#define BOOKS_NS       500000000ULL /* ... and writes the accounting every half second */
#define CHUNK_SAMPLES  20000
#define NOT_MEMORY_PER 2 /* interrupts without a memory access, per kept sample */

static const struct memphis_run run = {{0x4d656d7068697342ULL, 0x656e636800000001ULL}, PID};

struct text {
	char *bytes;
	size_t count;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	char line[600];
	va_list arguments;
	int bytes, i;

	va_start(arguments, format);
	bytes = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (bytes < 0 || bytes >= (int)sizeof(line))
		bench_die("line too long: %s", line);
	for (i = 0; i < bytes; i++) {
		text->bytes = bench_more(text->bytes, text->count, 1);
		text->bytes[text->count++] = line[i];
	}
}

static void write_text(struct memphis_sample_file *file, unsigned int type, struct text *text)
{
	uint32_t lines = 0;
	size_t i;

	for (i = 0; i < text->count; i++)
		lines += text->bytes[i] == '\n';
	memphis_file_write_chunk(file, (__u16)type, text->bytes, text->count, lines);
	free(text->bytes);
	memset(text, 0, sizeof(*text));
}

static void create(struct memphis_sample_file *file, struct memphis_stage *stage, char *path,
		   unsigned int kind, unsigned int tid)
{
	int err;

	*stage = (struct memphis_stage){.data = malloc(MEMPHIS_STAGE_BYTES)};
	if (!stage->data)
		bench_die("out of memory");
	err = memphis_file_create(file, stage, path, &run, (__u16)kind, tid, 1);
	if (err)
		bench_die("%s: %s", path, strerror(-err));
}

static void finish(struct memphis_sample_file *file)
{
	memphis_file_finish(file);
	if (file->error || file->bytes_left_out)
		bench_die("%s: %s", file->path, strerror(-file->error));
	free(file->stage->data);
}

static void put_maps(struct text *text, const struct bench_world *world, uint64_t time_ns)
{
	const struct bench_program *program = world->program;
	const struct bench_segment *segment;
	uint64_t start, end, memory_end;
	unsigned int i;

	put(text, "time_ns %llu\n", (unsigned long long)time_ns);
	for (i = 0; i < program->segment_count; i++) {
		segment = &program->segments[i];
		start = world->bias + (segment->vaddr & ~4095ULL);
		end = world->bias + ((segment->vaddr + segment->file_bytes + 4095) & ~4095ULL);
		memory_end = world->bias + ((segment->vaddr + segment->memory_bytes + 4095) & ~4095ULL);
		put(text, "0x%lx 0x%lx %s 0x%lx %s %s\n", start, end, segment->permissions,
		    segment->offset & ~4095UL, program->build_id, program->path);
		if (memory_end > end)
			put(text, "0x%lx 0x%lx rw-p 0x0 - \n", end, memory_end);
	}
	put(text, "0x555600000000 0x555600800000 rw-p 0x0 - [heap]\n");
	put(text, "0x%lx 0x%lx rw-p 0x0 - \n", bench_shared_low(), bench_shared_high(world));
	for (i = 0; i < world->threads; i++)
		put(text, "0x%lx 0x%lx rw-p 0x0 - \n", bench_arena(i), bench_arena(i) + (64UL << 20));
	for (i = 1; i < world->threads; i++)
		put(text, "0x%lx 0x%lx rw-p 0x0 - \n", bench_stack_low(i), bench_stack_low(i) + STACK_BYTES);
	put(text, "0x%lx 0x%lx rw-p 0x0 - [stack]\n", bench_stack_low(0), bench_stack_low(0) + STACK_BYTES);
}

static void write_process(const struct bench_world *world, const char *directory)
{
	const struct bench_program *program = world->program;
	struct memphis_holder holders[SHARED / 4];
	struct memphis_stage stage;
	struct memphis_sample_file file;
	struct text text = {0};
	unsigned int i, j, per = (world->threads + NODES - 1) / NODES;
	char path[4096];

	snprintf(path, sizeof(path), "%s/bench.%d.process.memphis", directory, PID);
	create(&file, &stage, path, MEMPHIS_FILE_PROCESS, 0);
	put(&text, "command %s\nexecutable %s\nbuild_id %s\ndirectory /\nhost bench\npid %d\nppid 1\nuid 0\n",
	    program->path, program->path, program->build_id, PID);
	put(&text, "backend device\nhardware ibs\npmu ibs_op\nsampler task\nmode program\nperiod 65536\n");
	put(&text, "count ops\ndrop none\nmin_latency 0\nalloc_min_bytes 4096\nstack_depth 8\n");
	put(&text, "page_bytes 4096\nthreads %u\nactive_count 1\nactive_ns %llu\n", world->threads, RUN_NS);
	put(&text, "start_time_ns %llu\nstop_time_ns %llu\n", START_NS, START_NS + RUN_NS);
	write_text(&file, MEMPHIS_CHUNK_SETTINGS, &text);
	for (i = 0; i < NODES; i++) {
		put(&text, "node %u %llu %u-%u ", i, 64ULL << 30, i * per, (i + 1) * per - 1);
		for (j = 0; j < NODES; j++)
			put(&text, "%s%s", j ? "," : "", i == j ? "10" : "21");
		put(&text, "\n");
	}
	write_text(&file, MEMPHIS_CHUNK_TOPOLOGY, &text);
	put_maps(&text, world, START_NS);
	write_text(&file, MEMPHIS_CHUNK_MAPS, &text);
	for (i = 1; i <= REGIONS; i++)
		put(&text, "%u %u loop %u\n", i, i > 1, i);
	write_text(&file, MEMPHIS_CHUNK_REGIONS, &text);
	for (i = 0; i < SHARED / 4 && i < program->pointer_count; i++)
		holders[i] = (struct memphis_holder){
			START_NS + PASS_NS, world->bias + program->pointers[i].start, world->shared[i].start};
	memphis_file_write_chunk(&file, MEMPHIS_CHUNK_HOLDERS, holders, i * sizeof(*holders), i);
	put_maps(&text, world, START_NS + RUN_NS);
	write_text(&file, MEMPHIS_CHUNK_MAPS, &text);
	finish(&file);
}

static void write_stacks(struct memphis_sample_file *file, const struct bench_world *world)
{
	unsigned char *payload = memphis_file_chunk_begin(file, MEMPHIS_CHUNK_STACKS, STACKS * 72),
		      *p = payload;
	struct memphis_stack stack;
	unsigned int i;

	for (i = 0; i < STACKS; i++) {
		stack.id = i + 1;
		for (stack.depth = 0; stack.depth < 8 && world->stacks[i][stack.depth]; stack.depth++)
			;
		memcpy(p, &stack, sizeof(stack));
		memcpy(p + sizeof(stack), world->stacks[i], stack.depth * 8UL);
		p += sizeof(stack) + stack.depth * 8UL;
	}
	memphis_file_chunk_end(file, (size_t)(p - payload), STACKS);
}

static int earlier(const void *a, const void *b)
{
	const struct memphis_allocation *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void write_allocations(struct memphis_sample_file *file, const struct bench_world *world,
			      unsigned int thread)
{
	const uint64_t life_ns = RUN_NS / LIVES;
	struct memphis_allocation *list, *next;
	unsigned int i, life;
	size_t count;

	list = next = malloc((SHARED + OWN + 2 * TEMPORARIES * LIVES) * sizeof(*list));
	if (!list)
		bench_die("out of memory");
	for (i = 0; !thread && i < SHARED; i++)
		*next++ = (struct memphis_allocation){START_NS + i,           world->shared[i].start,
						      world->shared[i].bytes, 0,
						      1 + i % STACKS,         MEMPHIS_ALLOCATION_MALLOC};
	for (i = 0; i < OWN; i++, next++) {
		*next = (struct memphis_allocation){START_NS + SHARED + i,    0, 0, 0, 1 + (i * 7) % STACKS,
						    MEMPHIS_ALLOCATION_MALLOC};
		next->address = bench_own(thread, i, (uint64_t *)&next->size_bytes);
	}
	/* Blocks of several call stacks are allocated and released at the same address. */
	for (i = 0; i < TEMPORARIES; i++) {
		for (life = 0; life < LIVES; life++, next += 2) {
			next[0] = (struct memphis_allocation){START_NS + 1000 + life * life_ns + i,
							      0,
							      0,
							      0,
							      1 + (i * 3 + life % 3) % STACKS,
							      MEMPHIS_ALLOCATION_MALLOC};
			next[0].address = bench_temporary(thread, i, (uint64_t *)&next[0].size_bytes);
			next[1] = (struct memphis_allocation){next[0].time_ns + life_ns * 4 / 5,
							      next[0].address,
							      0,
							      0,
							      0,
							      MEMPHIS_ALLOCATION_FREE};
		}
	}
	count = (size_t)(next - list);
	qsort(list, count, sizeof(*list), earlier);
	memphis_file_write_chunk(file, MEMPHIS_CHUNK_ALLOCATIONS, list, count * sizeof(*list),
				 (uint32_t)count);
	free(list);
}

/* Returns the home node of the page; `own` is the thread's node. */
static unsigned int home_of(const struct bench_operand *operand, uint64_t offset, unsigned int own)
{
	switch (operand->home) {
	case HOME_FIRST:
		return 0;
	case HOME_INTERLEAVED:
		return offset >> 12 & (NODES - 1);
	case HOME_PARTS:
		return (unsigned int)(offset * NODES / operand->bytes);
	case HOME_OWN:
		break;
	}
	return own;
}

static void served(struct memphis_sample *sample, const struct bench_pc *pc, uint64_t random)
{
	static const struct {
		uint16_t source, latency;
	} caches[] = {{MEMPHIS_SOURCE_L1, 0},  {MEMPHIS_SOURCE_L1, 0},          {MEMPHIS_SOURCE_L1, 0},
		      {MEMPHIS_SOURCE_L1, 0},  {MEMPHIS_SOURCE_L2, 14},         {MEMPHIS_SOURCE_L2, 14},
		      {MEMPHIS_SOURCE_L3, 48}, {MEMPHIS_SOURCE_PEER_CACHE, 160}};
	bool remote = sample->home_node != sample->node;

	sample->flags = pc->store ? MEMPHIS_FLAG_STORE : MEMPHIS_FLAG_LOAD;
	sample->source = MEMPHIS_SOURCE_UNKNOWN;
	sample->latency_cycles = 0;
	if (random >> 60 == 0)
		sample->flags |= MEMPHIS_FLAG_L1_TLB_MISS;
	if (pc->store)
		return;
	if ((random & 255) < pc->in_memory) {
		sample->source = MEMPHIS_SOURCE_DRAM;
		sample->latency_cycles = (uint16_t)((remote ? 350 : 180) + (random >> 8 & 255));
		sample->flags |= remote ? MEMPHIS_FLAG_REMOTE : 0;
		return;
	}
	sample->source = caches[random >> 16 & 7].source;
	sample->latency_cycles = caches[random >> 16 & 7].latency;
	if (sample->latency_cycles)
		sample->latency_cycles += random >> 20 & 15;
	if (sample->source == MEMPHIS_SOURCE_PEER_CACHE && remote)
		sample->flags |= MEMPHIS_FLAG_REMOTE;
}

struct sampled {
	const struct bench_world *world;
	unsigned int thread;
	uint64_t random;
	uint64_t *places; /* by operand: this thread's position in it */
	struct memphis_sample sample;
};

static void next_sample(struct sampled *sampled, uint64_t mean_ns)
{
	const struct bench_world *world = sampled->world;
	struct memphis_sample *sample = &sampled->sample;
	const struct bench_operand *operand;
	const struct bench_loop *loop;
	const struct bench_pc *pc;
	uint64_t random = bench_random(&sampled->random), offset, part;
	uint32_t number;

	sample->time_ns += mean_ns / 2 + bench_below(&sampled->random, mean_ns);
	loop = &world->loops[world->phases[(sample->time_ns - START_NS) % STEP_NS * PHASES / STEP_NS]];
	pc = &world->pcs[loop->choices[random & (CHOICES - 1)]];
	number = pc->operands[(random >> 10 & 15) < 13 ? 0 : (random >> 10 & 15) - 13];
	operand = &world->operands[number];
	/* Mostly, a thread works on its own part. */
	part = operand->home == HOME_OWN || (random >> 20 & 7) == 0 ? operand->bytes
								    : operand->bytes / world->threads + 8;
	if (operand->strides)
		offset = sampled->places[number] += random >> 24 & 0xfff8;
	else
		offset = (random >> 24 & 0xffffffffff) << 3;
	offset = (part == operand->bytes ? 0 : part * sampled->thread) + offset % part;
	offset = offset % (operand->bytes - 7) & ~7ULL;
	sample->pc = pc->pc;
	sample->address = operand->start + operand->between * sampled->thread + offset;
	sample->region = loop->region;
	sample->home_node = (uint16_t)home_of(operand, offset, sample->node);
	served(sample, pc, bench_random(&sampled->random));
}

static void write_accounting(struct memphis_sample_file *file, uint64_t kept)
{
	struct memphis_accounting accounting = {.interrupts = kept * (1 + NOT_MEMORY_PER), .kept = kept};

	accounting.filtered[MEMPHIS_REASON_NOT_MEMORY] = kept * NOT_MEMORY_PER;
	memphis_file_write_chunk(file, MEMPHIS_CHUNK_ACCOUNTING, &accounting, sizeof(accounting), 1);
}

static void begin_thread(struct memphis_sample_file *file, struct memphis_stage *stage, char *path,
			 unsigned int thread)
{
	struct text text = {0};

	create(file, stage, path, MEMPHIS_FILE_THREAD, PID + thread);
	put(&text, "name program\nstart_time_ns %llu\nstack 0x%lx-0x%lx\nopenmp_thread %u\nattached 1\n",
	    START_NS, bench_stack_low(thread), bench_stack_low(thread) + STACK_BYTES, thread);
	if (!thread)
		put(&text, "main 1\n");
	write_text(file, MEMPHIS_CHUNK_THREAD, &text);
}

static void write_thread(const struct bench_world *world, const char *directory, unsigned int thread,
			 uint64_t count)
{
	struct sampled sampled = {world, thread, thread + 1, NULL, {.time_ns = START_NS}};
	uint64_t mean_ns = RUN_NS / (count + 1), kept = 0, pass_ns = START_NS + PASS_NS,
		 accounting_ns = START_NS;
	struct memphis_sample previous = {0};
	unsigned char *payload = NULL, *p = NULL;
	struct memphis_stage stage;
	struct memphis_sample_file file;
	uint32_t in_chunk = 0;
	char path[4096];

	snprintf(path, sizeof(path), "%s/bench.%d.%u.thread.memphis", directory, PID, PID + thread);
	begin_thread(&file, &stage, path, thread);
	write_stacks(&file, world);
	write_allocations(&file, world, thread);
	sampled.places = calloc(world->operand_count, sizeof(*sampled.places));
	if (!sampled.places)
		bench_die("out of memory");
	sampled.sample.cpu = (uint16_t)thread;
	sampled.sample.node = (uint16_t)(thread / ((world->threads + NODES - 1) / NODES));
	while (kept < count) {
		if (!payload) {
			p = payload = memphis_file_chunk_begin(&file, MEMPHIS_CHUNK_SAMPLES,
							       CHUNK_SAMPLES * MEMPHIS_SAMPLE_CODE_BYTES_MAX);
			memset(&previous, 0, sizeof(previous));
			in_chunk = 0;
		}
		next_sample(&sampled, mean_ns);
		p += memphis_encode_sample(p, &sampled.sample, &previous);
		previous = sampled.sample;
		kept++;
		if (++in_chunk < CHUNK_SAMPLES && kept < count && sampled.sample.time_ns < pass_ns)
			continue;
		memphis_file_chunk_end(&file, (size_t)(p - payload), in_chunk);
		payload = NULL;
		while (pass_ns <= sampled.sample.time_ns)
			pass_ns += PASS_NS;
		if (sampled.sample.time_ns >= accounting_ns + BOOKS_NS || kept == count) {
			write_accounting(&file, kept);
			accounting_ns = sampled.sample.time_ns;
		}
	}
	free(sampled.places);
	finish(&file);
}

static int write_samples(const struct bench_world *world, const char *directory, uint64_t count)
{
	long jobs = sysconf(_SC_NPROCESSORS_ONLN), job;
	int status, failed = 0;
	unsigned int thread;

	write_process(world, directory);
	for (job = 0; job < jobs; job++) {
		if (fork())
			continue;
		for (thread = (unsigned int)job; thread < world->threads; thread += (unsigned int)jobs)
			write_thread(world, directory, thread,
				     count * (thread + 1) / world->threads - count * thread / world->threads);
		return 0;
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed != 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Chooses instructions uniformly over all code, without duplicates, and writes a sample at each, in random order. */
static void write_instructions(const struct bench_world *world, const char *directory, size_t count)
{
	const struct bench_program *program = world->program;
	struct memphis_sample sample = {.time_ns = START_NS,
					.source = MEMPHIS_SOURCE_DRAM,
					.flags = MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE,
					.home_node = 1},
			      previous = {0};
	uint64_t bytes = 0, random = 1, *ends, *chosen, at;
	size_t i, j, kept = 0, low, high, in_chunk;
	struct memphis_stage stage;
	struct memphis_sample_file file;
	unsigned char *payload, *p;
	char path[4096];

	ends = calloc(program->function_count, sizeof(*ends));
	chosen = calloc(2 * count, sizeof(*chosen));
	if (!ends || !chosen)
		bench_die("out of memory");
	for (i = 0; i < program->function_count; i++)
		ends[i] = bytes += program->functions[i].bytes;
	for (i = 0; i < 2 * count; i++) {
		at = bench_below(&random, bytes);
		for (low = 0, high = program->function_count; low < high;) {
			j = low + (high - low) / 2;
			if (ends[j] <= at)
				low = j + 1;
			else
				high = j;
		}
		chosen[i] = program->functions[low].start + program->functions[low].bytes - (ends[low] - at);
	}
	qsort(chosen, 2 * count, sizeof(*chosen), by_number);
	for (i = 0; i < 2 * count; i++)
		if (!kept || chosen[kept - 1] != chosen[i])
			chosen[kept++] = chosen[i];
	if (kept < count)
		bench_die("%s: only %zu bytes of code were hit", program->path, kept);
	for (i = kept - 1; i > 0; i--) {
		j = bench_below(&random, i + 1);
		at = chosen[i];
		chosen[i] = chosen[j];
		chosen[j] = at;
	}
	write_process(world, directory);
	snprintf(path, sizeof(path), "%s/bench.%d.%u.thread.memphis", directory, PID, PID);
	begin_thread(&file, &stage, path, 0);
	sample.address = bench_run_time(world, program->arrays[0].start);
	for (i = 0; i < count; i += in_chunk) {
		p = payload = memphis_file_chunk_begin(&file, MEMPHIS_CHUNK_SAMPLES,
						       CHUNK_SAMPLES * MEMPHIS_SAMPLE_CODE_BYTES_MAX);
		memset(&previous, 0, sizeof(previous));
		for (in_chunk = 0; in_chunk < CHUNK_SAMPLES && i + in_chunk < count; in_chunk++) {
			sample.time_ns += 1000;
			sample.pc = bench_run_time(world, chosen[i + in_chunk]);
			p += memphis_encode_sample(p, &sample, &previous);
			previous = sample;
			printf("0x%lx\n", chosen[i + in_chunk]);
		}
		memphis_file_chunk_end(&file, (size_t)(p - payload), (uint32_t)in_chunk);
	}
	write_accounting(&file, count);
	finish(&file);
	free(ends);
	free(chosen);
}

int main(int count, char **arguments)
{
	static struct bench_world world;
	struct bench_program program;
	uint64_t samples;

	if (count != 6 && (count != 5 || strcmp(arguments[1], "instructions")))
		bench_die("usage: generate samples PROGRAM DIRECTORY COUNT THREADS\n"
			  "       generate instructions PROGRAM DIRECTORY COUNT");
	bench_program_read(&program, arguments[2]);
	samples = strtoull(arguments[4], NULL, 10);
	bench_world_make(&world, &program, count == 6 ? (unsigned int)atoi(arguments[5]) : 1);
	if (mkdir(arguments[3], 0777))
		bench_die("%s: cannot make", arguments[3]);
	if (count == 6)
		return write_samples(&world, arguments[3], samples);
	write_instructions(&world, arguments[3], samples);
	return 0;
}
