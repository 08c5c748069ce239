// SPDX-License-Identifier: BSD-3-Clause
/* Sends output to a pager if standard output is a terminal. */
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
static int saved_stdout = -1; /* duplicate of the original standard output */

/*
 * Signals that this process ignores while the pager runs. Keys such as Ctrl-C are meant for the pager, and
 * SIGPIPE must not end this process if the pager exits before all output is written.
 */
static struct {
	int number;
	sighandler_t before;
} ignored[] = {{SIGINT, SIG_DFL}, {SIGQUIT, SIG_DFL}, {SIGPIPE, SIG_DFL}};
#define IGNORED (sizeof(ignored) / sizeof(*ignored))

/* Returns the command that runs the pager, or NULL if the output is not paged. */
static const char *pager_command(void)
{
	const char *command = getenv("MEMPHIS_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/*
 * Executes the pager in the child process. A successful exec closes the descriptor `failure`; if exec fails,
 * a byte is written to it.
 */
static void run_pager(const char *command, int from, int failure)
{
	dup2(from, STDIN_FILENO);
	/* F: exit if the text fits on one screen; R: show colours; X: leave the text on the screen. */
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
		saved_stdout = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
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
	/* Discard output that the pager did not read, or it would appear on the terminal. */
	__fpurge(stdout);
	/* Close the last descriptor of the pipe's write end, so that the pager reads end-of-file. */
	dup2(saved_stdout, STDOUT_FILENO);
	close(saved_stdout);
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	for (i = 0; i < IGNORED; i++)
		signal(ignored[i].number, ignored[i].before);
	/* Exit status 126 or 127: the shell could not run the command. */
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
