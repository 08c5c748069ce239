/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with many, small, short, idle or cancelled threads. usage: threads MODE [COUNT] */
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "common.h"

static pthread_barrier_t barrier;

static void *nothing(void *none)
{
	return none;
}

static void *allocate(void *none)
{
	int i;

	for (i = 0; i < 200; i++) {
		void *block = malloc(7000);

		must(block);
		*(volatile char *)block = 1;
		free(block);
	}
	return none;
}

static void *wait_twice(void *none)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return none;
}

/* The value of a line of /proc/self/status. */
static long status_value(const char *name)
{
	char line[300];
	long value = -1;
	FILE *file = fopen("/proc/self/status", "r");

	must(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			value = atol(line + strlen(name) + 1);
	fclose(file);
	return value;
}

static int idle(int count)
{
	pthread_t threads[200];
	int i;

	pthread_barrier_init(&barrier, NULL, (unsigned int)count + 1);
	for (i = 0; i < count; i++)
		must(!pthread_create(&threads[i], NULL, wait_twice, NULL));
	pthread_barrier_wait(&barrier);
	printf("threads: %ld\n", status_value("Threads"));
	free(allocate(malloc(20 << 20)));
	pthread_barrier_wait(&barrier);
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int shortlived(int count)
{
	pthread_t threads[2];
	int i, j;

	for (i = 0; i < count; i += 2) {
		for (j = 0; j < 2; j++)
			must(!pthread_create(&threads[j], NULL, nothing, NULL));
		for (j = 0; j < 2; j++)
			pthread_join(threads[j], NULL);
	}
	printf("%d threads\n", count);
	return 0;
}

static void *post(void *semaphore)
{
	pthread_barrier_wait(semaphore);
	return NULL;
}

static int detached(int count)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int i;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (i = 0; i < count; i++) {
		must(!pthread_create(&thread, &attributes, post, &barrier));
		pthread_barrier_wait(&barrier);
	}
	printf("%d threads\n", count);
	return 0;
}

static void with_stack(size_t size, int count)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int i;

	pthread_attr_init(&attributes);
	must(!pthread_attr_setstacksize(&attributes, size));
	for (i = 0; i < count; i++) {
		must(!pthread_create(&thread, &attributes, allocate, NULL));
		pthread_join(thread, NULL);
	}
	printf("%zu bytes: %d threads\n", size, count);
}

static int small_stacks(int count)
{
	with_stack((size_t)sysconf(_SC_THREAD_STACK_MIN), count);
	with_stack(PTHREAD_STACK_MIN, count);
	return 0;
}

static void on_alarm(int number)
{
	int saved = errno;
	void *pages = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)number;
	if (pages != MAP_FAILED)
		munmap(pages, 65536);
	must(write(-1, "", 1) < 0);
	errno = saved;
}

static void alarm_often(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_interval.tv_usec = 700, .it_value.tv_usec = 700};

	must(!sigaction(SIGALRM, &action, NULL));
	must(!setitimer(ITIMER_REAL, &timer, NULL));
}

/*
 * A timer interrupts all threads. Every fourth thread is cancelled, possibly inside the handler, whose write() is a cancellation point. Such a
 * thread does not call malloc(): if it were cancelled there, the allocator would stay locked. Some of the others end by pthread_exit().
 */
static void *end_somehow(void *number)
{
	int i;

	for (i = 0; i < 20 && (size_t)number % 4 == 3; i++)
		munmap(mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 65536);
	if ((size_t)number % 4 != 3)
		allocate(NULL);
	if ((size_t)number % 3 == 0)
		pthread_exit(NULL);
	return NULL;
}

static void *make_and_cancel(void *count)
{
	pthread_t threads[8];
	size_t round, i;

	for (round = 0; round < (size_t)count; round++) {
		for (i = 0; i < 8; i++)
			must(!pthread_create(&threads[i], NULL, end_somehow, (void *)i));
		for (i = 0; i < 8; i++) {
			if (i % 4 == 3)
				pthread_cancel(threads[i]);
			pthread_join(threads[i], NULL);
		}
	}
	return NULL;
}

static void *map_often(void *count)
{
	size_t round, size;

	for (round = 0; round < 20 * (size_t)count; round++) {
		char *pages, *moved;

		size = 4096 * (1 + round % 64);
		pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		must(pages != MAP_FAILED);
		*pages = 1;
		moved = mremap(pages, size, 2 * size, MREMAP_MAYMOVE);
		must(moved != MAP_FAILED);
		munmap(moved, 2 * size);
	}
	return NULL;
}

static int churn(int count)
{
	pthread_t threads[6];
	size_t i;

	alarm_often();
	for (i = 0; i < 6; i++)
		must(!pthread_create(&threads[i], NULL, i % 2 ? map_often : make_and_cancel,
				     (void *)(size_t)count));
	for (i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	printf("%d rounds\n", count);
	return 0;
}

/* Threads that block in a system call are cancelled there, and clean up. */
static int cleaned;

static void clean(void *pipe_end)
{
	(void)pipe_end;
	free(malloc(10000));
	__atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
}

static void *read_for_ever(void *pipe_end)
{
	char byte;

	pthread_cleanup_push(clean, pipe_end);
	while (read(*(int *)pipe_end, &byte, 1) >= 0)
		;
	pthread_cleanup_pop(0);
	return NULL;
}

static int cancelled(int count)
{
	int i, ends[2];
	void *result;

	must(!pipe(ends));
	for (i = 0; i < count; i++) {
		pthread_t thread;

		must(!pthread_create(&thread, NULL, read_for_ever, &ends[0]));
		pthread_cancel(thread);
		must(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
	}
	printf("%d threads, at least one cleaned up: %d\n", count, cleaned > 0);
	return 0;
}

/* The main thread leaves; the program ends with the last thread. */
static void *print_late(void *none)
{
	pthread_barrier_wait(&barrier);
	puts("after the main thread");
	return none;
}

static int leave_main(int count)
{
	pthread_t thread;

	(void)count;
	pthread_barrier_init(&barrier, NULL, 2);
	must(!pthread_create(&thread, NULL, print_late, NULL));
	pthread_barrier_wait(&barrier);
	pthread_exit(NULL);
}

/* Keys of thread-local data, of which a process has 1024. */
static int keys(int count)
{
	pthread_key_t key;

	for (count = 0; pthread_key_create(&key, free) == 0; count++)
		must(!pthread_setspecific(key, malloc(10)));
	printf("at least 1000 keys: %d\n", count >= 1000);
	return 0;
}

static int affinity(int count)
{
	cpu_set_t set;
	pthread_t thread;

	(void)count;
	CPU_ZERO(&set);
	must(!sched_getaffinity(0, sizeof(set), &set));
	printf("one CPU as told: %d\n", CPU_COUNT(&set) == 1);
	must(!pthread_create(&thread, NULL, allocate, NULL));
	pthread_join(thread, NULL);
	return 0;
}

static const struct mode modes[] = {
	{"idle", idle},
	{"short", shortlived},
	{"detached", detached},
	{"small-stacks", small_stacks},
	{"churn", churn},
	{"cancelled", cancelled},
	{"leave-main", leave_main},
	{"keys", keys},
	{"affinity", affinity},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
