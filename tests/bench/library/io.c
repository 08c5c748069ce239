/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures calls of I/O functions that are as short as such calls can be: pwrite() of one byte to a file in memory, and fwrite() of eight bytes to
 * the buffer of a stream. Prints median and minimum over many batches, in ns per call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memphis.h>

#include "cpu_time.h"

#define BATCHES 301
#define CALLS   5000

static int fd;
static FILE *stream;

static int write_byte(void)
{
	return pwrite(fd, "x", 1, 0) != 1;
}

static int write_buffer(void)
{
	return fwrite("12345678", 8, 1, stream) != 1;
}

static void measure(const char *name, int (*what)(void))
{
	static double took[BATCHES];
	int i, j, err = 0;

	for (i = 0; i < BATCHES; i++) {
		took[i] = cpu_ns();
		for (j = 0; j < CALLS; j++)
			err |= what();
		took[i] = (cpu_ns() - took[i]) / CALLS;
	}
	if (err)
		exit(1);
	qsort(took, BATCHES, sizeof(*took), compare);
	printf("%s %.2f %.2f\n", name, took[BATCHES / 2], took[0]);
}

int main(void)
{
	fd = memfd_create("bench", 0);
	stream = fdopen(dup(fd), "w");
	memphis_begin("Bench");
	measure("pwrite", write_byte);
	measure("fwrite", write_buffer);
	memphis_end("Bench");
	return 0;
}
