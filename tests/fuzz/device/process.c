// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps with processes and descriptors: opening, closing and passing descriptors, children, exec, signals, tracers, and other users
 * of perf.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void reopen(struct worker *worker)
{
	put_file(roll(&worker->dice, FILES),
		 open("/dev/memphis", O_RDWR | (roll(&worker->dice, 4) ? O_CLOEXEC : 0)));
}

/* Replaces or closes a descriptor while other threads may make requests on it. */
static void duplicate(struct worker *worker)
{
	int from = some_file(worker), to = some_file(worker), fd;

	switch (roll(&worker->dice, 4)) {
	case 0:
		dup3(from, to, roll(&worker->dice, 2) ? O_CLOEXEC : 0);
		break;
	case 1:
		close(to);
		break;
	case 2:
		fd = (int)syscall(SYS_pidfd_open, some_worker(worker), 0);
		put_file(roll(&worker->dice, FILES), (int)syscall(SYS_pidfd_getfd, fd, from, 0));
		close(fd);
		break;
	default:
		put_file(roll(&worker->dice, FILES), fcntl(from, F_DUPFD_CLOEXEC, 3));
	}
}

/* Sends or receives a session, between processes that do not have each other's thread ids. */
static void pass(struct worker *worker)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr header;
	} control = {.bytes = {0}};
	struct iovec part = {worker->page, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int fd = some_file(worker);

	if (roll(&worker->dice, 2)) {
		control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		sendmsg(FD_SEND, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	} else if (recvmsg(FD_RECEIVE, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) > 0 &&
		   message.msg_controllen) {
		memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
		put_file(roll(&worker->dice, FILES), fd);
	}
}

static void ask_and_end(struct worker *worker)
{
	static const unsigned long requests[] = {MEMPHIS_IOC_START, MEMPHIS_IOC_STOP, MEMPHIS_IOC_STATS};
	struct memphis_attach request = {0};
	unsigned int i;

	for (i = 0; i < 3; i++)
		ask(some_file(worker), PICK(&worker->dice, requests), worker->page);
	ask(some_file(worker), MEMPHIS_IOC_ATTACH, &request);
	if (!roll(&worker->dice, 4))
		usleep(roll(&worker->dice, 20000));
	if (!roll(&worker->dice, 4))
		execl("/bin/true", "true", NULL);
	_exit(0);
}

/* Creates a child that copies or shares memory, and copies or shares descriptors. */
static void child(struct worker *worker)
{
	unsigned long flags = 0;
	pid_t pid;

	switch (roll(&worker->dice, 4)) {
	case 0:
		flags = CLONE_FILES;
		break;
	case 1: /* shares memory; the parent waits */
		flags = CLONE_VM | CLONE_VFORK;
		break;
	}
	if (flags & CLONE_VM) {
		pid = vfork();
		if (!pid) {
			ask(some_file(worker), MEMPHIS_IOC_START, NULL);
			ask(some_file(worker), MEMPHIS_IOC_STATS, worker->page);
			if (roll(&worker->dice, 2))
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
	} else {
		pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, 0UL);
		if (!pid)
			ask_and_end(worker);
	}
	/* Some children are not waited for. */
	if (pid > 0 && roll(&worker->dice, 4))
		waitpid(pid, NULL, 0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void execute(struct worker *worker)
{
	worker_exec(worker);
}

static void end_thread(struct worker *worker)
{
	(void)worker;
	syscall(SYS_exit, 0);
}

static void end_process(struct worker *worker)
{
	if (roll(&worker->dice, 2))
		kill(getpid(), SIGKILL);
	_exit(0);
}

static void interrupt(struct worker *worker)
{
	struct itimerval often = {{0, 0}, {0, 1 + roll(&worker->dice, 5000)}};

	switch (roll(&worker->dice, 3)) {
	case 0:
		setitimer(ITIMER_REAL, &often, NULL);
		break;
	case 1:
		kill(some_worker(worker), SIGUSR1);
		break;
	default:
		syscall(SYS_tgkill, getpid(), some_tid(worker), SIGUSR1);
	}
}

/* Traces another process briefly, as a debugger does. */
static void trace(struct worker *worker)
{
	pid_t other = some_worker(worker);
	unsigned int tries = 20;

	if (other == getpid() || ptrace(PTRACE_SEIZE, other, NULL, NULL))
		return;
	ptrace(PTRACE_INTERRUPT, other, NULL, NULL);
	while (tries-- && waitpid(other, NULL, WNOHANG | __WALL) == 0)
		usleep(1000);
	ptrace(PTRACE_DETACH, other, NULL, NULL);
}

static void schedule(struct worker *worker)
{
	struct sched_param parameter = {0};
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(roll(&worker->dice, cpus()), &set);
	if (roll(&worker->dice, 2))
		CPU_SET(roll(&worker->dice, cpus()), &set);
	switch (roll(&worker->dice, 4)) {
	case 0:
		sched_yield();
		break;
	case 1:
		sched_setscheduler(some_tid(worker), roll(&worker->dice, 2) ? SCHED_BATCH : SCHED_OTHER,
				   &parameter);
		break;
	default:
		sched_setaffinity(some_tid(worker), sizeof(set), &set);
	}
}

/* Selects the hardware that the module uses. */
static void aim(struct perf_event_attr *attr)
{
	char text[16];

	if (read_file("/sys/bus/event_source/devices/ibs_op/type", text, sizeof(text))) {
		attr->type = (uint32_t)atoi(text);
		return;
	}
	attr->type = PERF_TYPE_RAW;
	attr->config = 0x1cd; /* MEM_TRANS_RETIRED.LOAD_LATENCY */
	attr->config1 = 3;
	attr->precise_ip = 2;
}

/* Uses the module's hardware through perf at the same time. */
static void compete(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_period = 1u << (10 + roll(dice, 16)),
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR,
		.disabled = roll(dice, 2),
		.pinned = roll(dice, 2),
		.inherit = roll(dice, 2),
	};
	bool whole = roll(dice, 2);
	void *buffer;
	int fd;

	aim(&attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, whole ? -1 : some_tid(worker),
			  whole ? (int)roll(dice, cpus()) : -1, -1, 0UL);
	if (fd < 0)
		return;
	buffer = mmap(NULL, 4096UL * 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	usleep(roll(dice, 5000));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (buffer != MAP_FAILED)
		munmap(buffer, 4096UL * 5);
	close(fd);
}

/* Makes the whole process an ordinary user, for good: it may be refused, or use sessions that it opened as root. */
static void become_user(struct worker *worker)
{
	(void)worker;
	if (!syscall(SYS_setgid, 1000) && !setuid(1000))
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

const struct action process_actions[] = {
	{"reopen", 40, reopen},
	{"duplicate", 16, duplicate},
	{"pass", 16, pass},
	{"child", 10, child},
	{"execute", 1, execute},
	{"end thread", 6, end_thread},
	{"end process", 1, end_process},
	{"interrupt", 12, interrupt},
	{"trace", 2, trace},
	{"schedule", 20, schedule},
	{"compete", 8, compete},
	{"become user", 1, become_user},
	{0},
};
