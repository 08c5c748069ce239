/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one open file of /dev/memphis, and the threads attached through it.
 *
 * Order of the module's locks, the outer ones first; perf's own come inside of all that sleep:
 *
 *	session->lock			requests; sleeps
 *	    memphis_cpu_lock		events of CPUs; sleeps; CPU hotplug takes it inside its own
 *	    memphis_users_lock		accounts; sleeps
 *	    xa_lock of session->slots	a spinlock
 *	    memphis_registry_lock	a spinlock
 *
 *	mmap_lock of the caller		held by the kernel around maps, unmaps and page faults
 *	    xa_lock of session->slots	mmap() finds a thread
 *	    memphis_users_lock		munmap() drops the last reference of one
 *
 * session->lock and mmap_lock are never held together: user memory is copied outside session->lock, and maps do without it.
 * A thread of the kernel that works for a request (worker.h) takes none that the requester holds. Handlers take no lock at all: they
 * read session->config, which rests while threads are attached, and find threads by RCU.
 */
#ifndef MEMPHIS_SESSION_H
#define MEMPHIS_SESSION_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <memphis/device.h>

#include "decode/ibs_filter.h"
#include "pmu.h"

struct memphis_thread;
struct memphis_user;
struct mm_struct;
struct pid;

struct memphis_session {
	/* Constant from open to release. */
	struct pid *owner;    /* thread group of the opener ... */
	struct mm_struct *mm; /* ... and its memory: another program of the same process is a stranger */
	struct memphis_user *user;
	struct memphis_control *control;
	s64 time_offset_ns; /* of CLOCK_MONOTONIC in the opener's time namespace */

	struct mutex lock; /* serialises requests; guards what follows */
	bool configured;
	bool running;                 /* read by the handler */
	struct memphis_config config; /* read by the handler; changes only while no thread is attached */
	struct memphis_ibs_filter ibs_filter; /* what follows from it */
	struct list_head threads;
	u32 thread_count;
	struct memphis_times times; /* of what is over: see the samplers */

	struct xarray slots; /* threads by place in the memory map; has its own lock */
	wait_queue_head_t wait;
	struct irq_work wake; /* from the handler to those who wait */
};

/**
 * memphis_threads_max() - how many threads a session may attach at present
 *
 * Return: the parameter threads_max.
 */
u32 memphis_threads_max(void);

/**
 * memphis_ring_records_max() - capacity of the largest ring
 *
 * Return: records.
 */
u32 memphis_ring_records_max(void);

/**
 * memphis_session_open() - a session of the caller's process
 *
 * Return: the session; an error pointer: -EPERM the caller has no memory of its own, -EDQUOT, -ENOMEM.
 */
struct memphis_session *memphis_session_open(void);

/**
 * memphis_session_release() - ends sampling, detaches all threads, and frees the session
 * @session: nobody uses it any more
 */
void memphis_session_release(struct memphis_session *session);

/**
 * memphis_session_owned_by_current() - does the caller belong to the process and program that opened the session?
 * @session: the session
 *
 * Return: true if so.
 */
bool memphis_session_owned_by_current(const struct memphis_session *session);

/*
 * The requests of <memphis/device.h>, where their errors are. Each takes session->lock; no user memory is touched.
 */

/**
 * memphis_session_configure() - MEMPHIS_IOC_CONFIGURE
 * @session: the session
 * @config: what to sample; is checked
 *
 * Return: 0, -EINVAL or -EBUSY.
 */
int memphis_session_configure(struct memphis_session *session, const struct memphis_config *config);

/**
 * memphis_session_attach() - MEMPHIS_IOC_ATTACH
 * @session: the session
 * @attach: which thread, is checked; filled with where its areas are
 *
 * Return: 0 or a negative errno.
 */
int memphis_session_attach(struct memphis_session *session, struct memphis_attach *attach);

/**
 * memphis_session_detach() - MEMPHIS_IOC_DETACH
 * @session: the session
 * @tid: the thread, as the caller's process calls it; 0: the caller
 *
 * Return: 0 or -ESRCH.
 */
int memphis_session_detach(struct memphis_session *session, pid_t tid);

/**
 * memphis_session_start() - MEMPHIS_IOC_START
 * @session: the session
 *
 * Return: 0, -EALREADY, -ENODATA or -EBUSY.
 */
int memphis_session_start(struct memphis_session *session);

/**
 * memphis_session_stop() - MEMPHIS_IOC_STOP; on return no handler of the session runs
 * @session: the session
 *
 * Return: 0 or -EALREADY.
 */
int memphis_session_stop(struct memphis_session *session);

/**
 * memphis_session_stats() - MEMPHIS_IOC_STATS
 * @session: the session
 * @stats: is filled
 */
void memphis_session_stats(struct memphis_session *session, struct memphis_stats *stats);

/**
 * memphis_session_is_due() - for poll: is a ring due to be drained?
 * @session: the session
 *
 * Also notes which threads have ended.
 *
 * Return: true if one is.
 */
bool memphis_session_is_due(struct memphis_session *session);

/**
 * memphis_session_get_thread() - the thread whose areas lie at a place of the map
 * @session: the session
 * @slot: the place
 *
 * Return: the thread, with a reference; NULL: none.
 */
struct memphis_thread *memphis_session_get_thread(struct memphis_session *session, u32 slot);

/**
 * memphis_slot_offset() - layout of the map: slot n has its control page and, one page on, its ring
 * @slot: the place
 *
 * Return: the offset of its control page.
 */
static inline u64 memphis_slot_offset(u32 slot)
{
	return ((u64)slot + 1) << 32;
}

#endif
