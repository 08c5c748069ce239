// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that a library holds, which the program loads itself. */
/* corpus: plugin state plugin_state.c */
/* corpus: environment STATE=$B/libstate.so */
#include "corpus.h"

#include <dlfcn.h>

int main(void)
{
	void *plugin = dlopen(getenv("STATE"), RTLD_NOW);
	double *(*make)(void) = plugin ? (double *(*)(void))dlsym(plugin, "make") : NULL;
	double *made = make ? make() : NULL; /* site: made */

	TRUTH(made, BYTES, "made");
	return !made;
}
