// SPDX-License-Identifier: BSD-3-Clause
/* A program that loads an interpreter whose loading takes long. usage: loading LIBRARY */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
	void *library = count > 1 ? dlopen(words[1], RTLD_NOW) : NULL;

	if (!library) {
		fprintf(stderr, "%s\n", count > 1 ? dlerror() : "no library");
		return 1;
	}
	free(malloc(100000));
	puts("loaded");
	return 0;
}
