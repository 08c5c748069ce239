/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processing of one sampling interrupt, called by the overflow handlers of both samplers.
 */
#ifndef MEMPHIS_HANDLER_H
#define MEMPHIS_HANDLER_H

struct memphis_device_thread;
struct perf_event;
struct perf_sample_data;
struct pt_regs;

/**
 * memphis_handle() - records one interrupt: as a sample in the thread's ring, or as a count in its accounting
 * @thread: the thread that was interrupted; its task is current
 * @event: the perf event
 * @data: the hardware's record, as perf provides it
 * @regs: registers at the time of the interrupt
 *
 * On return the thread's accounting is balanced: interrupts == kept + lost + sum(filtered[]).
 *
 * Context: called by perf, usually in an NMI; takes no lock.
 */
void memphis_handle(struct memphis_device_thread *thread, struct perf_event *event,
		    const struct perf_sample_data *data, const struct pt_regs *regs);

#endif
