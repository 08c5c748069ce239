/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways in which programs start others and end. usage: ends MODE [NUMBER] */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "common.h"

extern char **environ;

static char *const arguments[] = {"sh", "-c", "echo executed; exit 6", NULL};

static int by_signal(int number)
{
	puts("before the signal");
	fflush(stdout);
	raise(number);
	return 1;
}

static int by_fault(int none)
{
	puts("before the fault");
	fflush(stdout);
	*(volatile int *)(size_t)none = 1;
	return 1;
}

static int by_abort(int none)
{
	free(malloc(1 << 20));
	abort();
	return none;
}

static int exec_raw(int none)
{
	syscall(SYS_execve, "/bin/sh", arguments, environ);
	return none;
}

/* A record lock belongs to the process, and is kept when it executes another program. */
static int exec_locked(int count)
{
	struct flock lock = {.l_type = F_WRLCK}, seen;
	int i, kept = 0, ends[2];
	char byte;

	for (i = 0; i < count; i++) {
		int file = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		pid_t child;

		must(file >= 0 && !pipe(ends));
		child = fork();
		must(child >= 0);
		if (child == 0) {
			static char *const say[] = {"sh", "-c", "sleep 0.05; echo; exec sleep 100", NULL};

			/* The lock is lost when any descriptor of the file is closed. */
			must(!close(file) && (file = open("lock", O_RDWR)) >= 0 &&
			     !fcntl(file, F_SETLKW, &lock));
			must(dup2(ends[1], 1) == 1);
			if (i % 2)
				syscall(SYS_execve, "/bin/sh", say, environ);
			execve("/bin/sh", say, environ);
		}
		must(read(ends[0], &byte, 1) == 1);
		seen = lock;
		must(!fcntl(file, F_GETLK, &seen));
		kept += seen.l_type == F_WRLCK && seen.l_pid == child;
		must(!kill(child, SIGKILL) && waitpid(child, NULL, 0) == child);
		must(!close(file) && !close(ends[0]) && !close(ends[1]));
	}
	printf("%d programs, %d locks\n", count, kept);
	return 0;
}

static int exec_at(int none)
{
	syscall(SYS_execveat, AT_FDCWD, "/bin/sh", arguments, environ, 0);
	return none;
}

static int exec_file(int none)
{
	fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), arguments, environ);
	return none;
}

static int exec_empty(int none)
{
	char *const nothing[] = {NULL};

	execve("/bin/sh", arguments, nothing);
	return none;
}

static int exec_missing(int none)
{
	must(execl("/nowhere/program", "program", (char *)NULL) < 0);
	printf("%s\n", strerrorname_np(errno));
	return none;
}

static void *exec_in_thread(void *none)
{
	execve("/bin/sh", arguments, environ);
	return none;
}

static int exec_from_thread(int none)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, exec_in_thread, NULL));
	pthread_join(thread, NULL);
	return none;
}

static int by_vfork(int count)
{
	volatile int i;

	for (i = 0; i < count; i++) {
		pid_t child = vfork();

		must(child >= 0);
		if (child == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(9);
		}
		must(waitpid(child, NULL, 0) == child);
	}
	printf("%d children\n", count);
	return 0;
}

static int by_spawn(int none)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t child;

	must(!posix_spawn_file_actions_init(&actions) && !posix_spawnattr_init(&attributes));
	must(!posix_spawn_file_actions_addclosefrom_np(&actions, 3));
	must(!posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID));
	must(!posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ));
	report_child("spawned", child);
	must(!posix_spawnp(&child, "true", NULL, NULL, arguments, environ));
	report_child("by name", child);
	printf("missing: %d\n", posix_spawn(&child, "/nowhere", NULL, NULL, arguments, environ));
	return none;
}

static int by_system(int none)
{
	FILE *stream;
	char line[100] = "";

	printf("system: %#x\n", system("exit 3"));
	stream = popen("echo from a pipe; exit 2", "r");
	must(stream && fgets(line, sizeof(line), stream));
	printf("popen: %s", line);
	printf("pclose: %#x\n", pclose(stream));
	return none;
}

/* Becomes a daemon, as servers do by hand, and tells its starter by a pipe. */
static int by_daemon(int own)
{
	char line[100] = "";
	int ends[2], i;
	pid_t child;
	FILE *from;

	must(!pipe(ends));
	fflush(stdout);
	child = fork();
	must(child >= 0);
	if (child) {
		close(ends[1]);
		must(waitpid(child, NULL, 0) == child);
		from = fdopen(ends[0], "r");
		must(from && fgets(line, sizeof(line), from));
		printf("the daemon says: %s", line);
		return 0;
	}
	must(dup2(ends[1], 200) == 200);
	if (own) {
		must(setsid() > 0);
		if (fork())
			_exit(0);
		must(!chdir("/"));
		umask(0);
		for (i = 0; i < 200; i++)
			close(i);
		for (i = 201; i < 65536; i++)
			close(i);
	} else {
		must(!daemon(0, 0));
	}
	free(malloc(1 << 20));
	dprintf(200, "session %s, directory %s\n", getsid(0) == getpid() ? "own" : "of another",
		getcwd(line, sizeof(line)));
	return 0;
}

static void at_exit(void)
{
	puts("at exit");
}

static int by_handlers(int none)
{
	atexit(at_exit);
	at_quick_exit(at_exit);
	fflush(stdout);
	if (none == 1)
		quick_exit(4);
	if (none == 2)
		syscall(SYS_exit_group, 5);
	exit(3);
}

static const struct mode modes[] = {
	{"signal", by_signal},
	{"fault", by_fault},
	{"abort", by_abort},
	{"exec-raw", exec_raw},
	{"exec-locked", exec_locked},
	{"exec-at", exec_at},
	{"exec-file", exec_file},
	{"exec-empty", exec_empty},
	{"exec-missing", exec_missing},
	{"exec-thread", exec_from_thread},
	{"vfork", by_vfork},
	{"spawn", by_spawn},
	{"system", by_system},
	{"daemon", by_daemon},
	{"handlers", by_handlers},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
