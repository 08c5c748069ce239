/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that close, count or number their descriptors. usage: descriptors MODE */
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "common.h"

/* What a program does afterwards: memory, a thread, a file, a child. */
static void *allocate(void *none)
{
	free(malloc(50000));
	return none;
}

static int go_on(const char *how)
{
	pthread_t thread;
	pid_t child;
	int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	printf("%s: next descriptor %d\n", how, file);
	must(mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, file, 0) != MAP_FAILED);
	must(!pthread_create(&thread, NULL, allocate, NULL));
	pthread_join(thread, NULL);
	fflush(stdout);
	child = fork();
	must(child >= 0);
	if (child == 0)
		exit(7);
	report_child("child", child);
	return 0;
}

static int close_each(int none)
{
	int i;

	for (i = 3; i < 65536; i++)
		close(i);
	return none + go_on("each closed");
}

static int close_from(int none)
{
	closefrom(3);
	return none + go_on("closefrom");
}

static int close_unshared(int none)
{
	must(!close_range(3, ~0U, CLOSE_RANGE_UNSHARE));
	return none + go_on("close_range");
}

static int close_on_exec(int none)
{
	must(!close_range(3, ~0U, CLOSE_RANGE_CLOEXEC));
	fflush(stdout);
	execlp("descriptors", "descriptors", "numbers", (char *)NULL);
	return none;
}

/* Also standard input, output and error; the result is the exit status. */
static int close_every(int none)
{
	int i;

	for (i = 0; i < 65536; i++)
		close(i);
	return none + open("/dev/null", O_RDONLY) + 40;
}

static int numbers(int none)
{
	int ends[2], i;

	must(!pipe(ends));
	printf("pipe %d %d, ", ends[0], ends[1]);
	for (i = 0; i < 3; i++)
		printf("%d, ", open("/dev/null", O_RDONLY | O_CLOEXEC));
	close(ends[0]);
	printf("dup %d, ", dup(1));
	printf("dup2 %d\n", dup2(1, 9));
	return none;
}

static int until_full(int none)
{
	int count = 0;

	while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		count++;
	printf("%d files, then %s\n", count, strerrorname_np(errno));
	return none;
}

static int few(int none)
{
	struct rlimit limit = {64, 64};

	must(!setrlimit(RLIMIT_NOFILE, &limit));
	return none + until_full(0);
}

static const struct mode modes[] = {
	{"close-each", close_each},
	{"closefrom", close_from},
	{"close-unshared", close_unshared},
	{"close-on-exec", close_on_exec},
	{"close-every", close_every},
	{"numbers", numbers},
	{"until-full", until_full},
	{"few", few},
	{NULL, NULL},
};

int main(int argc, char **argv)
{
	return run_mode(modes, argc, argv);
}
