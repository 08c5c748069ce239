/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model clock of a vCPU (Clock in observe-cpu.h), and the counters that it advances. Each instruction takes one cycle, and each
 * load that the L1 does not serve stops the vCPU for its latency: loads do not overlap, and stores wait in a store buffer that
 * never fills. The clock stands still while no instrumented code runs.
 */
#ifndef TARGET_I386_CLOCK_H
#define TARGET_I386_CLOCK_H

#include "observe-cpu.h"

/* Counters of both vendors have this width. */
#define COUNTER_BITS 48
#define COUNTER_MASK MAKE_64BIT_MASK(0, COUNTER_BITS)

/* Privilege of instructions that a counter counts */
#define CLOCK_KERNEL (1u << 0)
#define CLOCK_USER   (1u << 1)

/* Cycles that a PAUSE takes in virtual time; the clock does not count them. 140 on Skylake, about 60 on Zen: loops that wait run fewer rounds. */
#define CLOCK_PAUSE 100

void clock_init(CPUX86State *env);

/* Brings counters and exact counts up to date. Called before either is read, and before privilege or address space change. */
void clock_settle(CPUX86State *env);
/* The same for all vCPUs; called in an exclusive section. */
void clock_settle_all(void);

/*
 * Replace the running counters: settle, clear, add each of them, then observe_counting(), which calls clock_count(). A counter with
 * CLOCK_NOTHING or without privilege is not added.
 */
void clock_clear(CPUX86State *env);
void clock_add(CPUX86State *env, ClockCounter counter);
void clock_count(CPUX86State *env);

/* The vCPU has made the load at which a counter of loads overflows. */
void clock_loads_due(ObserveState *o);

/* A load beyond L1 has stopped the vCPU. */
void clock_stall(CPUX86State *env, unsigned latency);

/*
 * The clock's part of observe_op(): handles the overflow of counters. Returns true if the next instruction must run before that,
 * as it is in an interrupt shadow.
 */
bool clock_op(CPUX86State *env);

/* Raises the NMI of the local APIC's entry for counters. Intel's PMU masks the entry. */
void clock_interrupt(CPUX86State *env, bool mask);

#endif
