// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps that spread sessions over processes, threads and tables of descriptors, and bursts, in which all processes give up what they
 * have at the same time.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PARCEL 4     /* descriptors of a message */
#define STACK  65536 /* of a sibling */

/* Sends or receives several sessions at once, which receivers then share with their owner. */
static void share(struct worker *worker)
{
	union {
		char bytes[CMSG_SPACE(PARCEL * sizeof(int))];
		struct cmsghdr header;
	} control = {.bytes = {0}};
	struct iovec part = {worker->page, 1};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int parcel[PARCEL];
	size_t i, count;

	if (roll(&worker->dice, 2)) {
		for (i = 0; i < PARCEL; i++)
			parcel[i] = some_file(worker);
		control.header = (struct cmsghdr){CMSG_LEN(sizeof(parcel)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.header), parcel, sizeof(parcel));
		sendmsg(FD_SEND, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
		return;
	}
	if (recvmsg(FD_RECEIVE, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0 || !message.msg_controllen)
		return;
	count = (control.header.cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (i = 0; i < count; i++) {
		memcpy(parcel, CMSG_DATA(&control.header) + i * sizeof(int), sizeof(int));
		put_file(roll(&worker->dice, FILES), parcel[0]);
	}
}

/* The thread has its own copy of all descriptors from now on, so that a close by another thread is not the last one. */
static void separate(struct worker *worker)
{
	(void)worker;
	unshare(CLONE_FILES);
}

/* Opens, configures with counters, and attaches, while other threads close and unmap the same. */
static void hurry(struct worker *worker)
{
	struct memphis_config config = {.period = 1 << 20,
					.count = usable_count(),
					.ring_records = 8,
					.wakeup_records = 1,
					.counters = 7u << MEMPHIS_COUNTER_EVENT_FIRST,
					.counter_events = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}};
	struct memphis_attach request = {0};
	unsigned int i, times = 1 + roll(&worker->dice, 8);
	int fd = some_file(worker);
	int32_t tid = 0;

	mmap(some_place(worker), 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	for (i = 0; i < times; i++) {
		ask(fd, MEMPHIS_IOC_CONFIGURE, &config);
		ask(fd, MEMPHIS_IOC_ATTACH, &request);
		ask(fd, MEMPHIS_IOC_DETACH, &tid);
	}
}

struct errand {
	int fd;
	uint8_t *place;
	bool map_first;
};

static int sibling_body(void *argument)
{
	const struct errand *errand = argument;
	struct memphis_attach request = {0};

	ask(errand->fd, MEMPHIS_IOC_ATTACH, &request);
	if (errand->map_first)
		munmap(errand->place, 4096);
	close(errand->fd);
	if (!errand->map_first)
		munmap(errand->place, 4096);
	_exit(0);
}

/* Another process with the same memory and descriptors gives up a session of this one. */
static void sibling(struct worker *worker)
{
	/* Unmapped by nobody, as nobody waits for the sibling; few are made in the life of a process. */
	uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct errand *errand = (void *)stack;

	if (stack == MAP_FAILED)
		return;
	*errand = (struct errand){some_file(worker), some_place(worker), roll(&worker->dice, 2)};
	clone(sibling_body, stack + STACK, CLONE_VM | CLONE_FILES | SIGCHLD, errand);
}

/* Children that hold all descriptors and maps of this process for a moment, and end at once. */
static void hold(struct worker *worker)
{
	unsigned int i, milliseconds = roll(&worker->dice, 50);

	for (i = 0; i < 3; i++)
		if (!syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0UL)) {
			usleep(milliseconds * 1000);
			_exit(0);
		}
}

const struct action share_actions[] = {
	{"share", 20, share},    {"separate", 2, separate}, {"hurry", 40, hurry},
	{"sibling", 6, sibling}, {"hold", 4, hold},         {0},
};

static void close_all(void)
{
	unsigned int i;

	for (i = 0; i < FILES; i++)
		close(__atomic_load_n(&files[i], __ATOMIC_RELAXED));
}

/* Every process has another way of giving up, and every burst. All its threads take part, each as soon as it ends its step. */
void take_part(struct worker *worker, uint32_t burst)
{
	struct dice dice = dice_of(shared->round.seed, shared->round.number,
				   0xb000000000000000ULL | (uint64_t)worker->process << 32, burst);

	switch (roll(&dice, 8)) {
	case 0:
		munmap((void *)ARENA, ARENA_PAGES * 4096UL);
		close_all();
		break;
	case 1:
		munmap((void *)ARENA, ARENA_PAGES * 4096UL);
		break;
	case 2:
		separate(worker);
		close_all();
		munmap((void *)ARENA, ARENA_PAGES * 4096UL);
		break;
	case 3:
		worker_exec(worker);
		break;
	case 4:
		_exit(0);
	case 5:
		kill(getpid(), SIGKILL);
		break;
	case 6:
		share(worker);
		sibling(worker);
		break;
	default:
		close_all();
		munmap((void *)ARENA, ARENA_PAGES * 4096UL);
	}
}
