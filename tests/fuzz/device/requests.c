// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps that make requests to the device: every request, with valid, almost valid and invalid arguments.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const unsigned long requests[] = {
	MEMPHIS_IOC_QUERY,       MEMPHIS_IOC_CONFIGURE, MEMPHIS_IOC_ATTACH, MEMPHIS_IOC_DETACH,
	MEMPHIS_IOC_START,       MEMPHIS_IOC_STOP,      MEMPHIS_IOC_STATS,  MEMPHIS_IOC_READ,
	MEMPHIS_IOC_CONTROLLERS, MEMPHIS_IOC_AGREE,
};

static void count(unsigned long request, int error)
{
	unsigned int kind;

	for (kind = 0; kind < KINDS - 1; kind++)
		if (requests[kind] == (unsigned int)request)
			break;
	if (error >= ERRNOS)
		error = ERRNOS - 1;
	__atomic_add_fetch(&shared->outcomes[kind][error], 1, __ATOMIC_RELAXED);
}

int ask(int fd, unsigned long request, void *argument)
{
	int error = ioctl(fd, request, argument) ? errno : 0;

	count(request, error);
	return error;
}

/* Makes an ioctl as a 32-bit program does, through the kernel's compatibility layer. */
static int ask_old(int fd, unsigned long request, void *argument)
{
	long result;

	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(54L), "b"((long)fd), "c"(request), "d"((long)(uint32_t)(uintptr_t)argument)
		     : "memory");
	count(request, result < 0 ? (int)-result : 0);
	return (int)-result;
}

/* Returns an address for an argument of `bytes` bytes: mostly a valid one with the value, sometimes an invalid one. */
static void *place(struct worker *worker, const void *value, size_t bytes)
{
	uint8_t *edge = worker->page + 4096;

	switch (roll(&worker->dice, 24)) {
	case 0:
		return NULL;
	case 1:
		return (void *)0xffff888000000000ULL;
	case 2:
		return (void *)(uintptr_t)roll_odd(&worker->dice);
	case 3: /* only the first half is accessible */
		memcpy(edge - bytes / 2, value, bytes / 2);
		return edge - bytes / 2;
	case 4: /* all but the last byte is accessible */
		memcpy(edge - bytes + 1, value, bytes - 1);
		return edge - bytes + 1;
	case 5:
		return worker->sealed;
	case 6: /* in a map, perhaps the device's own */
		return (void *)(ARENA + 4096UL * roll(&worker->dice, ARENA_PAGES) +
				roll(&worker->dice, 4096));
	case 7:
		return (void *)(0x7ffffffff000UL - bytes);
	case 8: /* ends at the end of the page */
		memcpy(edge - bytes, value, bytes);
		return edge - bytes;
	case 9:
		memcpy(worker->page + 1, value, bytes);
		return worker->page + 1;
	default:
		memcpy(worker->page, value, bytes);
		return worker->page;
	}
}

static int hand_over(struct worker *worker, unsigned long request, const void *value, size_t bytes)
{
	void *argument = place(worker, value, bytes);
	int fd = some_file(worker);

	return roll(&worker->dice, 8) ? ask(fd, request, argument) : ask_old(fd, request, argument);
}

uint32_t usable_count(void)
{
	static uint32_t counts;
	struct memphis_query query = {0};
	int fd;

	if (!counts) {
		fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !ioctl(fd, MEMPHIS_IOC_QUERY, &query))
			counts = query.counts;
		close(fd);
	}
	return counts ? (uint32_t)__builtin_ctz(counts) : 0;
}

static void configure(struct worker *worker)
{
	/* Short periods stress the handler most, but leave hardly any time for other code, so they are rare. */
	static const uint64_t periods[] = {1024,    4096,    16384,   16384,   65536,
					   65536,   65536,   65536,   1 << 18, 1 << 18,
					   1 << 18, 1 << 20, 1 << 20, 1 << 20, 1 << 26};
	struct dice *dice = &worker->dice;
	struct memphis_config config = {
		.period = PICK(dice, periods),
		.count = roll(dice, 4) ? usable_count() : roll(dice, 3),
		.drop = roll(dice, 2) ? 0 : roll(dice, MEMPHIS_DROPS + 1),
		.min_latency_cycles = roll(dice, 2) ? 0 : roll(dice, 300),
		.ring_records = 1u << roll(dice, 13),
	};

	config.wakeup_records = 1 + roll(dice, config.ring_records);
	switch (roll(dice, 12)) {
	case 0:
		config.period = roll_odd(dice);
		break;
	case 1:
		config.count = (uint32_t)roll_odd(dice);
		break;
	case 2:
		config.drop = (uint32_t)roll_odd(dice);
		break;
	case 3:
		config.min_latency_cycles = (uint32_t)roll_odd(dice);
		break;
	case 4:
		config.ring_records = (uint32_t)roll_odd(dice);
		break;
	case 5:
		config.wakeup_records = (uint32_t)roll_odd(dice);
		break;
	case 6:
		config.counters = (uint32_t)roll_odd(dice);
		break;
	case 7:
		config.events = roll(dice, 2) ? 1u << roll(dice, 32) : (uint32_t)roll_odd(dice);
		break;
	case 8:
		config.hardware_filter = roll(dice, 2) ? roll(dice, 4) : (uint32_t)roll_odd(dice);
		break;
	case 9:
		config.ring_records = config.wakeup_records = 1u << (13 + roll(dice, 8));
		break;
	case 10:
		config.stack_bytes = roll(dice, 2) ? 8 * roll(dice, 2048) : (uint32_t)roll_odd(dice);
		config.stack_records = roll(dice, 2) ? 1u << roll(dice, 14) : (uint32_t)roll_odd(dice);
		break;
	}
	hand_over(worker, MEMPHIS_IOC_CONFIGURE, &config, sizeof(config));
}

static void attach(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	struct memphis_attach request = {.tid = roll(dice, 3) ? some_tid(worker) : 0};

	switch (roll(dice, 16)) {
	case 0:
		request.tid = (int32_t)roll_odd(dice);
		break;
	case 1:
		request.memory = (int32_t)roll_odd(dice);
		break;
	case 2:
		request.tid = some_worker(worker);
		break;
	}
	hand_over(worker, MEMPHIS_IOC_ATTACH, &request, sizeof(request));
}

static void detach(struct worker *worker)
{
	int32_t tid = roll(&worker->dice, 4) ? some_tid(worker) : 0;

	if (!roll(&worker->dice, 16))
		tid = (int32_t)roll_odd(&worker->dice);
	hand_over(worker, MEMPHIS_IOC_DETACH, &tid, sizeof(tid));
}

static void start(struct worker *worker)
{
	hand_over(worker, MEMPHIS_IOC_START, "", 1);
}

static void stop(struct worker *worker)
{
	hand_over(worker, MEMPHIS_IOC_STOP, "", 1);
}

/* Makes a request that changes nothing. */
static void look(struct worker *worker)
{
	static const uint8_t zeros[sizeof(struct memphis_controllers)];

	static const struct {
		unsigned long request;
		size_t bytes;
	} looks[] = {{MEMPHIS_IOC_STATS, sizeof(struct memphis_stats)},
		     {MEMPHIS_IOC_QUERY, sizeof(struct memphis_query)},
		     {MEMPHIS_IOC_READ, sizeof(struct memphis_reading)},
		     {MEMPHIS_IOC_AGREE, sizeof(struct memphis_agreement)},
		     {MEMPHIS_IOC_CONTROLLERS, sizeof(struct memphis_controllers)}};
	const size_t one = roll(&worker->dice, sizeof(looks) / sizeof(looks[0]));

	hand_over(worker, looks[one].request, zeros, looks[one].bytes);
}

/* Makes an unknown request: with another direction, size, number or letter. */
static void unknown(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	unsigned long request = PICK(dice, requests) ^ (1UL << roll(dice, 32));
	uint8_t noise[256];

	if (!roll(dice, 4))
		request = roll_odd(dice);
	memset(noise, (int)roll(dice, 256), sizeof(noise));
	hand_over(worker, request, noise, sizeof(noise));
}

/* Makes a known request with random bytes. */
static void garbage(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	unsigned long request = PICK(dice, requests);
	uint8_t noise[128];
	unsigned int i;

	for (i = 0; i < sizeof(noise); i += 8)
		memcpy(noise + i, &(uint64_t){roll(dice, 2) ? roll_odd(dice) : 0}, 8);
	hand_over(worker, request, noise, sizeof(noise));
}

/* Configures, attaches and starts in a row, as the library does; random steps seldom get that far. */
static void session(struct worker *worker)
{
	struct memphis_config config = {.period = 32768u << roll(&worker->dice, 4),
					.count = usable_count(),
					.ring_records = 256,
					.wakeup_records = 1 + roll(&worker->dice, 64)};
	struct memphis_attach request = {0};
	int fd = open("/dev/memphis", O_RDWR | (roll(&worker->dice, 2) ? O_CLOEXEC : 0));

	if (fd < 0)
		return;
	ask(fd, MEMPHIS_IOC_CONFIGURE, &config);
	mmap(some_place(worker), 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	ask(fd, MEMPHIS_IOC_ATTACH, &request);
	ask(fd, MEMPHIS_IOC_START, NULL);
	put_file(roll(&worker->dice, FILES), fd);
}

/* Makes memory accesses to be sampled. */
static void load(struct worker *worker)
{
	static uint64_t words[1 << 17];
	uint64_t state = roll(&worker->dice, 1000);
	unsigned int i, loads = 1000u << roll(&worker->dice, 5);

	for (i = 0; i < loads; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		words[(state >> 33) % (1 << 17)] += state;
	}
}

static void wait_poll(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	struct pollfd both[2] = {{.fd = some_file(worker), .events = (short)roll(dice, 0x10000)},
				 {.fd = some_file(worker), .events = POLLIN}};

	poll(both, 1 + roll(dice, 2), (int)roll(dice, 4));
}

static void wait_epoll(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	struct epoll_event event = {.events = EPOLLIN | (roll(dice, 2) ? EPOLLET : 0) |
					      (roll(dice, 2) ? EPOLLONESHOT : 0)};
	int fd = epoll_create1(EPOLL_CLOEXEC);
	unsigned int i, added = 1 + roll(dice, 4);

	for (i = 0; i < added; i++)
		epoll_ctl(fd, EPOLL_CTL_ADD, some_file(worker), &event);
	epoll_wait(fd, &event, 1, (int)roll(dice, 4));
	epoll_ctl(fd, EPOLL_CTL_DEL, some_file(worker), &event);
	close(fd);
}

/* Makes file operations that the device does not support. */
static void not_a_file(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	int fd = some_file(worker), other = some_file(worker);
	struct iovec part = {worker->page, 64};
	off_t offset = (off_t)roll_odd(dice);

	switch (roll(dice, 10)) {
	case 0:
		(void)!read(fd, worker->page, 64);
		break;
	case 1:
		(void)!write(fd, worker->page, 64);
		break;
	case 2:
		lseek(fd, offset, (int)roll(dice, 5));
		break;
	case 3:
		(void)!pread(fd, worker->page, 64, offset);
		break;
	case 4:
		sendfile(fd, other, NULL, 4096);
		break;
	case 5:
		(void)!ftruncate(fd, offset);
		break;
	case 6:
		fallocate(fd, (int)roll(dice, 64), 0, 4096);
		break;
	case 7:
		fsync(fd);
		break;
	case 8:
		(void)!readv(fd, &part, 1);
		break;
	default:
		syscall(SYS_fadvise64, fd, 0, 0, roll(dice, 8));
	}
}

static void file_flags(struct worker *worker)
{
	struct dice *dice = &worker->dice;
	int fd = some_file(worker);

	switch (roll(dice, 4)) {
	case 0:
		fcntl(fd, F_SETFL, (int)roll(dice, 2) ? O_NONBLOCK : O_ASYNC);
		break;
	case 1:
		fcntl(fd, F_SETOWN, some_worker(worker));
		break;
	case 2:
		fcntl(fd, F_SETFD, (int)roll(dice, 2));
		break;
	default:
		ioctl(fd, FIONBIO, &(int){(int)roll(dice, 2)});
	}
}

const struct action request_actions[] = {
	{"configure", 60, configure},
	{"attach", 120, attach},
	{"detach", 70, detach},
	{"start", 80, start},
	{"stop", 60, stop},
	{"look", 40, look},
	{"unknown", 15, unknown},
	{"garbage", 25, garbage},
	{"session", 40, session},
	{"load", 120, load},
	{"poll", 30, wait_poll},
	{"epoll", 12, wait_epoll},
	{"file", 12, not_a_file},
	{"file flags", 8, file_flags},
	{0},
};
