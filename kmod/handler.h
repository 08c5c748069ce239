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

/**
 * memphis_handle() - what becomes of one interrupt: a sample in the thread's ring, or a count in its accounting
 * @thread: the thread that was interrupted; its task is current
 * @event: perf's event
 * @data: perf's sample
 * @regs: registers at the interrupt
 *
 * Called by perf, mostly in an NMI: takes no lock. Leaves the thread's accounting balanced.
 */
void memphis_handle(struct memphis_thread *thread, struct perf_event *event,
		    const struct perf_sample_data *data, const struct pt_regs *regs);

#endif
