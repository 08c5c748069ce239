// SPDX-License-Identifier: BSD-3-Clause
/* Checks what may be mapped, how, and for how long. usage: maps [small]; small: without six large rings */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Calls mmap and returns 0 or errno; a successful map is removed again. */
static int try_map(int fd, uint64_t offset, size_t bytes, int protection, int flags)
{
	void *area = mmap(NULL, bytes, protection, flags, fd, (off_t)offset);

	if (area == MAP_FAILED)
		return errno;
	munmap(area, bytes);
	return 0;
}

static void check_geometry(int fd, const struct memphis_attach *attach)
{
	const int rw = PROT_READ | PROT_WRITE, ro = PROT_READ;
	uint64_t ring = attach->ring_offset, control = attach->control_offset;
	size_t bytes = attach->ring_bytes;

	check_equal("map: session's control page", try_map(fd, 0, 4096, rw, MAP_SHARED), 0);
	check_equal("map: session's control page, read-only", try_map(fd, 0, 4096, ro, MAP_SHARED), 0);
	check_equal("map: session's control page, two pages", try_map(fd, 0, 8192, rw, MAP_SHARED), EINVAL);
	check_equal("map: past the session's control page", try_map(fd, 4096, 4096, rw, MAP_SHARED), EINVAL);
	check_equal("map: thread's control page", try_map(fd, control, 4096, rw, MAP_SHARED), 0);
	check_equal("map: thread's control page and the ring",
		    try_map(fd, control, 4096 + bytes, ro, MAP_SHARED), EINVAL);
	check_equal("map: ring", try_map(fd, ring, bytes, ro, MAP_SHARED), 0);
	check_equal("map: ring, without its last page", try_map(fd, ring, bytes - 4096, ro, MAP_SHARED),
		    EINVAL);
	check_equal("map: ring, one page more", try_map(fd, ring, bytes + 4096, ro, MAP_SHARED), EINVAL);
	check_equal("map: ring, from its second page", try_map(fd, ring + 4096, bytes - 4096, ro, MAP_SHARED),
		    EINVAL);
	check_equal("map: past the ring", try_map(fd, ring + bytes, 4096, ro, MAP_SHARED), EINVAL);
	check_equal("map: a thread that is not there",
		    try_map(fd, ring + (1ULL << 32), bytes, ro, MAP_SHARED), EINVAL);
	check_equal("map: the last page of all", try_map(fd, 0x7ffffffffffff000, 4096, ro, MAP_SHARED),
		    EINVAL);
	check_equal("map: far away", try_map(fd, 0x7fffffff00000000, 4096, ro, MAP_SHARED), EINVAL);
}

static void check_rights(int fd, const struct memphis_attach *attach)
{
	const int rw = PROT_READ | PROT_WRITE;
	uint64_t ring = attach->ring_offset, control = attach->control_offset;
	size_t bytes = attach->ring_bytes;

	check_equal("map: ring, writable", try_map(fd, ring, bytes, rw, MAP_SHARED), EPERM);
	check_equal("map: ring, private", try_map(fd, ring, bytes, PROT_READ, MAP_PRIVATE), EINVAL);
	check_equal("map: ring, private and writable", try_map(fd, ring, bytes, rw, MAP_PRIVATE), EINVAL);
	check_equal("map: control page, private", try_map(fd, control, 4096, rw, MAP_PRIVATE), EINVAL);
	check_equal("map: ring, executable", try_map(fd, ring, bytes, PROT_READ | PROT_EXEC, MAP_SHARED),
		    EPERM);
	check_equal("map: control page, executable", try_map(fd, control, 4096, rw | PROT_EXEC, MAP_SHARED),
		    EPERM);
}

static void check_later_rights(const struct thread_map *map)
{
	void *ring = (void *)map->status;
	size_t bytes = map->attach.ring_bytes;
	int memory = open("/proc/self/mem", O_RDWR);

	errno = 0;
	mprotect(ring, bytes, PROT_READ | PROT_WRITE);
	check_equal("mprotect can't make the ring writable", errno, EACCES);
	errno = 0;
	mprotect(ring, bytes, PROT_READ | PROT_EXEC);
	check_equal("mprotect can't make the ring executable", errno, EACCES);
	errno = 0;
	mprotect(map->control, 4096, PROT_READ | PROT_EXEC);
	check_equal("mprotect can't make the control page executable", errno, EACCES);
	errno = 0;
	check("mremap can't grow the ring",
	      mremap(ring, bytes, bytes + 4096, MREMAP_MAYMOVE) == MAP_FAILED && errno == EFAULT);
	need(memory >= 0, "open /proc/self/mem");
	errno = 0;
	check("/proc/self/mem can't write the ring",
	      pwrite(memory, "x", 1, (off_t)(uintptr_t)ring) == -1 && errno == EIO);
	check("the ring is unchanged", map->status->sequence == 0 && map->status->head == 0);
	close(memory);
}

/* Returns whether the map at the address has all of these flags in /proc/self/smaps (proc(5), VmFlags). */
static bool has_flags(const void *address, const char *const *flags, size_t count)
{
	FILE *file = fopen("/proc/self/smaps", "r");
	unsigned long long start = 0;
	size_t found = 0, i;
	char line[1024];

	need(file, "/proc/self/smaps");
	while (fgets(line, sizeof(line), file)) {
		if (strchr(line, '-') && sscanf(line, "%llx-", &start) == 1)
			continue;
		for (i = 0; start == (uintptr_t)address && !strncmp(line, "VmFlags:", 8) && i < count; i++)
			found += strstr(line, flags[i]) != NULL;
	}
	fclose(file);
	return found == count;
}

static void check_flags(int fd, const struct thread_map *map)
{
	static const char *const flags[] = {" dd", " de"}; /* not in core dumps; can't be extended */
	void *session = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	need(session != MAP_FAILED, "map of the session's page");
	check("core dumps leave out the ring", has_flags(map->status, flags, 2));
	check("core dumps leave out the thread's control page", has_flags(map->control, flags, 2));
	check("core dumps leave out the session's control page", has_flags(session, flags, 2));
	munmap(session, 4096);
}

/* Who opened the device for reading only maps the areas for reading, and has samples. */
static void check_read_only(void)
{
	struct memphis_config config = some_config();
	struct memphis_attach attach = {0};
	int fd = open("/dev/memphis", O_RDONLY | O_CLOEXEC);
	void *page = mmap(NULL, MEMPHIS_PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	check("read-only: the session's page can be mapped", page != MAP_FAILED);
	check_equal("read-only: EACCES: a map for writing",
		    try_map(fd, 0, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED), EACCES);
	check_equal("read-only: EINVAL: a private map",
		    try_map(fd, 0, MEMPHIS_PAGE_BYTES, PROT_READ, MAP_PRIVATE), EINVAL);
	check_equal("read-only: EACCES: a map cannot become writable",
		    (uint64_t)(mprotect(page, MEMPHIS_PAGE_BYTES, PROT_READ | PROT_WRITE) ? errno : 0),
		    EACCES);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("read-only: attach", request(fd, MEMPHIS_IOC_ATTACH, &attach), 0);
	check_equal("read-only: the ring can be mapped",
		    try_map(fd, attach.ring_offset, attach.ring_bytes, PROT_READ, MAP_SHARED), 0);
	check_equal("read-only: the control page can be mapped",
		    try_map(fd, attach.control_offset, MEMPHIS_PAGE_BYTES, PROT_READ, MAP_SHARED), 0);
	munmap(page, MEMPHIS_PAGE_BYTES);
	close(fd);
}

static bool is_zero(const void *area, size_t bytes)
{
	const char *byte = area;

	return !byte[0] && !memcmp(byte, byte + 1, bytes - 1);
}

/* Six large rings use up the budget, also after they are detached, as long as they are mapped. */
static void check_budget(void)
{
	struct memphis_config config = some_config();
	struct memphis_attach attach = {0};
	struct thread_map maps[6];
	unsigned int i;
	int fd = open_device();
	int32_t tid = 0;

	config.ring_records = 1 << 20;
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	for (i = 0; i < 6; i++) {
		maps[i] = attach_mapped(fd, 0, &config);
		need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	}
	check_equal("maps of detached threads count against the budget",
		    request(fd, MEMPHIS_IOC_ATTACH, &attach), EDQUOT);
	unmap(&maps[3]);
	check_equal("an unmapped ring does not count against the budget",
		    request(fd, MEMPHIS_IOC_ATTACH, &attach), 0);
	need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	close_device(fd);
	fd = open_device();
	check("maps survive closing the descriptor", is_zero(maps[0].records, (size_t)maps[0].capacity * 40));
	for (i = 0; i < 6; i++)
		if (i != 3)
			unmap(&maps[i]);
	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	check_equal("the budget is free after everything was unmapped",
		    request(fd, MEMPHIS_IOC_ATTACH, &attach), 0);
	close_device(fd);
}

int main(int argc, char **argv)
{
	struct memphis_config config = some_config();
	struct thread_map map;
	int fd = open_device();
	int32_t tid = 0;

	need(!request(fd, MEMPHIS_IOC_CONFIGURE, &config), "configure");
	map = attach_mapped(fd, 0, &config);
	check("a new ring is all zero", is_zero(map.status, map.attach.ring_bytes));
	check("a new control page is all zero", is_zero(map.control, 4096));
	check_geometry(fd, &map.attach);
	check_rights(fd, &map.attach);
	check_later_rights(&map);
	check_flags(fd, &map);
	need(!request(fd, MEMPHIS_IOC_DETACH, &tid), "detach");
	check_equal("map: a thread that was detached",
		    try_map(fd, map.attach.ring_offset, map.attach.ring_bytes, PROT_READ, MAP_SHARED),
		    EINVAL);
	check("maps survive detaching", is_zero(map.status, map.attach.ring_bytes));
	unmap(&map);
	close_device(fd);
	check_read_only();
	if (argc != 2 || strcmp(argv[1], "small"))
		check_budget();
	return 0;
}
