/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One attached thread: its ring, its place in the session, and the registry in which the interrupt
 * handler of the per-CPU sampler finds it.
 */
#ifndef MEMPHIS_THREAD_H
#define MEMPHIS_THREAD_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/sched.h>

#include "ring.h"

struct memphis_session;
struct memphis_user;

struct memphis_thread {
	struct memphis_ring ring;
	struct memphis_session *session; /* outlives the thread's attachment */
	struct task_struct *task;        /* a reference: the address stands for this task only */
	struct mm_struct *mm;            /* likewise: another program that the task executes is a stranger */
	struct perf_event *event;        /* per-task sampler only */
	struct hlist_node registered;    /* by task; under the registry's lock and RCU ... */
	struct rcu_head passed;          /* ... until all who pass by have gone on */
	struct list_head link;           /* session->threads, under session->lock */
	struct memphis_user *user;       /* charged for the areas */
	pid_t tid;                       /* as the owner calls it */
	u32 slot;                        /* of the memory map */
	struct kref references;          /* the session's, and one of each map */
};

struct memphis_thread *memphis_thread_create(struct memphis_session *session, struct task_struct *task,
					     struct mm_struct *mm, pid_t tid);
void memphis_thread_put(struct memphis_thread *thread);

/* -EEXIST: the task is registered already, by whatever session. From here on the per-CPU sampler finds it. */
int memphis_thread_register(struct memphis_thread *thread);
/* An interrupt handler that runs may still have found it; see struct memphis_sampler. */
void memphis_thread_unregister(struct memphis_thread *thread);

/* Under RCU, or in an interrupt that counts as such. */
struct memphis_thread *memphis_thread_find(const struct task_struct *task);

/* Sets status.exited once the thread can't be interrupted any more. True if it has ended. */
bool memphis_thread_reap(struct memphis_thread *thread);

#endif
