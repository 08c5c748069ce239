// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loads a library that reads its own memory on the other node, and unloads it, three times within one
 * caliper. The library is at a different address each time.
 * usage: reload PLUGIN
 */
#define _GNU_SOURCE
#include "plugin.h"
#include "workload.h"

#include <dlfcn.h>
#include <memphis.h>
#include <stdio.h>
#include <sys/mman.h>

enum { LOADS = 3, ROUNDS = 8, BYTES = 5 * 4096 /* of the library's segments, without its zeroed data */ };

static double load(const char *path)
{
	double *(*open)(void), (*read)(void), *table, sum = 0;
	void (*close)(void), *plugin;
	Dl_info place;

	workload_cpu(0);
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		workload_fail("dlopen");
	}
	open = (double *(*)(void))dlsym(plugin, "plugin_open");
	read = (double (*)(void))dlsym(plugin, "plugin_sweep");
	close = (void (*)(void))dlsym(plugin, "plugin_close");
	table = open();
	workload_objects();
	workload_cpu(2);
	for (int round = 0; round < ROUNDS; round++)
		sum += read();
	close();
	if (!dladdr(table, &place) || dlclose(plugin))
		workload_fail("dlclose");
	/* Occupies the addresses so that the library is loaded elsewhere next time, and does not overlap. */
	if (mmap(place.dli_fbase, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) == MAP_FAILED)
		workload_fail("mmap");
	return sum;
}

int main(int argc, char **argv)
{
	double sum = 0;

	memphis_begin("Reads");
	for (int i = 0; i < LOADS; i++)
		sum += load(argc > 1 ? argv[1] : "libplugin.so");
	memphis_end("Reads");
	printf("sum %g\n", sum);
	return 0;
}
