/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the interrupt does with a sample.
 */
#ifndef MEMPHIS_HANDLER_H
#define MEMPHIS_HANDLER_H

struct memphis_thread;
struct perf_event;
struct perf_sample_data;
struct pt_regs;

/* In the NMI, while the thread is the current one. Leaves the thread's books balanced. */
void memphis_handle(struct memphis_thread *thread, struct perf_event *event,
		    const struct perf_sample_data *data, const struct pt_regs *regs);

#endif
