// SPDX-License-Identifier: BSD-3-Clause
/* Implementation of common.h. */
#define _GNU_SOURCE
#include "common.h"

#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct memphis_config shortest_config(int fd)
{
	struct memphis_config config = some_config();
	struct memphis_query query;

	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	config.period = query.period_min;
	return config;
}

void become(unsigned int uid)
{
	need(!setgroups(0, NULL) && !setresgid(uid, uid, uid) && !setresuid(uid, uid, uid), "setresuid");
	need(!prctl(PR_SET_DUMPABLE, 1), "prctl");
}

pid_t start_child(void (*body)(void *), void *argument)
{
	pid_t child = fork();

	need(child >= 0, "fork");
	if (!child) {
		body(argument);
		exit(0);
	}
	return child;
}

int end_of(pid_t child)
{
	int status;

	need(waitpid(child, &status, 0) == child, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void *shared_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	need(memory != MAP_FAILED, "shared memory");
	return memory;
}

void wait_for(const int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value)
		usleep(1000);
}

void reach(int *flag)
{
	__atomic_add_fetch(flag, 1, __ATOMIC_ACQ_REL);
}

/* Control message for one byte and one descriptor. */
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

void send_descriptor(int socket, int fd)
{
	union control control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)),
					    .cmsg_level = SOL_SOCKET,
					    .cmsg_type = SCM_RIGHTS}};
	struct iovec byte = {.iov_base = "x", .iov_len = 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	need(sendmsg(socket, &message, 0) == 1, "sendmsg");
}

int receive_descriptor(int socket)
{
	union control control;
	char place;
	struct iovec byte = {.iov_base = &place, .iov_len = 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int fd;

	need(recvmsg(socket, &message, 0) == 1 && message.msg_controllen, "recvmsg");
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

int try_map(int fd, uint64_t offset, size_t bytes, int protection, int flags)
{
	void *area = mmap(NULL, bytes, protection, flags, fd, (off_t)offset);

	if (area == MAP_FAILED)
		return errno;
	munmap(area, bytes);
	return 0;
}
