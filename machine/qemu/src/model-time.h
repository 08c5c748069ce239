/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time by the model clock, with -icount: the time of the guest advances by a cycle for each instruction, and by the latency of
 * each load that the L1 does not serve. The CPUs run at the same time: each has its own time, and they take turns of some thousand cycles.
 */
#ifndef SYSTEM_MODEL_TIME_H
#define SYSTEM_MODEL_TIME_H

/* On. Set before the guest runs. */
extern bool model_time;

/* Stops the running vCPU for a number of cycles. */
void model_time_stall(CPUState *cs, unsigned cycles);

/*
 * Called before and after a vCPU runs. Returns the number of cycles that it may run. limit: cycles until the next timer; share: of one vCPU,
 * if they take no time from each other.
 */
int64_t model_time_begin(CPUState *cs, int64_t limit, int64_t share);
void model_time_end(CPUState *cs);

/* Returns true if the vCPU has no cycles because the others have to run first. */
bool model_time_waits(const CPUState *cs);

#endif
