/* SPDX-License-Identifier: BSD-3-Clause */
/* One call of a function in a thread that has used some CPU time. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alarm.h"
#include "base/busy.h"

#define SIGNAL_FIRST 50 /* in the middle of those that programs number from SIGRTMIN and SIGRTMAX */
#define SIGNAL_LAST  62

static MEMPHIS_AT_FORK void (*_Atomic function)(void); /* NULL: the alarm is not set */
static MEMPHIS_AT_FORK int timer, number;              /* `number`: signal that has the handler; 0: none */
static bool interrupts_no_call;

void memphis_alarm_setup(void)
{
	struct utsname name;
	int major, minor;

	interrupts_no_call = !uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
			     (major > 5 || (major == 5 && minor >= 9));
}

/* A signal with this number that somebody else has sent does what it does without the handler. */
static void on_alarm(int signal, siginfo_t *info, void *context)
{
	const int saved = errno;
	void (*call)(void) = NULL;

	(void)context;
	memphis_busy++;
	if (info->si_code == SI_TIMER) {
		call = atomic_exchange(&function, NULL);
	} else {
		sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		sys_call(SYS_tgkill, getpid(), sys_gettid(), signal, 0, 0, 0);
	}
	if (call)
		call();
	memphis_busy--;
	errno = saved;
}

static bool is_own(int signal)
{
	struct sigaction action;

	return signal && !sigaction(signal, NULL, &action) && action.sa_sigaction == on_alarm;
}

/* Returns 0, or -EBUSY if the program uses all signals. */
static int take_signal(void)
{
	struct sigaction action;
	int signal;

	for (signal = SIGNAL_FIRST; signal <= SIGNAL_LAST; signal++) {
		if (sigaction(signal, NULL, &action) || action.sa_handler != SIG_DFL)
			continue;
		memset(&action, 0, sizeof(action));
		action.sa_sigaction = on_alarm;
		action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
		sigfillset(&action.sa_mask);
		if (sigaction(signal, &action, NULL))
			continue;
		number = signal;
		return 0;
	}
	return -EBUSY;
}

/* Ignoring a signal discards it where it is pending: the default action would end the program. */
static void give_signal_back(void)
{
	if (is_own(number)) {
		sigaction(number, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
		sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	}
	number = 0;
}

int memphis_alarm_set(void (*call)(void), __u64 cpu_ns)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID};
	const struct itimerspec once = {.it_value = {.tv_sec = (time_t)(cpu_ns / 1000000000u),
						     .tv_nsec = (long)(cpu_ns % 1000000000u)}};
	int err = 0;

	if (!interrupts_no_call)
		return -ENOSYS;
	memphis_alarm_cancel();
	if (!is_own(number))
		err = take_signal();
	if (err)
		return err;
	event.sigev_signo = number;
	event._sigev_un._tid = sys_gettid();
	err = sys_error(
		sys_call(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (long)&event, (long)&timer, 0, 0, 0));
	if (err) {
		give_signal_back();
		return err;
	}
	atomic_store(&function, call);
	sys_call(SYS_timer_settime, timer, 0, (long)&once, 0, 0, 0);
	return 0;
}

void memphis_alarm_cancel(void)
{
	/* The function may be NULL because it is running. */
	if (!number || timer < 0)
		return;
	atomic_store(&function, NULL);
	sys_call(SYS_timer_delete, timer, 0, 0, 0, 0, 0);
	timer = -1;
	give_signal_back();
}

void memphis_alarm_forked(void)
{
	if (!number)
		return;
	timer = -1;
	atomic_store(&function, NULL);
}
