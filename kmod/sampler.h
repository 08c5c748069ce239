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

/* All but init, exit and unattached are called under session->lock, from process context. */
struct memphis_sampler {
	u32 kind; /* MEMPHIS_SAMPLER_* */

	int (*init)(void);
	void (*exit)(void);

	/* Before a session's first thread is attached, and after its last is detached. */
	int (*open)(struct memphis_session *session);
	void (*close)(struct memphis_session *session);

	/* The thread is registered. Sampled from here on if the session runs. */
	int (*attach)(struct memphis_thread *thread);
	/* The thread is unregistered. On return no handler works for it: its books are final. */
	void (*detach)(struct memphis_thread *thread);

	/* session->running is set before start, and cleared before stop. */
	int (*start)(struct memphis_session *session);
	/* On return no handler of this session runs. */
	void (*stop)(struct memphis_session *session);

	/* Fills starved_ns and enabled_ns. */
	void (*times)(struct memphis_session *session, struct memphis_stats *stats);

	/* Interrupts that belonged to nobody, since the module was loaded. */
	u64 (*unattached)(void);
};

extern const struct memphis_sampler memphis_sampler_task;
extern const struct memphis_sampler memphis_sampler_cpu;

/* The one in use; set when the module is loaded. */
extern const struct memphis_sampler *memphis_sampler;

#endif
