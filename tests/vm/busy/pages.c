// SPDX-License-Identifier: BSD-3-Clause
/*
 * Pages move to another node while they are read: the home node in samples must follow, by time.
 * usage: pages task|cpu
 */
#define _GNU_SOURCE
#include "node.h"

#include <linux/mempolicy.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES (2048u)
#define BYTES (PAGES * 4096u)
#define LOADS 300000u

static uint64_t *buffer;
static int fd;
static struct thread_map map;

static bool in_buffer(const struct memphis_sample *sample)
{
	return in_walk(sample->pc) && sample->address >= (uintptr_t)buffer &&
	       sample->address < (uintptr_t)buffer + BYTES;
}

static uint64_t page_of(const struct memphis_sample *sample)
{
	return (sample->address - (uintptr_t)buffer) / 4096;
}

/*
 * Moves all pages to `node`, or none if `node` is -1. Returns the number of pages that are then on node
 * `wanted`.
 */
static unsigned int place(int node, int wanted)
{
	void *pages[PAGES];
	int nodes[PAGES], status[PAGES];
	unsigned int there = 0;

	for (size_t i = 0; i < PAGES; i++) {
		pages[i] = (char *)buffer + i * 4096;
		nodes[i] = node;
	}
	need(!syscall(SYS_move_pages, 0, PAGES, pages, node < 0 ? NULL : nodes, status, MPOL_MF_MOVE),
	     "move_pages");
	for (size_t i = 0; i < PAGES; i++)
		there += status[i] == wanted;
	if (there < PAGES && node >= 0)
		printf("# %u of %u pages moved to node %d, the first says %d\n", there, PAGES, node,
		       status[0]);
	return there;
}

static void bind_to(int node)
{
	unsigned long mask = 1UL << node;

	need(!syscall(SYS_mbind, buffer, BYTES, MPOL_BIND, &mask, sizeof(mask) * 8, MPOL_MF_MOVE), "mbind");
}

static void unbind(void)
{
	need(!syscall(SYS_mbind, buffer, BYTES, MPOL_DEFAULT, NULL, 0, 0), "mbind to the default");
}

/*
 * Checks the samples of the walk between the times `from` and `to`: there are some, all of them have this
 * home node, and for those that DRAM served the remote flag agrees. The walk is on CPU 0, of node 0.
 */
static bool homes_are(unsigned int node, uint64_t from, uint64_t to)
{
	unsigned int right = 0, wrong = 0;

	for (uint64_t i = 0; i < map.status->head; i++) {
		const struct memphis_sample *sample = &map.records[i];

		if (!in_buffer(sample) || sample->time_ns < from || sample->time_ns > to)
			continue;
		if (sample->home_node != node ||
		    (sample->source == MEMPHIS_SOURCE_DRAM &&
		     !!(sample->flags & MEMPHIS_FLAG_REMOTE) != (sample->home_node != sample->node)))
			wrong++;
		else
			right++;
	}
	printf("# node %u: %u right, %u wrong\n", node, right, wrong);
	return right > 0 && !wrong;
}

/* Checks that no page is seen on the first node again after it was seen on the second. */
static bool none_goes_back(unsigned int first, unsigned int second, uint64_t from)
{
	static bool moved[PAGES];
	unsigned int back = 0, at_first = 0, at_second = 0;

	memset(moved, 0, sizeof(moved));
	for (uint64_t i = 0; i < map.status->head; i++) {
		const struct memphis_sample *sample = &map.records[i];

		if (!in_buffer(sample) || sample->time_ns < from)
			continue;
		if (sample->home_node == second) {
			moved[page_of(sample)] = true;
			at_second++;
		} else if (sample->home_node == first) {
			back += moved[page_of(sample)];
			at_first++;
		} else {
			back++;
		}
	}
	printf("# from node %u (%u) to %u (%u): %u back\n", first, at_first, second, at_second, back);
	return at_second > 0 && !back;
}

static void open_sampled(void)
{
	struct memphis_config config = some_config();

	config.period = 4096;
	config.ring_records = 1 << 16;
	fd = open_session(&config);
	map = attach_mapped(fd, 0, &config);
	start(fd);
}

static void close_sampled(const char *name)
{
	struct memphis_accounting accounting;

	stop(fd);
	accounting = read_books(&map);
	check(name, accounting.lost == 0 && books_sum(&accounting) == accounting.interrupts);
	unmap(&map);
	close_device(fd);
}

/* The reading thread itself moves its pages, so that each sample is clearly before or after. */
static void check_moves(void)
{
	uint64_t moved, moving, bound, binding;

	need(place(-1, 0) == PAGES, "all pages on node 0");
	open_sampled();
	walk(buffer, BYTES, LOADS);
	moving = now_ns();
	need(place(1, 1) == PAGES, "all pages on node 1");
	moved = now_ns();
	walk(buffer, BYTES, LOADS);
	binding = now_ns();
	bind_to(0);
	bound = now_ns();
	need(place(-1, 0) == PAGES, "all pages on node 0 again");
	walk(buffer, BYTES, LOADS);
	check("moves: before move_pages, the home is node 0", homes_are(0, 0, moving));
	check("moves: after move_pages, the home is node 1", homes_are(1, moved, binding));
	check("moves: after mbind, the home is node 0", homes_are(0, bound, ~0ULL));
	close_sampled("moves: the accounting balances");
	unbind();
}

static void *move(void *unused)
{
	(void)unused;
	run_on(1);
	need(place(1, 1) == PAGES, "all pages on node 1");
	return NULL;
}

/* Another thread moves the pages while they are read. */
static void check_race(void)
{
	uint64_t moving, moved;
	pthread_t thread;

	need(place(-1, 0) == PAGES, "all pages on node 0");
	open_sampled();
	walk(buffer, BYTES, LOADS);
	moving = now_ns();
	need(!pthread_create(&thread, NULL, move, NULL), "thread");
	while (place(-1, 1) != PAGES)
		walk(buffer, BYTES, LOADS / 10);
	pthread_join(thread, NULL);
	moved = now_ns();
	walk(buffer, BYTES, LOADS);
	check("race: before, the home is node 0", homes_are(0, 0, moving));
	check("race: while pages move, no page goes back", none_goes_back(0, 1, moving));
	check("race: after, the home is node 1", homes_are(1, moved, ~0ULL));
	close_sampled("race: the accounting balances");
}

/* NUMA balancing migrates pages that CPU 0 reads to its node. */
static void check_balancing(void)
{
	uint64_t begin, end;

	need(place(-1, 1) == PAGES, "all pages on node 1");
	open_sampled();
	walk(buffer, BYTES, LOADS);
	begin = now_ns();
	set("/proc/sys/kernel/numa_balancing", "1");
	while (place(-1, 0) != PAGES)
		walk(buffer, BYTES, LOADS / 10);
	set("/proc/sys/kernel/numa_balancing", "0");
	end = now_ns();
	map.control->tail = map.status->head;
	walk(buffer, BYTES, LOADS);
	check("balancing: before, the home is node 1", homes_are(1, 0, begin));
	check("balancing: while balancing is on, no page goes back", none_goes_back(1, 0, begin));
	check("balancing: after, the home is node 0", homes_are(0, end, ~0ULL));
	close_sampled("balancing: the accounting balances");
	printf("# balancing took %lu ms\n", (end - begin) / 1000000);
}

int main(void)
{
	run_on(0);
	buffer = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(buffer != MAP_FAILED && !madvise(buffer, BYTES, MADV_NOHUGEPAGE), "buffer of small pages");
	memset(buffer, 1, BYTES);
	check_moves();
	check_race();
	check_balancing();
	return 0;
}
