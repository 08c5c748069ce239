// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints "ready", then a line for each signal that it gets: number, sender's code (user, queue, other) and value. Ends with status 50 after
 * the given number of signals. Further arguments are signals that keep their default action.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
	int left = atoi(arguments[1]), i;
	siginfo_t info;
	sigset_t set;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigfillset(&set);
	for (i = 2; i < count; i++)
		sigdelset(&set, atoi(arguments[i]));
	sigprocmask(SIG_SETMASK, &set, NULL);
	puts("ready");
	while (left) {
		/* A stop interrupts the call. */
		if (sigwaitinfo(&set, &info) < 0)
			continue;
		left--;
		printf("%d %s %d\n", info.si_signo,
		       info.si_code == SI_USER    ? "user"
		       : info.si_code == SI_QUEUE ? "queue"
						  : "other",
		       info.si_code == SI_QUEUE ? info.si_value.sival_int : 0);
	}
	return 50;
}
