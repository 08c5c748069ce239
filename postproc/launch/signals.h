/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal masks of the kernel. Those of the C library leave out two signals that it uses itself, and that anybody may send. */
#ifndef MEMPHIS_LAUNCH_SIGNALS_H
#define MEMPHIS_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MEMPHIS_SIGNALS_ALL UINT64_MAX

static inline uint64_t memphis_signal_bit(int signal)
{
	return (uint64_t)1 << (signal - 1);
}

static inline void memphis_signals_change(int how, uint64_t mask, uint64_t *before)
{
	syscall(SYS_rt_sigprocmask, how, &mask, before, sizeof(mask));
}

/* Takes a pending signal of the mask; `timeout` NULL: waits for one. Returns its number, or -1. */
static inline int memphis_signals_take(uint64_t mask, siginfo_t *info, const struct timespec *timeout)
{
	return (int)syscall(SYS_rt_sigtimedwait, &mask, info, timeout, sizeof(mask));
}

#endif
