// SPDX-License-Identifier: BSD-3-Clause
/* As a library: another OpenMP tool, which prints "other" when it is started. With -DPROGRAM: a program with a parallel region. */
#ifndef PROGRAM
#include <unistd.h>

struct result {
	int (*initialize)(void *lookup, int device, void *data);
	void (*finalize)(void *data);
	unsigned long data;
};

struct result *ompt_start_tool(unsigned int version, const char *runtime);

static int initialize(void *lookup, int device, void *data)
{
	(void)lookup;
	(void)device;
	(void)data;
	return write(1, "other\n", 6) == 6;
}

static void finalize(void *data)
{
	(void)data;
}

struct result *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct result result = {.initialize = initialize, .finalize = finalize};

	(void)version;
	(void)runtime;
	return &result;
}
#else
int main(void)
{
	int threads = 0;

#pragma omp parallel num_threads(2) reduction(+ : threads)
	threads++;
	return threads == 2 ? 5 : 1;
}
#endif
