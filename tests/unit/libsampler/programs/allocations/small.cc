// SPDX-License-Identifier: BSD-3-Clause
/*
 * Gets small blocks in each way, with unique sizes by which the test finds them in the files. Flushes between allocations and releases,
 * so that no block is too short-lived to be recorded. A thread releases blocks of another one, and a forked child those of its parent.
 */
#include <cstdlib>
#include <malloc.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <memphis.h>

static void release(void **blocks, int count)
{
	for (int i = 0; i < count; i++)
		free(blocks[i]);
}

int main()
{
	void *kept[16], *inherited;
	int count = 0, status;
	pid_t child;

	kept[count++] = malloc(1001);
	kept[count++] = calloc(2, 501);
	kept[count++] = realloc(NULL, 1003);
	if (posix_memalign(&kept[count++], 256, 1005))
		return 1;
	kept[count++] = aligned_alloc(64, 1088);
	kept[count++] = memalign(512, 1007);
	kept[count++] = malloc(1011); /* grows in two steps */
	kept[count++] = malloc(5001); /* shrinks */
	inherited = malloc(1021);
	void *array = ::operator new[](1031), *one = ::operator new(1033);
	memphis_flush();
	kept[6] = realloc(kept[6], 1013);
	memphis_flush();
	kept[6] = realloc(kept[6], 6001);
	kept[7] = realloc(kept[7], 1017);
	memphis_flush();
	std::thread(release, kept, count).join();
	::operator delete[](array);
	::operator delete(one, (size_t)1033);
	/* Out of memory: the old block stays. */
	void *stays = malloc(1041), *refused = realloc(stays, (size_t)1 << 62);
	memphis_flush();
	child = fork();
	if (!child) {
		free(inherited);
		memphis_flush();
		_Exit(refused != NULL);
	}
	if (waitpid(child, &status, 0) != child || status)
		return 2;
	free(stays);
	memphis_flush();
	/* A handful of blocks that live to the end: with the default, some of their bytes are taken. */
	for (int i = 0; i < 100000; i++)
		if (!malloc(64))
			return 3;
	memphis_flush();
	return 0;
}
