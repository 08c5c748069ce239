/* SPDX-License-Identifier: GPL-2.0-only */
/* Creation of perf events on behalf of a request. */
#ifndef MEMPHIS_EVENT_H
#define MEMPHIS_EVENT_H

#include <linux/perf_event.h>

struct memphis_device_session;

/**
 * memphis_event_begin() - prepares the credentials with which memphis_event_create() creates events
 * @session: the session, which the caller opens
 *
 * Return: 0, or -ENOMEM if memory is exhausted.
 */
int memphis_event_begin(struct memphis_device_session *session);

/**
 * memphis_event_end() - undoes memphis_event_begin()
 * @session: the session
 */
void memphis_event_end(struct memphis_device_session *session);

/**
 * memphis_event_knows_current() - tests whether the caller has the credentials with which the session was
 * opened
 * @session: the session
 *
 * Return: true if the caller has them. If not, an earlier answer of memphis_event_ask(), or one to another
 * task, is not valid for the caller.
 */
bool memphis_event_knows_current(const struct memphis_device_session *session);

/**
 * memphis_event_create() - creates a perf event on behalf of the caller, with the one capability that perf
 * requires
 * @session: the session for which the caller, its owner, makes a request; NULL: the event is the module's own
 * @attr: attributes
 * @cpu: the CPU whose tasks are counted, or -1: all
 * @task: the task to count, or NULL: all tasks that run on @cpu; the caller has checked that it may be
 *     sampled
 * @handler: overflow handler, or NULL
 * @context: argument for the handler
 *
 * Context: process context; may sleep. The caller may hold sleeping locks of the module, because nothing here
 * waits for another task of the module.
 *
 * Return: the event, to be released with perf_event_release_kernel(), or an error pointer: -ENOMEM, the
 * refusal of a security module, or another error of perf.
 */
struct perf_event *memphis_event_create(const struct memphis_device_session *session,
					struct perf_event_attr *attr, int cpu, struct task_struct *task,
					perf_overflow_handler_t handler, void *context);

/**
 * memphis_event_ask() - asks the kernel's security modules whether the caller may use perf
 * @session: the session for which the caller makes a request
 *
 * Context: process context; may sleep.
 *
 * Return: 0, the refusal of a security module (-EACCES, -EPERM or what the module returns), or -ENOMEM.
 */
int memphis_event_ask(const struct memphis_device_session *session);

#endif
