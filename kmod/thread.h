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
	struct hlist_node registry_node; /* by task; under the registry's lock and RCU ... */
	struct rcu_head rcu;             /* ... until all who pass by have gone on */
	struct list_head link;           /* session->threads, under session->lock */
	struct memphis_user *user;       /* charged for the areas */
	pid_t tid;                       /* as the owner calls it */
	u32 slot;                        /* of the memory map */
	struct kref ref;                 /* the session's, and one of each map */
};

/**
 * memphis_thread_create() - a thread with its ring, charged to the session's user
 * @session: the session, configured
 * @task: the task; a reference of its own is taken
 * @mm: the memory that it is allowed to run in; likewise
 * @tid: the task's number, as the owner calls it
 *
 * Return: the thread, with one reference; an error pointer: -EDQUOT, -ENOMEM.
 */
struct memphis_thread *memphis_thread_create(struct memphis_session *session, struct task_struct *task,
					     struct mm_struct *mm, pid_t tid);

/**
 * memphis_thread_put() - drops a reference; the last one frees the thread and its charge
 * @thread: the thread
 */
void memphis_thread_put(struct memphis_thread *thread);

/**
 * memphis_thread_register() - from here on memphis_thread_find() finds the thread
 * @thread: the thread
 *
 * Return: 0, or -EEXIST: the task is registered already, by whatever session.
 */
int memphis_thread_register(struct memphis_thread *thread);

/**
 * memphis_thread_unregister() - undoes memphis_thread_register()
 * @thread: the thread. A handler that runs may still have found it; see struct memphis_sampler
 */
void memphis_thread_unregister(struct memphis_thread *thread);

/**
 * memphis_thread_find() - the registered thread of a task
 * @task: the task
 *
 * Under RCU, or in an interrupt that counts as such.
 *
 * Return: the thread, NULL: none.
 */
struct memphis_thread *memphis_thread_find(const struct task_struct *task);

/**
 * memphis_thread_reap() - sets status.exited once the thread can't be interrupted any more
 * @thread: the thread
 *
 * Return: true if it has ended.
 */
bool memphis_thread_reap(struct memphis_thread *thread);

#endif
