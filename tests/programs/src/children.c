/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that count, list or wait for their children and threads. usage: children MODE [COUNT] */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "common.h"

static volatile sig_atomic_t signals;

static void on_child(int number)
{
	(void)number;
	signals++;
}

/* Makes children that stay until the pipe is closed. */
static int many(int count)
{
	int ends[2], made, status, well = 0;
	char byte;

	must(!pipe(ends));
	for (made = 0; made < count; made++) {
		pid_t child = fork();

		if (child < 0) {
			printf("child %d: %s\n", made, strerror(errno));
			break;
		}
		if (child == 0) {
			close(ends[1]);
			_exit(read(ends[0], &byte, 1) ? 1 : 0);
		}
	}
	close(ends[1]);
	while (wait(&status) > 0)
		well += status == 0;
	printf("%d children, %d ended well\n", made, well);
	return 0;
}

static void make_three(void)
{
	int i;

	for (i = 1; i <= 3; i++) {
		pid_t child = fork();

		must(child >= 0);
		if (child == 0)
			_exit(i);
	}
}

/* Waits until there is no child. */
static int wait_with(int options)
{
	int status, sum = 0, count = 0;

	make_three();
	while (waitpid(-1, &status, options) > 0) {
		count++;
		sum += WEXITSTATUS(status);
	}
	printf("%d children, sum %d, then %s\n", count, sum, strerrorname_np(errno));
	return 0;
}

static int wait_plainly(int none)
{
	return wait_with(none);
}

static int wait_for_all(int none)
{
	return wait_with(none | __WALL);
}

static int none_to_wait_for(int none)
{
	const int options[] = {0, WNOHANG, __WALL, __WALL | WNOHANG, __WCLONE, __WCLONE | WNOHANG};
	siginfo_t info;
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(*options); i++) {
		must(waitpid(-1, NULL, options[i]) < 0);
		printf("waitpid %zu: %s\n", i, strerrorname_np(errno));
	}
	must(waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | __WALL) < 0);
	printf("waitid: %s\n", strerrorname_np(errno));
	must(waitpid(0, NULL, __WALL) < 0);
	printf("in the group: %s\n", strerrorname_np(errno));
	return none;
}

/* The same by other functions, and by the system calls. */
static int none_by_calls(int none)
{
	siginfo_t info;

	must(wait(NULL) < 0);
	printf("wait: %s\n", strerrorname_np(errno));
	must(wait3(NULL, __WALL, NULL) < 0);
	printf("wait3: %s\n", strerrorname_np(errno));
	must(syscall(SYS_wait4, -1, NULL, __WALL, NULL) < 0);
	printf("wait4: %s\n", strerrorname_np(errno));
	must(syscall(SYS_waitid, P_ALL, 0, &info, WEXITED | __WALL, NULL) < 0);
	printf("waitid: %s\n", strerrorname_np(errno));
	return none;
}

/* The process has many children, but none that __WCLONE waits for, so that the wait must fail. */
static int no_clones(int count)
{
	pid_t last = 0;
	int i;

	for (i = 0; i < count; i++) {
		last = fork();
		must(last >= 0);
		if (last == 0 && i < count - 1)
			_exit(0);
		if (last == 0)
			pause();
	}
	must(waitpid(-1, NULL, __WCLONE) < 0);
	printf("clones: %s\n", strerrorname_np(errno));
	must(!kill(last, SIGKILL));
	while (wait(NULL) > 0)
		;
	return 0;
}

static int signalled(int none)
{
	struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
	sigset_t set;
	int i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	must(!sigaction(SIGCHLD, &action, NULL));
	for (i = 0; i < 5; i++) {
		pid_t child = fork();

		must(child >= 0);
		if (child == 0)
			_exit(0);
		must(waitpid(child, NULL, 0) == child);
	}
	printf("5 children, %d signals\n", (int)signals);
	return none;
}

/* Children of a program that ignores SIGCHLD are not waited for: wait() returns when the last one has ended. */
static int ignored(int none)
{
	signal(SIGCHLD, SIG_IGN);
	make_three();
	must(wait(NULL) < 0);
	printf("%s\n", strerrorname_np(errno));
	return none;
}

static int subreaper(int none)
{
	int status, count = 0;
	pid_t child;

	must(!prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
	child = fork();
	must(child >= 0);
	if (child == 0) {
		make_three();
		_exit(0);
	}
	while (wait(&status) > 0)
		count++;
	printf("%d children and grandchildren, then %s\n", count, strerrorname_np(errno));
	return none;
}

/* Children execute another program; some are killed. Only they are to be waited for. */
static int subreaper_of_programs(int count)
{
	int i, status, others = 0;

	must(!prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
	for (i = 0; i < count; i++) {
		pid_t child = fork(), other;

		must(child >= 0);
		if (child == 0) {
			execlp("children", "children", i % 2 ? "usage-quietly" : "pause", (char *)NULL);
			_exit(9);
		}
		if (i % 2 == 0) {
			usleep(30000);
			must(!kill(child, SIGKILL));
		}
		must(waitpid(child, &status, 0) == child);
		must(i % 2 ? status == 0 : WIFSIGNALED(status));
		while ((other = waitpid(-1, &status, 0)) > 0)
			others++;
	}
	printf("%d children, %d others\n", count, others);
	return 0;
}

static int usage_quietly(int none)
{
	struct rusage usage;

	return none + getrusage(RUSAGE_CHILDREN, &usage);
}

static int pause_for_ever(int none)
{
	for (;;)
		pause();
	return none;
}

/* Each child locks a file and ends. The lock must be free when it has been waited for. */
static int locks(int count)
{
	int i, held = 0;

	for (i = 0; i < count; i++) {
		pid_t child = fork();
		int file;

		must(child >= 0);
		if (child == 0) {
			file = open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
			must(file >= 0 && !flock(file, LOCK_EX));
			usleep(i % 3 * 10000); /* so that some end while the library begins to record them */
			_exit(0);
		}
		must(waitpid(child, NULL, 0) == child);
		file = open("lock", O_RDWR | O_CLOEXEC);
		must(file >= 0);
		held += flock(file, LOCK_EX | LOCK_NB) != 0;
		close(file);
	}
	printf("%d children, %d locks held by dead ones\n", count, held);
	return 0;
}

/* The end of the standard error of a child that has redirected it later, while it lives. */
static int leaves_pipe(int none)
{
	int ends[2], status;
	pid_t child;
	char byte;

	must(!pipe(ends));
	child = fork();
	must(child >= 0);
	if (child == 0) {
		must(dup2(ends[1], 2) == 2 && !close(ends[0]) && !close(ends[1]));
		usleep(60000);
		must(dup2(open("/dev/null", O_RDWR), 2) == 2);
		for (;;)
			pause();
	}
	close(ends[1]);
	alarm(20);
	must(read(ends[0], &byte, 1) == 0);
	must(waitpid(child, &status, WNOHANG) == 0);
	puts("the pipe has ended, the child has not");
	kill(child, SIGKILL);
	must(waitpid(child, &status, 0) == child);
	return none;
}

static int usage(int none)
{
	struct rusage usage;

	must(!getrusage(RUSAGE_CHILDREN, &usage));
	printf("children that have been waited for: %s\n", usage.ru_maxrss ? "some" : "none");
	return none;
}

static int entries(const char *path)
{
	struct dirent *entry;
	DIR *directory = opendir(path);
	int count = 0;

	must(directory);
	while ((entry = readdir(directory)))
		count += *entry->d_name != '.';
	closedir(directory);
	return count;
}

static long field_of_stat(int field)
{
	char text[1000] = "", *at;
	FILE *file = fopen("/proc/self/stat", "r");

	must(file && fgets(text, sizeof(text), file));
	fclose(file);
	for (at = strrchr(text, ')') + 1; field > 3; field--)
		at = strchr(at + 1, ' ');
	return atol(at);
}

/* Interpreters look at these numbers to know whether fork() is safe. */
static int threads(int none)
{
	printf("/proc/self/task: %d, /proc/self/stat: %ld\n", entries("/proc/self/task"), field_of_stat(20));
	/* unshare() of a user namespace needs a process of one thread. */
	printf("unshare(CLONE_NEWUSER): %s\n", unshare(CLONE_NEWUSER) ? strerrorname_np(errno) : "yes");
	return none;
}

/* A program sees its own children in the list; the library's process may be in it, too. */
static int listed(int none)
{
	int ends[2], seen = 0, number;
	char byte, path[64];
	pid_t child;
	FILE *file;

	must(!pipe(ends));
	child = fork();
	must(child >= 0);
	if (child == 0) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) ? 1 : 0);
	}
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "r");
	must(file);
	while (fscanf(file, "%d", &number) == 1)
		seen += number == child;
	fclose(file);
	close(ends[1]);
	printf("the child is listed %d time\n", seen);
	report_child("child", child);
	return none;
}

/* In its first moments, a child stops its process group. It gets no signal of a child, for it has none. */
static int stopped_group(int count)
{
	int i, status, sum = 0;

	for (i = 0; i < count; i++) {
		pid_t leader = fork();

		must(leader >= 0);
		if (leader == 0) {
			pid_t child;

			must(!setpgid(0, 0));
			child = fork();
			must(child >= 0);
			if (child == 0) {
				signal(SIGCHLD, on_child);
				kill(0, SIGSTOP);
				_exit(signals);
			}
			while (waitpid(child, &status, 0) < 0)
				must(errno == EINTR);
			_exit(WEXITSTATUS(status));
		}
		must(waitpid(leader, &status, WUNTRACED) == leader && WIFSTOPPED(status));
		must(!kill(-leader, SIGCONT));
		must(waitpid(leader, &status, 0) == leader && WIFEXITED(status));
		sum += WEXITSTATUS(status);
	}
	printf("%d signals of children\n", sum);
	return 0;
}

/* Returns the number of the caller's children, and other processes of its own, that are in the session. */
static int count_in_session(pid_t session)
{
	int number, count = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "r");
	must(file);
	while (fscanf(file, "%d", &number) == 1)
		count += getsid(number) == session;
	fclose(file);
	return count;
}

/* A daemon leaves its session in its first moments. Nothing that belongs to it stays there. */
static int daemon_alone(int none)
{
	const pid_t session = getsid(0), child = fork();
	int tries = 0;

	must(child >= 0);
	if (child == 0) {
		must(setsid() > 0);
		while (count_in_session(session) && ++tries < 1000)
			usleep(10000);
		printf("%d in the session before\n", count_in_session(session));
		fflush(stdout);
		_exit(0);
	}
	report_child("daemon", child);
	return none;
}

static const struct mode modes[] = {
	{"many", many},
	{"wait", wait_plainly},
	{"wait-all", wait_for_all},
	{"none", none_to_wait_for},
	{"none-by-calls", none_by_calls},
	{"no-clones", no_clones},
	{"subreaper-of-programs", subreaper_of_programs},
	{"usage-quietly", usage_quietly},
	{"pause", pause_for_ever},
	{"locks", locks},
	{"pipe", leaves_pipe},
	{"signals", signalled},
	{"ignored", ignored},
	{"stopped-group", stopped_group},
	{"daemon", daemon_alone},
	{"subreaper", subreaper},
	{"usage", usage},
	{"threads", threads},
	{"listed", listed},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
