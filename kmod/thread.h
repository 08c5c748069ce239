/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An attached thread with its ring, and the registry of all attached threads. The overflow handler of the
 * per-CPU sampler looks up the interrupted thread in this registry.
 */
#ifndef MEMPHIS_THREAD_H
#define MEMPHIS_THREAD_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "ring.h"

struct memphis_device_session;
struct memphis_user;

struct memphis_device_thread {
	struct memphis_ring ring;
	struct memphis_device_session *session; /* valid while the thread is attached */
	struct task_struct *task;               /* a reference is held, so that the address is not reused */
	struct mm_struct *mm; /* a reference is held; the task is sampled only in this mm, not after
			       * execve() */
	struct perf_event *events[MEMPHIS_EVENTS]; /* NULL: not selected; only the per-task sampler uses
						    * them */
	struct perf_event *counters[MEMPHIS_COUNTERS_MAX]; /* NULL: not selected; guarded by counters_lock */
	struct mutex counters_lock;                        /* guards `counters` */
	struct hlist_node registry_node; /* keyed by task; guarded by the registry's lock and RCU */
	struct rcu_head rcu;             /* delays freeing until the last RCU reader has finished */
	struct list_head link;           /* entry of session->threads; guarded by session->lock */
	struct memphis_user *user;       /* account to which the areas are charged */
	u64 charged_bytes;               /* number of bytes charged to `user` */
	pid_t tid;                       /* in the PID namespace of the task that attached it */
	u32 slot;                        /* index of the mmap slot */
	struct kref ref;                 /* references of the session and of each mapping */
};

/**
 * memphis_thread_create() - allocates a thread and its ring, and charges them to the session's user
 * @session: the session; it must be configured
 * @task: the task; a reference is taken
 * @mm: the mm in which the task may be sampled; a reference is taken
 * @tid: thread ID in the PID namespace of the calling task
 *
 * Return: the thread, with one reference, or an error pointer: -EDQUOT if the user's budget is exceeded, -ENOMEM if
 * memory is exhausted.
 */
struct memphis_device_thread *memphis_thread_create(struct memphis_device_session *session,
						    struct task_struct *task, struct mm_struct *mm,
						    pid_t tid);

/**
 * memphis_thread_put() - drops a reference; dropping the last one uncharges and frees the thread
 * @thread: the thread
 */
void memphis_thread_put(struct memphis_device_thread *thread);

/**
 * memphis_thread_register() - makes the thread visible to memphis_thread_find()
 * @thread: the thread
 *
 * Return: 0, or -EEXIST if the task is already registered by any session.
 */
int memphis_thread_register(struct memphis_device_thread *thread);

/**
 * memphis_thread_unregister() - undoes memphis_thread_register()
 * @thread: the thread; a running handler may use it until @detach of struct memphis_sampler has returned
 */
void memphis_thread_unregister(struct memphis_device_thread *thread);

/**
 * memphis_thread_find() - looks up the registered thread of a task
 * @task: the task
 *
 * Context: RCU read-side critical section.
 *
 * Return: the thread, or NULL.
 */
struct memphis_device_thread *memphis_thread_find(const struct task_struct *task);

/**
 * memphis_thread_reap() - sets status.exited if the task has executed its last instruction
 * @thread: the thread
 *
 * Return: true if the thread has ended.
 */
bool memphis_thread_reap(struct memphis_device_thread *thread);

#endif
