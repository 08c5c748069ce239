// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes sample files from a description on standard input, so that the reader and the report can be tested
 * on real programs without sampling hardware. usage: make_samples DIRECTORY < DESCRIPTION
 *
 *	ended		begins the file of ended threads; `member TID` begins a thread in it, after the `end` of the one before
 *	process PID [HOST]	begins the process file; `thread TID` begins a thread file of it. The following lines go into that file:
 *	continue TID PATH	adds to an existing file before its end, or before that of a thread in it (TID 0: of the process), without its nodes
 *	setting|loss|fact KEY VALUE		node N BYTES CPUS DISTANCES	region ID PARENT NAME
 *	object NAME PATH BASE			a program or library, mapped at BASE (0: its link-time address)
 *	map START END PERMS OFFSET ID PATH	any other map, as in MAPS
 *	maps TIME				writes the objects and maps given so far	forget	removes all maps
 *	holder TIME SLOT BLOCK			stack ID PC...		chain ID PC...
 *	callers SKIPPED chain ID | callers SKIPPED unknown REASON	of a sample of the chunk before; SKIPPED samples have none
 *	frame ID PC LOW CFA BP FLAGS		of the thread's stack		in_frame SKIPPED ID	of a sample of the chunk before
 *	malloc|map_block|share_block TIME ADDRESS BYTES STACK [PREVIOUS]	free|unmap TIME ADDRESS [BYTES]		name TIME ADDRESS BYTES [NAME]
 *	small TIME ADDRESS BYTES STACK MEAN	a small block, taken at this mean distance
 *	sample TIME PC ADDRESS SOURCE FLAGS NODE [HOME [REGION [LATENCY]]]	FLAGS: letters of LSRHKtTB, or -
 *	repeat COUNT STRIDE sample ...		the sample COUNT times; each address is STRIDE higher than the last
 *	books INTERRUPTS KEPT LOST [REASON=COUNT...]	REASON: number, or throttled	flush: ends the chunk being filled
 *	metric ID SOURCE SCOPE KIND NODE UNIT NAME	reading TIME TOOK METRIC VALUE [gap]	mark TIME REGION
 *	time REGION CALLS NS [CPU_NS [CYCLES INSTRUCTIONS [EVENT...]]]	what the thread's calipers have counted
 *	span BEGIN END REGION			of a caliper; END 0: open
 *	mpi REGION PARTNER CALLS SENT RECEIVED SENT_BYTES RECEIVED_BYTES NS WAITS KNOWN WAITED_NS	calls of an MPI function
 *	event KIND BEGIN END COMM SENT_BYTES RECEIVED_BYTES REGION PARTNER TAG	a message or collective call of MPI
 *	io REGION FILE ...	the same, of an I/O function; FILE is a number of a line "file NUMBER PATH"
 *	chunk TYPE TEXT				any chunk, with this text	end: closes the file in order
 *
 * Addresses: a number; NAME!SYMBOL; NAME@FILE:LINE (first instruction of the line); NAME^FILE:LINE#N (return
 * address of the N-th call on the line, from 1); each may be followed by +NUMBER.
 */
#include "make_samples.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64

static struct output output; /* the file being written */
static struct object objects[32];
static int object_count;
static char extra_maps[1 << 16];
static unsigned int pid;
static char host[64] = "host";
static uint64_t run[2] = {0x1122334455667788, 0x99aabbccddeeff00};

void die(const char *what, const char *which)
{
	fprintf(stderr, "make_samples: %s: %s\n", what, which);
	exit(1);
}

uint64_t address_of(const char *text)
{
	const char *mark = strpbrk(text, "!@^"), *plus = strrchr(text, '+');
	uint64_t offset = plus ? strtoull(plus + 1, NULL, 0) : 0;
	char name[512];
	int i;

	if (!mark)
		return strtoull(text, NULL, 0);
	snprintf(name, sizeof(name), "%.*s", (int)(plus ? plus - mark - 1 : 500), mark + 1);
	for (i = 0; i < object_count; i++)
		if (strlen(objects[i].name) == (size_t)(mark - text) &&
		    !strncmp(objects[i].name, text, (size_t)(mark - text)))
			return object_address(&objects[i], *mark, name) + offset;
	die("no such object", text);
	return 0;
}

static void write_maps(uint64_t time_ns)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	int i;

	fprintf(to, "time_ns %llu\n", (unsigned long long)time_ns);
	for (i = 0; i < object_count; i++)
		object_maps(&objects[i], to);
	fputs(extra_maps, to);
	fclose(to);
	output_text_chunk(&output, MEMPHIS_CHUNK_MAPS, text);
	free(text);
}

static uint16_t flags_of(const char *letters)
{
	static const char all[] = "LSRHKtTB";
	uint16_t flags = 0;

	for (; *letters; letters++)
		if (strchr(all, *letters))
			flags |= (uint16_t)(1 << (strchr(all, *letters) - all));
	return flags;
}

static uint16_t source_of(const char *name)
{
	static const char *const names[] = {"unknown",    "l1",   "l2",        "l3",
					    "peer-cache", "dram", "extension", "io"};
	uint16_t i;

	for (i = 0; i < 8; i++)
		if (!strcmp(name, names[i]))
			return i;
	die("no such source", name);
	return 0;
}

static void do_sample(char **words, int count, unsigned int times, uint64_t stride)
{
	struct memphis_sample sample = {0};

	if (count < 7)
		die("a sample needs six fields", words[0]);
	sample.time_ns = address_of(words[1]);
	sample.pc = address_of(words[2]);
	sample.address = address_of(words[3]);
	sample.source = source_of(words[4]);
	sample.flags = flags_of(words[5]);
	sample.node = (uint16_t)address_of(words[6]);
	sample.cpu = (uint16_t)(sample.node * 2);
	sample.home_node = count > 7 ? (uint16_t)address_of(words[7]) : MEMPHIS_NODE_UNKNOWN;
	sample.region = count > 8 ? (uint32_t)address_of(words[8]) : 0;
	sample.latency_cycles = count > 9 ? (uint16_t)address_of(words[9]) : 0;
	for (; times; times--, sample.time_ns++, sample.address += stride)
		output_sample(&output, &sample);
}

static void do_allocation(char **words, int count, uint32_t kind)
{
	struct memphis_allocation event = {.kind = kind};

	if (count < 3)
		die("an allocation needs time and address", words[0]);
	event.time_ns = address_of(words[1]);
	event.address = address_of(words[2]);
	event.size_bytes = count > 3 ? address_of(words[3]) : 0;
	event.stack = count > 4 ? (uint32_t)address_of(words[4]) : 0;
	event.previous = count > 5 ? address_of(words[5]) : 0;
	output_chunk(&output, MEMPHIS_CHUNK_ALLOCATIONS, &event, sizeof(event), 1);
}

static void do_stack(char **words, int count, uint16_t type)
{
	uint64_t buffer[WORDS_MAX];
	struct memphis_stack *header = (struct memphis_stack *)buffer;
	int i;

	header->id = (uint32_t)address_of(words[1]);
	header->depth = (uint32_t)count - 2;
	for (i = 2; i < count; i++)
		buffer[i - 1] = address_of(words[i]);
	output_chunk(&output, type, buffer, (size_t)(count - 1) * 8, 1);
}

static void do_callers(char **words, int count)
{
	uint64_t number;

	if (count < 4)
		die("callers SKIPPED chain|unknown NUMBER expected", words[0]);
	number = address_of(words[3]);
	output_entry(&output, MEMPHIS_CHUNK_CALLERS, address_of(words[1]),
		     *words[2] == 'c' ? 2 * number : 2 * number + 1);
}

static void do_in_frame(char **words, int count)
{
	if (count < 3)
		die("in_frame SKIPPED ID expected", words[0]);
	output_entry(&output, MEMPHIS_CHUNK_IN_FRAMES, address_of(words[1]), 2 * address_of(words[2]));
}

static void do_books(char **words, int count)
{
	struct memphis_accounting accounting = {0};
	char *equals;
	int i;

	accounting.interrupts = address_of(words[1]);
	accounting.kept = address_of(words[2]);
	accounting.lost = address_of(words[3]);
	for (i = 4; i < count; i++) {
		equals = strchr(words[i], '=');
		if (!equals)
			die("REASON=COUNT expected", words[i]);
		if (!strncmp(words[i], "throttled=", 10)) {
			accounting.throttled = strtoull(equals + 1, NULL, 0);
			continue;
		}
		accounting.filtered[strtoul(words[i], NULL, 0) % MEMPHIS_REASONS_MAX] =
			strtoull(equals + 1, NULL, 0);
	}
	output_chunk(&output, MEMPHIS_CHUNK_ACCOUNTING, &accounting, sizeof(accounting), 1);
}

static void do_holder(char **words)
{
	struct memphis_holder holder = {address_of(words[1]), address_of(words[2]), address_of(words[3])};

	output_chunk(&output, MEMPHIS_CHUNK_HOLDERS, &holder, sizeof(holder), 1);
}

static void do_reading(char **words, int count)
{
	struct memphis_counter_value value = {0};

	if (count < 5)
		die("reading TIME TOOK METRIC VALUE [gap] expected", words[0]);
	value.time_ns = address_of(words[1]);
	value.took_ns = address_of(words[2]);
	value.metric = (uint32_t)address_of(words[3]);
	value.value = strtod(words[4], NULL);
	value.flags = count > 5 ? MEMPHIS_COUNTER_GAP : 0;
	output_chunk(&output, MEMPHIS_CHUNK_COUNTERS, &value, sizeof(value), 1);
}

static void do_time(char **words, int count)
{
	struct memphis_region_time time = {0};
	int i;

	if (count < 4)
		die("a time needs region, calls and ns", words[0]);
	time.region = (__u32)address_of(words[1]);
	time.calls = address_of(words[2]);
	time.ns = address_of(words[3]);
	time.cpu_ns = count > 4 ? address_of(words[4]) : 0;
	time.cycles = count > 6 ? address_of(words[5]) : 0;
	time.instructions = count > 6 ? address_of(words[6]) : 0;
	for (i = 7; i < count && i < 7 + MEMPHIS_REGION_EVENTS; i++)
		time.events[i - 7] = address_of(words[i]);
	output_chunk(&output, MEMPHIS_CHUNK_REGION_TIMES, &time, sizeof(time), 1);
}

static void do_span(char **words, int count)
{
	struct memphis_region_span span = {0};

	if (count < 4)
		die("span BEGIN END REGION expected", words[0]);
	span.begin_ns = address_of(words[1]);
	span.end_ns = address_of(words[2]);
	span.region = (__u32)address_of(words[3]);
	output_chunk(&output, MEMPHIS_CHUNK_SPANS, &span, sizeof(span), 1);
}

/* mpi REGION PARTNER and the other members of struct memphis_mpi_sum, in their order; io REGION FILE and the same. */
static void do_mpi(char **words, int count, bool io)
{
	struct memphis_mpi_sum sum = {0};
	__u64 *numbers = &sum.calls;
	int i;

	if (count != 12)
		die("a region, a partner and nine numbers are needed", words[0]);
	sum.region = (__u32)address_of(words[1]);
	sum.partner = (io ? MEMPHIS_MPI_FILE : 0) + atoi(words[2]);
	for (i = 3; i < count; i++)
		numbers[i - 3] = address_of(words[i]);
	output_chunk(&output, io ? MEMPHIS_CHUNK_IO : MEMPHIS_CHUNK_MPI, &sum, sizeof(sum), 1);
}

/* event KIND BEGIN END COMM SENT_BYTES RECEIVED_BYTES REGION PARTNER TAG: a message or a collective call. */
static void do_event(char **words, int count)
{
	struct memphis_mpi_event event = {0};

	if (count != 10)
		die("a kind and eight numbers are needed", words[0]);
	event.kind = (__u32)address_of(words[1]);
	event.begin_ns = address_of(words[2]);
	event.end_ns = address_of(words[3]);
	event.comm = address_of(words[4]);
	event.sent_bytes = address_of(words[5]);
	event.received_bytes = address_of(words[6]);
	event.region = (__u32)address_of(words[7]);
	event.partner = atoi(words[8]);
	event.tag = atoi(words[9]);
	output_chunk(&output, MEMPHIS_CHUNK_MPI_EVENTS, &event, sizeof(event), 1);
}

static void do_mark(char **words)
{
	struct memphis_counter_mark mark = {.time_ns = address_of(words[1]),
					    .region = (uint32_t)address_of(words[2])};

	output_chunk(&output, MEMPHIS_CHUNK_COUNTER_MARKS, &mark, sizeof(mark), 1);
}

static void do_object(char **words)
{
	struct object *object = &objects[object_count++];

	if (object_count > 32)
		die("too many objects", words[1]);
	object_open(object, words[1], words[2], strtoull(words[3], NULL, 0));
}

static void do_name(char **words, int count)
{
	char line[512];

	if (count < 4)
		die("name TIME ADDRESS BYTES [NAME] expected", words[0]);
	snprintf(line, sizeof(line), "%s 0x%llx %s %s\n", words[1], (unsigned long long)address_of(words[2]),
		 words[3], count > 4 ? words[4] : "");
	output_text_chunk(&output, MEMPHIS_CHUNK_NAMES, line);
}

/* Writes everything after the first word as a line of a text chunk. */
static void do_line(const char *line, uint16_t type)
{
	char text[4096];
	const char *rest = strchr(line, ' ');

	snprintf(text, sizeof(text), "%s\n", rest ? rest + 1 : "");
	output_text_chunk(&output, type, text);
}

/* Writes the line unchanged. */
static void do_line_whole(const char *line, uint16_t type)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s\n", line);
	output_text_chunk(&output, type, text);
}

static void begin_file(const char *directory, uint16_t kind, unsigned int tid)
{
	char path[4096];

	output_close(&output);
	if (kind == MEMPHIS_FILE_THREADS)
		snprintf(path, sizeof(path), "%s/%s.%u.ended.memphis", directory, host, pid);
	else if (kind == MEMPHIS_FILE_PROCESS)
		snprintf(path, sizeof(path), "%s/%s.%u.process.memphis", directory, host, pid);
	else
		snprintf(path, sizeof(path), "%s/%s.%u.%u.thread.memphis", directory, host, pid, tid);
	output_open(&output, path, kind, run, pid, tid);
}

/* continue TID PATH: threads that follow belong to the process of this file. */
static void do_continue(char **words, int count)
{
	struct memphis_file_header header;

	if (count != 3)
		die("continue TID PATH expected", words[0]);
	output_close(&output);
	output_continue(&output, words[2], (unsigned int)address_of(words[1]), &header);
	pid = header.pid;
	memcpy(run, header.run, sizeof(run));
}

static const struct text_line {
	const char *word;
	uint16_t type;
} text_lines[] = {
	{"setting", MEMPHIS_CHUNK_SETTINGS},
	{"loss", MEMPHIS_CHUNK_LOSSES},
	{"fact", MEMPHIS_CHUNK_THREAD},
	{"region", MEMPHIS_CHUNK_REGIONS},
	{"metric", MEMPHIS_CHUNK_COUNTER_METRICS},
	{"part_name", MEMPHIS_CHUNK_PART_NAMES},
	{"file", MEMPHIS_CHUNK_FILES},
};

static const struct event {
	const char *word;
	uint32_t kind;
} events[] = {
	{"malloc", MEMPHIS_ALLOCATION_MALLOC},       {"free", MEMPHIS_ALLOCATION_FREE},
	{"small", MEMPHIS_ALLOCATION_SMALL},         {"map_block", MEMPHIS_ALLOCATION_MAP},
	{"unmap", MEMPHIS_ALLOCATION_UNMAP},         {"part", MEMPHIS_ALLOCATION_PART},
	{"part_free", MEMPHIS_ALLOCATION_PART_FREE}, {"reset", MEMPHIS_ALLOCATION_POOL_RESET},
	{"share_block", MEMPHIS_ALLOCATION_SHARE},
};

static int table_command(const char *line, char **words, int count)
{
	size_t i;

	for (i = 0; i < sizeof(text_lines) / sizeof(*text_lines); i++)
		if (!strcmp(words[0], text_lines[i].word)) {
			do_line(line, text_lines[i].type);
			return 1;
		}
	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (!strcmp(words[0], events[i].word)) {
			do_allocation(words, count, events[i].kind);
			return 1;
		}
	return 0;
}

static void command(const char *directory, const char *line, char **words, int count)
{
	const char *word = words[0], *at;

	if (table_command(line, words, count))
		return;
	if (!strcmp(word, "process")) {
		pid = (unsigned int)address_of(words[1]);
		run[1] = pid * 0x0101010101010101ULL;
		snprintf(host, sizeof(host), "%s", count > 2 ? words[2] : "host");
		for (at = host; count > 2 && *at; at++)
			run[1] = run[1] * 31 + (unsigned char)*at;
		begin_file(directory, MEMPHIS_FILE_PROCESS, 0);
		object_count = 0;
		*extra_maps = 0;
	} else if (!strcmp(word, "thread")) {
		begin_file(directory, MEMPHIS_FILE_THREAD, (unsigned int)address_of(words[1]));
	} else if (!strcmp(word, "ended")) {
		begin_file(directory, MEMPHIS_FILE_THREADS, 0);
	} else if (!strcmp(word, "member")) {
		output_member(&output, run, pid, (unsigned int)address_of(words[1]));
	} else if (!strcmp(word, "continue")) {
		do_continue(words, count);
	} else if (!strcmp(word, "node")) {
		do_line_whole(line, MEMPHIS_CHUNK_TOPOLOGY);
	} else if (!strcmp(word, "object")) {
		do_object(words);
	} else if (!strcmp(word, "map")) {
		strncat(strncat(extra_maps, strchr(line, ' ') + 1, 1000), "\n", 2);
	} else if (!strcmp(word, "forget")) {
		*extra_maps = '\0';
	} else if (!strcmp(word, "maps")) {
		write_maps(address_of(words[1]));
	} else if (!strcmp(word, "holder")) {
		do_holder(words);
	} else if (!strcmp(word, "reading")) {
		do_reading(words, count);
	} else if (!strcmp(word, "time")) {
		do_time(words, count);
	} else if (!strcmp(word, "span")) {
		do_span(words, count);
	} else if (!strcmp(word, "mpi") || !strcmp(word, "io")) {
		do_mpi(words, count, *word == 'i');
	} else if (!strcmp(word, "event")) {
		do_event(words, count);
	} else if (!strcmp(word, "mark")) {
		do_mark(words);
	} else if (!strcmp(word, "stack")) {
		do_stack(words, count, MEMPHIS_CHUNK_STACKS);
	} else if (!strcmp(word, "chain")) {
		do_stack(words, count, MEMPHIS_CHUNK_CHAINS);
	} else if (!strcmp(word, "callers")) {
		do_callers(words, count);
	} else if (!strcmp(word, "frame")) {
		do_stack(words, count, MEMPHIS_CHUNK_FRAMES);
	} else if (!strcmp(word, "in_frame")) {
		do_in_frame(words, count);
	} else if (!strcmp(word, "name")) {
		do_name(words, count);
	} else if (!strcmp(word, "sample")) {
		do_sample(words, count, 1, 0);
	} else if (!strcmp(word, "repeat")) {
		do_sample(words + 3, count - 3, (unsigned int)address_of(words[1]), address_of(words[2]));
	} else if (!strcmp(word, "books")) {
		do_books(words, count);
	} else if (!strcmp(word, "chunk")) {
		do_line(strchr(line, ' ') + 1, (uint16_t)address_of(words[1]));
	} else if (!strcmp(word, "flush")) {
		output_flush(&output);
	} else if (!strcmp(word, "end")) {
		output_chunk(&output, MEMPHIS_CHUNK_END, "", 0, 0);
		output_flush(&output);
		output_flush(&output);
	} else {
		die("no such line", line);
	}
}

int main(int argc, char **argv)
{
	char *line = NULL, *copy, *words[WORDS_MAX], *save;
	size_t room = 0;
	int count;

	if (argc != 2)
		die("usage", "make_samples DIRECTORY < DESCRIPTION");
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		copy = strdup(line);
		count = 0;
		for (words[0] = strtok_r(copy, " \t", &save); words[count] && count < WORDS_MAX - 2;)
			words[++count] = strtok_r(NULL, " \t", &save);
		if (count && *words[0] != '#')
			command(argv[1], line + strspn(line, " \t"), words, count);
		free(copy);
	}
	free(line);
	output_close(&output);
	while (object_count)
		object_close(&objects[--object_count]);
	return 0;
}
