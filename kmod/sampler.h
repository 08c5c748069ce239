/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How perf events are spread over what is sampled. Two ways, one table: the module picks one when it
 * is loaded, by trying what the kernel allows.
 */
#ifndef MEMPHIS_SAMPLER_H
#define MEMPHIS_SAMPLER_H

#include <linux/types.h>

struct memphis_session;
struct memphis_stats;
struct memphis_thread;

/**
 * struct memphis_sampler - one of the two ways
 * @kind: MEMPHIS_SAMPLER_*
 * @init: when the module is loaded
 * @exit: when it is removed
 * @open: before a session's first thread is attached
 * @close: after its last is detached
 * @attach: the thread is registered; sampled from here on if the session runs
 * @detach: the thread is unregistered; on return no handler works for it: its accounting are final
 * @start: after session->running was set
 * @stop: after it was cleared; on return no handler of this session runs
 * @times: fills starved_ns and enabled_ns
 * @unattached: interrupts that belonged to nobody, since the module was loaded
 *
 * All but @init, @exit and @unattached are called under session->lock, from process context.
 */
struct memphis_sampler {
	u32 kind;
	int (*init)(void);
	void (*exit)(void);
	int (*open)(struct memphis_session *session);
	void (*close)(struct memphis_session *session);
	int (*attach)(struct memphis_thread *thread);
	void (*detach)(struct memphis_thread *thread);
	int (*start)(struct memphis_session *session);
	void (*stop)(struct memphis_session *session);
	void (*times)(struct memphis_session *session, struct memphis_stats *stats);
	u64 (*unattached)(void);
};

extern const struct memphis_sampler memphis_sampler_task;
extern const struct memphis_sampler memphis_sampler_cpu;

/* The one in use; set when the module is loaded. */
extern const struct memphis_sampler *memphis_sampler;

#endif
