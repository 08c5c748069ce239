/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The switch between instrumented and other code: instrumented code runs while a vCPU samples or counts, or while all accesses are
 * counted.
 */
#ifndef TARGET_I386_OBSERVE_SWITCH_H
#define TARGET_I386_OBSERVE_SWITCH_H

#include "observe-cpu.h"

/* Called once, before the guest runs, when model_time is set. */
void observe_switch_init(void);
/* Returns true if something needs instrumented code. */
bool observe_needed(void);
/* Returns the TB flag for a vCPU that is created now. */
uint32_t observe_flag(void);
/* For samplers: starts sampling on this vCPU, or stops it (NULL). */
void observe_sampling(CPUX86State *env, const ObserveSampler *sampler);
/* For counters of the vCPU: called when one of them has been started, stopped or written, after clock_add(). */
void observe_counting(CPUX86State *env);
/* For counters that belong to no vCPU: called when the first of them is started and the last one stopped. */
void observe_need_machine(CPUX86State *env, bool needed);
/* For exact counts: switches all vCPUs before their next instruction. Called in an exclusive section. */
void observe_everything(bool on);

#endif
