// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks after a round, when the device is no longer used, that nothing is left: interrupts, budgets, pages, leaks.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MSR_DELIVERED 0xc0011f03
#define KMEMLEAK      "/sys/kernel/debug/kmemleak"
#define STACKS        "/sys/kernel/debug/page_owner_stacks/"

static unsigned int failures;

static void check(bool holds, const char *name)
{
	printf("%s %s\n", holds ? "ok" : "not ok", name);
	failures += !holds;
}

/* Reads the machine's count of delivered samples; returns false if this machine has none. */
static bool delivered(uint64_t *count)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	bool got = fd >= 0 && pread(fd, count, sizeof(*count), MSR_DELIVERED) == sizeof(*count);

	close(fd);
	return got;
}

static void busy_on(int cpu)
{
	volatile unsigned int i;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < 1000000; i++)
		;
}

static void check_interrupts(void)
{
	uint64_t before, after;
	cpu_set_t all;
	unsigned int cpu;

	if (!delivered(&before))
		return;
	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < cpus(); cpu++)
		busy_on((int)cpu);
	delivered(&after);
	sched_setaffinity(0, sizeof(all), &all);
	check(before == after, "no interrupt is left");
}

/* With a budget for exactly one session with one ring, a single byte that was not returned makes the attach fail. */
static bool fits_budget(void)
{
	struct memphis_config config = {
		.period = 1 << 16, .count = usable_count(), .ring_records = 1 << 10, .wakeup_records = 1};
	struct memphis_attach attach = {0};
	int fd = open("/dev/memphis", O_RDWR | O_CLOEXEC);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	bool fits = page != MAP_FAILED && !ask(fd, MEMPHIS_IOC_CONFIGURE, &config) &&
		    !ask(fd, MEMPHIS_IOC_ATTACH, &attach);

	munmap(page, 4096);
	close(fd);
	return fits;
}

static void check_budget(void)
{
	char text[32];
	int status;
	pid_t pid;

	snprintf(text, sizeof(text), "%u",
		 4096 + 4096 + 4096 + (40 << 10) + MEMPHIS_THREAD_BYTES + MEMPHIS_SESSION_BYTES);
	write_file("/sys/module/" MODULE_NAME "/parameters/ring_budget_bytes", text);
	check(fits_budget(), "root's budget is free");
	pid = fork();
	if (!pid)
		_exit(syscall(SYS_setgid, 1000) || setuid(1000) || !fits_budget());
	waitpid(pid, &status, 0);
	check(!status, "the user's budget is free");
	write_file("/sys/module/" MODULE_NAME "/parameters/ring_budget_bytes", "67108864");
}

/* The kernel keeps page tables, slabs and shadow memory, regardless of their first user. */
static bool is_kernels_own(const char *stack)
{
	static const char *const words[] = {"slab",  "pte_alloc", "pmd_alloc", "pud_alloc", "p4d_alloc",
					    "kasan", "depot",     "kmemleak",  "percpu",    "pcpu"};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(stack, words[i]))
			return true;
	return false;
}

/* Checks page_owner's stacks of allocated pages for the module's code; kmemleak does not cover pages. */
static void check_pages(void)
{
	FILE *file;
	char *stack = NULL;
	size_t room = 0;
	bool clean = true;

	if (!write_file(STACKS "count_threshold", "1"))
		return;
	file = fopen(STACKS "show_stacks", "r");
	if (!file)
		return;
	/* A stack ends with an empty line. */
	char text[8192] = "";

	while (getline(&stack, &room, file) > 0) {
		if (*stack != '\n') {
			strncat(text, stack, sizeof(text) - strlen(text) - 1);
			continue;
		}
		if (strstr(text, "[" MODULE_NAME "]") && !is_kernels_own(text)) {
			printf("%s\n", text);
			clean = false;
		}
		*text = 0;
	}
	free(stack);
	fclose(file);
	check(clean, "no page is left");
}

unsigned int health_open(void)
{
	char text[64] = "";
	unsigned int tries;

	failures = 0;
	/* A killed task's descriptors may be closed a little after its end. */
	for (tries = 0; tries < 100; tries++) {
		if (read_file("/sys/module/" MODULE_NAME "/refcnt", text, sizeof(text)) &&
		    !strcmp(text, "0\n"))
			break;
		usleep(50000);
	}
	check(!strcmp(text, "0\n"), "the module is unused");
	check_interrupts();
	check_budget();
	check_pages();
	fflush(stdout);
	return failures;
}

static void check_leaks(void)
{
	char text[4096] = "";

	/*
	 * Scan twice, as the first scan wrongly suspects an object whose address is in a register or being moved. An object is
	 * suspected only when it is five seconds old.
	 */
	write_file(KMEMLEAK, "scan");
	sleep(6);
	write_file(KMEMLEAK, "scan");
	if (read_file(KMEMLEAK, text, sizeof(text)))
		printf("%s\n", text);
	check(!*text, "kmemleak finds nothing");
	write_file(KMEMLEAK, "clear");
}

/* lockdep switches itself off after its first complaint; later rounds without complaints would prove nothing. */
static void check_lockdep(void)
{
	char line[256];
	bool on = false;
	FILE *file = fopen("/proc/lockdep_stats", "r");

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "debug_locks:"))
			on = atoi(strchr(line, ':') + 1) == 1;
	if (file)
		fclose(file);
	check(on, "lockdep still watches");
}

unsigned int health_closed(void)
{
	failures = 0;
	check(access("/dev/" MODULE_NAME, F_OK) != 0, "the device has gone");
	check_leaks();
	check_lockdep();
	fflush(stdout);
	return failures;
}
