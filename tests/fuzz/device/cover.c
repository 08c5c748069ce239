// SPDX-License-Identifier: BSD-3-Clause
/*
 * Records which basic blocks of the module ran in tasks, by the kernel's KCOV, if module and kernel were built for it. KCOV does not
 * cover the interrupt handler.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Documentation/dev-tools/kcov.rst */
#define KCOV_INIT_TRACE _IOR('c', 1, unsigned long)
#define KCOV_ENABLE     _IO('c', 100)
#define KCOV_TRACE_PC   0
#define WORDS           4096

static __thread uint64_t *trace;
static __thread pid_t owner; /* a child inherits the memory, but is not traced */

static void open_trace(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	owner = gettid();
	trace = NULL;
	if (fd < 0)
		return;
	if (!ioctl(fd, KCOV_INIT_TRACE, WORDS))
		trace = mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (trace == MAP_FAILED || ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		trace = NULL;
	/* The map keeps the trace open. */
	close(fd);
}

void cover_begin(void)
{
	if (owner != gettid())
		open_trace();
	if (trace)
		__atomic_store_n(&trace[0], 0, __ATOMIC_RELAXED);
}

void cover_end(void)
{
	uint64_t i, count, offset;

	if (!trace || owner != gettid())
		return;
	count = __atomic_load_n(&trace[0], __ATOMIC_RELAXED);
	for (i = 1; i <= count && i < WORDS; i++) {
		offset = trace[i] - shared->text;
		if (offset < COVER_BYTES)
			shared->covered[offset] = 1;
	}
}

void cover_locate(void)
{
	char text[32];

	if (read_file("/sys/module/" MODULE_NAME "/sections/.text", text, sizeof(text)))
		shared->text = strtoull(text, NULL, 16);
}
