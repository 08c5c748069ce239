/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads libraries (arguments) that are linked to the same address, each after the previous one was unloaded, and samples a variable
 * of each. There is no flush in between.
 */
#include <dlfcn.h>
#include <string.h>

#include <memphis.h>

#include "variables.h"

int main(int argc, char **argv)
{
	double *(*field)(void), *before = NULL;
	int i, err = memphis_begin("all");
	void *library, *symbol;

	for (i = 1; i < argc; i++) {
		library = dlopen(argv[i], RTLD_NOW);
		symbol = library ? dlsym(library, "field") : NULL;
		if (!symbol)
			return 1;
		memcpy(&field, &symbol, sizeof(field));
		if (before && field() != before)
			return 2;
		before = field();
		idle_sample(before + 3);
		err |= dlclose(library);
	}
	return err | memphis_end("all") ? 1 : 0;
}
