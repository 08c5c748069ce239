// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sampling within one process: truthful samples, an accounting that balances and equals the machine's own
 * count, filters, regions, wake-ups, and a kernel that does not trust the tail. usage: sampling
 */
#define _GNU_SOURCE
#include "session.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BYTES (16u << 20)
#define LOADS 250000u

/* CPUs 0 and 1 belong to node 0, CPUs 2 and 3 to node 1. */
static uint64_t *near, *far; /* as seen from CPU 0 */

struct run {
	struct memphis_accounting accounting;
	uint64_t delivered;  /* during the run */
	uint64_t unattached; /* of these, outside attached threads */
};

/* Counts matter here and not shares, so the period is short, which saves time. */
static struct memphis_config dense_config(void)
{
	struct memphis_config config = some_config();

	config.period = hardware()->kind == MEMPHIS_HARDWARE_PEBS ? 2039 : config.period / 4;
	return config;
}

static void load_both(void)
{
	walk(near, BYTES, LOADS);
	walk(far, BYTES, LOADS);
}

__attribute__((noinline)) static void scatter(uint64_t *buffer)
{
	uint64_t state = 1;

	for (size_t i = 0; i < LOADS; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		buffer[(state >> 33) % (BYTES / sizeof(*buffer))] = state;
	}
}

static void store_both(void)
{
	scatter(near);
	scatter(far);
}

/* Runs `work` on CPU 0 with sampling on. */
static struct run run_work(int fd, const struct thread_map *map, void (*work)(void))
{
	struct run run;
	uint64_t delivered_before, unattached_before;

	run_on(0);
	unattached_before = unattached(fd);
	delivered_before = delivered();
	need(!request(fd, MEMPHIS_IOC_START, NULL), "start");
	work();
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	run.delivered = delivered() - delivered_before;
	run.unattached = unattached(fd) - unattached_before;
	run.accounting = read_books(map);
	return run;
}

static struct run run_once(int fd, const struct thread_map *map)
{
	return run_work(fd, map, load_both);
}

static void consume(const struct thread_map *map)
{
	__atomic_store_n(&map->control->tail, map->status->head, __ATOMIC_RELEASE);
}

static bool in_buffer(uint64_t address, const uint64_t *buffer)
{
	return address >= (uintptr_t)buffer && address < (uintptr_t)buffer + BYTES;
}

static void check_truth(void)
{
	struct memphis_config config = dense_config();
	unsigned int walked = 0, right_home = 0, right_source = 0, right_place = 0, in_order = 1, user = 0;
	struct thread_map map;
	struct timespec now;
	struct run run;
	uint64_t i, last = 0, start_ns;
	int fd = open_device();

	clock_gettime(CLOCK_MONOTONIC, &now);
	start_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	run = run_once(fd, &map);
	clock_gettime(CLOCK_MONOTONIC, &now);

	/*
	 * 2 LOADS / period = 122 samples (PEBS: 244) are expected; fewer than 60 (binomial) come in one of
	 * 10^10 runs.
	 */
	check("some samples are kept", run.accounting.kept >= 60);
	check_equal("the head equals the number of kept samples", map.status->head, run.accounting.kept);
	check_equal("the accounting balances", books_sum(&run.accounting), run.accounting.interrupts);
	check_equal("the accounting equals the machine's count", run.accounting.interrupts + run.unattached,
		    run.delivered);
	check_equal("nothing is lost", run.accounting.lost, 0);
	check_equal("nothing is throttled", run.accounting.throttled, 0);
	check("the sequence is even and advanced twice per interrupt",
	      map.status->sequence == 2 * run.accounting.interrupts);

	for (i = 0; i < map.status->head; i++) {
		const struct memphis_sample *sample = &map.records[i];
		bool is_far = in_buffer(sample->address, far);

		user += sample->pc < 0x800000000000 && sample->address < 0x800000000000;
		in_order &= sample->time_ns >= last;
		last = sample->time_ns;
		right_place += sample->cpu == 0 && sample->node == 0;
		if (!in_walk(sample->pc) || !(in_buffer(sample->address, near) || is_far))
			continue;
		walked++;
		right_home += sample->home_node == is_far;
		right_source += sample->source != MEMPHIS_SOURCE_DRAM ||
				!!(sample->flags & MEMPHIS_FLAG_REMOTE) == is_far;
	}
	check("every address is a user address", user == map.status->head);
	check("the times increase and lie within the run",
	      in_order && map.records[0].time_ns > start_ns &&
		      last < (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	check("every sample has CPU 0 and node 0", right_place == map.status->head);
	check("most samples are of the walk", walked > map.status->head / 2);
	check_equal("each page's home node is right", right_home, walked);
	check_equal("each DRAM load is marked remote exactly if it was", right_source, walked);
	unmap(&map);
	close_device(fd);
}

static void check_rest(void)
{
	struct memphis_config config = dense_config();
	struct thread_map map;
	struct run run;
	uint64_t before;
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	before = delivered();
	walk(near, BYTES, LOADS);
	check_equal("attached and not started: no interrupts", delivered() - before, 0);
	run = run_once(fd, &map);
	before = delivered();
	walk(near, BYTES, LOADS);
	check_equal("stopped: no interrupts", delivered() - before, 0);
	check_equal("stopped: the accounting does not change", read_books(&map).interrupts,
		    run.accounting.interrupts);
	run = run_once(fd, &map);
	check_equal("started again: the accounting continues and balances", books_sum(&run.accounting),
		    run.accounting.interrupts);
	close_device(fd);
	before = delivered();
	walk(near, BYTES, LOADS);
	check_equal("closed, with maps left: no interrupts", delivered() - before, 0);
	unmap(&map);
}

/* Checks which samples each filter keeps; the two buffers differ only in their node. */
static void check_filters(void)
{
	static const struct {
		const char *name;
		uint32_t drop, latency;
		unsigned int reason;
	} filters[] = {
		{"filter: loads", MEMPHIS_DROP_LOADS, 0, MEMPHIS_REASON_LOADS},
		{"filter: stores", MEMPHIS_DROP_STORES, 0, MEMPHIS_REASON_STORES},
		{"filter: not DRAM", MEMPHIS_DROP_NOT_DRAM, 0, MEMPHIS_REASON_NOT_DRAM},
		{"filter: local", MEMPHIS_DROP_LOCAL, 0, MEMPHIS_REASON_LOCAL},
		{"filter: latency", 0, 200, MEMPHIS_REASON_LATENCY},
	};
	const bool by_source = !(emulated()->events & 1);
	char name[64];

	for (size_t f = 0; f < sizeof(filters) / sizeof(filters[0]); f++) {
		struct memphis_config config = dense_config();
		unsigned int wrong = 0;
		struct thread_map map;
		struct run run;
		bool none;
		int fd;

		/* Only load latency has a latency (requests.c checks the refusal). */
		if (by_source && filters[f].latency)
			continue;
		fd = open_device();
		config.drop = filters[f].drop;
		config.min_latency_cycles = filters[f].latency;
		need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
		map = attach_mapped(fd, 0, &config);
		run = run_work(fd, &map, config.drop == MEMPHIS_DROP_STORES ? store_both : load_both);
		for (uint64_t i = 0; i < map.status->head; i++) {
			const struct memphis_sample *sample = &map.records[i];
			uint32_t access = sample->flags & (MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_STORE);

			wrong += (config.drop & MEMPHIS_DROP_LOADS && access == MEMPHIS_FLAG_LOAD) ||
				 (config.drop & MEMPHIS_DROP_STORES && access == MEMPHIS_FLAG_STORE) ||
				 (config.drop & MEMPHIS_DROP_NOT_DRAM &&
				  sample->source != MEMPHIS_SOURCE_DRAM) ||
				 (config.drop & MEMPHIS_DROP_LOCAL && access & MEMPHIS_FLAG_LOAD &&
				  !(sample->flags & MEMPHIS_FLAG_REMOTE)) ||
				 (config.drop & MEMPHIS_DROP_LOCAL && access == MEMPHIS_FLAG_STORE &&
				  sample->home_node == sample->node) ||
				 sample->latency_cycles < config.min_latency_cycles;
		}
		/* PEBS samples no stores, does not count loads below the latency, and by source these are all from DRAM. */
		none = hardware()->kind == MEMPHIS_HARDWARE_PEBS &&
		       (filters[f].reason == MEMPHIS_REASON_STORES ||
			filters[f].reason == MEMPHIS_REASON_LATENCY ||
			(by_source && filters[f].reason == MEMPHIS_REASON_NOT_DRAM));
		snprintf(name, sizeof(name), "%s: counted under its reason", filters[f].name);
		check(name, none == !run.accounting.filtered[filters[f].reason]);
		snprintf(name, sizeof(name), "%s: nothing of the kind is kept", filters[f].name);
		check_equal(name, wrong, 0);
		snprintf(name, sizeof(name), "%s: the accounting balances and equals the machine's",
			 filters[f].name);
		check(name, books_sum(&run.accounting) == run.accounting.interrupts &&
				    run.accounting.interrupts + run.unattached == run.delivered);
		unmap(&map);
		close_device(fd);
	}
}

/* Each load of the walk waits for DRAM, so that it takes many more cycles than ops. */
static void check_counts(void)
{
	struct memphis_config config = some_config();
	uint64_t interrupts[2];
	struct thread_map map;
	int fd = open_device();

	if (hardware()->kind == MEMPHIS_HARDWARE_PEBS) {
		check("more interrupts come when cycles are counted than when ops are", true);
		return;
	}
	for (unsigned int i = 0; i < 2; i++) {
		config.count = i ? MEMPHIS_COUNT_CYCLES : MEMPHIS_COUNT_OPS;
		need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
		map = attach_mapped(fd, 0, &config);
		interrupts[i] = run_once(fd, &map).accounting.interrupts;
		need(!request(fd, MEMPHIS_IOC_DETACH, &(int32_t){0}), "detach");
		unmap(&map);
	}
	check("more interrupts come when cycles are counted than when ops are",
	      interrupts[0] >= 60 && interrupts[1] > 2 * interrupts[0]);
	close_device(fd);
}

static void check_regions(void)
{
	struct memphis_config config = dense_config();
	struct memphis_control *session;
	unsigned int nines = 0, sevens = 0;
	struct thread_map map;
	uint64_t i, first;
	int fd = open_device();

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	session = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(session != MAP_FAILED, "map of the session's page");
	map = attach_mapped(fd, 0, &config);
	session->region = 7;
	run_once(fd, &map);
	first = map.status->head;
	map.control->region = 9;
	run_once(fd, &map);
	for (i = 0; i < map.status->head; i++) {
		sevens += i < first && map.records[i].region == 7;
		nines += i >= first && map.records[i].region == 9;
	}
	check("a thread without a region of its own has the session's", first > 0 && sevens == first);
	check("a thread's own region takes precedence over the session's",
	      nines > 0 && nines == map.status->head - first);
	munmap(session, 4096);
	unmap(&map);
	close_device(fd);
}

static int poll_now(int fd)
{
	struct pollfd file = {.fd = fd, .events = POLLIN};

	need(poll(&file, 1, 0) >= 0, "poll");
	return file.revents;
}

static struct thread_map ended_map;

struct waiter {
	int fd;
	pid_t tid;
	int revents;
};

static void *wait_for_ring(void *argument)
{
	struct waiter *waiter = argument;
	struct epoll_event event = {.events = EPOLLIN};
	int wait = epoll_create1(EPOLL_CLOEXEC);

	run_on(3);
	need(wait >= 0 && !epoll_ctl(wait, EPOLL_CTL_ADD, waiter->fd, &event), "epoll_ctl");
	event.events = 0;
	__atomic_store_n(&waiter->tid, gettid(), __ATOMIC_RELEASE);
	/*
	 * The limit only ends the program if the thread is not woken. poll() would ask the device once more at the limit,
	 * and then report a ring that is due without a wake-up.
	 */
	need(epoll_wait(wait, &event, 1, 300000) >= 0, "epoll_wait");
	waiter->revents = (int)event.events;
	close(wait);
	return NULL;
}

/* Returns when the thread sleeps in epoll_wait(), so that only a wake-up can end its wait. */
static pthread_t start_waiter(struct waiter *waiter)
{
	char path[64], state = 0;
	pthread_t thread;
	FILE *file;

	waiter->tid = 0;
	waiter->revents = 0;
	need(!pthread_create(&thread, NULL, wait_for_ring, waiter), "thread");
	while (!__atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE))
		usleep(1000);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter->tid);
	while (state != 'S') {
		usleep(1000);
		file = fopen(path, "r");
		need(file && fscanf(file, "%*d %*s %c", &state) == 1, path);
		fclose(file);
	}
	return thread;
}

static void check_wakeup(void)
{
	struct memphis_config config = dense_config();
	struct waiter waiter = {.fd = open_device()};
	struct thread_map map;
	pthread_t thread;
	int fd = waiter.fd;

	config.wakeup_records = 64;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	check_equal("poll: an empty ring is not due", poll_now(fd), 0);
	thread = start_waiter(&waiter);
	run_once(fd, &map);
	pthread_join(thread, NULL);
	check_equal("poll: a sleeping reader is woken", waiter.revents, POLLIN);
	check_equal("poll: a full ring is due", poll_now(fd), POLLIN);
	consume(&map);
	check_equal("poll: a drained ring is not due", poll_now(fd), 0);
	thread = start_waiter(&waiter);
	run_once(fd, &map);
	pthread_join(thread, NULL);
	check_equal("poll: a sleeping reader is woken after a drain as well", waiter.revents, POLLIN);
	unmap(&map);
	close_device(fd);
}

/* The second time, the ring is due only when it is nearly full: a wake-up any later would never come. */
static void check_wakeup_of_a_small_ring(void)
{
	struct memphis_config config = dense_config();
	struct waiter waiter = {.fd = open_device()};
	struct thread_map map;
	pthread_t thread;
	int fd = waiter.fd;

	config.ring_records = 64;
	config.wakeup_records = 48;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	for (int i = 0; i < 2; i++) {
		thread = start_waiter(&waiter);
		run_once(fd, &map);
		pthread_join(thread, NULL);
		if (waiter.revents != POLLIN)
			break;
		consume(&map);
	}
	check_equal("the reader of a small ring is woken after a drain", waiter.revents, POLLIN);
	unmap(&map);
	close_device(fd);
}

static void *attach_and_end(void *fd)
{
	struct memphis_config config = some_config();

	config.ring_records = config.wakeup_records = 16;
	ended_map = attach_mapped(*(int *)fd, 0, &config);
	return NULL;
}

static void check_end_behind_a_due_ring(void)
{
	struct memphis_config config = dense_config();
	struct thread_map map;
	pthread_t thread;
	int fd = open_device();

	config.ring_records = config.wakeup_records = 16;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	run_once(fd, &map);
	need(poll_now(fd) == POLLIN, "a ring that is due");
	need(!pthread_create(&thread, NULL, attach_and_end, &fd), "thread");
	pthread_join(thread, NULL);
	for (int i = 0; i < 100000 && !ended_map.status->exited; i++) {
		poll_now(fd);
		usleep(1000);
	}
	check_equal("poll reports the end of a thread that was attached after one whose ring is due",
		    ended_map.status->exited, 1);
	unmap(&ended_map);
	unmap(&map);
	close_device(fd);
}

static void check_full(void)
{
	struct memphis_config config = dense_config();
	struct thread_map map;
	struct run run;
	int fd = open_device();

	config.ring_records = 16;
	config.wakeup_records = 16;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	run = run_once(fd, &map);
	check_equal("a full ring keeps its samples", run.accounting.kept, 16);
	check("samples that find no room are counted as lost", run.accounting.lost > 0);
	check_equal("full: the accounting balances", books_sum(&run.accounting), run.accounting.interrupts);
	check_equal("full: the accounting equals the machine's count",
		    run.accounting.interrupts + run.unattached, run.delivered);
	consume(&map);
	run = run_once(fd, &map);
	check_equal("a drained ring takes as many samples again", run.accounting.kept, 32);
	check_equal("drained: the head equals the number of kept samples", map.status->head, 32);
	unmap(&map);
	close_device(fd);
}

/* For any value of the tail, only the thread's own samples may suffer. */
static void check_tampering(void)
{
	static const uint64_t tails[] = {~0ULL, 1, 17, 1ULL << 63, 0xdeadbeefdeadbeef, 1ULL << 32};
	struct memphis_config config = dense_config();
	unsigned int balanced = 0, in_bounds = 0;
	struct thread_map map;
	struct run run;
	size_t i;
	int fd = open_device();

	config.ring_records = 16;
	config.wakeup_records = 16;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	for (i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		uint64_t head = map.status->head;

		map.control->tail = tails[i];
		run = run_once(fd, &map);
		balanced += books_sum(&run.accounting) == run.accounting.interrupts &&
			    run.accounting.interrupts == map.status->sequence / 2;
		in_bounds += map.status->head - head <= 16 && map.status->head == run.accounting.kept;
		poll_now(fd);
	}
	check_equal("garbage in the tail: the accounting balances", balanced, i);
	check_equal("garbage in the tail: the ring takes no more samples than it holds", in_bounds, i);
	memset(map.control, 0xff, 4096);
	run = run_once(fd, &map);
	check_equal("garbage in all of the control page: the accounting balances", books_sum(&run.accounting),
		    run.accounting.interrupts);
	consume(&map);
	map.control->region = 0;
	i = map.status->head;
	run_once(fd, &map);
	check_equal("the ring works again with a valid tail", map.status->head, i + 16);
	unmap(&map);
	close_device(fd);
}

static int attached, looked_at;
static int ended_fd;
static pid_t ended_tid;

static void *walk_and_end(void *argument)
{
	struct memphis_config config = dense_config();

	run_on(2);
	ended_tid = gettid();
	ended_map = attach_mapped(ended_fd, 0, &config);
	__atomic_store_n(&attached, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&looked_at, __ATOMIC_ACQUIRE))
		usleep(1000);
	walk(argument, BYTES, LOADS);
	return NULL;
}

static void check_ends(void)
{
	struct memphis_config config = dense_config();
	struct memphis_stats stats;
	struct memphis_accounting accounting;
	uint64_t before_delivered, before_unattached;
	pthread_t thread;
	int32_t tid;
	int fd = open_device();

	ended_fd = fd;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	before_unattached = unattached(fd);
	before_delivered = delivered();
	check_equal("start without a thread", request(fd, MEMPHIS_IOC_START, NULL), 0);
	need(!pthread_create(&thread, NULL, walk_and_end, far), "thread");
	while (!__atomic_load_n(&attached, __ATOMIC_ACQUIRE))
		usleep(1000);
	/* The kernel looks for ended threads when it computes the accounting. */
	need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
	check_equal("a running thread is not reported as ended", ended_map.status->exited, 0);
	__atomic_store_n(&looked_at, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	/* pthread_join returns while the task is still executing its last steps in the kernel. */
	for (int i = 0; i < 100000 && !ended_map.status->exited; i++) {
		need(!request(fd, MEMPHIS_IOC_STATS, &stats), "stats");
		usleep(1000);
	}
	check_equal("an ended thread is reported as ended", ended_map.status->exited, 1);
	accounting = read_books(&ended_map);
	need(!request(fd, MEMPHIS_IOC_STOP, NULL), "stop");
	check("a thread attached to a running session is sampled at once", accounting.kept > 0);
	check_equal("an ended thread's accounting balances", books_sum(&accounting), accounting.interrupts);
	check_equal("an ended thread's accounting does not change", read_books(&ended_map).interrupts,
		    accounting.interrupts);
	check_equal("an ended thread's accounting equals the machine's count",
		    accounting.interrupts + unattached(fd) - before_unattached,
		    delivered() - before_delivered);
	tid = ended_tid;
	check_equal("an ended thread can be detached", request(fd, MEMPHIS_IOC_DETACH, &tid), 0);
	check_equal("ESRCH: detach of an ended thread, twice", request(fd, MEMPHIS_IOC_DETACH, &tid), ESRCH);
	check("a detached ring is still readable", ended_map.records[0].time_ns != 0);
	unmap(&ended_map);
	close_device(fd);
}

int main(void)
{
	near = buffer_on(0, BYTES);
	far = buffer_on(2, BYTES);
	check_truth();
	check_rest();
	check_filters();
	check_counts();
	check_regions();
	check_wakeup();
	check_wakeup_of_a_small_ring();
	check_end_behind_a_due_ring();
	check_full();
	check_tampering();
	check_ends();
	return 0;
}
