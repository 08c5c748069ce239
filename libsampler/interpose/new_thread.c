/* SPDX-License-Identifier: BSD-3-Clause */
/* Interposition of pthread_create() and thrd_create(). A new thread is attached before it runs the program's code. */
#include "base/lock.h"
#include "control/attach.h"
#include "core/alloc_min.h"
#include "core/thread.h"
#include "interpose/lifecycle.h"
#include "interpose/next_symbols.h"

/* The argument of the library's start routine. It contains the program's routine and its argument. */
struct start {
	union {
		void *(*pthread)(void *);
		thrd_start_t c11;
	} routine;
	void *argument;
	size_t stack_bytes;
	struct start *next; /* next entry in the list of free ones */
};

#define STARTS 128 /* number of entries that are mapped at a time */

/*
 * List of free entries. They are not allocated by malloc(): a thread that calls free() gets its own arena,
 * for which the C library reserves 64 MiB of addresses.
 */
static _Atomic(struct start *) spare;
/* held while a thread takes an entry from the list, so that the successor of the first entry does not change */
static MEMPHIS_AT_FORK struct memphis_lock spare_lock;

void memphis_new_thread_forked(void)
{
	memphis_lock_reset(&spare_lock);
}

static void put_start(struct start *start)
{
	struct start *first = atomic_load(&spare);

	do
		start->next = first;
	while (!atomic_compare_exchange_weak(&spare, &first, start));
}

static struct start *take_start(void)
{
	struct start *start, *more;
	__u64 signals = sys_no_signals();
	int i;

	memphis_lock_take(&spare_lock);
	start = atomic_load(&spare);
	while (start && !atomic_compare_exchange_weak(&spare, &start, start->next))
		;
	memphis_lock_release(&spare_lock);
	sys_signals(signals);
	if (start)
		return start;
	more = sys_map(STARTS * sizeof(*more));
	for (i = 1; more && i < STARTS; i++)
		put_start(&more[i]);
	return more;
}

/* Returns the size of the stack of threads with these attributes, or 0 if it is unknown. */
static size_t attribute_stack_bytes(const pthread_attr_t *attr)
{
	pthread_attr_t standard;
	size_t bytes = 0;

	if (attr)
		return pthread_attr_getstacksize(attr, &bytes) ? 0 : bytes;
	if (pthread_attr_init(&standard))
		return 0;
	if (pthread_attr_getstacksize(&standard, &bytes))
		bytes = 0;
	pthread_attr_destroy(&standard);
	return bytes;
}

static struct start *pack_start(const pthread_attr_t *attr, void *argument)
{
	struct start *start;
	int cancel;

	memphis_next_complete();
	cancel = memphis_enter();
	start = take_start();
	if (start) {
		start->argument = argument;
		start->stack_bytes = attribute_stack_bytes(attr);
	}
	memphis_leave(cancel);
	return start;
}

static struct start unpack_start(void *data)
{
	const struct start start = *(struct start *)data;
	int cancel = memphis_enter();

	put_start(data);
	memphis_stack_bytes = start.stack_bytes;
	memphis_leave(cancel);
	/* Attach before the program's routine starts, so that the whole routine is sampled. */
	if (memphis_tracking() || memphis_attach_wanted()) {
		memphis_thread_self();
		memphis_attach_self();
	}
	return start;
}

static void *start_pthread(void *data)
{
	struct start start = unpack_start(data);

	return start.routine.pthread(start.argument);
}

static int start_c11(void *data)
{
	struct start start = unpack_start(data);

	return start.routine.c11(start.argument);
}

PUBLIC int MEMPHIS_ENTRY(pthread_create)(pthread_t *thread, const pthread_attr_t *attr,
					 void *(*routine)(void *), void *argument)
{
	struct start *start = pack_start(attr, argument);
	int err = EAGAIN;

	memphis_busy++;
	if (start) {
		start->routine.pthread = routine;
		err = memphis_next.pthread_create(thread, attr, start_pthread, start);
		if (err)
			put_start(start);
	}
	memphis_busy--;
	return err;
}

/* The C library implements thrd_create() without calling pthread_create(). */
PUBLIC int MEMPHIS_ENTRY(thrd_create)(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct start *start = pack_start(NULL, argument);
	int err = thrd_nomem;

	memphis_busy++;
	if (start) {
		start->routine.c11 = routine;
		err = memphis_next.thrd_create(thread, start_c11, start);
		if (err != thrd_success)
			put_start(start);
	}
	memphis_busy--;
	return err;
}
