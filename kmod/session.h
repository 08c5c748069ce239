/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one open file of /dev/memphis, and the threads attached through it.
 *
 * Lock order, outermost first; perf's own locks nest inside all sleeping locks of the module:
 *
 *	session->lock			requests; sleeps
 *	    memphis_cpu_lock		per-CPU events; sleeps; CPU hotplug takes it inside its own lock
 *	    memphis_users_lock		budget accounts; sleeps
 *	    xa_lock of session->slots	a spinlock
 *	    memphis_registry_lock	a spinlock
 *
 *	mmap_lock of the caller		held by the kernel around mmap(), munmap() and page faults
 *	    xa_lock of session->slots	mmap() looks up a thread
 *	    memphis_users_lock		munmap() drops the last reference to a thread
 *
 * session->lock and mmap_lock are never held together: user memory is copied outside session->lock, and
 * mmap() does not take session->lock. A kernel thread that works for a request (worker.h) takes no lock that
 * the requester holds. Overflow handlers take no lock at all: they read session->config, which is constant
 * while threads are attached, and find threads under RCU.
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
	struct pid *owner;    /* thread group of the opener */
	struct mm_struct *mm; /* its mm: after execve() the process loses access to the session */
	struct memphis_user *user;
	struct memphis_control *control;
	s64 time_offset_ns; /* from the host's CLOCK_MONOTONIC to that of the opener's time namespace */

	struct mutex lock; /* serialises requests; guards the members up to times */
	bool configured;
	bool running;                         /* read by the handler */
	struct memphis_config config;         /* read by the handler; constant while threads are attached */
	struct memphis_ibs_filter ibs_filter; /* derived from config */
	struct list_head threads;
	u32 thread_count;
	struct memphis_times times; /* accumulated; what is included depends on the sampler */

	struct xarray slots; /* threads by mmap slot; has its own lock */
	wait_queue_head_t wait;
	struct irq_work wake; /* wakes the wait queue on behalf of the handler, which may run in an NMI */
};

/**
 * memphis_threads_max() - limit on the threads attached by one session
 *
 * Return: present value of the parameter threads_max.
 */
u32 memphis_threads_max(void);

/**
 * memphis_ring_records_max() - capacity of the largest ring
 *
 * Return: number of records.
 */
u32 memphis_ring_records_max(void);

/**
 * memphis_session_open() - creates a session owned by the caller's process
 *
 * Return: the session, or an error pointer: -EPERM if the caller has no mm, -EDQUOT, -ENOMEM.
 */
struct memphis_session *memphis_session_open(void);

/**
 * memphis_session_release() - ends sampling, detaches all threads, and frees the session
 * @session: the session; the caller holds the only reference to its file
 */
void memphis_session_release(struct memphis_session *session);

/**
 * memphis_session_owned_by_current() - is the caller the process, still running the program, that opened the
 * session?
 * @session: the session
 *
 * Return: true if so.
 */
bool memphis_session_owned_by_current(const struct memphis_session *session);

/*
 * The requests of <memphis/device.h>, which documents their errors. Each takes session->lock and accesses no
 * user memory.
 */

/**
 * memphis_session_configure() - MEMPHIS_IOC_CONFIGURE
 * @session: the session
 * @config: what to sample; validated here
 *
 * Return: 0, -EINVAL or -EBUSY.
 */
int memphis_session_configure(struct memphis_session *session, const struct memphis_config *config);

/**
 * memphis_session_attach() - MEMPHIS_IOC_ATTACH
 * @session: the session
 * @attach: in: the thread, validated here; out: offsets and size of its areas
 *
 * Return: 0 or a negative errno.
 */
int memphis_session_attach(struct memphis_session *session, struct memphis_attach *attach);

/**
 * memphis_session_detach() - MEMPHIS_IOC_DETACH
 * @session: the session
 * @tid: thread ID in the caller's PID namespace; 0: the caller
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
 * @stats: filled in
 */
void memphis_session_stats(struct memphis_session *session, struct memphis_stats *stats);

/**
 * memphis_session_is_due() - tests for poll() whether a ring is due to be drained
 * @session: the session
 *
 * Also sets status.exited of the threads that have ended.
 *
 * Return: true if at least one ring is due.
 */
bool memphis_session_is_due(struct memphis_session *session);

/**
 * memphis_session_get_thread() - looks up a thread by its mmap slot
 * @session: the session
 * @slot: index of the slot
 *
 * Return: the thread, with a reference taken; NULL if the slot is empty.
 */
struct memphis_thread *memphis_session_get_thread(struct memphis_session *session, u32 slot);

/**
 * memphis_slot_offset() - mmap offset of a slot
 * @slot: index of the slot
 *
 * A slot contains the thread's control page and, one page further, its ring. Offset 0 is the session's
 * control page.
 *
 * Return: the offset of the thread's control page.
 */
static inline u64 memphis_slot_offset(u32 slot)
{
	return ((u64)slot + 1) << 32;
}

#endif
