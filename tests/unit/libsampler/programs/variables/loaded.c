/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libraries (arguments) one after the other, and samples a variable of each. */
#include <dlfcn.h>
#include <string.h>

#include <memphis.h>

#include "variables.h"

static int look(const char *path)
{
	void *library = dlopen(path, RTLD_NOW), *symbol = library ? dlsym(library, "field") : NULL;
	double *(*field)(void);

	/* The flush records a list of maps with the new library. */
	if (!symbol || memphis_flush())
		return 1;
	memcpy(&field, &symbol, sizeof(field));
	idle_sample(field() + 3);
	return 0;
}

int main(int argc, char **argv)
{
	int i, err = memphis_begin("all");

	for (i = 1; i < argc; i++)
		err |= look(argv[i]);
	return err | memphis_end("all") ? 1 : 0;
}
