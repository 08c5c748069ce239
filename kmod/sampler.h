/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface of the two samplers. One uses perf events of each thread, the other one uses a perf event per
 * CPU. Both implement the same operations. When the module is loaded, it tests which sampler the kernel
 * allows, and selects it for all sessions. Sessions with a hardware filter are an exception: they are always
 * sampled per CPU.
 */
#ifndef MEMPHIS_SAMPLER_H
#define MEMPHIS_SAMPLER_H

#include <linux/types.h>

struct memphis_config;
struct memphis_device_session;
struct memphis_stats;
struct memphis_device_thread;

/**
 * struct memphis_sampler - operations of a sampler
 * @kind: MEMPHIS_SAMPLER_*
 * @open: called before a session's first thread is attached
 * @close: called after a session's last thread is detached
 * @attach: attaches a registered thread; starts to sample it if the session is running
 * @detach: detaches an unregistered thread; on return no handler uses the thread, and its accounting is final
 * @start: called after session->running was set
 * @stop: called after session->running was cleared; on return no handler of this session is running
 * @totals: fills in starved_ns, enabled_ns and counts
 * @unattached: returns the number of interrupts since module load that hit no attached thread of a running session
 *
 * All operations except @unattached are called with session->lock held, in process context.
 */
struct memphis_sampler {
	u32 kind;
	int (*open)(struct memphis_device_session *session);
	void (*close)(struct memphis_device_session *session);
	int (*attach)(struct memphis_device_thread *thread);
	void (*detach)(struct memphis_device_thread *thread);
	int (*start)(struct memphis_device_session *session);
	void (*stop)(struct memphis_device_session *session);
	void (*totals)(struct memphis_device_session *session, struct memphis_stats *stats);
	u64 (*unattached)(void);
};

extern const struct memphis_sampler memphis_sampler_task;
extern const struct memphis_sampler memphis_sampler_cpu;

/**
 * memphis_cpu_init() - prepares the sampler that uses an event per CPU; called at module load
 *
 * Return: 0 or a negative errno.
 */
int memphis_cpu_init(void);

/**
 * memphis_cpu_exit() - undoes memphis_cpu_init()
 */
void memphis_cpu_exit(void);

#endif
