// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps that map the device's areas, completely, partly, and beyond their ends, and change maps while other threads use them.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

uint8_t *some_place(struct worker *worker)
{
	/* Few addresses, so that steps of different threads collide. */
	return (uint8_t *)(ARENA + 4096UL * (roll(&worker->dice, 24) * 300 + roll(&worker->dice, 4)));
}

/* Lengths of the usual rings, and others. An area can only be mapped as a whole. */
static size_t some_length(struct dice *dice)
{
	static const uint32_t pages[] = {1, 1, 1, 2, 2, 3, 4, 6, 11, 21, 41, 81, 4, 4, 4, 0, 5};
	size_t length = 4096UL * PICK(dice, pages);

	if (!roll(dice, 16))
		length += roll(dice, 4096);
	return length;
}

static int some_protection(struct dice *dice)
{
	static const int protections[] = {
		PROT_READ, PROT_READ,  PROT_READ | PROT_WRITE, PROT_READ | PROT_WRITE,
		PROT_NONE, PROT_WRITE, PROT_READ | PROT_EXEC,  PROT_READ | PROT_WRITE | PROT_EXEC};

	return PICK(dice, protections);
}

static off_t some_offset(struct dice *dice)
{
	if (!roll(dice, 12))
		return (off_t)(roll_odd(dice) & ~4095UL);
	if (!roll(dice, 5))
		return 0;
	return (off_t)((1ULL + roll(dice, 5)) << 32) +
	       4096 * (off_t)(roll(dice, 8) ? roll(dice, 2) : roll(dice, 90));
}

static void map(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	int flags = (roll(dice, 10) ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED;
	int protection = some_protection(dice);

	if (!roll(dice, 6))
		flags |= MAP_POPULATE;
	if (!roll(dice, 12))
		flags |= MAP_LOCKED;
	if (!roll(dice, 12))
		flags = (flags & ~MAP_SHARED) | MAP_SHARED_VALIDATE | (roll(dice, 2) ? MAP_SYNC : 0);
	mmap(some_place(worker), some_length(dice), protection, flags, some_file(worker), some_offset(dice));
}

/* Attaches, and maps the new areas, as the library does. */
static void map_attached(struct worker *worker)
{
	struct memphis_attach request = {.tid = roll(&worker->dice, 2) ? some_tid(worker) : 0};
	uint8_t *control = some_place(worker), *ring = some_place(worker);
	int fd = some_file(worker);

	/* A session lasts as long as its owner maps a part of it. */
	if (roll(&worker->dice, 4))
		mmap(some_place(worker), 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	ask(fd, MEMPHIS_IOC_ATTACH, &request);
	if (!request.ring_bytes || request.ring_bytes > 4096UL * 1024)
		return;
	mmap(control, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
	     (off_t)request.control_offset);
	mmap(ring, request.ring_bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, (off_t)request.ring_offset);
}

static void unmap(struct worker *worker)
{
	munmap(some_place(worker) + 4096 * roll(&worker->dice, 3), some_length(&worker->dice));
}

static void move(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	size_t before = some_length(dice), after = roll(dice, 2) ? before : some_length(dice);
	int flags = (int)roll(dice, 8) & ~MREMAP_FIXED;
	uint8_t *from = some_place(worker), *to = some_place(worker);

	/* Without a fixed address, the kernel would choose one outside the arena. */
	if (flags & MREMAP_MAYMOVE)
		flags |= MREMAP_FIXED;
	mremap(from, before, after, flags, to);
}

static void protect(struct worker *worker)
{
	mprotect(some_place(worker) + 4096 * roll(&worker->dice, 3), some_length(&worker->dice),
		 some_protection(&worker->dice));
}

static void advise(struct worker *worker)
{
	/* All advices except those that take memory from the machine for good. */
	static const int advices[] = {MADV_NORMAL,
				      MADV_RANDOM,
				      MADV_WILLNEED,
				      MADV_DONTNEED,
				      MADV_FREE,
				      MADV_REMOVE,
				      MADV_DONTFORK,
				      MADV_DOFORK,
				      MADV_MERGEABLE,
				      MADV_HUGEPAGE,
				      MADV_NOHUGEPAGE,
				      MADV_DONTDUMP,
				      MADV_DODUMP,
				      MADV_WIPEONFORK,
				      MADV_KEEPONFORK,
				      20 /* COLD */,
				      21 /* PAGEOUT */,
				      22 /* POPULATE_READ */,
				      23 /* POPULATE_WRITE */,
				      25 /* COLLAPSE */};

	madvise(some_place(worker), some_length(&worker->dice), PICK(&worker->dice, advices));
}

static void lock(struct worker *worker)
{
	uint8_t *place = some_place(worker);
	size_t length = some_length(&worker->dice);

	switch (roll(&worker->dice, 4)) {
	case 0:
		mlock(place, length);
		break;
	case 1:
		munlock(place, length);
		break;
	case 2:
		msync(place, length, (int)roll(&worker->dice, 8));
		break;
	default:
		mincore(place, length, worker->page);
	}
}

/* Moves pages to another node, as a program, a batch system or the kernel may do. */
static void migrate(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	unsigned long nodes = 1 + roll(dice, 255), from = 1UL << roll(dice, 8), to = 1UL << roll(dice, 8);
	void *page = some_place(worker);
	int node = (int)roll(dice, 8), status;

	switch (roll(dice, 3)) {
	case 0:
		syscall(SYS_mbind, page, some_length(dice), roll(dice, 5), &nodes, 8UL, roll(dice, 8));
		break;
	case 1:
		syscall(SYS_move_pages, some_worker(worker), 1UL, &page, &node, &status,
			2 /* MPOL_MF_MOVE */);
		break;
	default:
		syscall(SYS_migrate_pages, some_worker(worker), 8UL, &from, &to);
	}
}

/* Writes to the control page, which the module reads at any time, or to another area that the module writes. */
static void tamper(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	struct memphis_control *control = (void *)some_place(worker);
	uint64_t tail = roll(dice, 3) ? roll(dice, 10000) : roll_odd(dice);
	uint32_t region = (uint32_t)roll_odd(dice);
	unsigned int i;

	TOUCH(__atomic_store_n(&control->tail, tail, __ATOMIC_RELEASE));
	TOUCH(__atomic_store_n(&control->region, region, __ATOMIC_RELAXED));
	if (!roll(dice, 4))
		for (i = 0; i < 200; i++)
			TOUCH(__atomic_store_n(&control->tail, tail + i * 7919, __ATOMIC_RELAXED));
	if (!roll(dice, 4))
		TOUCH(memset(control, (int)tail, 4096));
}

/* Copies samples from the ring and advances the tail, as the library does. */
static void drain(struct worker *worker)
{
	const struct memphis_status *status = (const void *)some_place(worker);
	struct memphis_control *control = (void *)some_place(worker);
	static __thread uint8_t copy[4096 * 4];

	TOUCH(memcpy(copy, status, sizeof(copy)));
	TOUCH(__atomic_store_n(&control->tail, status->head, __ATOMIC_RELEASE));
}

/* Accesses the same memory in other ways. */
static void around(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	uint8_t *place = some_place(worker);
	struct iovec here = {worker->page, 4096}, there = {place, 4096 + roll(dice, 4096)};
	pid_t who = roll(dice, 2) ? getpid() : some_worker(worker);
	char path[64];
	int fd, pipes[2];

	switch (roll(dice, 5)) {
	case 0:
		snprintf(path, sizeof(path), "/proc/%d/mem", (int)who);
		fd = open(path, O_RDWR | O_CLOEXEC);
		(void)!pwrite(fd, worker->page, 64, (off_t)(uintptr_t)place);
		(void)!pread(fd, worker->page, 4096, (off_t)(uintptr_t)place);
		close(fd);
		break;
	case 1:
		process_vm_readv(who, &here, 1, &there, 1, 0);
		break;
	case 2:
		process_vm_writev(who, &here, 1, &there, 1, 0);
		break;
	case 3: /* a page held by a pipe outlives its map */
		if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
			break;
		vmsplice(pipes[1], &there, 1, SPLICE_F_NONBLOCK | (roll(dice, 2) ? SPLICE_F_GIFT : 0));
		munmap(place, 4096);
		(void)!read(pipes[0], worker->page, 4096);
		close(pipes[0]);
		close(pipes[1]);
		break;
	default:
		snprintf(path, sizeof(path), "/proc/self/%s", roll(dice, 2) ? "smaps" : "numa_maps");
		fd = open(path, O_RDONLY | O_CLOEXEC);
		while (read(fd, worker->page, 4096) > 0)
			;
		close(fd);
	}
}

const struct action memory_actions[] = {
	{"map", 60, map},         {"map attached", 70, map_attached},
	{"unmap", 30, unmap},     {"move", 25, move},
	{"protect", 25, protect}, {"advise", 25, advise},
	{"lock", 12, lock},       {"migrate", 12, migrate},
	{"tamper", 80, tamper},   {"drain", 50, drain},
	{"around", 12, around},   {0},
};
