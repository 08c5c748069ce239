/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the credentials of the process, and those of each task that has its memory but other credentials: other threads, children,
 * processes that kcmp() finds. usage: identity MODE
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "common.h"

static const char *const names[] = {"Uid",    "Gid",    "Groups", "NoNewPrivs", "Seccomp", "CapInh",
				    "CapPrm", "CapEff", "CapBnd", "CapAmb",     NULL};

/* The lines of a status file that are about credentials; empty if the task has ended. */
static void read_credentials(const char *path, char *text, size_t size)
{
	char line[4000];
	FILE *file = fopen(path, "r");
	size_t i, used = 0;

	*text = 0;
	while (file && fgets(line, sizeof(line), file))
		for (i = 0; names[i]; i++)
			if (!strncmp(line, names[i], strlen(names[i])) && line[strlen(names[i])] == ':')
				used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s",
							 line);
	if (file)
		fclose(file);
}

static void compare_tasks(const char *process, const char *own)
{
	char path[400], theirs[8000];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%.20s/task", process);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/status", process, entry->d_name);
		read_credentials(path, theirs, sizeof(theirs));
		if (*theirs && strcmp(theirs, own))
			printf("a task with the same memory has other credentials:\n%s", theirs);
	}
	if (tasks)
		closedir(tasks);
}

static void show(const char *step)
{
	static char own[8000];
	struct dirent *entry;
	DIR *processes = opendir("/proc");
	pid_t self = getpid();

	must(processes);
	read_credentials("/proc/self/status", own, sizeof(own));
	printf("%s:\n%s", step, own);
	while ((entry = readdir(processes))) {
		pid_t process = atoi(entry->d_name);

		if (process > 0 && (process == self || syscall(SYS_kcmp, self, process, KCMP_VM, 0, 0) == 0))
			compare_tasks(entry->d_name, own);
	}
	closedir(processes);
}

static int as_it_is(int none)
{
	show("as started");
	return none;
}

static void *pause_for_ever(void *none)
{
	for (;;)
		pause();
	return none;
}

static void start_thread(void)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, pause_for_ever, NULL));
}

/* Needs root: temporary, then final change of the user. */
static int change_user(int threads)
{
	const gid_t groups[] = {65533};

	while (threads-- > 0)
		start_thread();
	must(!seteuid(65534));
	show("seteuid");
	must(!seteuid(0));
	show("seteuid back");
	must(!setgroups(1, groups));
	must(!setresgid(65534, 65534, 65534));
	show("setresgid");
	must(!setfsuid(65534));
	show("setfsuid");
	must(!setfsuid(0) || 1);
	must(!setuid(65534));
	show("setuid");
	must(setuid(0) < 0);
	fflush(stdout);
	_exit(0);
}

/* Needs root: threads that act as other users, each for itself, as file servers' do. */
static void *act_as(void *user)
{
	const long id = (long)user;
	int i;

	for (i = 0; i < 3; i++)
		must(!syscall(SYS_setresuid, id, id, id));
	must(geteuid() == id);
	return NULL;
}

static int users_of_threads(int none)
{
	pthread_t thread;
	long user;

	usleep(30000);
	for (user = 1000; user < 1003; user++) {
		must(!pthread_create(&thread, NULL, act_as, (void *)user));
		pthread_join(thread, NULL);
	}
	show("after other users' threads");
	return none;
}

static int drop_capabilities(int none)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0);
	show("bounding set");
	must(!syscall(SYS_capset, &header, data));
	show("capset");
	return none;
}

static int no_new_privileges(int none)
{
	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	show("no new privileges");
	return none;
}

static const struct mode modes[] = {
	{"show", as_it_is},
	{"user", change_user},
	{"users-of-threads", users_of_threads},
	{"capabilities", drop_capabilities},
	{"no-new-privileges", no_new_privileges},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
