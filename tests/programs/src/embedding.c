// SPDX-License-Identifier: BSD-3-Clause
/* A program that loads Python's interpreter, lets it allocate, and unloads it, several times. usage: embedding LIBRARY TIMES */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *library;

static void find(const char *name, void *function)
{
	void *address = dlsym(library, name);

	if (!address) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	memcpy(function, &address, sizeof(address));
}

/* The interpreter has its objects and those of its modules only. */
static void run(const char *path)
{
	static const char program[] =
		"kept = [bytearray(100000) for i in range(200)]\nprint(sum(map(len, kept)), flush=True)\n";
	void (*begin)(int);
	int (*execute)(const char *, void *);
	int (*end)(void);

	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	find("Py_InitializeEx", &begin);
	find("PyRun_SimpleStringFlags", &execute);
	find("Py_FinalizeEx", &end);
	begin(0);
	usleep(100000);
	printf("%d\n", execute(program, NULL));
	printf("%d\n", end());
	printf("%d\n", dlclose(library));
}

int main(int count, char **words)
{
	int times = count > 2 ? atoi(words[2]) : 1;
	void *block;

	while (times--) {
		run(words[1]);
		block = malloc(1 << 20);
		free(block);
	}
	return 0;
}
