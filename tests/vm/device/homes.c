// SPDX-License-Identifier: BSD-3-Clause
/*
 * Home nodes in samples, for each kind of memory that page tables describe, on both nodes. Run as an ordinary
 * user, from whom some kernels hide physical addresses. usage: homes
 */
#define _GNU_SOURCE
#include "session.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HUGE_PAGE (2u << 20)
#define BYTES     (8u << 20)
#define LOADS     1000000u

static void *map_aligned(int fd)
{
	char *area = mmap(NULL, BYTES + HUGE_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t start = ((uintptr_t)area + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);

	need(area != MAP_FAILED, "address space");
	return mmap((void *)start, BYTES, PROT_READ | PROT_WRITE,
		    MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), fd, 0);
}

static void *map_small_pages(void)
{
	void *area = map_aligned(-1);

	need(area != MAP_FAILED && !madvise(area, BYTES, MADV_NOHUGEPAGE), "small pages");
	return area;
}

static void *map_huge_pages(void)
{
	void *area = map_aligned(-1);

	need(area != MAP_FAILED && !madvise(area, BYTES, MADV_HUGEPAGE), "huge pages");
	return area;
}

static void *map_shared_file(void)
{
	int fd = memfd_create("homes", MFD_CLOEXEC);
	void *area;

	need(fd >= 0 && !ftruncate(fd, BYTES), "memfd");
	area = map_aligned(fd);
	need(area != MAP_FAILED, "shared pages");
	close_device(fd);
	return area;
}

static const struct kind {
	const char *name;
	void *(*map)(void);
} kinds[] = {
	{"small pages", map_small_pages},
	{"huge pages", map_huge_pages},
	{"a shared file's pages", map_shared_file},
};

/* Returns the node according to the kernel, to verify the set-up of the test. */
static int node_of(const char *address)
{
	void *page = (void *)((uintptr_t)address & ~4095UL);
	int status = -1;

	need(!syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0), "move_pages");
	return status;
}

static void check_kind(const struct kind *kind, int node)
{
	struct memphis_config config = some_config();
	unsigned int inside = 0, right = 0;
	struct thread_map map;
	size_t offset;
	uint64_t i;
	char name[96];
	char *area;
	int fd = open_device();

	run_on(2 * node);
	area = kind->map();
	memset(area, 1, BYTES);
	for (offset = 0; offset < BYTES; offset += 4096)
		need(node_of(area + offset) == node, "memory of the node");
	run_on(0);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	walk((const uint64_t *)area, BYTES, LOADS);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	for (i = 0; i < map.status->head; i++) {
		const struct memphis_sample *sample = &map.records[i];

		if (sample->address < (uintptr_t)area || sample->address >= (uintptr_t)area + BYTES)
			continue;
		inside++;
		right += sample->home_node == node;
	}
	/*
	 * LOADS / period = 61 (PEBS: 122) samples are expected; fewer than 25 (binomial) come in one of 10^7
	 * runs.
	 */
	snprintf(name, sizeof(name), "home: %s on node %d are sampled", kind->name, node);
	check(name, inside >= 25);
	snprintf(name, sizeof(name), "home: each sample of %s on node %d has that home node", kind->name,
		 node);
	check_equal(name, right, inside);
	unmap(&map);
	munmap(area, BYTES);
	close_device(fd);
}

int main(void)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++)
		for (int node = 0; node < 2; node++)
			check_kind(&kinds[kind], node);
	return 0;
}
