// SPDX-License-Identifier: BSD-3-Clause
/* Implementation of session.h. */
#define _GNU_SOURCE
#include "session.h"

#include <cpuid.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MSR_DELIVERED 0xc0011f03

void check(const char *name, bool holds)
{
	printf("%s %s\n", holds ? "ok" : "not ok", name);
	fflush(stdout);
}

void check_equal(const char *name, uint64_t got, uint64_t wanted)
{
	if (got == wanted)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %" PRIu64 ", expected %" PRIu64 "\n", name, got, wanted);
	fflush(stdout);
}

void need(bool holds, const char *what)
{
	if (holds)
		return;
	printf("not ok: %s: %s\n", what, strerror(errno));
	exit(1);
}

int request(int fd, unsigned long code, void *argument)
{
	return ioctl(fd, code, argument) ? errno : 0;
}

/* The session's page of each descriptor of open_device(). */
#define DESCRIPTORS 65536
static void *pages[DESCRIPTORS];

int open_unmapped(void)
{
	int fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);

	need(fd >= 0, "open /dev/memphis");
	return fd;
}

void *map_session(int fd)
{
	void *page = mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	need(page != MAP_FAILED, "map of the session's page");
	return page;
}

int open_device(void)
{
	int fd = open_unmapped();

	need(fd < DESCRIPTORS, "a small descriptor");
	pages[fd] = map_session(fd);
	return fd;
}

void close_device(int fd)
{
	if (pages[fd])
		munmap(pages[fd], MEMPHIS_PAGE_BYTES);
	pages[fd] = NULL;
	close(fd);
}

/* PEBS counts each period exactly, so the period is prime: it can't fall into step with a loop. */
static const struct hardware kinds[] = {
	{MEMPHIS_HARDWARE_IBS, "ibs_op", 0, 1 << MEMPHIS_COUNT_OPS | 1 << MEMPHIS_COUNT_CYCLES,
	 MEMPHIS_COUNT_OPS, 16384, 1024, 0x7ffffe0, 16},
	{MEMPHIS_HARDWARE_PEBS, "cpu", PERF_TYPE_RAW, 1 << MEMPHIS_COUNT_LOADS, MEMPHIS_COUNT_LOADS, 8191,
	 101, 0x7fffffff, 1},
};

const struct hardware *hardware(void)
{
	static const struct hardware *found;
	struct memphis_query query;
	int fd;

	if (found)
		return found;
	fd = open_unmapped();
	errno = request(fd, MEMPHIS_IOC_QUERY, &query);
	need(!errno && query.hardware >= 1 && query.hardware <= sizeof(kinds) / sizeof(*kinds), "query");
	close(fd);
	found = &kinds[query.hardware - 1];
	return found;
}

const struct emulated *emulated(void)
{
	/* By signature without stepping */
	static const struct emulated cpus[] = {
		{0xa00f10, 0x3ff, 0x1},   /* Milan */
		{0xa10f10, 0xbff, 0x1},   /* Genoa */
		{0xb00f20, 0x81bff, 0x1}, /* Turin */
		{0x050650, 0x2340, 0x1f}, /* Skylake-SP, Cascade Lake */
		{0x0606a0, 0xe440, 0x1f}, /* Ice Lake-SP */
		{0x0806f0, 0xe440, 0x1e}, /* Sapphire Rapids */
		{0x0a06d0, 0xe440, 0x1f}, /* Granite Rapids */
	};
	uint32_t signature = 0, ebx, ecx, edx;

	__get_cpuid(1, &signature, &ebx, &ecx, &edx);
	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++)
		if (cpus[i].signature == (signature & ~0xfu))
			return &cpus[i];
	need(false, "a CPU that this program knows");
	return NULL;
}

uint32_t one_event(void)
{
	return emulated()->events & 1 ? 1 : 1 << MEMPHIS_EVENT_REMOTE_DRAM;
}

struct memphis_config some_config(void)
{
	return (struct memphis_config){
		.period = hardware()->period,
		.count = hardware()->count,
		.events = emulated()->events & 1 ? 0 : emulated()->events,
		.ring_records = 4096,
		.wakeup_records = 1024,
	};
}

struct thread_map attach_mapped(int fd, pid_t tid, const struct memphis_config *config)
{
	return attach_other(fd, tid, 0, config);
}

/* Maps both areas of an attached thread; ends the program on failure. */
static void map_areas(int fd, struct thread_map *map, const struct memphis_config *config)
{
	void *area;

	map->capacity = config->ring_records;
	map->control = mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    (off_t)map->attach.control_offset);
	need(map->control != MAP_FAILED, "map of the control page");
	area = mmap(NULL, map->attach.ring_bytes, PROT_READ, MAP_SHARED, fd, (off_t)map->attach.ring_offset);
	need(area != MAP_FAILED, "map of the ring");
	map->status = area;
	map->records = (const void *)((const char *)area + MEMPHIS_PAGE_BYTES);
}

/* The session lasts as long as one of its areas is mapped: its own page until the thread's areas are. */
static int attach_and_map(int fd, const struct memphis_config *config, struct thread_map *map)
{
	void *page = map_session(fd);
	int err = request(fd, MEMPHIS_IOC_ATTACH, &map->attach);

	if (!err)
		map_areas(fd, map, config);
	munmap(page, MEMPHIS_PAGE_BYTES);
	return err;
}

int try_attach(int fd, pid_t tid, const struct memphis_config *config, struct thread_map *map)
{
	*map = (struct thread_map){.attach = {.tid = tid}};
	return attach_and_map(fd, config, map);
}

struct thread_map attach_other(int fd, pid_t tid, int memory, const struct memphis_config *config)
{
	struct thread_map map = {.attach = {.tid = tid, .memory = memory}};

	errno = attach_and_map(fd, config, &map);
	need(!errno, "attach");
	return map;
}

void unmap(struct thread_map *map)
{
	munmap(map->control, MEMPHIS_PAGE_BYTES);
	munmap((void *)map->status, map->attach.ring_bytes);
}

struct memphis_accounting read_books(const struct thread_map *map)
{
	struct memphis_accounting accounting;
	uint32_t before, after;

	do {
		before = __atomic_load_n(&map->status->sequence, __ATOMIC_ACQUIRE);
		memcpy(&accounting, &map->status->accounting, sizeof(accounting));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&map->status->sequence, __ATOMIC_RELAXED);
	} while (before != after || before & 1);
	return accounting;
}

uint64_t books_sum(const struct memphis_accounting *accounting)
{
	uint64_t sum = accounting->kept + accounting->lost;
	unsigned int i;

	for (i = 0; i < MEMPHIS_REASONS_MAX; i++)
		sum += accounting->filtered[i];
	return sum;
}

uint64_t unattached(int fd)
{
	struct memphis_stats stats;

	errno = request(fd, MEMPHIS_IOC_STATS, &stats);
	need(!errno, "stats");
	return stats.unattached;
}

int file_of_root(const char *variable, const char *path, int flags)
{
	const char *descriptor = getenv(variable);
	int fd = descriptor ? atoi(descriptor) : open(path, flags | O_CLOEXEC);

	need(fd >= 0, path);
	return fd;
}

uint64_t delivered(void)
{
	static int fd = -1;
	uint64_t value;

	if (fd < 0)
		fd = file_of_root("FILE_MSR", "/dev/cpu/0/msr", O_RDONLY);
	need(pread(fd, &value, sizeof(value), MSR_DELIVERED) == sizeof(value), "the machine's count");
	return value;
}

void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	need(!sched_setaffinity(0, sizeof(set), &set), "affinity");
}

/*
 * The page behind the buffer keeps the kernel from merging the mapping with its neighbour. In a merged
 * mapping, khugepaged would eventually collapse pages from both sides of the border into one huge page on one
 * node.
 */
uint64_t *buffer_on(int cpu, size_t bytes)
{
	uint64_t *buffer =
		mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(buffer != MAP_FAILED && !mprotect((char *)buffer + bytes, 4096, PROT_NONE), "buffer");
	run_on(cpu);
	memset(buffer, 1, bytes);
	return buffer;
}

/*
 * in_walk() compares addresses with the bounds of this section. Therefore nothing may be inlined into walk(),
 * and walk() into no other function.
 */
__attribute__((noinline, noclone, section("walk_text"))) uint64_t walk(const uint64_t *buffer, size_t bytes,
								       size_t loads)
{
	size_t words = bytes / sizeof(*buffer);
	uint64_t state = 1, sum = 0;

	for (size_t i = 0; i < loads; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += buffer[(state >> 33) % words];
	}
	return sum;
}

extern const char __start_walk_text[], __stop_walk_text[];

bool in_walk(uint64_t pc)
{
	return pc >= (uintptr_t)__start_walk_text && pc < (uintptr_t)__stop_walk_text;
}

void print_walk(FILE *file)
{
	fprintf(file, "walk %#lx %#lx\n", (unsigned long)__start_walk_text, (unsigned long)__stop_walk_text);
}

int expected_sampler(const char *argument)
{
	return !strcmp(argument, "task") ? MEMPHIS_SAMPLER_TASK : MEMPHIS_SAMPLER_CPU;
}
