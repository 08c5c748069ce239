// SPDX-License-Identifier: BSD-3-Clause
/*
 * Threads 0 and 1 exist before the first caliper; threads 2 and 3 are created inside it. All do their share
 * in the caliper and then get their last name. 2 and 3 end; 0 and 1 go on after the last caliper until the
 * process ends. A program that is not linked with the library loads it when the first two threads exist.
 */
#define _GNU_SOURCE
#include "work.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int go, done, named, over;

/* usleep() of the C library may use thread-local storage, which a clone() thread does not have. */
static void pause_us(long us)
{
	const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	syscall(SYS_nanosleep, &time, NULL);
}

static void pause_until(atomic_int *what, int value)
{
	while (atomic_load(what) < value)
		pause_us(1000);
}

static void body(int worker)
{
	work_name("first", worker);
	work_note(worker);
	pause_until(&go, 1);
	work_share(worker);
	atomic_fetch_add(&done, 1);
	pause_until(&over, 1);
	work_name(make_kind, worker);
	atomic_fetch_add(&named, 1);
	while (worker < 2)
		work_share(worker);
}

static int caliper(void *library, const char *function)
{
	int (*call)(const char *);
	void *symbol = dlsym(library, function);

	memcpy(&call, &symbol, sizeof(call));
	return call ? call("All") : -1;
}

static int make(int from, int to)
{
	for (; from < to; from++) {
		if (make_thread(body, from))
			return -1;
		while (!work_tid(from))
			pause_us(1000);
	}
	return 0;
}

int main(void)
{
	void *library;
	int worker;

	if (make(0, 2))
		return 1;
	/* If the program was linked with the library, dlopen() only returns a handle. */
	library = dlopen("libmemphis.so.0", RTLD_NOW);
	if (!library || caliper(library, "memphis_begin"))
		return 2;
	if (make(2, WORKERS))
		return 3;
	/* Longer than the library takes to find threads that nothing announces. */
	pause_us(4000000);
	atomic_store(&go, 1);
	pause_until(&done, WORKERS);
	if (caliper(library, "memphis_end"))
		return 4;
	/* Every thread has a file with its first name now. */
	if (((int (*)(void))dlsym(library, "memphis_flush"))())
		return 5;
	atomic_store(&over, 1);
	pause_until(&named, WORKERS);
	for (worker = 2; worker < WORKERS; worker++)
		while (!syscall(SYS_tgkill, getpid(), work_tid(worker), 0))
			pause_us(1000);
	work_print(make_kind, WORKERS);
	return 5;
}
