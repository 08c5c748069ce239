// SPDX-License-Identifier: BSD-3-Clause
/* Two plugins, built from one source, that are loaded when the program runs, and one that is unloaded before it ends. */
/* corpus: plugin left plugins_part.c -DPART=left */
/* corpus: plugin right plugins_part.c -DPART=right */
/* corpus: environment LEFT=$B/libleft.so RIGHT=$B/libright.so */
#include <dlfcn.h>
#include <stdlib.h>

static void *load(const char *variable)
{
	void *plugin = dlopen(getenv(variable), RTLD_NOW | RTLD_LOCAL);
	void (*run)(void) = plugin ? (void (*)(void))dlsym(plugin, "run") : NULL;

	if (!run)
		exit(1);
	run();
	return plugin;
}

int main(void)
{
	void *left = load("LEFT");

	load("RIGHT");
	return dlclose(left);
}
