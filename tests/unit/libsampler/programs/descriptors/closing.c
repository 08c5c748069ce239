// SPDX-License-Identifier: BSD-3-Clause
/*
 * Closes the descriptor of the first thread file as soon as it is opened, as closefrom() in another thread may do.
 * usage: closing [again]      `again`: then makes the number a duplicate of standard output
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memphis.h>

static int again;
static int closed = -1; /* number of the descriptor that was closed */

/* Interposed before the C library's open(), also for libmemphis. */
int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	mode_t mode = 0;
	va_list list;
	int fd;

	if (flags & O_CREAT) {
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		va_end(list);
	}
	fd = next(path, flags, mode);
	if (fd < 0 || closed >= 0 || !strstr(path, ".thread.memphis"))
		return fd;
	closed = fd;
	close(fd);
	if (again && dup2(1, fd) < 0)
		abort();
	return fd;
}

int main(int argc, char **argv)
{
	struct stat out, other;
	char *block;

	(void)argv;
	again = argc > 1;
	if (memphis_begin("Work"))
		return 2;
	block = malloc(100000);
	if (!block || memphis_end("Work") || memphis_flush())
		return 3;
	free(block);
	if (fstat(1, &out))
		return 4;
	printf("closed %s, the number is %s\n", closed < 0 ? "nothing" : "it",
	       fstat(closed, &other)        ? "free"
	       : other.st_ino == out.st_ino ? "the program's"
					    : "another's");
	return 0;
}
