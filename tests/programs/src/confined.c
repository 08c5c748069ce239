/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that confine themselves: system call filters, roots, namespaces. usage: confined MODE */
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "common.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* The calls that the C library makes for printf(), malloc() and a return from main(). */
static const int few[] = {SYS_write,  SYS_exit_group, SYS_exit,  SYS_brk,      SYS_mmap,
			  SYS_munmap, SYS_newfstatat, SYS_fstat, SYS_getrandom};

/* The same, and what threads and their ends need. */
static const int more[] = {SYS_write,         SYS_exit_group, SYS_exit,  SYS_brk,      SYS_mmap,
			   SYS_munmap,        SYS_newfstatat, SYS_fstat, SYS_mprotect, SYS_madvise,
			   SYS_clone,         SYS_clone3,     SYS_futex, SYS_rseq,     SYS_set_robust_list,
			   SYS_rt_sigprocmask};

static void confine(const int *calls, size_t count, unsigned int flags, unsigned int otherwise)
{
	struct sock_filter code[64], *next = code;
	struct sock_fprog program;
	size_t i;

	*next++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < count; i++) {
		*next++ =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)calls[i], 0, 1);
		*next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	*next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
	program.len = (unsigned short)(next - code);
	program.filter = code;
	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	must(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

static void work(void)
{
	int i;

	for (i = 0; i < 20; i++)
		free(malloc((size_t)100000 * (size_t)(i + 1)));
	puts("confined");
}

/* Forbids calls that the program does not make, but the library may: a child is not to make them, either. */
static int forbid(int none)
{
	static const int forbidden[] = {SYS_sysinfo, SYS_readlink, SYS_kcmp,       SYS_setsid, SYS_setpgid,
					SYS_openat,  SYS_kill,     SYS_pidfd_open, SYS_madvise};
	struct sock_filter code[64], *next = code;
	struct sock_fprog program;
	pid_t child;
	size_t i;

	usleep(30000);
	*next++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < LENGTH(forbidden); i++) {
		*next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)forbidden[i],
						       0, 1);
		*next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	}
	*next++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)(next - code);
	program.filter = code;
	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	for (i = 0; i < 2; i++) {
		child = fork();
		must(child >= 0);
		if (child == 0) {
			usleep(i * 60000);
			_exit(7);
		}
		report_child("child", child);
	}
	return none;
}

/* Confines itself to the system calls in `few`: any other one ends the process. */
static int killed(int none)
{
	confine(few, LENGTH(few), 0, SECCOMP_RET_KILL_PROCESS);
	work();
	return none + 3;
}

static int refused(int none)
{
	confine(few, LENGTH(few), 0, SECCOMP_RET_ERRNO | EPERM);
	work();
	return none + 3;
}

static void *in_thread(void *none)
{
	work();
	return none;
}

/* The filter is for all threads of the process. */
static int threads(int none)
{
	pthread_t thread;

	must(!pthread_create(&thread, NULL, in_thread, NULL));
	pthread_join(thread, NULL);
	confine(more, LENGTH(more), SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_RET_KILL_PROCESS);
	must(!pthread_create(&thread, NULL, in_thread, NULL));
	pthread_join(thread, NULL);
	return none + 3;
}

/* Only read, write and the end of the thread. */
static int strict(int none)
{
	must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
	if (write(1, "strict\n", 7) == 7)
		syscall(SYS_exit, none + 3);
	return none;
}

static int root(int none)
{
	must(!mkdir("root", 0755));
	must(!chroot("root") && !chdir("/"));
	printf("/proc: %s\n", access("/proc/self", F_OK) ? "none" : "there");
	free(malloc(1 << 20));
	fflush(stdout);
	report_child("child", fork() ?: (exit(4), 0));
	return none;
}

static int user_namespace(int none)
{
	must(!unshare(CLONE_NEWUSER | CLONE_NEWNS));
	free(malloc(1 << 20));
	printf("as %d\n", (int)getuid() == 65534);
	return none;
}

/* Children are in the new namespace; the first one is its init. */
static int pid_namespace(int none)
{
	pid_t child;

	must(!unshare(CLONE_NEWPID));
	fflush(stdout);
	child = fork();
	must(child >= 0);
	if (child == 0) {
		printf("child: %d\n", (int)getpid());
		exit(5);
	}
	report_child("first", child);
	child = fork();
	printf("second: %s\n", child < 0 ? strerrorname_np(errno) : "made");
	return none;
}

static const struct mode modes[] = {
	{"killed", killed},
	{"forbid", forbid},
	{"refused", refused},
	{"threads", threads},
	{"strict", strict},
	{"root", root},
	{"user-namespace", user_namespace},
	{"pid-namespace", pid_namespace},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
