/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: one open file of /dev/memphis, and the threads attached through it.
 */
#ifndef MEMPHIS_SESSION_H
#define MEMPHIS_SESSION_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <memphis/device.h>

#include "ibs_filter.h"
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

u32 memphis_threads_max(void);
u32 memphis_ring_records_max(void);

struct memphis_session *memphis_session_open(void);
void memphis_session_release(struct memphis_session *session);

/* Does the caller belong to the process that opened the session? */
bool memphis_session_is_mine(const struct memphis_session *session);

/* The requests of device.h. Each takes session->lock; no user memory is touched. */
int memphis_session_configure(struct memphis_session *session, const struct memphis_config *config);
int memphis_session_attach(struct memphis_session *session, struct memphis_attach *attach);
int memphis_session_detach(struct memphis_session *session, pid_t tid);
int memphis_session_start(struct memphis_session *session);
int memphis_session_stop(struct memphis_session *session);
void memphis_session_stats(struct memphis_session *session, struct memphis_stats *stats);

/* For poll: is a ring due to be drained? Also notes which threads have ended. */
bool memphis_session_is_due(struct memphis_session *session);

/* The thread whose areas lie at this place of the map, with a reference; NULL: none. */
struct memphis_thread *memphis_session_slot(struct memphis_session *session, u32 slot);

/* Layout of the map: slot n has its control page and, one page on, its ring. */
static inline u64 memphis_slot_offset(u32 slot)
{
	return ((u64)slot + 1) << 32;
}

#endif
