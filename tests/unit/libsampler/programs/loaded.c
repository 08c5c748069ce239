/* SPDX-License-Identifier: BSD-3-Clause */
/* Two libraries (arguments) that lie at the same place one after the other, their variables sampled; then both stay. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <memphis.h>

#include "variables.h"

static void *look(const char *path, void **base)
{
	double *(*field)(void);
	void *library = dlopen(path, RTLD_NOW), *symbol = library ? dlsym(library, "field") : NULL;

	if (!symbol)
		return NULL;
	memcpy(&field, &symbol, sizeof(field));
	*base = symbol;
	idle_sample(field() + 3);
	return memphis_flush() ? NULL : library;
}

int main(int argc, char **argv)
{
	void *library, *first, *second;

	if (argc < 4 || memphis_begin("all"))
		return 2;
	library = look(argv[1], &first);
	if (!library || dlclose(library) || !look(argv[2], &second))
		return 3;
	if (first != second) {
		fprintf(stderr, "%p %p\n", first, second);
		return 4;
	}
	if (!look(argv[3], &first))
		return 5;
	return memphis_end("all") ? 6 : 0;
}
