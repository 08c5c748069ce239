/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stand-in for /dev/memphis, preloaded after the library: answers all requests and takes no samples. The library does everything
 * else as usual: threads are attached, and the drain writes files. MEMPHIS_DEVICE must name an existing file; opening it yields
 * a memory file to map.
 * IDLE_FILTERS is memphis_query.hardware_filters (default 1: none). With IDLE_EVENTS, the hardware is PEBS with these
 * memphis_query.events.
 * IDLE_FILTERS is memphis_query.hardware_filters (default 1: none). If IDLE_FORBIDS is set, CONFIGURE refuses filters, as the
 * module does by default.
 * IDLE_QUERY_ABI=N is the version that QUERY answers.
 * IDLE_ABI="OLDEST NEWEST" is the range of versions that the module knows (default: this one's); "1 1" is a module that does not know AGREE.
 * Programs can read whether the device is started, idle_is_started, and create samples: idle_sample(address) puts a sample of the calling thread into its ring; and report that a thread
 * has ended: idle_exited(tid).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <memphis/device.h>

#include "../../../../libsampler/base/stand_ins.h"

int idle_is_started; /* between START and STOP */
static __u32 ring_records;
static __u64 end = MEMPHIS_PAGE_BYTES; /* end of the maps given out; the session's lock serialises requests */
static ino_t inode;
static int shared = -1; /* another descriptor of the file, for idle_sample() */

int open(const char *path, int flags, ...)
{
	const char *device = getenv("MEMPHIS_DEVICE");
	struct stat st;
	va_list args;
	int mode, fd;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (!device || strcmp(path, device))
		return openat(AT_FDCWD, path, flags, mode);
	fd = memfd_create("memphis", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)end) || fstat(fd, &st))
		return -1;
	inode = st.st_ino;
	/* After a fork, the child opens the device anew; close the parent's descriptor. */
	if (shared >= 0)
		close(shared);
	shared = -1;
	return fd;
}
MEMPHIS_STAND_IN(open)

#define THREADS 256

static struct {
	pid_t tid;
	__u64 ring_offset;
	struct memphis_status *status; /* the thread's status page and ring, which the thread has mapped */
} threads[THREADS];
static int thread_count;

/* Maps a status page and a ring of so many bytes, by the instruction itself, as the library interposes mmap() and syscall(). */
static struct memphis_status *map_ring(size_t bytes, off_t offset)
{
	register long flags __asm__("r10") = MAP_SHARED, fd __asm__("r8") = shared, at __asm__("r9") = offset;
	long result = SYS_mmap;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(0L), "S"(MEMPHIS_PAGE_BYTES + bytes), "d"((long)(PROT_READ | PROT_WRITE)),
			   "r"(flags), "r"(fd), "r"(at)
			 : "rcx", "r11", "memory");
	return (struct memphis_status *)result;
}

/* Returns the thread's status page, followed by its ring. */
static struct memphis_status *status_of(pid_t tid)
{
	int i;

	for (i = __atomic_load_n(&thread_count, __ATOMIC_ACQUIRE) - 1; i >= 0 && threads[i].tid != tid; i--)
		;
	if (i < 0)
		abort();
	if (!threads[i].status)
		threads[i].status =
			map_ring(ring_records * sizeof(struct memphis_sample), (off_t)threads[i].ring_offset);
	return threads[i].status;
}

void idle_exited(pid_t tid)
{
	__atomic_store_n(&status_of(tid)->exited, 1, __ATOMIC_RELEASE);
}

void idle_sample(const volatile void *address)
{
	struct memphis_status *status = status_of((pid_t)syscall(SYS_gettid));
	struct memphis_sample *sample;
	struct timespec now;

	sample = (struct memphis_sample *)((char *)status + MEMPHIS_PAGE_BYTES) +
		 (status->head & (ring_records - 1));
	clock_gettime(CLOCK_MONOTONIC, &now);
	*sample = (struct memphis_sample){
		.time_ns = (__u64)now.tv_sec * 1000000000u + (__u64)now.tv_nsec,
		.pc = (__u64)(uintptr_t)__builtin_return_address(0),
		.address = (__u64)(uintptr_t)address,
		.source = MEMPHIS_SOURCE_DRAM,
		.flags = MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE,
	};
	status->accounting.interrupts++;
	status->accounting.kept++;
	__atomic_store_n(&status->head, status->head + 1, __ATOMIC_RELEASE);
}

static int attach(int fd, struct memphis_attach *attach)
{
	attach->control_offset = end;
	attach->ring_offset = end + MEMPHIS_PAGE_BYTES;
	attach->ring_bytes =
		(MEMPHIS_PAGE_BYTES + ring_records * sizeof(struct memphis_sample) + 4095) & ~4095ull;
	end = attach->ring_offset + attach->ring_bytes;
	if (shared < 0)
		shared = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	if (thread_count < THREADS) {
		threads[thread_count].tid = attach->tid ? attach->tid : (pid_t)syscall(SYS_gettid);
		threads[thread_count].ring_offset = attach->ring_offset;
		__atomic_store_n(&thread_count, thread_count + 1, __ATOMIC_RELEASE);
	}
	return ftruncate(fd, (off_t)end);
}

/* Answers AGREE as the module does, or returns the version of the session; 0: none was agreed on, and no structure is known. */
static __u32 agree(struct memphis_agreement *agreement)
{
	static __u32 agreed;
	const char *range = getenv("IDLE_ABI");
	__u32 oldest = MEMPHIS_ABI_OLDEST, newest = MEMPHIS_ABI;

	if (range) {
		oldest = (__u32)(range[0] - '0');
		newest = (__u32)(range[2] - '0');
	}
	if (!agreement)
		return agreed ? agreed : oldest == 1;
	if (newest == 1) {
		errno = ENOTTY;
		return 0;
	}
	agreement->abi = agreement->newest < newest ? agreement->newest : newest;
	if (agreement->abi < oldest || agreement->abi < agreement->oldest)
		agreement->abi = 0;
	agreed = agreement->abi;
	agreement->oldest = oldest;
	agreement->newest = newest;
	return 1;
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int, unsigned long, ...);
	void *argument, *symbol;
	const char *filters = getenv("IDLE_FILTERS"), *events = getenv("IDLE_EVENTS"),
		   *answered = getenv("IDLE_QUERY_ABI");
	va_list args;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	switch (request) {
	case MEMPHIS_IOC_QUERY:
		if (!agree(NULL)) {
			errno = ENOTTY;
			return -1;
		}
		*(struct memphis_query *)argument = (struct memphis_query){
			.abi = answered ? (__u32)atoi(answered) : agree(NULL),
			.hardware = events ? MEMPHIS_HARDWARE_PEBS : MEMPHIS_HARDWARE_IBS,
			.sampler = MEMPHIS_SAMPLER_TASK,
			.counts = 1u << (events ? MEMPHIS_COUNT_LOADS : MEMPHIS_COUNT_OPS),
			.events = events ? (__u32)atoi(events) : 1,
			.drops = MEMPHIS_DROPS,
			.period_min = 16,
			.period_max = 1 << 26,
			.period_step = 16,
			.ring_records_max = 1 << 20,
			.threads_max = 4096,
			.version = "idle",
			.pmu = "idle",
			.hardware_filters = filters ? (__u32)atoi(filters) : 1,
			.filter_sampler = MEMPHIS_SAMPLER_CPU,
			.filter_period_min = 4096,
		};
		return 0;
	case MEMPHIS_IOC_AGREE:
		return agree(argument) ? 0 : -1;
	case MEMPHIS_IOC_CONFIGURE:
		if (((struct memphis_config *)argument)->hardware_filter && getenv("IDLE_FORBIDS")) {
			errno = EACCES;
			return -1;
		}
		ring_records = ((struct memphis_config *)argument)->ring_records;
		return 0;
	case MEMPHIS_IOC_ATTACH:
		return attach(fd, argument);
	case MEMPHIS_IOC_STATS:
		memset(argument, 0, sizeof(struct memphis_stats));
		return 0;
	case MEMPHIS_IOC_START:
	case MEMPHIS_IOC_STOP:
		idle_is_started = request == MEMPHIS_IOC_START;
		return 0;
	case MEMPHIS_IOC_DETACH:
		return 0;
	}
	if (!next) {
		symbol = dlsym(RTLD_NEXT, "ioctl");
		memcpy(&next, &symbol, sizeof(symbol));
	}
	return next(fd, request, argument);
}
MEMPHIS_STAND_IN(ioctl)

/* A memory file would always be ready, so its descriptor is ignored. */
int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	struct timespec time = {timeout / 1000, timeout % 1000 * 1000000L};
	struct stat st;
	nfds_t i;

	for (i = 0; i < count; i++)
		if (inode && fds[i].fd >= 0 && !fstat(fds[i].fd, &st) && st.st_ino == inode)
			fds[i].fd = -1;
	return ppoll(fds, count, timeout < 0 ? NULL : &time, NULL);
}
MEMPHIS_STAND_IN(poll)

/* For a library whose constructor runs before this one's, or that is loaded later. */
void memphis_stand_in(struct memphis_stand_ins *all)
{
	all->open = open;
	all->ioctl = ioctl;
	all->poll = poll;
}
