// SPDX-License-Identifier: BSD-3-Clause
/*
 * Processes of two users that open, map, attach, pass descriptors on, fork, exec and end at any moment, while
 * others of them are killed. The kernel must not complain and must not leak. usage: chaos STEPS SEED
 */
#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 6
#define FILES   4
#define FIRST   40 /* descriptors FIRST to FIRST + FILES - 1 are sessions, own or foreign */
#define SOCKETS 50 /* and 51: each reader gets what any process sent */

static struct chaos {
	unsigned long steps, execs, received;
} * chaos;

static pid_t threads[3];

static unsigned int pick(unsigned int *seed, unsigned int count)
{
	return (unsigned int)rand_r(seed) % count;
}

/* Assumes nothing: another thread may close what this one has opened, and others may hold all memory. */
static void open_some(int fd, unsigned int *seed)
{
	struct memphis_config config = {.wakeup_records = 1};
	struct memphis_query query;
	int opened = open("/dev/memphis", O_RDWR);

	if (opened < 0)
		return;
	if (!request(opened, MEMPHIS_IOC_QUERY, &query)) {
		config.period = query.period_min * (1 + pick(seed, 2));
		config.count = (uint32_t)__builtin_ctz(query.counts);
		config.ring_records = 1u << pick(seed, 14);
		request(opened, MEMPHIS_IOC_CONFIGURE, &config);
	}
	dup2(opened, fd);
	close(opened);
}

/* Often leaves a map, in whole or in part, until the end of the process. */
static void map_some(int fd, unsigned int *seed)
{
	struct memphis_attach attach = {.tid = threads[pick(seed, 3)]};
	char *session = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *control, *ring;
	int error = request(fd, MEMPHIS_IOC_ATTACH, &attach);

	if (error) {
		if (session != MAP_FAILED)
			munmap(session, 4096);
		return;
	}
	control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)attach.control_offset);
	ring = mmap(NULL, attach.ring_bytes, PROT_READ, MAP_SHARED, fd, (off_t)attach.ring_offset);
	if (control != MAP_FAILED)
		memset(control, rand_r(seed), 4096);
	if (control != MAP_FAILED && pick(seed, 2))
		munmap(control, 4096);
	if (ring != MAP_FAILED && pick(seed, 2))
		munmap(ring + 4096 * pick(seed, 2), attach.ring_bytes - 4096 * pick(seed, 2));
	if (session != MAP_FAILED && pick(seed, 8))
		munmap(session, 4096);
}

/* Another process with the same memory and descriptors. */
static int sibling(void *fd)
{
	struct memphis_attach attach = {0};

	request((int)(intptr_t)fd, MEMPHIS_IOC_ATTACH, &attach);
	try_map((int)(intptr_t)fd, 0, 4096, PROT_READ, MAP_SHARED);
	close((int)(intptr_t)fd);
	_exit(0);
}

static void make_sibling(int fd)
{
	/* Each sibling has a stack of its own, because nobody waits for its end. */
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack != MAP_FAILED)
		clone(sibling, stack + 65536, CLONE_VM | CLONE_FILES | SIGCHLD, (void *)(intptr_t)fd);
}

static void make_child(int fd, unsigned int *seed)
{
	pid_t child = fork();

	if (child)
		return;
	request(fd, MEMPHIS_IOC_START, NULL);
	usleep(pick(seed, 20000));
	if (pick(seed, 2))
		close_range(FIRST, FIRST + FILES - 1, 0);
	usleep(pick(seed, 20000));
	_exit(0);
}

static void pass_on(int fd)
{
	char place = 'x';
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS}};
	struct iovec byte = {.iov_base = &place, .iov_len = 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	sendmsg(SOCKETS, &message, MSG_DONTWAIT);
}

static void take_over(int fd)
{
	char place;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec byte = {.iov_base = &place, .iov_len = 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int got;

	if (recvmsg(SOCKETS + 1, &message, MSG_DONTWAIT) != 1 || !message.msg_controllen)
		return;
	memcpy(&got, CMSG_DATA(&control.header), sizeof(got));
	dup2(got, fd);
	close(got);
	__atomic_add_fetch(&chaos->received, 1, __ATOMIC_RELAXED);
}

static void wait_some(int fd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	struct pollfd file = {.fd = fd, .events = POLLIN};
	static int set = -1;

	if (set < 0)
		set = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
	poll(&file, 1, 1);
	epoll_wait(set, &event, 1, 1);
}

static void execute(unsigned int *seed)
{
	char number[16], *const arguments[] = {"chaos", "worker", number, NULL};

	snprintf(number, sizeof(number), "%u", (unsigned int)rand_r(seed));
	__atomic_add_fetch(&chaos->execs, 1, __ATOMIC_RELAXED);
	execv("/proc/self/exe", arguments);
}

static void step(unsigned int *seed)
{
	int fd = FIRST + (int)pick(seed, FILES);
	int32_t tid = threads[pick(seed, 3)];
	struct memphis_stats stats;

	switch (pick(seed, 64)) {
	case 0 ... 5:
		open_some(fd, seed);
		break;
	case 6 ... 17:
		map_some(fd, seed);
		break;
	case 18 ... 25:
		request(fd, MEMPHIS_IOC_START, NULL);
		break;
	case 26 ... 29:
		request(fd, MEMPHIS_IOC_STOP, NULL);
		break;
	case 30 ... 33:
		request(fd, MEMPHIS_IOC_DETACH, &tid);
		break;
	case 34 ... 35:
		close_device(fd);
		break;
	case 36 ... 37:
		make_child(fd, seed);
		break;
	case 38 ... 39:
		make_sibling(fd);
		break;
	case 40 ... 41:
		if (!vfork())
			_exit(0);
		break;
	case 42 ... 43:
		pass_on(fd);
		break;
	case 44 ... 45:
		take_over(fd);
		break;
	case 46 ... 47:
		wait_some(fd);
		break;
	case 48:
		execute(seed);
		break;
	case 49:
		if (!pick(seed, 4))
			_exit(0);
		break;
	case 50:
		request(fd, MEMPHIS_IOC_STATS, &stats);
		break;
	case 51:
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		break;
	default:
		for (volatile unsigned int spin = 0; spin < 20000; spin++)
			;
	}
	__atomic_add_fetch(&chaos->steps, 1, __ATOMIC_RELAXED);
}

static void *short_thread(void *seed)
{
	unsigned int own = (unsigned int)(uintptr_t)seed;

	threads[1 + own % 2] = gettid();
	for (unsigned int left = pick(&own, 200); left; left--)
		step(&own);
	return NULL;
}

/* Runs until it is killed, executes itself, or happens to end. */
static void work(unsigned int seed)
{
	pthread_t thread[2];

	chaos = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, SOCKETS + 2, 0);
	need(chaos != MAP_FAILED, "the board");
	threads[0] = getpid();
	for (;;) {
		bool made[2];

		for (int i = 0; i < 2; i++)
			made[i] = !pthread_create(
				&thread[i], NULL, short_thread,
				(void *)(uintptr_t)(((unsigned int)rand_r(&seed) & ~1u) | (unsigned int)i));
		for (unsigned int left = 100; left; left--)
			step(&seed);
		for (int i = 0; i < 2; i++)
			if (made[i])
				pthread_join(thread[i], NULL);
	}
}

static pid_t group;

static void start_work(void *seed)
{
	unsigned int own = (unsigned int)(uintptr_t)seed;

	need(!setpgid(0, group), "setpgid");
	become(own % 2 ? ALICE : BOB);
	work(own);
}

static void lead_group(void *unused)
{
	(void)unused;
	for (;;)
		pause();
}

/* Six large rings: a user's whole budget, minus what other processes still hold. */
static void hold_all(void *uid)
{
	struct memphis_config config;
	unsigned int held = 0;

	become((unsigned int)(uintptr_t)uid);
	for (unsigned int i = 0; i < 6; i++) {
		struct memphis_attach attach = {0};
		int32_t tid = 0;
		int fd = open_device();

		config = shortest_config(fd);
		config.ring_records = 1 << 20;
		config.wakeup_records = 1;
		need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
		held += !request(fd, MEMPHIS_IOC_ATTACH, &attach) &&
			mmap(NULL, attach.ring_bytes, PROT_READ, MAP_SHARED, fd, (off_t)attach.ring_offset) !=
				MAP_FAILED;
		request(fd, MEMPHIS_IOC_DETACH, &tid);
	}
	_exit(held == 6 ? 0 : 1);
}

int main(int argc, char **argv)
{
	pid_t workers[WORKERS];
	unsigned int seed;
	int sockets[2], file;

	if (argc == 3 && !strcmp(argv[1], "worker"))
		work((unsigned int)atoi(argv[2]));
	need(argc == 3, "usage: chaos STEPS SEED");
	seed = (unsigned int)atoi(argv[2]);
	need(!chmod("/dev/memphis", 0666), "chmod");
	file = memfd_create("board", 0);
	need(file >= 0 && !ftruncate(file, 4096) && !socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), "files");
	need(dup2(sockets[0], SOCKETS) >= 0 && dup2(sockets[1], SOCKETS + 1) >= 0 &&
		     dup2(file, SOCKETS + 2) >= 0,
	     "dup2");
	chaos = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	need(chaos != MAP_FAILED, "the board");
	close(sockets[0]);
	close(sockets[1]);
	close(file);
	need(!prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl");
	group = start_child(lead_group, NULL);
	need(!setpgid(group, group), "setpgid");
	for (unsigned int i = 0; i < WORKERS; i++)
		workers[i] = start_child(start_work, (void *)(uintptr_t)seed++);
	while (__atomic_load_n(&chaos->steps, __ATOMIC_RELAXED) < strtoul(argv[1], NULL, 10) ||
	       chaos->execs < 5 || chaos->received < 5) {
		unsigned int victim = pick(&seed, WORKERS);

		usleep(pick(&seed, 100000));
		kill(workers[victim], SIGKILL);
		workers[victim] = start_child(start_work, (void *)(uintptr_t)seed++);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	kill(-group, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	/* Descriptors in flight end with their sockets. */
	close(SOCKETS);
	close(SOCKETS + 1);
	printf("# %lu steps, %lu programs executed, %lu descriptors from others\n", chaos->steps,
	       chaos->execs, chaos->received);
	check_equal("chaos: one user's budget is free again", end_of(start_child(hold_all, (void *)ALICE)),
		    0);
	check_equal("chaos: the other user's budget is free again",
		    end_of(start_child(hold_all, (void *)BOB)), 0);
	return 0;
}
