/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State of a session: an open file of /dev/memphis, and the threads attached through it. requests.h has the functions.
 *
 * Lock order, outermost first. perf's locks nest inside all sleeping locks of the module:
 *
 *	session->lock			requests; sleeps
 *	    memphis_sampler_lock	the sampler of all open sessions; sleeps
 *		memphis_cpu_lock	per-CPU events; sleeps; also taken inside the CPU hotplug lock
 *	    thread->counters_lock	counters of a thread; sleeps; the thread itself also takes it alone, to read them
 *	    memphis_users_lock		budget accounts; sleeps
 *	    xa_lock of session->slots	a spinlock
 *	    memphis_registry_lock	a spinlock
 *
 *	memphis_controllers_lock	counters of memory controllers; sleeps; taken inside the lock of the kernel's parameters
 *	    cpu_hotplug_lock		of the kernel, for reading
 *
 *	mmap_lock of the caller		held by the kernel around mmap(), munmap() and page faults
 *	    xa_lock of session->slots	mmap() looks up a thread
 *	    memphis_users_lock		munmap() drops the last reference to a thread
 *
 * session->lock and mmap_lock are never held at the same time: user memory is copied without session->lock, and
 * mmap() does not take session->lock. No lock of the module is held while waiting for another task of the module: requests
 * do all by themselves, and a review (owner.h) takes session->lock only if it is free. Only the release of a session, which
 * holds no lock, waits for its review. Overflow handlers take no locks: they read session->config, which is constant
 * while threads are attached, and look up threads under RCU.
 */
#ifndef MEMPHIS_SESSION_H
#define MEMPHIS_SESSION_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <memphis/device.h>

#include "decode/ibs_filter.h"
#include "pmu.h"

struct cred;
struct memphis_controller_baseline;
struct memphis_sampler;
struct memphis_device_thread;
struct memphis_user;
struct mm_struct;

struct memphis_device_session {
	/* These members are constant from open to release. */
	struct mm_struct *mm; /* mm of the process that opened the session; each task that runs in it is
			       * an owner */
	struct memphis_user *user;
	struct memphis_control *control;
	struct memphis_controller_baseline *controllers; /* NULL: the counters were off */
	const struct cred *lent_to;                      /* credentials of the task that opened the
							  * session */
	struct cred *lent;  /* credentials with which the events of that task are created; used by
			     * event.c */
	s64 time_offset_ns; /* CLOCK_MONOTONIC of the owner's time namespace minus that of the host */

	struct mutex lock; /* serialises requests; guards the following members up to totals */
	u32 abi;           /* MEMPHIS_ABI_OLDEST, or the version that was agreed on */
	bool configured;
	bool running;                          /* read by the handler */
	struct memphis_config config;          /* read by the handler; constant while threads are attached */
	struct memphis_ibs_filter ibs_filter;  /* derived from `config` */
	const struct memphis_sampler *sampler; /* chosen by `config` */
	struct list_head threads;
	u32 thread_count;
	/* Sums since the session was configured. Each sampler adds to them in its own way. */
	struct memphis_pmu_totals totals;

	atomic_t owner_maps; /* number of mappings of the file in `mm`; used by owner.c only */
	/* runs memphis_session_review() of requests.c in a kernel thread; used by owner.c only */
	struct work_struct review;

	struct xarray slots; /* threads, indexed by mmap slot; has a separate lock */
	wait_queue_head_t wait;
	struct irq_work wake; /* wakes the wait queue for the handler, which may run in an NMI */
};

/**
 * memphis_slot_offset() - returns the mmap offset of a slot
 * @slot: index of the slot
 *
 * A slot contains the thread's control page, followed by the thread's ring. The session's control page is at
 * offset 0.
 *
 * Return: the offset of the thread's control page.
 */
static inline u64 memphis_slot_offset(u32 slot)
{
	return ((u64)slot + 1) << 32;
}

#endif
