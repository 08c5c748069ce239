// SPDX-License-Identifier: BSD-3-Clause
/* Implementation of burst.h. */
#define _GNU_SOURCE
#include "burst.h"

#include "common.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANDS    4     /* threads that close and unmap */
#define CHILDREN 3     /* of a process that forks */
#define STACK    32768 /* of a thread */
#define COUNTERS 3     /* events of the core's PMU that a request creates */

const char *const way_names[WAYS] = {"close", "send", "fork", "unshare", "sibling", "exec", "exit", "killed"};

struct session {
	int fd;
	void *page;
	int entered; /* threads that have made a request */
	bool over;   /* given up */
};

static const struct burst *burst;
static struct front *front;
static struct session *sessions;
static struct memphis_config config;
static pthread_barrier_t gate; /* opens when the processes give up their sessions */

static pthread_t start_thread(void *(*body)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	errno = pthread_create(&thread, &attributes, body, argument);
	need(!errno, "thread");
	__atomic_add_fetch(&front->progress, 1, __ATOMIC_RELAXED);
	return thread;
}

void open_many(unsigned int descriptors)
{
	struct rlimit limit = {descriptors, descriptors};

	need(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
}

int open_plain(void)
{
	int fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);

	need(fd >= 0, "open /dev/memphis");
	return fd;
}

static void open_session(struct session *session)
{
	session->fd = open_plain();
	if (burst->attach || burst->start)
		need(!request(session->fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	session->page = mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, session->fd, 0);
	need(session->page != MAP_FAILED, "map of the session's page");
	if (burst->start)
		request(session->fd, MEMPHIS_IOC_START, NULL);
}

/* Makes the requests for which the module creates events: of the sampling unit and of counters. */
static int make_request(int fd)
{
	struct memphis_attach attach = {0};
	int32_t tid = 0;
	int error;

	if (!burst->attach)
		return request(fd, MEMPHIS_IOC_CONFIGURE, &config);
	error = request(fd, MEMPHIS_IOC_ATTACH, &attach);
	if (!error)
		request(fd, MEMPHIS_IOC_DETACH, &tid);
	return error;
}

/*
 * Requests without a pause, until the session is given up. With the lowest priority, a thread is often interrupted inside a request,
 * and those who give the session up find it locked.
 */
static void *insist(void *argument)
{
	struct session *session = argument;
	int error;

	if (burst->way == WAY_UNSHARE)
		need(!unshare(CLONE_FILES), "unshare");
	if (burst->narrow)
		need(!setpriority(PRIO_PROCESS, (id_t)gettid(), 19), "setpriority");
	pthread_barrier_wait(&gate);
	__atomic_add_fetch(&session->entered, 1, __ATOMIC_ACQ_REL);
	do {
		error = make_request(session->fd);
		if (burst->way != WAY_KILLED)
			__atomic_add_fetch(&front->progress, 1, __ATOMIC_RELAXED);
	} while (error != EBADF && !__atomic_load_n(&session->over, __ATOMIC_ACQUIRE));
	if (burst->way == WAY_UNSHARE)
		close(session->fd);
	return NULL;
}

static void give_up(struct session *session, bool map_first)
{
	if (map_first)
		munmap(session->page, MEMPHIS_PAGE_BYTES);
	close(session->fd);
	if (!map_first)
		munmap(session->page, MEMPHIS_PAGE_BYTES);
	__atomic_store_n(&session->over, true, __ATOMIC_RELEASE);
}

/*
 * One of several threads, or of several processes that share memory and descriptors. Only the first unmaps before it closes: the end
 * of a session at close() may wait for the requests, and would hold up those that come after it.
 */
static int give_up_share(void *argument)
{
	unsigned int hand = (unsigned int)(uintptr_t)argument;

	for (unsigned int i = hand; i < burst->sessions; i += HANDS)
		give_up(&sessions[i], !hand);
	return 0;
}

static void *hand_body(void *argument)
{
	give_up_share(argument);
	return NULL;
}

static int sibling_body(void *argument)
{
	give_up_share(argument);
	_exit(0);
}

static void give_up_all(void)
{
	pthread_t hands[HANDS];
	uintptr_t i;

	for (i = 0; i < HANDS; i++)
		hands[i] = start_thread(hand_body, (void *)i);
	for (i = 0; i < HANDS; i++)
		pthread_join(hands[i], NULL);
}

static void give_up_by_siblings(void)
{
	char *stacks =
		mmap(NULL, (size_t)HANDS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t siblings[HANDS];
	uintptr_t i;

	need(stacks != MAP_FAILED, "stacks");
	for (i = 0; i < HANDS; i++) {
		siblings[i] = clone(sibling_body, stacks + (i + 1) * STACK, CLONE_VM | CLONE_FILES | SIGCHLD,
				    (void *)i);
		need(siblings[i] > 0, "clone");
	}
	for (i = 0; i < HANDS; i++)
		waitpid(siblings[i], NULL, 0);
}

/* Children keep descriptors and maps of the sessions until they end, a little later than the owner gives them up. */
static void fork_holders(void)
{
	for (unsigned int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		need(child >= 0, "fork");
		if (child)
			continue;
		wait_for(&front->go, 1);
		usleep(20000 * i);
		_exit(0);
	}
}

static void wait_for_entries(void)
{
	for (unsigned int i = 0; i < burst->sessions; i++)
		wait_for(&sessions[i].entered, (int)burst->threads);
}

static void leave(void)
{
	char *const arguments[] = {"storm", "nothing", NULL};

	switch (burst->way) {
	case WAY_EXEC:
		execv("/proc/self/exe", arguments);
		_exit(1);
	case WAY_EXIT:
		_exit(0);
	default:
		for (;;)
			pause();
	}
}

static void prepare(void)
{
	struct memphis_query query;
	int fd = open_plain();

	config = shortest_config(fd);
	config.period = hardware()->period;
	config.ring_records = config.wakeup_records = 8;
	need(!request(fd, MEMPHIS_IOC_QUERY, &query), "query");
	close(fd);
	for (unsigned int i = 0; i < COUNTERS; i++) {
		if (!(query.counters >> (MEMPHIS_COUNTER_EVENT_FIRST + i) & 1))
			continue;
		config.counters |= 1u << (MEMPHIS_COUNTER_EVENT_FIRST + i);
		config.counter_events[i].type = PERF_TYPE_HARDWARE;
		config.counter_events[i].config = PERF_COUNT_HW_INSTRUCTIONS;
	}
	sessions = calloc(burst->sessions, sizeof(*sessions));
	need(sessions, "memory");
}

void run_burst(const struct burst *plan, struct front *shared)
{
	pthread_t *threads;
	unsigned int i, count = plan->sessions * plan->threads;

	burst = plan;
	front = shared;
	open_many(65536);
	become(ALICE);
	if (burst->narrow)
		run_on(0);
	prepare();
	threads = calloc(count, sizeof(*threads));
	need(threads && !pthread_barrier_init(&gate, NULL, count + 1), "memory");
	for (i = 0; i < burst->sessions; i++) {
		open_session(&sessions[i]);
		if (burst->way == WAY_SEND)
			send_descriptor(front->sockets[0], sessions[i].fd);
	}
	if (burst->way == WAY_FORK)
		fork_holders();
	for (i = 0; i < count; i++)
		threads[i] = start_thread(insist, &sessions[i / burst->threads]);
	reach(&front->ready);
	wait_for(&front->go, 1);
	pthread_barrier_wait(&gate);
	wait_for_entries();
	if (burst->way == WAY_SIBLING)
		give_up_by_siblings();
	else if (burst->way >= WAY_EXEC)
		leave();
	else
		give_up_all();
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* ---- two tables of descriptors ---- */

static pthread_barrier_t turns;

static void *idle(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

/* Makes every second thread; each has the table of the thread that made it. */
static void *make_others(void *argument)
{
	need(!unshare(CLONE_FILES), "unshare");
	for (unsigned int left = (unsigned int)(uintptr_t)argument / 2; left; left--) {
		pthread_barrier_wait(&turns);
		start_thread(idle, NULL);
		pthread_barrier_wait(&turns);
	}
	return idle(NULL);
}

void run_tables(unsigned int threads, unsigned int descriptors, struct front *shared)
{
	front = shared;
	open_many(descriptors);
	become(ALICE);
	/* The table is as large as its last descriptor requires. */
	need(dup2(0, (int)descriptors - 1) >= 0, "the last descriptor");
	pthread_barrier_init(&turns, NULL, 2);
	start_thread(make_others, (void *)(uintptr_t)threads);
	for (unsigned int left = threads / 2; left; left--) {
		pthread_barrier_wait(&turns);
		pthread_barrier_wait(&turns);
		start_thread(idle, NULL);
	}
	reach(&front->ready);
	wait_for(&front->go, 1);
	for (unsigned int i = 0; i < 3; i++) {
		int fd = open_plain();
		void *page = mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		need(page != MAP_FAILED, "map of the session's page");
		/* The daemon's descriptor keeps the session from ending with its owner's. */
		send_descriptor(front->sockets[0], fd);
		close(fd);
		munmap(page, MEMPHIS_PAGE_BYTES);
	}
	_exit(0);
}
