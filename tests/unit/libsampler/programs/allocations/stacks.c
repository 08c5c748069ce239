/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread allocates on 2^17 call stacks: at each of 17 levels, one of two calls is made. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <memphis.h>

#define LEVELS 17

void idle_exited(pid_t tid);

static __attribute__((noinline)) void allocate(unsigned int way, int level)
{
	if (level == LEVELS)
		free(malloc(5000));
	else if (way >> level & 1)
		allocate(way, level + 1);
	else
		allocate(way, level + 1);
	__asm__ volatile(""); /* neither a tail call nor one call for both */
}

static void *run(void *tid)
{
	unsigned int way;

	*(pid_t *)tid = gettid();
	for (way = 0; way < 1u << LEVELS; way++)
		allocate(way, 0);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pid_t tid;

	if (pthread_create(&thread, NULL, run, &tid) || pthread_join(thread, NULL))
		return 1;
	idle_exited(tid);
	return memphis_flush() || memphis_flush();
}
