// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs a program as a child process in the same process group, so that the terminal and the shell treat both
 * alike. All signals are blocked in this process and taken one after the other. No handler runs, and the
 * child gets the signal dispositions with which this process was started.
 */
#include "launch/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* System call of Linux 5.9. glibc before 2.34 does not define it. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

#define MEMPHIS_SIGNALS_ALL UINT64_MAX

static inline uint64_t signal_bit(int signal)
{
	return (uint64_t)1 << (signal - 1);
}

static inline void change_signal_mask(int how, uint64_t mask, uint64_t *before)
{
	syscall(SYS_rt_sigprocmask, how, &mask, before, sizeof(mask));
}

/* Takes a pending signal in the mask. If `timeout` is NULL, waits for a signal. Returns its number, or -1. */
static inline int take_signal(uint64_t mask, siginfo_t *info, const struct timespec *timeout)
{
	return (int)syscall(SYS_rt_sigtimedwait, &mask, info, timeout, sizeof(mask));
}

/*
 * The witness: a process in the tool's process group. It shows whether a signal was sent to the tool alone or
 * to the whole group, which siginfo_t does not tell. The witness blocks all signals. If a signal that reached
 * the tool is also pending in the witness, it was sent to the group.
 */

struct memphis_witness {
	int fd; /* socket to the witness; -1: there is no witness */
};

static void end_witness(struct memphis_witness *witness);

/* Maximum time to wait for an answer. A witness that was stopped by a signal does not answer. */
#define ANSWER_MS 1000

/*
 * Returns the set of pending signals that the kernel drops when `signal` is sent to a process. SIGCONT drops
 * stop signals, and stop signals drop SIGCONT.
 */
static uint64_t dropped_signals(int signal)
{
	const uint64_t stops = signal_bit(SIGTSTP) | signal_bit(SIGTTIN) | signal_bit(SIGTTOU);

	if (signal == SIGCONT)
		return stops;
	return signal == SIGSTOP || stops & signal_bit(signal) ? signal_bit(SIGCONT) : 0;
}

/*
 * Runs the witness. The tool asks about each signal that it got, and the witness answers whether it got the
 * signal too. If a signal was sent to the tool alone, the kernel dropped other pending signals in the tool.
 * The witness removes these from its own pending signals.
 */
static _Noreturn void run_witness(int fd)
{
	const struct timespec now = {0, 0};
	unsigned char signal, seen;

	/*
	 * Close all other descriptors and leave the directory. Other processes may wait for the end of pipes
	 * that the tool has inherited, or may want to unmount the directory.
	 */
	if (dup2(fd, 0) < 0 || syscall(SYS_close_range, 1, ~0u, 0) || chdir("/"))
		_exit(1);
	while (read(0, &signal, 1) == 1) {
		seen = take_signal(signal_bit(signal), NULL, &now) == signal;
		while (take_signal(dropped_signals(signal), NULL, &now) > 0)
			;
		if (write(0, &seen, 1) != 1)
			break;
	}
	_exit(0);
}

/*
 * Starts the witness, which ends when the tool ends. All signals must be blocked. If the process cannot be
 * created, there is no witness.
 */
static void start_witness(struct memphis_witness *witness)
{
	int ends[2];
	pid_t pid;

	witness->fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	pid = fork();
	if (!pid)
		run_witness(ends[1]);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		witness->fd = ends[0];
}

/*
 * Returns true if the witness also got the signal, and removes the signal from the witness. Returns
 * `otherwise` if there is no witness.
 */
static bool witness_got_signal(struct memphis_witness *witness, int signal, bool otherwise)
{
	struct pollfd answers = {.fd = witness->fd, .events = POLLIN};
	unsigned char number = (unsigned char)signal, seen;

	if (witness->fd < 0)
		return otherwise;
	if (send(witness->fd, &number, 1, MSG_NOSIGNAL) == 1 && poll(&answers, 1, ANSWER_MS) == 1 &&
	    read(witness->fd, &seen, 1) == 1)
		return seen;
	end_witness(witness);
	return otherwise;
}

/* Ends the witness, if it exists. */
static void end_witness(struct memphis_witness *witness)
{
	if (witness->fd >= 0)
		close(witness->fd);
	witness->fd = -1;
}

/*
 * Sets the environment variable with which the library distinguishes the launched process from the processes
 * that this one starts.
 */
static int set_root_process(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return setenv("MEMPHIS_ROOT", pid, 1) ? -errno : 0;
}

int memphis_program_become(char **command)
{
	int err = set_root_process();

	if (!err)
		execvp(*command, command);
	return err ? err : -errno;
}

/*
 * Executes the program in the child process. First waits until the witness exists, so that a later signal to
 * the group reaches both. If the program cannot be executed, writes the reason to the descriptor `report`.
 * Otherwise, exec closes this descriptor.
 */
static _Noreturn void execute_program(char **command, const struct sigaction *on_child, uint64_t mask, int go,
				      int report)
{
	char gone;
	int err;

	sigaction(SIGCHLD, on_child, NULL);
	if (read(go, &gone, 1) != 1)
		_exit(127);
	change_signal_mask(SIG_SETMASK, mask, NULL);
	err = memphis_program_become(command);
	if (write(report, &err, sizeof(err)) != sizeof(err))
		err = 0;
	_exit(127);
}

/*
 * Starts the program and the witness. Returns the program's pid. On failure, returns a negative errno, and
 * there is no witness.
 */
static pid_t start_program(char **command, const struct sigaction *on_child, uint64_t mask,
			   struct memphis_witness *witness)
{
	int report[2], go[2], err = 0;
	pid_t pid;

	witness->fd = -1;
	if (pipe2(report, O_CLOEXEC))
		return -errno;
	if (pipe2(go, O_CLOEXEC)) {
		err = -errno;
		close(report[0]);
		close(report[1]);
		return err;
	}
	pid = fork();
	if (!pid) {
		/* Close the write end in the child. Otherwise, if this process were killed, the child would wait for ever. */
		close(go[1]);
		execute_program(command, on_child, mask, go[0], report[1]);
	}
	if (pid < 0)
		err = -errno;
	close(report[1]);
	close(go[0]);
	if (pid > 0) {
		start_witness(witness);
		if (write(go[1], "", 1) != 1)
			err = -errno;
	}
	close(go[1]);
	if (pid > 0 && (read(report[0], &err, sizeof(err)) == sizeof(err) || err))
		waitpid(pid, NULL, 0);
	close(report[0]);
	if (err)
		end_witness(witness);
	return err ? err : pid;
}

/*
 * Takes the default action of the signal, which may end or stop this process. A core dump of this process
 * would replace the core of the program, which has the same name. Therefore memphis_program_end_as() disables
 * core dumps before.
 */
static void take_default_action(int signal)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL};

	sigaction(signal, &by_default, NULL);
	kill(getpid(), signal);
	change_signal_mask(SIG_UNBLOCK, signal_bit(signal), NULL);
	change_signal_mask(SIG_BLOCK, MEMPHIS_SIGNALS_ALL, NULL);
}

/*
 * Stops this process with the same signal as the program, unless the program has already been continued.
 * Returns when this process is continued. If another stop signal is sent to this process alone before that,
 * it does not reach the program.
 */
static void follow_stop(pid_t pid, int signal, struct memphis_witness *witness)
{
	siginfo_t later = {.si_pid = 0};

	if (!waitid(P_PID, (id_t)pid, &later, WEXITED | WCONTINUED | WNOHANG | WNOWAIT) && later.si_pid)
		return;
	/* If the same signal was sent to the group, it may be pending here and in the witness. Remove it from the witness. */
	witness_got_signal(witness, signal, false);
	take_default_action(signal);
}

/* Forwards a signal. A signal with a value keeps its original sender. The kernel does not allow this for other signals. */
static void forward_signal(pid_t pid, int signal, siginfo_t *info)
{
	if (info->si_code >= 0 || info->si_code == SI_TKILL ||
	    syscall(SYS_rt_sigqueueinfo, pid, signal, info))
		kill(pid, signal);
}

/*
 * Forwards signals until the program ends. Returns the program's wait status. Signals to the process group,
 * for example from the terminal, have already reached the program. All other signals are forwarded, including
 * those of timers that this process has inherited.
 */
static int forward_signals(pid_t pid, struct memphis_witness *witness)
{
	siginfo_t info;
	int status, signal;

	for (;;) {
		while (waitpid(pid, &status, WNOHANG | WUNTRACED) == pid) {
			if (!WIFSTOPPED(status))
				return status;
			follow_stop(pid, WSTOPSIG(status), witness);
		}
		signal = take_signal(MEMPHIS_SIGNALS_ALL, &info, NULL);
		if (signal <= 0 || (signal == SIGCHLD && info.si_code > 0 && info.si_code != SI_KERNEL))
			continue;
		if (!witness_got_signal(witness, signal, info.si_code == SI_KERNEL))
			forward_signal(pid, signal, &info);
	}
}

int memphis_program_run(char **command, int *status)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction on_child;
	struct memphis_witness witness;
	uint64_t mask;
	pid_t pid;

	change_signal_mask(SIG_BLOCK, MEMPHIS_SIGNALS_ALL, &mask);
	/* A process that ignores SIGCHLD cannot get the exit status of its children. */
	sigaction(SIGCHLD, &by_default, &on_child);
	pid = start_program(command, &on_child, mask, &witness);
	if (pid < 0)
		return pid;
	*status = forward_signals(pid, &witness);
	return 0;
}

int memphis_program_end_as(int status)
{
	const struct rlimit none = {0, 0};

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* Disable core dumps to a file, and also through the pipe of kernel.core_pattern. */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	take_default_action(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
