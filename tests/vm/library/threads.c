/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of every kind around one caliper, each reading its own array until it has done its share. Prints
 * "KIND TID" for each. The thread `before` exists before the first caliper and has a caliper of its own.
 */
#define _GNU_SOURCE
#include <memphis.h>

#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#define BYTES (2u << 20)
#define SHARE 200 /* passes over the array */
#define STACK (256u << 10)

static atomic_int go, raw_tid, raw_found, raw_done;
static char *raw_array;
long checksum;

static void say(const char *kind)
{
	printf("%s %d\n", kind, (int)syscall(SYS_gettid));
	fflush(stdout);
}

/* Memory with pages of its own: pages that are only read are all the same one, which stays in the caches. */
static char *touched(void)
{
	char *memory = malloc(BYTES);

	return memory ? memset(memory, 1, BYTES) : NULL;
}

__attribute__((noinline)) static long walk(const char *array, int times)
{
	long sum = 0;
	size_t i;

	while (times--)
		for (i = 0; i < BYTES; i += 64)
			sum += *(volatile const char *)&array[i];
	return sum;
}

static void *share(void *kind)
{
	char *array = touched();

	say(kind);
	checksum += walk(array, SHARE);
	free(array);
	return NULL;
}

static void *before(void *kind)
{
	say(kind);
	while (!go)
		usleep(1000);
	memphis_begin("Own");
	share("own");
	memphis_end("Own");
	return NULL;
}

static int standard(void *kind)
{
	share(kind);
	return 0;
}

/* The thread has no pthread structure, so it may use nothing of the C library but syscall(). */
static int raw(void *unused)
{
	(void)unused;
	raw_tid = (int)syscall(SYS_gettid);
	/* A thread without interrupts would have no file. */
	while (!raw_found)
		checksum += walk(raw_array, SHARE);
	checksum += walk(raw_array, SHARE);
	raw_done = 1;
	return 0;
}

/* No call announces that thread to the library; the library has found it once its file exists. */
static void find_raw(void)
{
	char pattern[4096];
	glob_t files;

	while (!raw_tid)
		usleep(1000);
	snprintf(pattern, sizeof(pattern), "%s/*.%d.%d.thread.memphis", getenv("MEMPHIS_OUTPUT"),
		 (int)getpid(), raw_tid);
	while (glob(pattern, 0, NULL, &files))
		usleep(1000);
	globfree(&files);
	raw_found = 1;
}

int main(void)
{
	pthread_t early, late, deep;
	thrd_t c11;
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	raw_array = touched();
	say("main");
	pthread_create(&early, NULL, before, "before");
	usleep(50000);
	if (memphis_begin("Outer"))
		return 1;
	go = 1;
	pthread_create(&late, NULL, share, "late");
	thrd_create(&c11, standard, "c11");
	if (clone(raw, stack + STACK,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL) < 0)
		return 1;
	find_raw();
	memphis_begin("Inner");
	share("inner");
	memphis_end("Inner");
	pthread_join(late, NULL);
	pthread_create(&deep, NULL, share, "after-join");
	pthread_join(deep, NULL);
	pthread_join(early, NULL);
	thrd_join(c11, NULL);
	while (!raw_done)
		usleep(1000);
	printf("raw %d\n", (int)raw_tid);
	return memphis_end("Outer") ? 1 : 5;
}
