/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that uses maps after a library has taken over the functions for maps: `user LIBRARY` loads the library, or with "none",
 * nothing. Prints a line if memory or errno is not as it should be.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

void idle_sample(const void *address);

#define PAGE 4096ul

static void check(int right, const char *what)
{
	if (!right)
		printf("%s: wrong\n", what);
}

static char *get_map(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void use_maps(void)
{
	char *first, *second, *moved, *shared, *top, *file;
	int id, fd = memfd_create("two pages", 0);

	first = get_map(23 * PAGE);
	second = mmap(NULL, 11 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	idle_sample(first);
	idle_sample(second);
	check(mmap(first, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		      first,
	      "a fixed map");
	check(!munmap(first + 2 * PAGE, PAGE), "a part that is unmapped");
	moved = mremap(second, 11 * PAGE, 13 * PAGE, MREMAP_MAYMOVE);
	check(moved != MAP_FAILED, "a map that grows");
	check(!munmap(moved, 13 * PAGE), "the end of a map");
	/* The offset is the sixth argument, which syscall() finds on the stack. */
	check(!ftruncate(fd, 2 * PAGE) && pwrite(fd, "second", 6, PAGE) == 6, "a file");
	file = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, PAGE);
	check(file != MAP_FAILED && !memcmp(file, "second", 6), "the second page of a file");
	id = shmget(IPC_PRIVATE, 19 * PAGE, IPC_CREAT | 0600);
	shared = shmat(id, NULL, 0);
	check(shared != (char *)-1, "a segment");
	idle_sample(shared);
	check(!shmdt(shared) && !shmctl(id, IPC_RMID, NULL), "the end of a segment");
	top = sbrk(0);
	check(!brk(top + 17 * PAGE), "the break");
	check(sbrk(0) == top + 17 * PAGE, "the new break");
	top[0] = 1;
	idle_sample(top);
	check(!brk(top), "the old break");
	errno = 0;
	check(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL,
	      "a map without size");
	errno = 0;
	check(munmap(first + 1, PAGE) == -1 && errno == EINVAL, "the end of a map at an odd address");
}

int main(int argc, char **argv)
{
	void (*take_over)(void);
	void *library;

	if (argc > 1 && strcmp(argv[1], "none") != 0) {
		library = dlopen(argv[1], RTLD_NOW);
		if (!library) {
			puts(dlerror());
			return 1;
		}
		*(void **)&take_over = dlsym(library, "take_over");
		take_over();
	}
	use_maps();
	return 0;
}
