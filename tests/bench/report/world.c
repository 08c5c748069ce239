// SPDX-License-Identifier: BSD-3-Clause
/* Simulation of a program that never ran: address space, blocks and loops. */
#include "world.h"

#include <math.h>
#include <string.h>

#define BIAS        0x555555554000ULL
#define SHARED_LOW  0x7f0000000000ULL
#define ARENAS      0x7f8000000000ULL
#define ARENA_BYTES (64ULL << 20)
#define STACKS_LOW  0x7fa000000000ULL

uint64_t bench_shared_low(void)
{
	return SHARED_LOW;
}

uint64_t bench_shared_high(const struct bench_world *world)
{
	const struct bench_range *last = &world->shared[SHARED - 1];

	return (last->start + last->bytes + 4095) & ~4095ULL;
}

uint64_t bench_arena(unsigned int thread)
{
	return ARENAS + thread * ARENA_BYTES;
}

uint64_t bench_own(unsigned int thread, unsigned int number, uint64_t *bytes)
{
	*bytes = 16384ULL << number % 7;
	return bench_arena(thread) + (1ULL << 20) + number * (2ULL << 20) + 16;
}

uint64_t bench_temporary(unsigned int thread, unsigned int number, uint64_t *bytes)
{
	*bytes = 65536ULL << number;
	return bench_arena(thread) + (40ULL << 20) + number * (2ULL << 20) + 16;
}

uint64_t bench_stack_low(unsigned int thread)
{
	return STACKS_LOW + thread * (STACK_BYTES + 4096);
}

static uint32_t add_operand(struct bench_world *world, struct bench_operand operand, uint64_t *random)
{
	operand.strides = bench_below(random, 10) < 6;
	world->operands = bench_more(world->operands, world->operand_count, sizeof(operand));
	world->operands[world->operand_count] = operand;
	return (uint32_t)world->operand_count++;
}

static enum bench_home some_home(uint64_t *random)
{
	static const enum bench_home homes[] = {HOME_FIRST,       HOME_FIRST, HOME_FIRST, HOME_INTERLEAVED,
						HOME_INTERLEAVED, HOME_PARTS, HOME_PARTS, HOME_PARTS};

	return homes[bench_below(random, 8)];
}

/* Returns a random number below the limit; the probability of n falls like 1 / n. */
static uint64_t skewed(uint64_t *random, uint64_t limit)
{
	double u = (double)(bench_random(random) >> 11) * 0x1p-53;

	return (uint64_t)(exp(u * log((double)limit + 1)) - 1) % limit;
}

static uint32_t some_operand(struct bench_world *world, uint64_t *random)
{
	const struct bench_program *program = world->program;
	struct bench_operand operand = {.place = PLACE_SHARED, .home = some_home(random)};
	uint64_t kind = bench_below(random, 100);

	if (kind < 40) {
		struct bench_range block = world->shared[skewed(random, SHARED)];

		operand.start = block.start;
		operand.bytes = block.bytes;
	} else if (kind < 70) {
		struct bench_range array = program->arrays[skewed(random, program->array_count)];

		operand.start = bench_run_time(world, array.start);
		operand.bytes = array.bytes;
	} else if (kind < 85) {
		operand.place = PLACE_OWN;
		operand.start = bench_own(0, (unsigned int)bench_below(random, OWN), &operand.bytes);
		operand.between = ARENA_BYTES;
	} else if (kind < 91) {
		operand.place = PLACE_TEMPORARY;
		operand.start =
			bench_temporary(0, (unsigned int)bench_below(random, TEMPORARIES), &operand.bytes);
		operand.between = ARENA_BYTES;
	} else {
		operand.place = PLACE_STACK;
		operand.bytes = 2048;
		operand.start = bench_stack_low(0) + STACK_BYTES - 4096 - 2048 * (1 + bench_below(random, 8));
		operand.between = STACK_BYTES + 4096;
	}
	if (operand.place != PLACE_SHARED)
		operand.home = HOME_OWN;
	return add_operand(world, operand, random);
}

static void add_pc(struct bench_world *world, struct bench_range function, uint64_t *random)
{
	struct bench_pc pc = {
		.pc = bench_run_time(world, function.start + bench_below(random, function.bytes))};
	unsigned int i, others = bench_below(random, 20) == 0 ? 2 : bench_below(random, 20) < 3;

	pc.operands[0] = pc.operands[1] = pc.operands[2] = some_operand(world, random);
	for (i = 1; i <= others; i++)
		pc.operands[i] = some_operand(world, random);
	pc.store = bench_below(random, 100) < 15;
	pc.in_memory = (uint8_t)bench_below(random, 256);
	if (world->operands[pc.operands[0]].place == PLACE_STACK)
		pc.in_memory = 2;
	world->pcs = bench_more(world->pcs, world->pc_count, sizeof(pc));
	world->pcs[world->pc_count++] = pc;
}

static void make_loop(struct bench_world *world, unsigned int number, uint64_t *random)
{
	const struct bench_program *program = world->program;
	struct bench_loop *loop = &world->loops[number];
	size_t count = PCS / LOOPS / 2 + bench_below(random, PCS / LOOPS), first = world->pc_count, i;

	loop->region = 1 + number % REGIONS;
	for (i = 0; i < count; i++)
		add_pc(world,
		       program->functions[(number * 4 + bench_below(random, 4)) % program->function_count],
		       random);
	for (i = 0; i < CHOICES; i++)
		loop->choices[i] = (uint32_t)(first + skewed(random, count));
}

static void make_stack(struct bench_world *world, unsigned int number, uint64_t *random)
{
	const struct bench_program *program = world->program;
	unsigned int depth = 3 + (unsigned int)bench_below(random, 5), i;

	for (i = 0; i < depth; i++) {
		struct bench_range function =
			program->functions[bench_below(random, program->function_count)];

		world->stacks[number][i] =
			bench_run_time(world, function.start + 1 + bench_below(random, function.bytes - 1));
	}
}

/* Each loop runs once per time step; loops with small numbers take longer. */
static void make_phases(struct bench_world *world)
{
	double share = 0, all = 0;
	unsigned int i, at = 0;

	for (i = 0; i < LOOPS; i++)
		all += 1.0 / (i + 3);
	for (i = 0; i < LOOPS; i++)
		for (share += 1.0 / (i + 3) / all; at < PHASES && at < share * PHASES; at++)
			world->phases[at] = (uint8_t)i;
	for (; at < PHASES; at++)
		world->phases[at] = LOOPS - 1;
}

void bench_world_make(struct bench_world *world, const struct bench_program *program, unsigned int threads)
{
	uint64_t random = 1, next = SHARED_LOW + 16;
	unsigned int i;

	memset(world, 0, sizeof(*world));
	world->program = program;
	world->bias = BIAS;
	world->threads = threads;
	for (i = 0; i < SHARED; i++) {
		world->shared[i].start = next;
		world->shared[i].bytes =
			(65536ULL << bench_below(&random, 9)) + 8 * bench_below(&random, 4096);
		next = (next + world->shared[i].bytes + 4096 + 4095) / 4096 * 4096 + 16;
	}
	for (i = 0; i < STACKS; i++)
		make_stack(world, i, &random);
	for (i = 0; i < LOOPS; i++)
		make_loop(world, i, &random);
	make_phases(world);
}
