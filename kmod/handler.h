/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the overflow handlers of both samplers do with one interrupt.
 */
#ifndef MEMPHIS_HANDLER_H
#define MEMPHIS_HANDLER_H

struct memphis_thread;
struct perf_event;
struct perf_sample_data;
struct pt_regs;

/**
 * memphis_handle() - turns one interrupt into a sample in the thread's ring, or a count in its accounting
 * @thread: the thread that was interrupted; its task is current
 * @event: the perf event
 * @data: the hardware's record, as perf provides it
 * @regs: registers at the interrupt
 *
 * The thread's accounting is balanced on return: interrupts == kept + lost + sum(filtered[]).
 *
 * Context: called by perf, usually in an NMI; takes no lock.
 */
void memphis_handle(struct memphis_thread *thread, struct perf_event *event,
		    const struct perf_sample_data *data, const struct pt_regs *regs);

#endif
