/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that never ran: its address space, its blocks and loops. 128 threads on four nodes go through the same loops at
 * the same time, each on its part of the shared arrays, on arrays of its own and on its stack.
 */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include "program.h"

#define NODES       4
#define STEP_NS     500000000ULL /* a time step: the loops come in the same order in each */
#define RUN_NS      100000000000ULL
#define START_NS    1000000000000ULL
#define LOOPS       60
#define PHASES      1024 /* of a step, each of which belongs to a loop */
#define PCS         4000 /* in all loops together, roughly */
#define SHARED      400  /* blocks of the main thread that live to the end */
#define OWN         16   /* blocks of each thread that live to the end */
#define TEMPORARIES 4    /* places of each thread where blocks come and go ... */
#define LIVES       100  /* ... so many times */
#define STACKS      300  /* distinct call stacks of allocations */
#define REGIONS     12
#define STACK_BYTES (8UL << 20)
#define CHOICES     1024 /* of a loop's instructions: the popular ones stand in it more often */

enum bench_home { HOME_FIRST, HOME_INTERLEAVED, HOME_PARTS, HOME_OWN };

enum bench_place { PLACE_SHARED, PLACE_OWN, PLACE_TEMPORARY, PLACE_STACK };

struct bench_operand {
	enum bench_place place;
	enum bench_home home;
	uint64_t start, bytes; /* of PLACE_SHARED; else of the first thread */
	uint64_t between;      /* threads */
	int strides;           /* goes through it in order, instead of anywhere */
};

struct bench_pc {
	uint64_t pc;
	uint32_t operands[3]; /* the first is the usual one */
	uint8_t store;
	uint8_t in_memory; /* of 256 accesses, those that go to memory */
};

struct bench_loop {
	uint32_t region;
	uint32_t choices[CHOICES]; /* numbers of PCs */
};

struct bench_world {
	const struct bench_program *program;
	uint64_t bias;
	unsigned int threads;
	struct bench_operand *operands;
	size_t operand_count;
	struct bench_pc *pcs;
	size_t pc_count;
	struct bench_loop loops[LOOPS];
	uint8_t phases[PHASES];     /* its loop: some take long, some hardly any time */
	uint64_t stacks[STACKS][8]; /* return addresses; 0 = end */
	struct bench_range shared[SHARED];
};

void bench_world_make(struct bench_world *world, const struct bench_program *program, unsigned int threads);

/* Where things stand. */
uint64_t bench_shared_low(void);
uint64_t bench_shared_high(const struct bench_world *world);
uint64_t bench_arena(unsigned int thread); /* of 64 MiB */
uint64_t bench_own(unsigned int thread, unsigned int number, uint64_t *bytes);
uint64_t bench_temporary(unsigned int thread, unsigned int number, uint64_t *bytes);
uint64_t bench_stack_low(unsigned int thread);

/* The instruction's run-time address. */
static inline uint64_t bench_run_time(const struct bench_world *world, uint64_t vaddr)
{
	return vaddr + world->bias;
}

#endif
