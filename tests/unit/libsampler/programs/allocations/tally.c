/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads pass each other blocks, end, and are replaced; a signal handler maps memory at any time; a child allocates, too; and
 * the program ends right after its last allocations. Prints its pid and its number of blocks of at least 4096 bytes, each of
 * which must be recorded or counted.
 * With an argument, a caliper of that name is opened after all threads have ended.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memphis.h>

#define THREADS 4
#define ROUNDS  40000
#define SLOTS   64

static void *slots[SLOTS];
static _Atomic unsigned long made;

/* mmap() is async-signal-safe in practice; malloc() is not. */
static void on_alarm(int number)
{
	void *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)number;
	made++;
	munmap(map, 8192);
}

/*
 * While threads are created and joined, the library may be at work in the interrupted thread; it can't distinguish a handler's
 * allocations from its own then, so the alarm is blocked.
 */
static void block_alarm(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(how, &set, NULL);
}

static void *work(void *data)
{
	uint32_t random = (uint32_t)(uintptr_t)data * 7919 + 1;
	int i;

	block_alarm(SIG_UNBLOCK);
	for (i = 0; i < ROUNDS; i++) {
		unsigned int at = (random >> 16) % SLOTS;
		void *block = malloc(4096 + (random >> 8) % 20000);

		random = random * 1103515245 + 12345;
		made++;
		if (i % 3 == 0) {
			block = realloc(block, 30000);
			made++;
		}
		free(i % 2 ? block : __atomic_exchange_n(&slots[at], block, __ATOMIC_ACQ_REL));
	}
	block_alarm(SIG_BLOCK);
	return NULL;
}

/* Does not use stdio, whose buffer would be another block. */
static void print_count(void)
{
	char text[64];
	int bytes = snprintf(text, sizeof(text), "%d %lu\n", (int)getpid(), made);

	if (write(STDOUT_FILENO, text, (size_t)bytes) != bytes)
		abort();
}

int main(int argc, char **argv)
{
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	pthread_t threads[THREADS];
	intptr_t i;
	int round, status;
	pid_t pid;

	block_alarm(SIG_BLOCK);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, work, (void *)(i + 1 + THREADS * round));
		for (i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (argc > 1) {
		memphis_begin(argv[1]);
		memphis_end(argv[1]);
		print_count();
		return 0;
	}
	pid = fork();
	if (!pid) {
		work((void *)99);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	work((void *)100);
	print_count();
	return 0;
}
