// SPDX-License-Identifier: BSD-3-Clause
/*
 * Memory runs out: the kernel kills the sampled process, or has no memory for its ring. Swap is off, and the
 * limit is that of a cgroup. usage: memory task|cpu
 */
#define _GNU_SOURCE
#include "node.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (1u << 20)
#define LOADS 100000u

#define CGROUP      "/cgroup/memory"
#define LIMIT       "33554432"
#define SMALL_RINGS 200

static int *ready;

static pid_t child_of(void (*body)(void))
{
	pid_t child = fork();

	need(child >= 0, "fork");
	if (!child) {
		set(CGROUP "/cgroup.procs", "0");
		body();
		exit(0);
	}
	return child;
}

static void be_sampled(void)
{
	struct memphis_config config = some_config();
	uint64_t *buffer = buffer_on(1, BYTES);
	int fd = open_session(&config);

	set("/proc/self/oom_score_adj", "1000");
	attach_mapped(fd, 0, &config);
	start(fd);
	__atomic_store_n(ready, 1, __ATOMIC_RELEASE);
	for (;;)
		walk(buffer, BYTES, LOADS);
}

static void be_hog(void)
{
	for (;;) {
		char *more = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		need(more != MAP_FAILED, "memory");
		memset(more, 1, BYTES);
	}
}

/* Requests a ring of 40 MiB. The request must fail with an error, and not get the process killed. */
static void ask_for_large_ring(void)
{
	struct memphis_config config = some_config();
	struct memphis_attach attach = {0};
	int fd;

	config.ring_records = 1 << 20;
	fd = open_session(&config);
	exit(request(fd, MEMPHIS_IOC_ATTACH, &attach));
}

static void *rest(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

/*
 * Requests small rings for many threads until none fits;
 * any part of a ring can be the first that does not fit.
 */
static void ask_for_small_rings(void)
{
	struct memphis_config config = some_config();
	uint32_t refused = 0, wrong = 0;
	pthread_attr_t small;
	pthread_t thread;
	int fd, i;

	need(!pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, 16384), "small stacks");
	for (i = 0; i < SMALL_RINGS; i++)
		need(!pthread_create(&thread, &small, rest, NULL), "thread");
	config.ring_records = config.wakeup_records = 1;
	fd = open_session(&config);
	__atomic_store_n(ready, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(ready, __ATOMIC_ACQUIRE) == 1)
		usleep(1000);
	/*
	 * The main thread and those after it: a process that starts threads while nothing else does has
	 * consecutive thread ids.
	 */
	for (i = 0; i <= SMALL_RINGS; i++) {
		struct memphis_attach attach = {.tid = getpid() + i};
		int error = request(fd, MEMPHIS_IOC_ATTACH, &attach);

		refused += error == ENOMEM;
		wrong += error && error != ENOMEM && error != ESRCH;
	}
	_exit(refused && !wrong ? 0 : 1);
}

/*
 * Varies the memory that is left: from too little for any ring to enough for some, in steps that are no
 * multiple of any part of a ring.
 */
static void check_small_rings(void)
{
	unsigned int step, whole = 0, steps = 12;
	char limit[32];
	pid_t child;
	int status;

	for (step = 0; step < steps; step++) {
		set(CGROUP "/memory.max", LIMIT);
		__atomic_store_n(ready, 0, __ATOMIC_RELEASE);
		child = child_of(ask_for_small_rings);
		while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE))
			usleep(1000);
		snprintf(limit, sizeof(limit), "%lu",
			 read_number(CGROUP "/memory.current") + (600000 + step * 73728));
		set(CGROUP "/memory.max", limit);
		__atomic_store_n(ready, 2, __ATOMIC_RELEASE);
		waitpid(child, &status, 0);
		whole += WIFEXITED(status) && !WEXITSTATUS(status);
	}
	set(CGROUP "/memory.max", LIMIT);
	__atomic_store_n(ready, 0, __ATOMIC_RELEASE);
	check_equal("memory: small rings that do not fit are refused, and no process is killed", whole,
		    steps);
}

static unsigned int kills(void)
{
	FILE *file = fopen(CGROUP "/memory.events", "re");
	unsigned int count = 0;
	char line[128];

	need(file, "memory.events");
	while (fgets(line, sizeof(line), file))
		sscanf(line, "oom_kill %u", &count);
	fclose(file);
	return count;
}

int main(void)
{
	uint64_t *buffer = buffer_on(0, BYTES), before;
	pid_t sampled, hog;
	int status;

	ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(ready != MAP_FAILED, "shared page");
	need(!mkdir(CGROUP, 0755), CGROUP);
	set(CGROUP "/memory.max", LIMIT);

	waitpid(child_of(ask_for_large_ring), &status, 0);
	check("memory: a ring that does not fit the cgroup is refused, and no process is killed",
	      WIFEXITED(status));
	check_equal("memory: the large ring is refused with ENOMEM", WEXITSTATUS(status), ENOMEM);
	check_equal("memory: nothing of the large ring is left", rings_in_kernel(), 0);

	check_small_rings();
	check_equal("memory: nothing of the small rings is left", rings_in_kernel(), 0);

	before = delivered();
	sampled = child_of(be_sampled);
	while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE) || delivered() - before < 100)
		usleep(1000);
	hog = child_of(be_hog);
	waitpid(sampled, &status, 0);
	check("memory: the sampled process is killed", WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	check("memory: the OOM killer killed the process", kills() > 0);
	before = delivered();
	walk(buffer, BYTES, LOADS);
	check_equal("memory: there are no interrupts after the process was killed", delivered() - before, 0);
	check_equal("memory: no ring of the killed process is left", rings_in_kernel(), 0);
	check_equal("memory: the cgroup can be removed", rmdir(CGROUP) ? errno : 0, 0);
	return 0;
}
