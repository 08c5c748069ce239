// SPDX-License-Identifier: BSD-3-Clause
/*
 * A worker: a process whose threads perform steps until the round ends. The worker replaces threads that have ended; fuzz.c
 * replaces workers that have ended.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

const struct action *const action_tables[TABLES] = {request_actions, memory_actions, process_actions,
						    share_actions};

int files[FILES];
pid_t tids[THREADS_MAX];
__thread sigjmp_buf touch_return;
__thread volatile sig_atomic_t touching;

static uint64_t generation;
static uint32_t index_of_process;
static uint32_t lives[THREADS_MAX]; /* number of threads that each place has had */
static int alive[THREADS_MAX];

int some_file(struct worker *worker)
{
	return __atomic_load_n(&files[roll(&worker->dice, FILES)], __ATOMIC_RELAXED);
}

void put_file(uint32_t place, int fd)
{
	int before;

	if (fd < 0)
		return;
	before = __atomic_exchange_n(&files[place], fd, __ATOMIC_RELAXED);
	if (before > 2 && before != fd)
		close(before);
}

pid_t some_tid(struct worker *worker)
{
	return __atomic_load_n(&tids[roll(&worker->dice, THREADS_MAX)], __ATOMIC_RELAXED);
}

pid_t some_worker(struct worker *worker)
{
	pid_t pid = shared->workers[roll(&worker->dice, PROCESSES)];

	/* In some calls, 0 and -1 stand for several processes; and process 1 must not be affected. */
	return pid > 1 ? pid : getpid();
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	if (touching)
		siglongjmp(touch_return, 1);
	__atomic_add_fetch(&shared->crashes, 1, __ATOMIC_RELAXED);
	_exit(128 + number);
}

static void on_signal(int number)
{
	(void)number;
}

static const struct action *choose(struct dice *dice, unsigned int *number)
{
	const struct action *action;
	uint32_t sum = 0, left;
	unsigned int i;

	for (i = 0; i < TABLES; i++)
		for (action = action_tables[i]; action->run; action++)
			sum += action->weight;
	left = roll(dice, sum);
	*number = 0;
	for (i = 0; i < TABLES; i++)
		for (action = action_tables[i]; action->run; action++, (*number)++) {
			if (left < action->weight)
				return action;
			left -= action->weight;
		}
	abort();
}

static void *work(void *argument)
{
	uint32_t place = (uint32_t)(uintptr_t)argument, life = lives[place];
	struct worker worker = {.process = index_of_process, .thread = place};
	uint32_t burst = __atomic_load_n(&shared->bursts, __ATOMIC_RELAXED), latest;
	const struct action *action;
	unsigned int number;
	uint64_t step;
	uint8_t *pages;

	tids[place] = gettid();
	pages = mmap(NULL, 4096 * 3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (pages == MAP_FAILED)
		_exit(1);
	worker.page = pages;
	worker.sealed = pages + 8192;
	mprotect(pages + 4096, 4096, PROT_NONE);
	mprotect(pages + 8192, 4096, PROT_READ);
	for (step = 0; !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED); step++) {
		/* End before the process reaches the kernel's limit of maps; the new thread starts with new pages. */
		if (step > 3000 && place)
			break;
		worker.dice = dice_of(shared->round.seed + shared->round.number * 1000003ULL,
				      (uint64_t)worker.process << 32 | generation,
				      (uint64_t)place << 32 | life, step);
		action = choose(&worker.dice, &number);
		__atomic_add_fetch(&shared->steps[number], 1, __ATOMIC_RELAXED);
		cover_begin();
		latest = __atomic_load_n(&shared->bursts, __ATOMIC_RELAXED);
		if (latest != burst)
			take_part(&worker, burst = latest);
		action->run(&worker);
		cover_end();
	}
	munmap(pages, 4096 * 3);
	alive[place] = 0;
	return NULL;
}

/* Finds the descriptors of the device that were inherited over an exec. */
static void adopt_files(void)
{
	struct stat wanted, found;
	unsigned int place = 0;
	int fd;

	for (fd = 0; fd < FILES; fd++)
		files[fd] = -1;
	if (stat("/dev/memphis", &wanted))
		return;
	for (fd = 3; fd < 64 && place < FILES; fd++)
		if (!fstat(fd, &found) && S_ISCHR(found.st_mode) && found.st_rdev == wanted.st_rdev)
			files[place++] = fd;
	while (place < FILES)
		files[place++] = open("/dev/memphis", O_RDWR | O_CLOEXEC);
}

void worker_exec(struct worker *worker)
{
	char process[16], next[24];

	snprintf(process, sizeof(process), "%u", worker->process);
	snprintf(next, sizeof(next), "%llu", (unsigned long long)(generation + 1) << 16);
	execl("/proc/self/exe", "fuzz", "worker", process, next, NULL);
}

static void handlers(void)
{
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct sigaction plain = {.sa_handler = on_signal};

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(SIGUSR1, &plain, NULL);
	plain.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &plain, NULL);
	sigaction(SIGIO, &plain, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int worker_main(uint32_t process, uint64_t which)
{
	pthread_attr_t attributes;
	pthread_t thread;
	uint32_t place;

	index_of_process = process;
	generation = which;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	handlers();
	if (shared->round.inject)
		write_file("/proc/self/make-it-fail", "1");
	/* One in three workers runs as an ordinary user, who may open the device. */
	if ((process + which) % 3 == 2 && !syscall(SYS_setgid, 1000) && !setuid(1000))
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	adopt_files();
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		for (place = 0; place < shared->round.threads; place++) {
			/* A thread that ended by the system call has not cleared alive[]. */
			if (alive[place] && !syscall(SYS_tgkill, getpid(), tids[place], 0))
				continue;
			alive[place] = 1;
			lives[place]++;
			tids[place] = getpid();
			if (pthread_create(&thread, &attributes, work, (void *)(uintptr_t)place))
				alive[place] = 0;
		}
		usleep(20000);
	}
	_exit(0);
}
