// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs in the guest as root: executes a command as an ordinary user of a computing site, in the environment
 * of a site's node. Exits at the first step that fails: a test with too many rights would prove nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* IDs in the guest's /etc/passwd and /etc/group, which runner/base.py writes. */
#define USER_ID       1000
#define MEMPHIS_GROUP 990

#define DEVICE   "/dev/memphis"
#define SYSCTL   "/proc/sys/kernel/"
#define PARANOID SYSCTL "perf_event_paranoid"
#define YAMA     SYSCTL "yama/ptrace_scope"

/* Cgroup of a batch job under systemd: a scope in a slice below the root; the parents enable controllers. */
#define ROOT        "/sys/fs/cgroup"
#define SLICE       ROOT "/site.slice"
#define SCOPE       SLICE "/job.scope"
#define CONTROLLERS "+memory +cpu +pids"

#define EXIT_SETUP 125 /* the command was not started; the same status as in env and su */

static void fail(const char *what, const char *remedy)
{
	fprintf(stderr, "site-user: %s: %s.%s\n", what, strerror(errno), remedy);
	exit(EXIT_SETUP);
}

static void write_text(const char *path, const char *text, const char *remedy)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail(path, remedy);
	close(fd);
}

static void make_directory(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		fail(path, "");
}

/* Applies the settings of Yama and perf of distributions and sites, stricter than the kernel's defaults. */
static void set_policy(const char *paranoid, const char *ptrace_scope)
{
	write_text(PARANOID, paranoid, "");
	write_text(YAMA, ptrace_scope, " The kernel must have Yama.");
}

/* Sets the permissions of the project's udev rule; a node without the module has no device. */
static void share_device(void)
{
	if (chown(DEVICE, 0, MEMPHIS_GROUP)) {
		if (errno == ENOENT)
			return;
		fail(DEVICE, "");
	}
	if (chmod(DEVICE, 0660))
		fail(DEVICE, "");
}

/* The slice has no members, as a non-root cgroup with members cannot enable controllers for its children. */
static void enter_cgroup(void)
{
	write_text(ROOT "/cgroup.subtree_control", CONTROLLERS,
		   " The guest's first process mounts cgroup2 there.");
	make_directory(SLICE);
	write_text(SLICE "/cgroup.subtree_control", CONTROLLERS, "");
	make_directory(SCOPE);
	write_text(SCOPE "/cgroup.procs", "0", "");
}

static void become_user(void)
{
	static const gid_t groups[] = {USER_ID, MEMPHIS_GROUP};

	/* setuid() removes all capabilities. */
	if (setgroups(2, groups) || setgid(USER_ID) || setuid(USER_ID))
		fail("becoming the user", "");
	if (setenv("HOME", "/home/user", 1) || setenv("USER", "user", 1))
		fail("the environment", "");
}

int main(int argc, char **argv)
{
	const char *paranoid = "3", *ptrace_scope = "1";
	int err;

	(void)argc;
	for (argv++; argv[0] && argv[1]; argv += 2) {
		if (!strcmp(argv[0], "--perf-event-paranoid"))
			paranoid = argv[1];
		else if (!strcmp(argv[0], "--ptrace-scope"))
			ptrace_scope = argv[1];
		else
			break;
	}
	if (!argv[0] || argv[0][0] == '-') {
		fprintf(stderr,
			"usage: site-user [--perf-event-paranoid N] [--ptrace-scope N] CMD [ARG...]\n");
		return EXIT_SETUP;
	}
	if (geteuid()) {
		errno = EPERM;
		fail("setting up a site", " Run as root.");
	}
	set_policy(paranoid, ptrace_scope);
	share_device();
	enter_cgroup();
	become_user();
	execvp(argv[0], argv);
	err = errno;
	fprintf(stderr, "site-user: %s: %s\n", argv[0], strerror(err));
	return err == ENOENT ? 127 : 126;
}
