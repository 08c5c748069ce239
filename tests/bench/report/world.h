/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulation of a program that never ran: address space, blocks and loops. 128 threads on four nodes run the same loops at the
 * same time, each on its part of shared arrays, on private arrays and on its stack.
 */
#ifndef BENCH_WORLD_H
#define BENCH_WORLD_H

#include "program.h"

#define NODES       4
#define STEP_NS     500000000ULL /* a time step, in which the loops run in a fixed order */
#define RUN_NS      100000000000ULL
#define START_NS    1000000000000ULL
#define LOOPS       60
#define PHASES      1024 /* parts of a time step; each belongs to a loop */
#define PCS         4000 /* approximate number of instructions in all loops */
#define SHARED      400  /* blocks of the main thread that live to the end */
#define OWN         16   /* blocks of each thread that live to the end */
#define TEMPORARIES 4    /* addresses of each thread at which blocks are allocated and released ... */
#define LIVES       100  /* ... so many times */
#define STACKS      300  /* distinct call stacks of allocations */
#define REGIONS     12
#define STACK_BYTES (8UL << 20)
#define CHOICES     1024 /* entries of a loop's table of instructions; frequent instructions have more entries */

enum bench_home { HOME_FIRST, HOME_INTERLEAVED, HOME_PARTS, HOME_OWN };

enum bench_place { PLACE_SHARED, PLACE_OWN, PLACE_TEMPORARY, PLACE_STACK };

struct bench_operand {
	enum bench_place place;
	enum bench_home home;
	uint64_t start, bytes; /* for other places than PLACE_SHARED: of the first thread */
	uint64_t between;      /* distance between threads */
	int strides;           /* accessed in order, not randomly */
};

struct bench_pc {
	uint64_t pc;
	uint32_t operands[3]; /* the first is used most often */
	uint8_t store;
	uint8_t in_memory; /* number of 256 accesses that go to memory */
};

struct bench_loop {
	uint32_t region;
	uint32_t choices[CHOICES]; /* indices of pcs */
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
	uint8_t phases[PHASES];     /* loop of each phase */
	uint64_t stacks[STACKS][8]; /* return addresses; 0 ends a stack */
	struct bench_range shared[SHARED];
};

void bench_world_make(struct bench_world *world, const struct bench_program *program, unsigned int threads);

/* Addresses of shared blocks, a thread's blocks and stacks; `bytes` receives the size of a block. */
uint64_t bench_shared_low(void);
uint64_t bench_shared_high(const struct bench_world *world);
uint64_t bench_arena(unsigned int thread); /* a thread's heap arena, of 64 MiB */
uint64_t bench_own(unsigned int thread, unsigned int number, uint64_t *bytes);
uint64_t bench_temporary(unsigned int thread, unsigned int number, uint64_t *bytes);
uint64_t bench_stack_low(unsigned int thread);

/* Returns the run-time address of a link-time address. */
static inline uint64_t bench_run_time(const struct bench_world *world, uint64_t vaddr)
{
	return vaddr + world->bias;
}

#endif
