/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening the perf events of threads where locked memory or descriptors are few. The test stands in for the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../tap.h"
#include "backend/perf_thread.h"

#define PAGE    4096u
#define LIMIT   64
#define THREADS 16

static const struct memphis_perf_pmu pmu = {.query.hardware = MEMPHIS_HARDWARE_PEBS, .record_bytes_min = 56};
static const struct memphis_config config = {.events = 0x1e, .ring_records = 8192, .period = 1009};
static struct memphis_perf_thread threads[THREADS];
static size_t locked, locked_max; /* pages of buffers, and how many are allowed */

static long locks(size_t bytes)
{
	void *memory;

	if (locked + bytes / PAGE > locked_max) {
		errno = EPERM;
		return -1;
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	locked += bytes / PAGE;
	return (long)memory;
}

/* Interposed: events are files without contents. */
long syscall(long number, ...)
{
	size_t bytes;
	va_list args;
	void *start;

	va_start(args, number);
	start = va_arg(args, void *);
	bytes = va_arg(args, size_t);
	va_end(args);
	if (number == SYS_mmap)
		return locks(bytes);
	if (number == SYS_munmap)
		locked -= bytes / PAGE;
	if (number == SYS_munmap)
		return munmap(start, bytes);
	return number == SYS_perf_event_open ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
}

/* Interposed: the number of an event is the number of its descriptor. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;

	va_start(args, request);
	if (request == PERF_EVENT_IOC_ID)
		*va_arg(args, __u64 *) = (__u64)fd;
	va_end(args);
	return 0;
}

/* Returns the number of descriptors in [first, LIMIT). */
static int used_from(int first)
{
	int fd, count = 0;

	for (fd = first; fd < LIMIT; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void test_little_memory(void)
{
	locked_max = 25;
	is(memphis_perf_thread_open(&threads[0], &pmu, &config, 1), 0,
	   "four events are opened where one buffer of full size leaves no room for the others");
	is(threads[0].events[0].data_bytes, 4 * PAGE, "their buffers are smaller");
	is(threads[0].events[3].data_bytes, 4 * PAGE, "and of the same size");
	is(locked, 20, "nothing else is locked");
	locked_max = 27;
	is(memphis_perf_thread_open(&threads[1], &pmu, &config, 2), -EPERM,
	   "events for which one page each is too much are not opened");
	is(locked, 20, "and leave nothing locked");
	memphis_perf_thread_close(&threads[0]);
	is(locked, 0, "nothing is locked in the end");
}

static void test_few_descriptors(void)
{
	const struct rlimit limit = {.rlim_cur = LIMIT, .rlim_max = LIMIT};
	const int before = used_from(0);
	unsigned int i, opened = 0;
	int err = 0;

	locked_max = 1u << 20;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (i = 0; i < THREADS && !err; i++) {
		err = memphis_perf_thread_open(&threads[i], &pmu, &config, (pid_t)i + 1);
		opened += !err;
	}
	is(err, -EMFILE, "the number of events is limited by the number of descriptors");
	is(opened, LIMIT / 2 / 4, "of which they use half");
	is(used_from(0) - used_from(LIMIT / 2), before, "the program's low numbers remain free");
	for (i = 0; i < opened; i++)
		memphis_perf_thread_close(&threads[i]);
	is(used_from(0), before, "none is used in the end");
}

int main(void)
{
	test_little_memory();
	test_few_descriptors();
	return finish();
}
