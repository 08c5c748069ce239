/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples in parts of blocks that the program's own pools hand out, and around them. With an argument: many parts, of which the given number of
 * threads allocates and resets some. "misuse": calls that must do no harm.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

#define ARENA_BYTES 1000000
#define BYTES       4000

void idle_sample(const void *address);

/* An arena, as programs write them. `last` and `spare` hold addresses of parts that belong to others. */
struct arena {
	char *base;
	size_t used;
	char *last;
	struct memphis_pool *pool;
};

struct mesh {
	double *nodes;
};

static struct arena arena;
static char corner[8192] __attribute__((aligned(64)));
static double *tx, *from_corner;
static struct mesh *mesh;
static struct memphis_pool *unnamed, *inner;

static void *take(struct arena *from, size_t bytes)
{
	from->last = from->base + from->used;
	from->used += (bytes + 63) & ~(size_t)63;
	return memphis_pool_alloc(from->pool, from->last, bytes, NULL);
}

/* What a library calls that offers hooks for its allocations. */
static __attribute__((noinline)) void hook(void *part, size_t bytes)
{
	memphis_pool_alloc(arena.pool, part, bytes, NULL);
	__asm__ volatile("");
}

static __attribute__((noinline)) void *take_with_hook(size_t bytes)
{
	char *part = arena.base + arena.used;

	arena.used += (bytes + 63) & ~(size_t)63;
	memphis_pool_alloc(arena.pool, part, bytes, NULL);
	__asm__ volatile("");
	return part;
}

static void *allocate_elsewhere(void *unused)
{
	double *elsewhere = take(&arena, BYTES);

	(void)unused;
	idle_sample(elsewhere);
	return NULL;
}

static void small_parts(void)
{
	int *counter = take(&arena, sizeof(*counter)), *next = take(&arena, sizeof(*next));

	idle_sample(counter);
	idle_sample(next);
}

static void nested(void)
{
	char *scratch = take(&arena, 4 * BYTES);
	char *first = memphis_pool_alloc(inner, scratch + BYTES, BYTES, "first");

	idle_sample(scratch);
	idle_sample(first + 8);
	memphis_pool_reset(inner);
	idle_sample(first + 8);
}

static void in_child(const double *flux)
{
	pid_t child = fork();
	int status;

	if (!child) {
		double *own;

		memphis_begin("Child");
		idle_sample(flux);
		memphis_pool_reset(arena.pool);
		arena.used = 0;
		own = take(&arena, BYTES);
		idle_sample(own);
		memphis_end("Child");
		exit(0);
	}
	waitpid(child, &status, 0);
	idle_sample(flux);
}

static int run(void)
{
	pthread_t thread;
	double *flux, *soil, *later, *given;

	arena.base = malloc(ARENA_BYTES);
	mesh = malloc(100000);
	arena.pool = memphis_pool_create("arena");
	unnamed = memphis_pool_create(NULL);
	inner = memphis_pool_create("inner");
	memphis_begin("Loop");
	tx = take(&arena, BYTES);
	flux = take(&arena, BYTES);
	mesh->nodes = take(&arena, BYTES);
	soil = take_with_hook(BYTES);
	given = memphis_pool_alloc(arena.pool, arena.base + ARENA_BYTES / 2, BYTES, "given");
	from_corner = memphis_pool_alloc(unnamed, corner + 1024, 1024, NULL);
	hook(arena.base + 3 * ARENA_BYTES / 4, BYTES);
	idle_sample(arena.base + ARENA_BYTES - 8);
	idle_sample(tx);
	idle_sample(flux + BYTES / 8 - 1);
	idle_sample(mesh->nodes);
	idle_sample(soil);
	idle_sample(given);
	idle_sample(from_corner);
	idle_sample(corner);
	idle_sample(arena.base + 3 * ARENA_BYTES / 4);
	pthread_create(&thread, NULL, allocate_elsewhere, NULL);
	pthread_join(thread, NULL);
	small_parts();
	nested();
	if (memphis_flush())
		return 1;
	in_child(flux);
	memphis_pool_free(arena.pool, flux);
	idle_sample(flux); /* belongs to the block */
	memphis_pool_reset(arena.pool);
	arena.used = 0;
	later = take(&arena, BYTES);
	idle_sample(later);
	memphis_pool_destroy(arena.pool);
	free(arena.base);
	memphis_end("Loop");
	return 0;
}

static void *churn(void *argument)
{
	struct arena own = {.base = argument, .pool = memphis_pool_create("churn")};
	int i, j;

	for (i = 0; i < 2000; i++) {
		own.used = 0;
		for (j = 0; j < 50; j++)
			take(&own, 64);
		memphis_pool_reset(own.pool);
	}
	memphis_pool_destroy(own.pool);
	return NULL;
}

static int run_threads(unsigned int count)
{
	static char memory[16][65536];
	pthread_t threads[16];
	unsigned int i;

	memphis_begin("Loop");
	for (i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, churn, memory[i]);
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	memphis_end("Loop");
	printf("%u\n", count * 2000 * 50);
	return 0;
}

static struct memphis_pool *interrupted;
static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	memphis_pool_alloc(interrupted, corner, 64, NULL);
	memphis_pool_free(interrupted, corner);
	memphis_pool_reset(interrupted);
	handled++;
}

static int misuse(void)
{
	static char memory[65536];
	struct memphis_pool *pool = memphis_pool_create("pool"), *gone = memphis_pool_create("gone");
	int wrong = 0, i;

	wrong |= memphis_pool_alloc(pool, memory, 100, "a") != memory;
	memphis_begin("Loop");
	wrong |= memphis_pool_alloc(NULL, memory, 100, "b") != memory;
	wrong |= memphis_pool_alloc(pool, NULL, 100, "b") != NULL;
	wrong |= memphis_pool_alloc(pool, memory + 200, 0, "b") != memory + 200;
	wrong |= memphis_pool_alloc(pool, memory + 200, SIZE_MAX, "b") != memory + 200;
	wrong |= memphis_pool_alloc(pool, memory + 300, 100, "") != memory + 300;
	wrong |= memphis_pool_alloc(pool, memory + 350, 100, "over") != memory + 350;
	wrong |= memphis_pool_free(NULL, memory) != -22;
	wrong |= memphis_pool_free(pool, NULL) != -22;
	wrong |= memphis_pool_free(pool, memory + 10) != 0;
	wrong |= memphis_pool_free(gone, memory) != 0;
	wrong |= memphis_pool_reset(NULL) != -22;
	wrong |= memphis_pool_reset(gone) != 0;
	wrong |= memphis_pool_alloc(gone, memory + 1000, 100, "live") != memory + 1000;
	wrong |= memphis_pool_destroy(gone) != 0;
	wrong |= memphis_pool_destroy(gone) != -22;
	wrong |= memphis_pool_reset(gone) != -22;
	wrong |= memphis_pool_free(gone, memory + 1000) != -22;
	wrong |= memphis_pool_alloc(gone, memory + 2000, 100, "dead") != memory + 2000;
	wrong |= memphis_pool_destroy(NULL) != -22;
	if (memphis_is_sampling() == 1) {
		idle_sample(memory);       /* a */
		idle_sample(memory + 360); /* over */
		idle_sample(memory + 1000);
		idle_sample(memory + 2000);
	}
	interrupted = memphis_pool_create("interrupted");
	signal(SIGALRM, handle);
	ualarm(100, 100);
	for (i = 0; handled < 100; i++) {
		memphis_pool_alloc(interrupted, corner + i % 64 * 64, 64, "hit");
		memphis_pool_free(interrupted, corner + i % 64 * 64);
		memphis_pool_reset(interrupted);
	}
	ualarm(0, 0);
	memphis_end("Loop");
	printf("%d\n", wrong);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "misuse"))
		return misuse();
	return argc > 1 ? run_threads((unsigned int)atoi(argv[1])) : run();
}
