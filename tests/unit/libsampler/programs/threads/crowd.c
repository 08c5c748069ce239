/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the library finds threads.
 *	crowd pairs	1000 pairs of calipers, beside 8 threads that stay: prints the number of pairs in which threads were listed
 *	crowd replaced	threads of clone(), each of which replaces the previous one: prints how many calipers did not attach the
 *			new thread
 *	crowd blind	the same, where the system's last tid can't be read
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memphis.h>

#include "../../../../../libsampler/base/stand_ins.h"

#define PAIRS       1000
#define REPLACED    50
#define STACK_BYTES 65536

static _Atomic int lists;
static int blind;

/* Interposed before the C library's function, also for libmemphis. */
ssize_t getdents64(int fd, void *entries, size_t bytes)
{
	lists++;
	return syscall(SYS_getdents64, fd, entries, bytes);
}
MEMPHIS_STAND_IN(getdents64)

ssize_t pread(int fd, void *to, size_t bytes, off_t offset)
{
	char link[32], path[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = blind ? readlink(link, path, sizeof(path) - 1) : 0;
	if (length > 0) {
		path[length] = '\0';
		if (strstr(path, "ns_last_pid")) {
			errno = EIO;
			return -1;
		}
	}
	return syscall(SYS_pread64, fd, to, bytes, offset);
}
MEMPHIS_STAND_IN(pread)

static void *stay(void *barrier)
{
	pthread_barrier_wait(barrier);
	pause();
	return NULL;
}

static int pairs(void)
{
	int i, before, listed = 0;
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 9);
	for (i = 0; i < 8; i++)
		if (pthread_create(&thread, NULL, stay, &barrier))
			return 1;
	pthread_barrier_wait(&barrier);
	for (i = 0; i < PAIRS; i++) {
		before = lists;
		memphis_begin("Pair");
		listed += lists != before;
		memphis_end("Pair");
	}
	printf("%d\n", listed);
	return 0;
}

/* A thread created by clone() directly, unknown to the C library. */
struct raw {
	_Atomic pid_t tid; /* set to 0 by the kernel when the thread has ended */
	_Atomic int there, ends;
	char stack[STACK_BYTES] __attribute__((aligned(16)));
};

static void sleep_on(_Atomic int *word, int value)
{
	syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

/* Shares its creator's thread-local storage, including errno, so only system calls that succeed are safe here. */
static int live(void *data)
{
	struct raw *raw = data;

	raw->there = 1;
	syscall(SYS_futex, &raw->there, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	while (!raw->ends)
		sched_yield();
	return 0;
}

static struct raw *make(void)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	struct raw *raw = calloc(1, sizeof(*raw));

	if (!raw || clone(live, raw->stack + STACK_BYTES, flags, raw, &raw->tid, NULL, &raw->tid) < 0)
		exit(1);
	while (!raw->there)
		sleep_on(&raw->there, 0);
	return raw;
}

static void end(struct raw *raw)
{
	pid_t tid = raw->tid;

	raw->ends = 1;
	while (raw->tid)
		sleep_on((_Atomic int *)&raw->tid, tid);
	/* The tid is released a little later. */
	while (!syscall(SYS_tgkill, getpid(), tid, 0))
		sched_yield();
	free(raw);
}

/* Returns the number of attached threads, from a status like "sampling: idle, period 65520 ops, 9 threads, writing to DIR". */
static int attached(void)
{
	char text[512], *at;

	memphis_status(text, sizeof(text));
	at = strstr(text, " ops, ");
	return at ? atoi(at + 6) : -1;
}

static int replaced(void)
{
	struct raw *raw = make(), *next;
	int i, before, missed = 0;

	memphis_begin("First");
	memphis_end("First");
	for (i = 0; i < REPLACED; i++) {
		before = attached();
		next = make();
		end(raw);
		raw = next;
		memphis_begin("Next");
		missed += attached() != before + 1;
		memphis_end("Next");
	}
	printf("%d\n", missed);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	blind = !strcmp(argv[1], "blind");
	return strcmp(argv[1], "pairs") ? replaced() : pairs();
}
