/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in for /dev/memphis where there is none, preloaded behind the library: it answers all requests, and no sample
 * ever comes. So the library does all that it does but take samples: threads are attached, the drain writes files.
 * What opens /idle/memphis gets memory to map (MEMPHIS_DEVICE must be a file that is there).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memphis/device.h>

static __u32 ring_records;
static __u64 end = MEMPHIS_PAGE_BYTES; /* of the maps given out; requests come under the session's lock */
static ino_t inode;

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
	return fd;
}

static int attach(int fd, struct memphis_attach *attach)
{
	attach->control_offset = end;
	attach->ring_offset = end + MEMPHIS_PAGE_BYTES;
	attach->ring_bytes =
		(MEMPHIS_PAGE_BYTES + ring_records * sizeof(struct memphis_sample) + 4095) & ~4095ull;
	end = attach->ring_offset + attach->ring_bytes;
	return ftruncate(fd, (off_t)end);
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int, unsigned long, ...);
	void *argument, *symbol;
	va_list args;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	switch (request) {
	case MEMPHIS_IOC_QUERY:
		*(struct memphis_query *)argument = (struct memphis_query){.abi = MEMPHIS_ABI,
									   .hardware = MEMPHIS_HARDWARE_IBS,
									   .sampler = MEMPHIS_SAMPLER_TASK,
									   .counts = 1,
									   .drops = MEMPHIS_DROPS,
									   .period_min = 16,
									   .period_max = 1 << 26,
									   .period_step = 16,
									   .ring_records_max = 1 << 20,
									   .threads_max = 4096,
									   .version = "idle",
									   .pmu = "idle"};
		return 0;
	case MEMPHIS_IOC_CONFIGURE:
		ring_records = ((struct memphis_config *)argument)->ring_records;
		return 0;
	case MEMPHIS_IOC_ATTACH:
		return attach(fd, argument);
	case MEMPHIS_IOC_STATS:
		memset(argument, 0, sizeof(struct memphis_stats));
		return 0;
	case MEMPHIS_IOC_DETACH:
	case MEMPHIS_IOC_START:
	case MEMPHIS_IOC_STOP:
		return 0;
	}
	if (!next) {
		symbol = dlsym(RTLD_NEXT, "ioctl");
		memcpy(&next, &symbol, sizeof(symbol));
	}
	return next(fd, request, argument);
}

/* Plain memory would always be ready. */
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
