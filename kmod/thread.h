/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One attached thread: its ring, its place in the session, and the registry in which the overflow handler of
 * the per-CPU sampler finds it.
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
	struct task_struct *task;        /* with a reference, so that the address is not reused */
	struct mm_struct *mm;     /* likewise; the task is sampled in this mm only, not after execve() */
	struct perf_event *event; /* per-task sampler only */
	struct hlist_node registry_node; /* keyed by task; under the registry's lock and RCU */
	struct rcu_head rcu;             /* frees the structure after the last RCU reader */
	struct list_head link;           /* session->threads, under session->lock */
	struct memphis_user *user;       /* charged for the areas */
	pid_t tid;                       /* in the owner's PID namespace */
	u32 slot;                        /* index of the mmap slot */
	struct kref ref;                 /* held by the session and by each mapping */
};

/**
 * memphis_thread_create() - allocates a thread with its ring, charged to the session's user
 * @session: the session; configured
 * @task: the task; a reference is taken
 * @mm: the mm in which the task may be sampled; a reference is taken
 * @tid: thread ID in the owner's PID namespace
 *
 * Return: the thread, with one reference, or an error pointer: -EDQUOT, -ENOMEM.
 */
struct memphis_thread *memphis_thread_create(struct memphis_session *session, struct task_struct *task,
					     struct mm_struct *mm, pid_t tid);

/**
 * memphis_thread_put() - drops a reference; the last one uncharges and frees the thread
 * @thread: the thread
 */
void memphis_thread_put(struct memphis_thread *thread);

/**
 * memphis_thread_register() - makes the thread visible to memphis_thread_find()
 * @thread: the thread
 *
 * Return: 0, or -EEXIST if the task is registered already, by any session.
 */
int memphis_thread_register(struct memphis_thread *thread);

/**
 * memphis_thread_unregister() - undoes memphis_thread_register()
 * @thread: the thread; a running handler may still use it, see @detach of struct memphis_sampler
 */
void memphis_thread_unregister(struct memphis_thread *thread);

/**
 * memphis_thread_find() - looks up the registered thread of a task
 * @task: the task
 *
 * Context: RCU read-side critical section.
 *
 * Return: the thread, or NULL.
 */
struct memphis_thread *memphis_thread_find(const struct task_struct *task);

/**
 * memphis_thread_reap() - sets status.exited if the task has run its last instruction
 * @thread: the thread
 *
 * Return: true if the thread has ended.
 */
bool memphis_thread_reap(struct memphis_thread *thread);

#endif
