// SPDX-License-Identifier: BSD-3-Clause
/* The witness answers one question at a time over a pair of sockets: the number of a signal, then 1 or 0. */
#include "launch/witness.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "launch/signals.h"

/* A witness that was stopped alone does not answer. */
#define ANSWER_MS 1000

/* Returns the signals that the kernel drops from the queue of a process when this one is sent to it. */
static uint64_t dropped_by(int signal)
{
	const uint64_t stops =
		memphis_signal_bit(SIGTSTP) | memphis_signal_bit(SIGTTIN) | memphis_signal_bit(SIGTTOU);

	if (signal == SIGCONT)
		return stops;
	return signal == SIGSTOP || stops & memphis_signal_bit(signal) ? memphis_signal_bit(SIGCONT) : 0;
}

/* What the tool has lost by a signal that was sent to it alone must not wait here for the next one. */
static _Noreturn void answer(int fd)
{
	const struct timespec now = {0, 0};
	unsigned char signal, seen;

	/* Others wait for the end of pipes that the tool has inherited, or want to unmount its directory. */
	if (dup2(fd, 0) < 0 || syscall(SYS_close_range, 1, ~0u, 0) || chdir("/"))
		_exit(1);
	while (read(0, &signal, 1) == 1) {
		seen = memphis_signals_take(memphis_signal_bit(signal), NULL, &now) == signal;
		while (memphis_signals_take(dropped_by(signal), NULL, &now) > 0)
			;
		if (write(0, &seen, 1) != 1)
			break;
	}
	_exit(0);
}

void memphis_witness_start(struct memphis_witness *witness)
{
	int ends[2];
	pid_t pid;

	witness->fd = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	pid = fork();
	if (!pid)
		answer(ends[1]);
	close(ends[1]);
	if (pid < 0)
		close(ends[0]);
	else
		witness->fd = ends[0];
}

bool memphis_witness_saw(struct memphis_witness *witness, int signal, bool otherwise)
{
	struct pollfd answers = {.fd = witness->fd, .events = POLLIN};
	unsigned char number = (unsigned char)signal, seen;

	if (witness->fd < 0)
		return otherwise;
	if (send(witness->fd, &number, 1, MSG_NOSIGNAL) == 1 && poll(&answers, 1, ANSWER_MS) == 1 &&
	    read(witness->fd, &seen, 1) == 1)
		return seen;
	memphis_witness_end(witness);
	return otherwise;
}

void memphis_witness_end(struct memphis_witness *witness)
{
	if (witness->fd >= 0)
		close(witness->fd);
	witness->fd = -1;
}
