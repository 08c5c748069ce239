// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loads a library that reads its own memory on the other node, unloads the library, and maps other memory at
 * the same address.
 * usage: host PLUGIN
 */
#define _GNU_SOURCE
#include "plugin.h"
#include "workload.h"

#include <dlfcn.h>
#include <memphis.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { ELEMENTS = 1 << 18, ROUNDS = 8 };

static double sweep(const double *successor)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++)
		sum += successor[i]; /* LINE: successor */
	return sum;
}

int main(int argc, char **argv)
{
	double *(*open)(void), (*read)(void), *table, *successor, sum = 0;
	const size_t bytes = ELEMENTS * sizeof(*successor);
	void (*close)(void);
	void *plugin;

	workload_cpu(0);
	plugin = dlopen(argc > 1 ? argv[1] : "libplugin.so", RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	open = (double *(*)(void))dlsym(plugin, "plugin_open");
	read = (double (*)(void))dlsym(plugin, "plugin_sweep");
	close = (void (*)(void))dlsym(plugin, "plugin_close");
	table = open();
	workload_objects();
	workload_cpu(2);
	memphis_begin("Reads");
	for (int round = 0; round < ROUNDS; round++)
		sum += read();
	close();
	if (dlclose(plugin))
		workload_fail("dlclose");
	workload_cpu(0);
	/*
	 * The successor maps the lower half of the former table: libmemphis maps its own memory from the top
	 * down.
	 */
	successor = mmap((void *)((uintptr_t)table & -4096), bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (successor == MAP_FAILED)
		workload_fail("mmap");
	workload_touch(successor, bytes);
	workload_variable("successor", successor, bytes);
	workload_cpu(2);
	for (int round = 0; round < 2 * ROUNDS; round++)
		sum += sweep(successor);
	memphis_end("Reads");
	printf("sum %g\n", sum);
	return 0;
}
