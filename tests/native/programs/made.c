// SPDX-License-Identifier: BSD-3-Clause
/*
 * Code made at run time, and described as compilers do it: in perf's map, in a jitdump file, or not at all. Each piece of code reads an array of
 * its own. usage: made DIRECTORY [link]     DIRECTORY: for the jitdump file; link: perf's map is a symbolic link to a file there
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "native.h"

#define PLACE 256 /* bytes for a piece of code */

typedef double sum_fn(const double *array, long count);

enum { IN_MAP, IN_DUMP, REPLACED, MOVED, TWICE, UNKNOWN, PLACES };

static double arrays[PLACES + 1][4096] __attribute__((aligned(4096)));
static unsigned char *code;
static FILE *map, *dump;

/* xorpd %xmm0, %xmm0; 1: addsd (%rdi), %xmm0; add $64, %rdi; sub $8, %rsi; jg 1b; ret */
static const unsigned char sum[] = {0x66, 0x0f, 0x57, 0xc0, 0xf2, 0x0f, 0x58, 0x07, 0x48, 0x83,
				    0xc7, 0x40, 0x48, 0x83, 0xee, 0x08, 0x7f, 0xf2, 0xc3};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t address_of(int place)
{
	return (uint64_t)(uintptr_t)(code + place * PLACE);
}

static void put(const void *bytes, size_t count)
{
	fwrite(bytes, count, 1, dump);
}

/* A record of the jitdump file: its kind, its numbers, a name, and code. */
static void put_record(uint32_t id, const uint64_t *numbers, size_t count, const char *name,
		       size_t code_bytes)
{
	const uint32_t pids[] = {(uint32_t)getpid(), (uint32_t)getpid()};
	const size_t head = id == 2 ? 0 : sizeof(pids), name_bytes = name ? strlen(name) + 1 : 0;
	const uint32_t header[] = {id, (uint32_t)(16 + head + count * 8 + name_bytes + code_bytes)};
	const uint64_t time = now();

	put(header, sizeof(header));
	put(&time, sizeof(time));
	put(pids, head);
	put(numbers, count * 8);
	put(name ? name : "", name_bytes);
	put(sum, code_bytes);
}

/* The code begins in line 7. */
static void put_lines(int place)
{
	const uint64_t numbers[] = {address_of(place), 1, address_of(place), 7};

	put_record(2, numbers, 4, "/nowhere/kernel.jl", 0);
}

static void put_load(int place, const char *name)
{
	static uint64_t number;
	const uint64_t numbers[] = {address_of(place), address_of(place), sizeof(sum), number++};

	put_record(0, numbers, 4, name, sizeof(sum));
}

static void put_move(int from, int to)
{
	const uint64_t numbers[] = {address_of(to), address_of(from), address_of(to), sizeof(sum), 0};

	put_record(1, numbers, 5, NULL, 0);
}

static void begin_dump(const char *directory)
{
	const uint32_t header[] = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid()};
	const uint64_t rest[] = {now(), 0};
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", directory, (int)getpid());
	dump = fopen(path, "w+");
	put(header, sizeof(header));
	put(rest, sizeof(rest));
	fflush(dump);
	/* By this map, the file is found. */
	munmap(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0), 4096);
}

static void use(int place, int array)
{
	char name[16];

	snprintf(name, sizeof(name), "array%d", array);
	native_watch(arrays[array], sizeof(arrays[array]), name);
	((sum_fn *)(uintptr_t)address_of(place))(arrays[array], 4096);
}

int main(int count, char **words)
{
	char path[64], target[4096];
	int i;

	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < PLACES; i++)
		memcpy(code + i * PLACE, sum, sizeof(sum));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	if (count < 2)
		return 1;
	snprintf(target, sizeof(target), "%s/target", words[1]);
	if (count > 2 && symlink(target, path))
		return 1;
	map = fopen(path, "w");
	begin_dump(words[1]);
	fprintf(map, "%lx %zx in_map\n", address_of(IN_MAP), sizeof(sum));
	fprintf(map, "%lx %zx first\n%lx %zx second\n", address_of(TWICE), sizeof(sum), address_of(TWICE),
		sizeof(sum));
	put_lines(IN_DUMP);
	put_load(IN_DUMP, "in_dump");
	put_load(REPLACED, "before");
	use(IN_MAP, IN_MAP);
	use(IN_DUMP, IN_DUMP);
	use(REPLACED, REPLACED);
	put_load(REPLACED, "after");
	put_move(IN_DUMP, MOVED);
	use(REPLACED, PLACES);
	use(MOVED, MOVED);
	use(TWICE, TWICE);
	use(UNKNOWN, UNKNOWN);
	fclose(dump);
	/* The last line is not finished. */
	fprintf(map, "%lx %zx unfin", address_of(UNKNOWN), sizeof(sum));
	fclose(map);
	return 0;
}
