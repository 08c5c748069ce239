/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interposition of pthread_create() and thrd_create(): a new thread is attached before it runs the program's
 * code.
 */
#include "control/attach.h"
#include "core/alloc_min.h"
#include "interpose/next_symbols.h"

/* The argument of the library's start routine: the program's routine and its argument. */
struct start {
	union {
		void *(*pthread)(void *);
		thrd_start_t c11;
	} routine;
	void *argument;
};

static struct start *pack(void *argument)
{
	struct start *start;

	memphis_next_setup();
	memphis_busy++;
	start = memphis_next.malloc(sizeof(*start));
	if (start)
		start->argument = argument;
	memphis_busy--;
	return start;
}

static struct start unpack(void *data)
{
	struct start start = *(struct start *)data;

	memphis_busy++;
	memphis_next.free(data);
	memphis_busy--;
	/* Attach before the program's routine starts, so that all of it is sampled. */
	if (memphis_tracking() || memphis_attach_wanted()) {
		memphis_thread_self();
		memphis_attach_self();
	}
	return start;
}

static void *start_pthread(void *data)
{
	struct start start = unpack(data);

	return start.routine.pthread(start.argument);
}

static int start_c11(void *data)
{
	struct start start = unpack(data);

	return start.routine.c11(start.argument);
}

__attribute__((visibility("default"))) int MEMPHIS_ENTRY(pthread_create)(pthread_t *thread,
									 const pthread_attr_t *attr,
									 void *(*routine)(void *),
									 void *argument)
{
	struct start *start = pack(argument);
	int err = EAGAIN;

	memphis_busy++;
	if (start) {
		start->routine.pthread = routine;
		err = memphis_next.pthread_create(thread, attr, start_pthread, start);
		if (err)
			memphis_next.free(start);
	}
	memphis_busy--;
	return err;
}

/* The C library implements thrd_create() without calling pthread_create(). */
__attribute__((visibility("default"))) int MEMPHIS_ENTRY(thrd_create)(thrd_t *thread, thrd_start_t routine,
								      void *argument)
{
	struct start *start = pack(argument);
	int err = thrd_nomem;

	memphis_busy++;
	if (start) {
		start->routine.c11 = routine;
		err = memphis_next.thrd_create(thread, start_c11, start);
		if (err != thrd_success)
			memphis_next.free(start);
	}
	memphis_busy--;
	return err;
}
