/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks that static pointers hold: one from the start on, one that is allocated later and released before the end, and one that is
 * allocated at the very end. The first two live until the library has recorded their holders. Prints: NAME SLOT BLOCK.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_S 600

static char *first, *second, *last;
static char ballast[64 << 20]; /* makes a pointer scan take long */

/* Returns whether the file contains these words. */
static int holds(const char *path, const void *words, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
	struct stat st;
	void *data;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED) {
			found = !!memmem(data, (size_t)st.st_size, words, bytes);
			munmap(data, (size_t)st.st_size);
		}
	}
	close(fd);
	return found;
}

static int is_recorded(char **slot)
{
	const void *words[] = {slot, *slot};
	const char *directory = getenv("MEMPHIS_OUTPUT");
	DIR *list = opendir(directory);
	struct dirent *entry;
	char path[4096];
	int recorded = 0;

	while (list && (entry = readdir(list))) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		recorded |= strstr(path, ".process.memphis") && holds(path, words, sizeof(words));
	}
	if (list)
		closedir(list);
	return recorded;
}

static int wait_until_recorded(char **slot)
{
	const struct timespec pause = {.tv_nsec = 50000000};
	time_t begin = time(NULL);

	while (!is_recorded(slot)) {
		if (time(NULL) - begin > WAIT_S)
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int main(void)
{
	memset(ballast, 1, sizeof(ballast));
	first = malloc(100000);
	printf("first %p %p\n", (void *)&first, first);
	if (wait_until_recorded(&first))
		return 2;
	second = malloc(200000);
	printf("second %p %p\n", (void *)&second, second);
	if (wait_until_recorded(&second))
		return 3;
	free(second);
	second = NULL;
	last = malloc(300000);
	printf("last %p %p\n", (void *)&last, last);
	return 0;
}
