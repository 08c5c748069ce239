/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call of a function in a thread that has used some CPU time, from the handler of a real-time signal. From Linux 5.9 on, the kernel sends the
 * signals of timers of CPU time on its way back to the program from the interrupt of a clock (CONFIG_POSIX_CPU_TIMERS_TASK_WORK), so that they
 * interrupt no system call: no sleep() of the program ends early.
 */
#ifndef MEMPHIS_ALARM_H
#define MEMPHIS_ALARM_H

#include <stdbool.h>

#include "base/sys.h"

/* Looks for the kernel's version. To be called before the other functions, once. */
void memphis_alarm_setup(void);

/*
 * Calls the function once the calling thread has used so much CPU time from now on. One alarm per process. The handler is that of a signal whose
 * action is the default one, until the call or memphis_alarm_cancel(). Async-signal-safe. Returns 0 or -errno (-ENOSYS: before Linux 5.9).
 */
int memphis_alarm_set(void (*function)(void), __u64 cpu_ns);

/* Takes the alarm back, and gives the signal back. Async-signal-safe. */
void memphis_alarm_cancel(void);

/* Fork handler of the child, which has inherited the handler, but not the timer. */
void memphis_alarm_forked(void);

#endif
