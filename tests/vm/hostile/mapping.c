// SPDX-License-Identifier: BSD-3-Clause
/*
 * Every way to map a ring that the kernel does not intend, and every way to write to a ring. usage: mapping
 */
#define _GNU_SOURCE
#include "common.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static struct thread_map map;
static char *ring;
static size_t bytes;

/* Before Linux 5.11, the module maps bare page frames, which can't go into a pipe. */
static bool has_bare_frames(void)
{
	struct utsname system;
	char *rest;
	long major;

	need(!uname(&system), "uname");
	major = strtol(system.release, &rest, 10);
	return major < 5 || (major == 5 && strtol(rest + 1, NULL, 10) < 11);
}

/* Returns the errno of a call that must fail, or 0 if it succeeds. */
static int error_of(long result)
{
	return result == -1 ? errno : 0;
}

static bool is_zero(const void *area, size_t size)
{
	const char *byte = area;

	return !byte[0] && !memcmp(byte, byte + 1, size - 1);
}

/* Returns the signal that a load from the address causes, or 0. */
static const volatile char *touched;

static void touch(void *unused)
{
	(void)unused;
	(void)*touched;
}

static int signal_of_touch(const char *address)
{
	touched = address;
	return end_of(start_child(touch, NULL)) - 128;
}

static void check_geometry(int fd)
{
	uint64_t control = map.attach.control_offset, offset = map.attach.ring_offset;
	unsigned int refused = 0, tried = 0;
	size_t size;

	for (size = 4096; size < 2 * bytes; size += 4096) {
		tried++;
		refused += try_map(fd, offset, size, PROT_READ, MAP_SHARED) == EINVAL;
	}
	check_equal("ring: only its exact length can be mapped", tried - refused, 1);
	for (tried = refused = 0, size = 4096; size < bytes + 8192; size += 4096) {
		tried++;
		refused += try_map(fd, offset + size, 4096, PROT_READ, MAP_SHARED) == EINVAL &&
			   try_map(fd, offset + size, bytes, PROT_READ, MAP_SHARED) == EINVAL;
	}
	check_equal("ring: only its first page can be the start of a map", refused, tried);
	for (tried = refused = 0, size = 8192; size < bytes; size += 4096) {
		tried++;
		refused += try_map(fd, control, size, PROT_READ, MAP_SHARED) == EINVAL &&
			   try_map(fd, 0, size, PROT_READ, MAP_SHARED) == EINVAL;
	}
	check_equal("control pages: nothing behind them can be mapped", refused, tried);
	/*
	 * Each bit of an offset, alone and combined with the ring's offset; offsets of slots that do not
	 * exist.
	 */
	for (refused = 0, tried = 12; tried < 63; tried++) {
		uint64_t bit = 1ULL << tried;

		if (bit == control || bit == 4096)
			continue;
		refused += try_map(fd, offset ^ bit, bytes, PROT_READ, MAP_SHARED) == EINVAL &&
			   try_map(fd, bit, 4096, PROT_READ, MAP_SHARED) == EINVAL;
	}
	check_equal("offsets: no other offset can be mapped", refused, 49);
}

static void check_remaps(int fd)
{
	char *twin, *moved;

	errno = 0;
	check("mremap can't duplicate the ring", mremap(ring, 0, bytes, MREMAP_MAYMOVE) == MAP_FAILED);
	check("mremap can't leave a second map behind",
	      mremap(ring, bytes, bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP) == MAP_FAILED);
	check("mremap can't grow a control page",
	      mremap(map.control, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED);

	twin = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)map.attach.ring_offset);
	need(twin != MAP_FAILED, "a second map");
	/* Another way than mmap to map single pages. It may remove the page that was mapped there. */
	check_equal(
		"remap_file_pages can't get a part of the ring",
		error_of(syscall(SYS_remap_file_pages, twin, 4096, 0, (map.attach.ring_offset >> 12) + 1, 0)),
		EINVAL);
	need(!munmap(twin + 4096, 4096), "munmap of a page");
	check_equal("an unmapped page of the ring is not accessible", signal_of_touch(twin + 4096), SIGSEGV);
	check("the pages around the unmapped one are accessible", is_zero(twin + 8192, bytes - 8192));
	check_equal("an unmapped page of the ring can't be mapped again alone",
		    try_map(fd, map.attach.ring_offset + 4096, 4096, PROT_READ, MAP_SHARED), EINVAL);
	moved = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(moved != MAP_FAILED, "place");
	check("a part of the map can move",
	      mremap(twin + 8192, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, moved) == moved);
	errno = 0;
	check("a moved part of the map can't become writable",
	      mprotect(moved, 4096, PROT_READ | PROT_WRITE) == -1 && errno == EACCES);
	check("a moved part of the map can't grow", mremap(moved, 4096, 8192, MREMAP_MAYMOVE) == MAP_FAILED);
	munmap(moved, 4096);
	munmap(twin, bytes);
	madvise(ring, bytes, MADV_DONTNEED);
	madvise(ring, bytes, MADV_FREE);
	madvise(ring, bytes, MADV_REMOVE);
	madvise(ring, bytes, MADV_PAGEOUT);
	madvise(ring, bytes, MADV_COLD);
	madvise(ring, bytes, MADV_MERGEABLE);
	madvise(ring, bytes, MADV_HUGEPAGE);
	check("madvise keeps the ring or removes it, and maps nothing else",
	      signal_of_touch(ring) == SIGBUS || is_zero(ring, 4096));
	/* Restore the ring, which the checks below need, in case it was removed. */
	munmap(ring, bytes);
	need(mmap(ring, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, (off_t)map.attach.ring_offset) == ring,
	     "ring");
}

static void write_ring_of(void *unused)
{
	struct iovec here = {.iov_base = "evil", .iov_len = 4}, there = {.iov_base = ring, .iov_len = 4};
	pid_t owner = getppid();
	char path[32];
	int memory;

	(void)unused;
	check("process_vm_writev can't write the ring",
	      process_vm_writev(owner, &here, 1, &there, 1, 0) == -1);
	snprintf(path, sizeof(path), "/proc/%d/mem", owner);
	memory = open(path, O_RDWR | O_CLOEXEC);
	need(memory >= 0, path);
	errno = 0;
	check("/proc/PID/mem of the owner can't write the ring",
	      pwrite(memory, "evil", 4, (off_t)(uintptr_t)ring) == -1 && errno == EIO);
	need(!ptrace(PTRACE_ATTACH, owner, NULL, NULL), "ptrace");
	need(waitpid(owner, NULL, __WALL) == owner, "stop of the owner");
	errno = 0;
	check("a debugger can't write the ring",
	      ptrace(PTRACE_POKEDATA, owner, ring, -1L) == -1 && errno == EIO);
	need(!ptrace(PTRACE_DETACH, owner, NULL, NULL), "detach");
}

static void inherit(void *unused)
{
	(void)unused;
	errno = 0;
	check("a child can't make the inherited ring writable",
	      mprotect(ring, bytes, PROT_READ | PROT_WRITE) == -1 && errno == EACCES);
	check("a child can't grow the inherited ring",
	      mremap(ring, bytes, bytes + 4096, MREMAP_MAYMOVE) == MAP_FAILED);
	check("a child can't map another part of the file with remap_file_pages",
	      syscall(SYS_remap_file_pages, ring, 4096, 0, 0, 0) == -1);
}

/* Checks that a page of the ring can go into a pipe and come out unchanged. */
static void check_pipe(const int pipes[2], const struct iovec *part)
{
	char readable[4096];

	check_equal("a page of the ring can go into a pipe",
		    (uint64_t)vmsplice(pipes[1], part, 1, SPLICE_F_GIFT), 4096);
	check("the page comes out of the pipe unchanged",
	      read(pipes[0], readable, 4096) == 4096 && !memcmp(readable, ring, 4096));
	need(vmsplice(pipes[1], part, 1, 0) == 4096, "vmsplice");
	/* Keep the page in the pipe beyond the ring's end; see check_detached(). */
	need(dup2(pipes[0], 100) == 100, "dup2");
}

static void check_writes(int fd)
{
	struct iovec part = {.iov_base = ring, .iov_len = 4096};
	int pipes[2], zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	need(zero >= 0 && !pipe(pipes), "files");
	check_equal("a system call can't write the ring", error_of(read(zero, ring, 4096)), EFAULT);
	/* Without this, Yama would refuse the child before the map does. */
	need(!prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0), "prctl");
	check_equal("end of the writing child", end_of(start_child(write_ring_of, NULL)), 0);
	check_equal("end of the inheriting child", end_of(start_child(inherit, NULL)), 0);
	if (has_bare_frames())
		check_equal("a page of the ring can't go into a pipe",
			    error_of(vmsplice(pipes[1], &part, 1, SPLICE_F_GIFT)), EFAULT);
	else
		check_pipe(pipes, &part);
	close(zero);
	close(pipes[0]);
	close(pipes[1]);
	check("the ring is unchanged", is_zero(ring, bytes));
	(void)fd;
}

static void check_flags(int fd)
{
	int only_read = open("/dev/memphis", O_RDONLY | O_CLOEXEC),
	    only_write = open("/dev/memphis", O_WRONLY | O_CLOEXEC);
	char path[32];
	int again;

	check_equal("opened for reading, a control page can't be written",
		    try_map(only_read, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED), EACCES);
	check_equal("opened for writing, nothing can be mapped",
		    try_map(only_write, 0, 4096, PROT_READ, MAP_SHARED), EACCES);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDWR | O_CLOEXEC);
	check_equal("opened again, the descriptor is another session",
		    try_map(again, map.attach.ring_offset, bytes, PROT_READ, MAP_SHARED), EINVAL);
	check_equal("MAP_SHARED_VALIDATE with MAP_SYNC is refused",
		    try_map(fd, map.attach.ring_offset, bytes, PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC),
		    EOPNOTSUPP);
	close(only_read);
	close(only_write);
	close(again);
}

/* After detaching, another thread gets the ring's offset, and the old map keeps its content. */
static void check_detached(int fd, const struct memphis_config *config)
{
	struct thread_map next;
	struct memphis_config smaller = *config;
	char page[4096];
	int32_t tid = 0;

	need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	check_equal("detached: the ring can't be mapped",
		    try_map(fd, map.attach.ring_offset, bytes, PROT_READ, MAP_SHARED), EINVAL);
	check_equal("detached: the control page can't be mapped",
		    try_map(fd, map.attach.control_offset, 4096, PROT_READ, MAP_SHARED), EINVAL);
	smaller.ring_records /= 2;
	smaller.wakeup_records = 1;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &smaller), "configure");
	next = attach_mapped(fd, 0, &smaller);
	check_equal("another ring takes the offset of a detached one", next.attach.ring_offset,
		    map.attach.ring_offset);
	check_equal("the next ring can be mapped at its own length only",
		    try_map(fd, next.attach.ring_offset, bytes, PROT_READ, MAP_SHARED), EINVAL);
	memset(map.control, 0xff, 4096);
	check("the next thread's control page is different memory",
	      next.control->tail == 0 && next.control->region == 0);
	unmap(&map);
	if (!has_bare_frames())
		check("a page in a pipe outlives the ring unchanged",
		      read(100, page, 4096) == 4096 && is_zero(page, 4096));
	close(100);
	unmap(&next);
}

int main(void)
{
	struct memphis_config config;
	int fd = open_device();

	config = shortest_config(fd);
	config.ring_records = 256;
	config.wakeup_records = 256;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	ring = (char *)map.status;
	bytes = map.attach.ring_bytes;
	check_geometry(fd);
	check_remaps(fd);
	check_writes(fd);
	check_flags(fd);
	check_detached(fd, &config);
	close_device(fd);
	return 0;
}
