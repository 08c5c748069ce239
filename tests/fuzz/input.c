// SPDX-License-Identifier: BSD-3-Clause
/* Part of the fuzzers: random numbers, and inputs as in-memory files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static uint64_t state = 1;

void fuzz_seed(uint64_t seed)
{
	state = seed * 2 + 1;
}

uint64_t fuzz_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dULL >> 16;
}

void fuzz_unpack(struct fuzz_case *one, const uint8_t *data, size_t size)
{
	uint32_t bytes;
	struct blob *file;

	memset(one, 0, sizeof(*one));
	if (size)
		one->options = *data++, size--;
	while (size >= sizeof(bytes) && one->file_count < FILES_MAX) {
		memcpy(&bytes, data, sizeof(bytes));
		data += sizeof(bytes);
		size -= sizeof(bytes);
		file = &one->files[one->file_count++];
		file->count = bytes < size ? bytes : size;
		if (file->count > FILE_BYTES_MAX)
			file->count = FILE_BYTES_MAX;
		file->bytes = malloc(FILE_BYTES_MAX);
		if (!file->bytes)
			abort();
		memcpy(file->bytes, data, file->count);
		data += file->count;
		size -= file->count;
	}
}

void fuzz_free(struct fuzz_case *one)
{
	unsigned int i;

	for (i = 0; i < one->file_count; i++)
		free(one->files[i].bytes);
	memset(one, 0, sizeof(*one));
}

const char *fuzz_file(unsigned int number, const void *bytes, size_t count)
{
	static int fds[FILES_MAX];
	static char paths[FILES_MAX][32];

	if (!fds[number]) {
		fds[number] = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(paths[number], sizeof(paths[number]), "/proc/self/fd/%d", fds[number]);
	}
	if (fds[number] < 0 || ftruncate(fds[number], 0) ||
	    pwrite(fds[number], bytes, count, 0) != (ssize_t)count)
		abort();
	return paths[number];
}
