/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a file by io_uring, with and without the kernel's own thread that polls. usage: uring MODE */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "common.h"

#define at(base, offset) ((unsigned int *)((char *)(base) + (offset)))

static int transfer(unsigned int flags)
{
	struct io_uring_params params = {.flags = flags, .sq_thread_idle = 100};
	int ring = (int)syscall(SYS_io_uring_setup, 8, &params), file = open("/dev/zero", O_RDONLY), i;
	unsigned int *queue, *results, index;
	struct io_uring_sqe *entries;
	char buffer[100];
	long sum = 0;

	must(ring >= 0 && file >= 0);
	queue = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	results =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_CQ_RING);
	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	must(queue != MAP_FAILED && results != MAP_FAILED && entries != (void *)MAP_FAILED);
	for (i = 0; i < 100; i++) {
		unsigned int tail = *at(queue, params.sq_off.tail), head;

		memset(buffer, 1, sizeof(buffer));
		index = tail & *at(queue, params.sq_off.ring_mask);
		entries[index] = (struct io_uring_sqe){
			.opcode = IORING_OP_READ, .fd = file, .addr = (size_t)buffer, .len = 100};
		at(queue, params.sq_off.array)[index] = index;
		__atomic_store_n(at(queue, params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
		must(syscall(SYS_io_uring_enter, ring, 1, 1,
			     IORING_ENTER_GETEVENTS |
				     (flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0),
			     NULL, 0) >= 0);
		head = *at(results, params.cq_off.head);
		must(__atomic_load_n(at(results, params.cq_off.tail), __ATOMIC_ACQUIRE) != head);
		sum += ((struct io_uring_cqe *)at(
			results, params.cq_off.cqes))[head & *at(results, params.cq_off.ring_mask)]
			       .res;
		__atomic_store_n(at(results, params.cq_off.head), head + 1, __ATOMIC_RELEASE);
		must(buffer[99] == 0);
	}
	printf("%ld bytes\n", sum);
	return 0;
}

static int plainly(int none)
{
	return transfer(none);
}

static int polled(int none)
{
	return transfer(none | IORING_SETUP_SQPOLL);
}

static const struct mode modes[] = {
	{"plain", plainly},
	{"polled", polled},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
