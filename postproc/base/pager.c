// SPDX-License-Identifier: BSD-3-Clause
/* A pager for what goes to a terminal. */
#include "base/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/terminal.h"

static pid_t pager;
static int terminal = -1; /* standard output as it was */

/* Keys are the pager's while it runs; and it may end before all is written. */
static struct {
	int number;
	sighandler_t before;
} ignored[] = {{SIGINT, SIG_DFL}, {SIGQUIT, SIG_DFL}, {SIGPIPE, SIG_DFL}};
#define IGNORED (sizeof(ignored) / sizeof(*ignored))

/* NULL: none is wanted. */
static const char *pager_command(void)
{
	const char *command = getenv("MEMPHIS_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* The pager's process; `failure` is closed by a successful exec, and gets a byte otherwise. */
static void run_pager(const char *command, int from, int failure)
{
	dup2(from, STDIN_FILENO);
	/* Ends by itself if all fits, shows colour, and leaves the text on the screen. */
	setenv("LESS", "FRX", 0);
	if (strpbrk(command, " \t\n|&;<>()$`\\\"'*?[]#~=%{}"))
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	else
		execlp(command, command, (char *)NULL);
	if (write(failure, "", 1) < 1)
		_exit(126);
	_exit(127);
}

void memphis_pager_start(void)
{
	const char *command = pager_command();
	int text[2], failure[2];
	char byte;
	size_t i;

	if (pager || !command || !memphis_is_terminal(STDOUT_FILENO) || pipe2(text, O_CLOEXEC))
		return;
	if (pipe2(failure, O_CLOEXEC)) {
		close(text[0]);
		close(text[1]);
		return;
	}
	fflush(stdout);
	pager = fork();
	if (!pager)
		run_pager(command, text[0], failure[1]);
	close(failure[1]);
	close(text[0]);
	if (pager > 0 && read(failure[0], &byte, 1) == 0) {
		terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		dup2(text[1], STDOUT_FILENO);
		for (i = 0; i < IGNORED; i++)
			ignored[i].before = signal(ignored[i].number, SIG_IGN);
	} else {
		if (pager > 0)
			waitpid(pager, NULL, 0);
		pager = 0;
	}
	close(failure[0]);
	close(text[1]);
}

int memphis_pager_finish(int rc)
{
	int status = 0;
	size_t i;

	if (!rc && fflush(stdout))
		rc = -errno;
	if (!pager)
		return rc;
	/* What the pager did not take is not for the terminal. */
	__fpurge(stdout);
	/* It sees the end when nobody can write any more. */
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	for (i = 0; i < IGNORED; i++)
		signal(ignored[i].number, ignored[i].before);
	/* The shell's word for a command that it could not run. */
	if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		return -EPIPE;
	return rc == -EPIPE ? 0 : rc;
}

int memphis_write_out(const struct memphis_text *text, const char *path, bool with_pager,
		      struct memphis_error *error)
{
	const char *name = path ? path : "standard output";
	FILE *to = path ? fopen(path, "w") : stdout;
	int rc;

	if (!to)
		return memphis_fail(error, -errno, "%s: cannot write: %s", name, strerror(errno));
	if (!path && with_pager && !text->failed)
		memphis_pager_start();
	rc = text->failed ? -ENOMEM : 0;
	if (!rc && (fwrite(text->text, 1, text->bytes, to) != text->bytes || fflush(to)))
		rc = -errno;
	if (path && fclose(to) && !rc)
		rc = -errno;
	if (!path)
		rc = memphis_pager_finish(rc);
	if (rc == -ENOMEM && text->failed)
		return memphis_fail(error, rc, "out of memory");
	return rc ? memphis_fail(error, rc, "%s: cannot write: %s", name, strerror(-rc)) : 0;
}
