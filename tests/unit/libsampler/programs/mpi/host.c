/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without MPI that loads a library with MPI as Python does: its symbols are visible to nobody else. usage: host LIBRARY SCENARIO */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(const char *) = library ? (int (*)(const char *))dlsym(library, "run") : NULL;

	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	return run(argv[2]);
}
