/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alarms after CPU time. If this fails, processes that only compute are not recorded, a sleep() of a program ends early, or a program that does
 * nothing wrong is ended by a signal.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "base/alarm.h"
#include "../../tap.h"

#define FIRST  50 /* the first signal that alarms use */
#define MS     1000000u
#define FILES  1000
#define ALARMS 20

static volatile int calls;

static void count(void)
{
	calls++;
}

static void compute(unsigned int ms)
{
	const __u64 until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * (__u64)MS;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

/* Computes until there was a call; the kernel looks at alarms at ticks of its clock only. */
static void await_call(void)
{
	const int before = calls;
	int i;

	for (i = 0; calls == before && i < 5000; i++)
		compute(1);
}

static bool is_default(int signal)
{
	struct sigaction action;

	return !sigaction(signal, NULL, &action) && action.sa_handler == SIG_DFL;
}

/* Runs the function in a child. Returns the child's status. */
static int status_of(void (*run)(void))
{
	const pid_t child = fork();
	int status = -1;

	if (!child) {
		memphis_alarm_forked();
		run();
		_exit(calls);
	}
	waitpid(child, &status, 0);
	return status;
}

static void be_forked(void)
{
	compute(200);
}

static void set_again(void)
{
	memphis_alarm_set(count, 5 * MS);
	await_call();
}

static void get_signal(void)
{
	memphis_alarm_set(count, 1000 * MS);
	kill(getpid(), FIRST);
}

static void cancel_pending(void)
{
	const __u64 signals = sys_no_signals();
	sigset_t pending;
	int i;

	memphis_alarm_set(count, 5 * MS);
	for (i = 0; i < 5000 && (sigpending(&pending) || !sigismember(&pending, FIRST)); i++)
		compute(1);
	if (i == 5000)
		_exit(9);
	memphis_alarm_cancel();
	sys_signals(signals);
}

/*
 * Counts the waits that end early while alarms go off. Nearly all the CPU time is used inside poll(2), before it sleeps, because it looks at many
 * files.
 */
static int count_early(void)
{
	static struct pollfd files[FILES];
	const struct timespec moment = {.tv_nsec = 20000};
	int early = 0, i, before, fd = epoll_create1(0);
	struct epoll_event event;

	for (i = 0; i < FILES; i++)
		files[i] = (struct pollfd){.fd = fd, .events = POLLIN};
	while (calls < ALARMS) {
		before = calls;
		memphis_alarm_set(count, 2 * MS);
		while (calls == before) {
			early += poll(files, FILES, 1) < 0 && errno == EINTR;
			early += nanosleep(&moment, NULL) && errno == EINTR;
			early += epoll_wait(fd, &event, 1, 1) < 0 && errno == EINTR;
		}
	}
	memphis_alarm_cancel();
	close(fd);
	return early;
}

int main(void)
{
	struct sigaction own = {.sa_handler = SIG_IGN};

	memphis_alarm_setup();
	if (memphis_alarm_set(count, 20 * MS) == -ENOSYS) {
		printf("1..0 # SKIP timers of CPU time may interrupt calls before Linux 5.9\n");
		return 0;
	}
	usleep(60000);
	ok(!calls, "sleeping uses no CPU time");
	ok(!is_default(FIRST), "a signal has the handler meanwhile");
	await_call();
	compute(100);
	ok(calls == 1, "the function is called once");
	memphis_alarm_cancel();
	ok(is_default(FIRST), "and the signal is given back");

	sigaction(FIRST, &own, NULL);
	memphis_alarm_set(count, 5 * MS);
	ok(!is_default(FIRST + 1), "a signal that the program ignores is left to it");
	await_call();
	memphis_alarm_cancel();
	ok(calls == 2, "the next one is used");
	own.sa_handler = SIG_DFL;
	sigaction(FIRST, &own, NULL);

	calls = 0;
	memphis_alarm_set(count, 10 * MS);
	ok(!WIFSIGNALED(status_of(be_forked)) && !calls, "a child has no alarm of its parent");
	ok(WEXITSTATUS(status_of(be_forked)) == 0, "nor is the function called there");
	ok(WEXITSTATUS(status_of(set_again)) == 1, "but it can set its own");
	memphis_alarm_cancel();
	ok(WTERMSIG(status_of(get_signal)) == FIRST,
	   "a signal that somebody else sends does what it does without an alarm");
	ok(status_of(cancel_pending) == 0,
	   "an alarm that is cancelled while its signal is blocked ends nothing");
	calls = 0;
	ok(count_early() == 0, "alarms end no sleep and no poll early");
	return finish();
}
